"""The frame gate: cheap change detection, so that a moving table is not read and a resting one is read once."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

SMALL = (160, 90)
MOTION = 0.004  # fraction of the small frame that changed between two frames: more than this is motion
CHANGE = 0.0015  # fraction that differs from the frame last read: more than this is worth a new look
STEP = 18  # grey levels (after the gain of the light is taken out) that count as a difference
REST = 0.35  # seconds without motion before the table counts as resting
ARM = 0.015  # fraction of the frame that a blob touching its border must cover to be taken for an arm
FORGIVE = 12.0  # seconds after which something resting at the border is furniture, not an arm


@dataclass(frozen=True, slots=True)
class GateState:
    """What the gate says of a frame: `busy` (hands move or rest over the table), `read` (time for a look)."""

    busy: bool
    read: bool
    motion: float


class Gate:
    """Fed every frame; remembers the last one and the one last read."""

    def __init__(self, looks: int = 2, rest: float = REST) -> None:
        self.looks, self.rest = looks, rest
        self._last: np.ndarray | None = None
        self._seen: np.ndarray | None = None  # the resting table as it was last read
        self._moved_at = float("-inf")
        self._arm_since: float | None = None
        self._left = looks

    def update(self, image: np.ndarray, time: float) -> GateState:
        """Look at a frame taken at `time` (seconds)."""
        if time < self._moved_at:  # the camera's clock was set back: waiting for the old time would take hours
            self._moved_at = time
            self._arm_since = None if self._arm_since is None else time
        small = self._shrink(image)
        if self._last is None:
            self._last = small
            self._moved_at = time - self.rest
            return GateState(False, self._take(small), 0.0)
        motion = self._difference(small, self._last).mean()
        self._last = small
        if motion > MOTION:
            self._moved_at = time
            self._left = self.looks
            return GateState(True, False, float(motion))
        if time - self._moved_at < self.rest:
            return GateState(True, False, float(motion))
        if self._seen is not None:
            changed = self._difference(small, self._seen)
            if self._arm(changed, time):
                return GateState(True, False, float(motion))
            if changed.mean() > CHANGE:
                self._left = max(self._left, self.looks if self._left == 0 else self._left)
        return GateState(False, self._take(small), float(motion))

    def look_again(self, looks: int = 1) -> None:
        """Ask for more looks at the resting table: the last readings did not agree."""
        self._left = max(self._left, looks)

    def _take(self, small: np.ndarray) -> bool:
        if self._left <= 0:
            return False
        self._left -= 1
        self._seen = small
        return True

    def _arm(self, mask: np.ndarray, time: float) -> bool:
        """Whether something that was not there at the last look (the changed pixels) reaches in from the border."""
        if not mask.any():  # the usual case, many times a second
            self._arm_since = None
            return False
        if mask.mean() > 0.7:  # the camera was moved or the light went out: no arm is that big
            return False
        mask = cv2.morphologyEx(mask.astype(np.uint8), cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8))
        count, _, stats, _ = cv2.connectedComponentsWithStats(mask)
        height, width = mask.shape
        for x, y, w, h, area in stats[1:count]:
            at_border = x == 0 or y == 0 or x + w == width or y + h == height
            if at_border and area > ARM * mask.size:
                self._arm_since = time if self._arm_since is None else self._arm_since
                return time - self._arm_since < FORGIVE
        self._arm_since = None
        return False

    @staticmethod
    def _shrink(image: np.ndarray) -> np.ndarray:
        # Sixteen of the pixels under each small one are enough, and reading all of them would take most of the gate's
        # time: halfway by taking samples, the rest by averaging.
        half = (2 * SMALL[0], 2 * SMALL[1])
        if image.shape[1] >= 2 * half[0]:
            image = cv2.resize(image, half, interpolation=cv2.INTER_LINEAR)
        grey = cv2.cvtColor(cv2.resize(image, SMALL, interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2GRAY)
        return cv2.GaussianBlur(grey, (3, 3), 0).astype(np.float32)

    @staticmethod
    def _difference(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        # A cloud or a camera's automatic exposure changes all pixels by one factor: take that out first.
        gain = float(np.median((a + 8) / (b + 8)))
        return np.abs(a - gain * b) > STEP
