"""How sure is sure: the networks' raw scores turned into the chance that the reading is right.

The numbers are a logistic fit on composed scenes and on photographs of two contributors, none of which the face network
was trained on; `python -m models.cards calibrate` makes them.
"""

from __future__ import annotations

import math

BIAS, FACE, SCORE, DISCORD = -0.870, 0.955, 1.139, -0.435


def log_odds(p: float) -> float:
    """ln(p / (1 − p)), kept finite."""
    p = min(max(p, 1e-5), 1 - 1e-5)
    return math.log(p / (1 - p))


def features(face: float, score: float, discord: float) -> tuple[float, float, float]:
    """What the fit sees of a card: log odds of the face's softmax and of the detector's score, and the discord."""
    return log_odds(face), log_odds(score), discord


def confidence_of(face: float, score: float, discord: float) -> float:
    """The chance that the best label is right."""
    a, b, c = features(face, score, discord)
    return 1 / (1 + math.exp(-(BIAS + FACE * a + SCORE * b + DISCORD * c)))
