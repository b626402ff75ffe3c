"""The gate of `make test`: the tests of the rules must take at least 97 % of the branches of `rules/`.

Reads what `pytest tests/rules --cov=rules` left in `.coverage`. Lines alone would hide an `if` that was never false.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from coverage import Coverage

WANTED = 97.0


def main() -> int:
    """Print the figure; 1 if it is too low."""
    data = Coverage()
    data.load()
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "coverage.json"
        data.json_report(outfile=str(report))
        totals = json.loads(report.read_text(encoding="utf-8"))["totals"]
    taken, branches = totals["covered_branches"], totals["num_branches"]
    share = 100 * taken / branches
    print(f"rules/: {share:.1f} % of branches taken ({taken} of {branches}), {WANTED:g} % wanted")
    return 0 if share >= WANTED else 1


if __name__ == "__main__":
    sys.exit(main())
