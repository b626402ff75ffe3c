"""docs/api.md names every route that the server has and every code that a problem may bear, and no others."""

from __future__ import annotations

import re
from pathlib import Path

from service.app import create_app
from service.desk import Desk
from service.problems import STATUS

TEXT = (Path(__file__).parents[2] / "docs" / "api.md").read_text(encoding="utf-8")
ROUTE = re.compile(r"`(GET|POST|PUT|DELETE) (/[^`\s?]*)")


def _bare(path: str) -> str:
    """A path whatever its parameters are called."""
    return re.sub(r"\{[^}]*\}", "{}", path.removeprefix("/api/v1"))


def test_every_route_is_documented_and_every_documented_route_exists(desk: Desk) -> None:
    paths = create_app(desk).openapi()["paths"]
    real = {(method.upper(), _bare(path)) for path, operations in paths.items() for method in operations}
    told = {(method, _bare(path)) for method, path in ROUTE.findall(TEXT)}
    assert real - told == set()
    assert told - real - {("GET", "/openapi.json")} == set()


def test_every_code_of_a_problem_is_documented_with_its_status() -> None:
    rows = re.findall(
        r"^\| (`[a-z_]+`(?:, `[a-z_]+`)*) \| ([0-9, ]+) \|", TEXT[TEXT.index("## Errors") :], re.MULTILINE
    )
    told: dict[str, int] = {}
    for names, statuses in rows:
        codes = re.findall(r"`([a-z_]+)`", names)
        numbers = [int(number) for number in statuses.split(",")]
        numbers *= len(codes) if len(numbers) == 1 else 1
        told |= dict(zip(codes, numbers, strict=True))
    assert told == STATUS
