#!/usr/bin/env bash
# The two commands of the README from a fresh clone in a clean environment: new HOME, no variables, no cached venv.
#   tests/fresh_clone.sh demo    sets up, starts `make demo`, waits until the page shows a table that was read
#   tests/fresh_clone.sh test    `make test`, whole
#   tests/fresh_clone.sh size    installs what is needed at run time only, and says how large it is (limit: 500 MB)
# Variables that pip needs to reach its index (PIP_*, *_proxy, SSL_CERT_FILE) are passed on; nothing else is.
set -euo pipefail
what="${1:-demo}"
source="$(cd "$(dirname "$0")/.." && pwd)"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
git clone --quiet "$source" "$work/tapete"
mkdir "$work/home"
pass=()
while IFS= read -r line; do pass+=("$line"); done \
    < <(env | grep -E '^(PIP_[A-Z_]+|https?_proxy|HTTPS?_PROXY|no_proxy|NO_PROXY|SSL_CERT_FILE)=' || true)
clean() { env -i HOME="$work/home" PATH=/usr/local/bin:/usr/bin:/bin LANG=C.UTF-8 "${pass[@]}" "$@"; }
cd "$work/tapete"

case "$what" in
test)
    clean make test
    ;;
size)
    clean python3 -m venv .venv
    clean .venv/bin/python -m pip install --quiet .
    clean .venv/bin/tapete --version
    size="$(du -sm .venv | cut -f1)"
    echo "the run-time environment takes $size MB"
    [ "$size" -lt 500 ]
    ;;
demo)
    began=$SECONDS
    # A browser that does nothing: the page is asked for below.
    clean BROWSER=true TAPETE_PORT=8791 setsid make demo >"$work/demo.log" 2>&1 &
    demo=$!
    trap 'kill -TERM -- "-$demo" 2>/dev/null || true; wait "$demo" 2>/dev/null || true; rm -rf "$work"' EXIT
    look='
import json, sys, urllib.request
base = "http://127.0.0.1:8791/"
page = urllib.request.urlopen(base, timeout=10).read().decode()
table = json.load(urllib.request.urlopen(base + "api/v1/table", timeout=10))
assert "<html" in page and table["camera"]["status"] == "ok" and table["state"] is not None
print("the page is served,", len(table["state"]["pieces"]), "pieces read")
'
    for _ in $(seq 300); do
        if clean python3 -c "$look" 2>/dev/null; then
            echo "make demo: from a fresh clone to a table that was read in $((SECONDS - began)) s"
            exit 0
        fi
        kill -0 "$demo" 2>/dev/null || break
        sleep 2
    done
    tail -20 "$work/demo.log"
    echo "make demo did not come up"
    exit 1
    ;;
*)
    echo "usage: $0 demo|test|size" >&2
    exit 2
    ;;
esac
