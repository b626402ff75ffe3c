"""A progress bar for trainings that only count their steps: it reads `120/4000` in what they print."""

from __future__ import annotations

import io
import re
from typing import TextIO

WIDTH = 24
COUNT = re.compile(r"(?<![\w./-])(\d+)/(\d+)(?![\w/])")  # no part of a path


def fraction(line: str) -> float | None:
    """How far a line says that the work is: `step 5/20`, or within epochs `2/4 step 5/20`; None if it does not say."""
    counts = [(int(done), int(total)) for done, total in COUNT.findall(line) if int(total)]
    if not counts:
        return None
    done, total = counts[-1]
    share = done / total
    if len(counts) > 1:  # the first is the epoch that is under way
        epoch, epochs = counts[0]
        share = (epoch - 1 + share) / epochs
    return min(1.0, max(0.0, share))


def bar(share: float) -> str:
    """`[######..................]  25 %`"""
    full = round(WIDTH * share)
    return f"[{'#' * full}{'.' * (WIDTH - full)}] {share:4.0%}"


class Progress(io.TextIOBase):
    """Passes text on; a line that counts steps gets a bar in front of it."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._drawn = False

    def write(self, text: str) -> int:
        """Write text, with a bar where it counts."""
        for line in text.splitlines(keepends=True):
            said = line.strip("\r\n")
            share = fraction(said)
            if share is not None:
                self._out.write(f"\r{bar(share)} {line.lstrip(chr(13))}")
                self._drawn = not line.endswith("\n")
                continue
            if self._drawn and said:
                self._out.write("\n")  # the bar stays where it was
            self._drawn = self._drawn and not said and not line.endswith("\n")
            self._out.write(line)
        return len(text)

    def flush(self) -> None:
        """Pass it on at once."""
        self._out.flush()
