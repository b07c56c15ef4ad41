"""Pictures of the board: bars against every contender, and what further threads bring."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.picture_style import BLUE, GREY, GRID, INK, LABEL, RED, Row, make_plain, new_figure

OURS = "ours"
ROOFS = ("memcpy", "streamed")  # copies of the same bytes, drawn as lines: they permute nothing

_ROOF_STYLES = {"memcpy": ("--", "dashed"), "streamed": (":", "dotted")}


def contender_names(rows: Iterable[Row]) -> list[str]:
    """Everybody in the rows but the roofs: ours first, the others as the board lists them."""
    names = dict.fromkeys(name for row in rows for name in row["contenders"] if name not in ROOFS)
    return sorted(names, key=lambda name: name != OURS)


def _speed(row: Row, name: str) -> float | None:
    found = row["contenders"].get(name)
    return found["gigabytes_per_second"] if found and found["best"] else None


def board_figure(rows: Sequence[Row], title: str) -> Figure:
    """A panel for each row of one board: a bar for each contender, a line for each roof."""
    names, columns = contender_names(rows), min(4, len(rows))
    lines = math.ceil(len(rows) / columns)
    figure = new_figure(3.1 * columns, 0.9 + lines * (0.7 + 0.19 * len(names)), title)
    panels = figure.subplots(lines, columns, squeeze=False).flat
    for panel in panels:
        panel.set_visible(False)
    for panel, row in zip(figure.axes, rows, strict=False):
        panel.set_visible(True)
        _draw_board_row(panel, row, names)
    drawn = {name for row in rows for name in ROOFS if _speed(row, name)}
    roofs = "".join(f"; {_ROOF_STYLES[name][1]}: {name}" for name in ROOFS if name in drawn)
    figure.supxlabel(f"10^9 bytes read + written a second{roofs}", **LABEL)
    return figure


def _draw_board_row(axes: Axes, row: Row, names: Sequence[str]) -> None:
    make_plain(axes)
    axes.set_title(row["row"], fontsize=9, loc="left", color=INK, pad=14)
    speeds = [_speed(row, name) for name in names]
    roofs = {name: speed for name in ROOFS if (speed := _speed(row, name))}
    most = max([speed for speed in [*speeds, *roofs.values()] if speed], default=1.0)
    colours = [BLUE if name == OURS else GREY for name in names]
    axes.barh(range(len(names)), [speed or 0 for speed in speeds], color=colours, height=0.75)
    for position, speed in enumerate(speeds):
        text = f"{speed:.1f}" if speed else _absence(row, names[position])
        weight = "bold" if names[position] == OURS else "normal"
        axes.text(
            (speed or 0) + 0.015 * most,
            position,
            text,
            fontsize=7,
            va="center",
            color=INK,
            weight=weight,
            zorder=3,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.6, "alpha": 0.75},
        )
    for name, speed in roofs.items():
        axes.axvline(speed, color=RED, linestyle=_ROOF_STYLES[name][0], linewidth=1.2, zorder=2)
    text = "   ".join(f"{name} {speed:.1f}" for name, speed in roofs.items())
    above: dict[str, Any] = {"xycoords": "axes fraction", "textcoords": "offset points"}
    axes.annotate(text, (0, 1), xytext=(0, 4), fontsize=7, color=RED, **above)
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.set_xlim(0, 1.16 * most)


def _absence(row: Row, name: str) -> str:
    if row["skipped"]:
        return "row skipped"
    found = row["contenders"].get(name)
    if not found or not found["failure"]:
        return "not measured"
    return "cannot" if found["failure"].startswith("cannot") else "failed"


def thread_gains(rows: Iterable[Row]) -> dict[str, dict[str, dict[int, float]]]:
    """Row, then contender, then threads: how many times as fast as on one thread.

    Of rows into an existing output alone, and of ours and memcpy alone. A row measured twice counts
    as it was the last time.
    """
    rows = list(rows)
    has_one_size = len({row["size"] for row in rows}) < 2
    speeds: dict[tuple[str, str], dict[int, float]] = {}
    for row in rows:
        for name in (OURS, ROOFS[0]) if row["mode"] == "existing" else ():
            if speed := _speed(row, name):
                case = row["row"] if has_one_size else f"{row['row']}, {row['size']}"
                speeds.setdefault((case, name), {})[row["threads"]] = speed
    gains: dict[str, dict[str, dict[int, float]]] = {}
    for (case, name), by_threads in speeds.items():
        if 1 in by_threads and len(by_threads) > 1:
            more = {threads: by_threads[threads] for threads in sorted(by_threads) if threads > 1}
            ratios = {threads: speed / by_threads[1] for threads, speed in more.items()}
            gains.setdefault(case, {})[name] = ratios
    return gains


def threads_figure(gains: dict[str, dict[str, dict[int, float]]], title: str) -> Figure:
    """A line for each row: what further threads bring to us and to memcpy."""
    figure = new_figure(7.5, 1.3 + 0.27 * len(gains), title)
    axes = figure.subplots()
    make_plain(axes)
    counts = sorted({n for case in gains.values() for by in case.values() for n in by})
    markers = dict(zip(counts, ("o", "s", "^", "D", "v", "P"), strict=False))
    places = {case: position for position, case in enumerate(gains)}
    for count, marker in markers.items():
        for name, colour in ((ROOFS[0], RED), (OURS, BLUE)):
            points = [
                (by[name][count], places[case])
                for case, by in gains.items()
                if count in by.get(name, {})
            ]
            size = 64 if name == ROOFS[0] else 36
            face = "none" if name == ROOFS[0] else colour
            axes.scatter(
                [x for x, _ in points],
                [y for _, y in points],
                s=size,
                marker=marker,
                facecolors=face,
                edgecolors=colour,
                label=f"{name}, {count} threads",
                zorder=3,
            )
    axes.set_yticks(range(len(gains)), list(gains))
    axes.set_ylim(len(gains) - 0.5, -0.5)
    axes.grid(axis="both", color=GRID)
    axes.axvline(1, color=INK, linewidth=1)
    axes.set_xlim(left=0)
    axes.set_xlabel("times as fast as on 1 thread", **LABEL)
    figure.legend(loc="outside lower left", ncols=4, fontsize=8, frameon=False)
    return figure
