"""The record of a run in JSON; `benchmarks/README.md` says what stands where.

Rows of one machine, one torch and one set of contenders' versions can be merged into one record,
so that a long board can be measured in pieces, and a row that another program disturbed once more.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.cases import CASES
from benchmarks.contenders import CONTENDERS
from benchmarks.machine import describe
from benchmarks.measure import Limits
from benchmarks.timings import RowKey, RowResult, Timing

_MAY_DIFFER = ("commit", "date")  # each row has its own


@dataclasses.dataclass
class Record:
    """A run: the machine, who was asked and in which version, and the rows."""

    machine: dict[str, str]
    limits: dict[str, float]
    versions: dict[str, str]
    not_installed: list[str]
    rows: list[RowResult]
    scaling: list[RowResult]


class MergeError(Exception):
    """Rows that do not belong in a record; the text says why."""


def new_record(limits: Limits) -> Record:
    """The record of a run that begins now, on this machine, without rows."""
    installed = [one for one in CONTENDERS if one.is_installed()]
    return Record(
        machine=describe(),
        limits={"calls": limits.calls, "seconds": limits.seconds},
        versions={one.name: one.version() for one in installed},
        not_installed=[one.name for one in CONTENDERS if not one.is_installed()],
        rows=[],
        scaling=[],
    )


def stamped(rows: Sequence[RowResult], machine: dict[str, str]) -> list[RowResult]:
    """The rows with the commit and the date of their measurement."""
    said = ", ".join(machine[key] for key in _MAY_DIFFER if key in machine)
    return [dataclasses.replace(row, measured=said) for row in rows]


def require_same_machine(record: Record, now: Record) -> None:
    """Raises MergeError where what is measured now could not stand beside what the record holds."""
    for key in sorted({*record.machine, *now.machine} - {*_MAY_DIFFER}):
        was, is_now = record.machine.get(key), now.machine.get(key)
        if was != is_now:
            raise MergeError(f"it was measured with {key} {was!r}, and here it is {is_now!r}")
    for name in sorted({*record.versions} & {*now.versions}):
        was, is_now = record.versions[name], now.versions[name]
        if was != is_now:
            raise MergeError(f"it was measured with {name} {was!r}, and here it is {is_now!r}")


def require_contenders(
    before: Sequence[RowResult], keys: Iterable[RowKey], names: Iterable[str]
) -> None:
    """Raises MergeError where a row that is to be measured again would lose a contender."""
    wanted, asked = set(keys), set(names)
    for row in before:
        lost = sorted(row.timings.keys() - asked)
        if row.key in wanted and lost:
            raise MergeError(f"{row.case.name} has {', '.join(lost)} in it, to be measured as well")


def merged(before: Sequence[RowResult], now: Sequence[RowResult]) -> list[RowResult]:
    """Replaces rows that were measured before, marked as rerun, and adds the others.

    A row that was skipped now takes no place.
    """
    by_key = {row.key: row for row in before}
    for row in now:
        is_known = row.key in by_key
        if not (is_known and row.skipped):
            by_key[row.key] = dataclasses.replace(row, is_rerun=is_known)
    return list(by_key.values())


def write_record(path: Path, record: Record) -> None:
    """Writes all timings, in seconds a call, with the machine that they were taken on."""
    written = {
        "machine": record.machine,
        "limits": record.limits,
        "versions": record.versions,
        "not_installed": record.not_installed,
        "descriptions": {one.name: one.description for one in CONTENDERS},
        "rows": [_row_record(row) for row in record.rows],
        "scaling": [_row_record(row) for row in record.scaling],
    }
    path.write_text(json.dumps(written, indent=1) + "\n", encoding="utf-8")


def read_record(path: Path) -> Record:
    """The record that `write_record` wrote, or one without the keys that are newer."""
    read = json.loads(path.read_text(encoding="utf-8"))
    return Record(
        machine=read["machine"],
        limits=read["limits"],
        versions=read.get("versions", {}),
        not_installed=read.get("not_installed", []),
        rows=[_row_of(one) for one in read["rows"]],
        scaling=[_row_of(one) for one in read.get("scaling", [])],
    )


def _row_record(row: RowResult) -> dict[str, object]:
    case = row.case
    return {
        "row": case.name,
        "shape": case.extents(row.size),
        "dims": case.dims,
        "dtype": str(case.dtype).removeprefix("torch."),
        "size": row.size,
        "mode": row.mode,
        "threads": row.threads,
        "bytes_moved": 2 * case.nbytes(row.size),
        "skipped": row.skipped,
        "measured": row.measured,
        "rerun": row.is_rerun,
        "contenders": {
            name: {
                "seconds": timing.seconds,
                "best": timing.best if timing.seconds else None,
                "median": timing.median if timing.seconds else None,
                "gigabytes_per_second": row.gigabytes_per_second(name),
                "failure": timing.failure,
            }
            for name, timing in row.timings.items()
        },
    }


def _row_of(read: dict[str, Any]) -> RowResult:
    case = next((case for case in CASES if case.name == read["row"]), None)
    if case is None or list(case.extents(read["size"])) != read["shape"]:
        raise MergeError(f"the board has no row {read['row']!r} of shape {read['shape']}")
    timings = {
        name: Timing(list(one["seconds"]), one["failure"])
        for name, one in read["contenders"].items()
    }
    return RowResult(
        case,
        read["size"],
        read["mode"],
        read["threads"],
        timings,
        read["skipped"],
        read.get("measured", ""),
        read.get("rerun", False),
    )
