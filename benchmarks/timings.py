"""What was measured: the timings of a row, and what follows from them."""

from __future__ import annotations

import statistics
from dataclasses import dataclass, field

from benchmarks.cases import Case

RowKey = tuple[str, str, str, int]

ROOFS = ("memcpy", "streamed")  # plain copies, which answer another question


@dataclass
class Timing:
    """What one contender did on one row: its seconds per call, or why there are none."""

    seconds: list[float] = field(default_factory=list)
    failure: str = ""

    @property
    def best(self) -> float:
        """The shortest call, or infinity where there is none."""
        return min(self.seconds, default=float("inf"))

    @property
    def median(self) -> float:
        """The call in the middle, or infinity where there is none."""
        return statistics.median(self.seconds) if self.seconds else float("inf")


@dataclass(frozen=True)
class RowResult:
    """One row in one mode on some threads; `skipped` says why it was not measured, if so.

    `measured` says of which commit and when; a row that was measured once more later and replaced
    the earlier one `is_rerun`.
    """

    case: Case
    size: str
    mode: str
    threads: int
    timings: dict[str, Timing]
    skipped: str = ""
    measured: str = ""
    is_rerun: bool = False

    @property
    def key(self) -> RowKey:
        """Case, size, mode and threads: what tells one row of a record from another."""
        return (self.case.name, self.size, self.mode, self.threads)

    def gigabytes_per_second(self, name: str) -> float:
        """Bytes read plus bytes written by the best call, in 10^9 a second; 0 without a call."""
        timing = self.timings.get(name, Timing())
        return 2 * self.case.nbytes(self.size) / timing.best / 1e9

    def ratio(self, name: str, other: str) -> float | None:
        """How many times as fast as `other` the contender `name` is, where both were timed."""
        theirs = self.gigabytes_per_second(other)
        mine = self.gigabytes_per_second(name)
        return mine / theirs if theirs and mine else None

    def rivals(self) -> list[str]:
        """Those that answered the same question and were timed, the fastest first."""
        names = [name for name in self.timings if name not in ("ours", *ROOFS)]
        timed = [name for name in names if self.timings[name].seconds]
        return sorted(timed, key=lambda name: self.timings[name].best)

    def best_ratio(self) -> float | None:
        """How many times as fast as its fastest rival torch_hptp is, where both were timed."""
        fastest = next(iter(self.rivals()), None)
        return self.ratio("ours", fastest) if fastest else None
