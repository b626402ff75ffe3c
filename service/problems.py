"""Errors with a stable code and a sentence in each language. `service.answers` makes them answers of the API."""

from __future__ import annotations

from typing import Any

STATUS = {
    "invalid_request": 422,
    "bad_notation": 422,
    "bad_setup": 422,
    "unknown_game": 404,
    "unknown_match": 404,
    "unknown_event": 404,
    "unknown_question": 404,
    "unknown_option": 404,
    "no_evidence": 404,
    "not_found": 404,
    "method_not_allowed": 405,
    "illegal_move": 409,
    "nothing_to_undo": 409,
    "nothing_to_redo": 409,
    "not_a_move": 409,
    "match_busy": 409,
    "no_demo": 409,
    "no_lan": 409,
    "bad_deck_name": 422,
    "unknown_deck": 404,
    "unknown_look": 404,
    "unknown_card": 422,
    "wrong_count": 422,
    "damaged_deck": 409,
    "duplicate_picture": 409,
    "mirrored_picture": 409,
    "no_cards": 409,
    "too_many_looks": 409,
    "deck_exists": 409,
    "not_a_deck": 422,
    "bad_host": 403,
    "bad_origin": 403,
    "bad_token": 401,
    "too_large": 413,
    "too_many_pixels": 413,
    "not_an_image": 415,
    "bad_camera": 422,
    "bad_calibration": 422,
    "cannot_score": 422,
    "no_camera": 409,
    "no_frame": 409,
    "eyes_unavailable": 503,
    "store_unavailable": 503,
    "too_many": 429,
    "internal": 500,
}


class Problem(Exception):
    """An error with a code of the table above."""

    def __init__(self, code: str, en: str, es: str = "", **more: Any) -> None:
        super().__init__(en)
        self.code, self.en, self.es, self.more = code, en, es or en, more

    def body(self) -> dict[str, Any]:
        """The problem as plain JSON."""
        status = STATUS[self.code]
        shown: dict[str, Any] = {"type": "about:blank", "title": self.code.replace("_", " "), "status": status}
        return {**shown, "code": self.code, "detail": self.en, "es": self.es, "en": self.en, **self.more}
