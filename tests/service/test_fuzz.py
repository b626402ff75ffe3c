"""The API fuzzed from its own schema: whatever is sent, the answer is one that the schema knows, and never a 5xx."""

from __future__ import annotations

from pathlib import Path

import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import content_type_conformance, response_schema_conformance

from service.app import create_app
from service.desk import Desk
from service.settings import Settings
from vision.state import TableState

HOST = {"host": "127.0.0.1:8770"}
CHECKS = [not_a_server_error, content_type_conformance, response_schema_conformance]
UNENDING = ("/stream",)


class Blind:
    """Eyes that see nothing: the fuzz is about the API, not about pictures."""

    def read(self, image: object, time: float = 0.0) -> TableState:
        return TableState(time, (), (64, 64))


def test_no_answer_is_a_server_error(tmp_path: Path) -> None:
    """Every operation with generated values; a match that exists where one is asked for, half of the time."""
    desk = Desk(Settings(data=tmp_path), make_eyes=lambda game, calibration: Blind())
    match = desk.new_match("triominos", ["Ana", "Luis"], {}, {})
    schema = schemathesis.openapi.from_asgi("/api/v1/openapi.json", create_app(desk), headers=HOST)
    hit: dict[str, int] = {}

    def fuzz(operation: schemathesis.APIOperation) -> None:
        @settings(
            max_examples=12, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True, database=None
        )
        @given(case=operation.as_strategy())
        def check(case: schemathesis.Case) -> None:
            name = operation.label
            hit[name] = hit.get(name, 0) + 1
            if "match_id" in (case.path_parameters or {}) and hit[name] % 2 and case.method != "DELETE":
                case.path_parameters["match_id"] = match.id
            case.call_and_validate(headers=HOST, checks=CHECKS)

        check()

    try:
        for found in schema.get_all_operations():
            operation = found.ok()
            if not operation.path.endswith(UNENDING):
                fuzz(operation)
    finally:
        desk.close()
    assert len(hit) >= 25, sorted(hit)
