"""Pictures of speed over size, and of ours against PyTorch on many shapes."""

from __future__ import annotations

import math
from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullLocator

from benchmarks.picture_style import (
    BLUE,
    GRID,
    INK,
    LABEL,
    ORANGE,
    RED,
    Row,
    make_plain,
    new_figure,
)

_LEAST_SPEEDUP = 0.95  # the goal of every workload
_NAMED_LOSSES = 8
_CLUSTER = 0.12  # as logarithm of a ratio of speeds


def _is_round(n: int) -> bool:
    return n // (n & -n) in (1, 3)


def curve_figure(rows: Sequence[Row], title: str) -> Figure:
    """A panel for each element size: our speed and memcpy's over the bytes of the matrix."""
    sizes = sorted({row["elem_size"] for row in rows})
    columns = min(4, len(sizes))
    lines = math.ceil(len(sizes) / columns)
    figure = new_figure(3.2 * columns, 1.2 + 2.5 * lines, title)
    panels = list(figure.subplots(lines, columns, squeeze=False, sharex=True, sharey=True).flat)
    for panel in panels[len(sizes) :]:
        panel.set_visible(False)
    for panel, size in zip(panels, sizes, strict=False):
        _draw_curve(panel, size, [row for row in rows if row["elem_size"] == size])
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="outside lower left", ncols=len(labels), fontsize=8, frameon=False
    )
    figure.supylabel("10^9 bytes read + written a second", **LABEL)
    return figure


def _draw_curve(axes: Axes, size: int, rows: Sequence[Row]) -> None:
    make_plain(axes)
    axes.set_title(f"{size}-byte elements", fontsize=9, loc="left", color=INK)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log", base=2)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: _byte_text(value)))
    axes.grid(color=GRID)
    round_rows = sorted((row for row in rows if _is_round(row["n"])), key=lambda one: one["nbytes"])
    copied = [
        (row["nbytes"], 2 * row["nbytes"] / row["memcpy_seconds"] / 1e9)
        for row in round_rows
        if row["shape"] == round_rows[0]["shape"]
    ]
    axes.plot(*_columns(copied), color=RED, linestyle="--", linewidth=1.2, label="memcpy")
    for shape, colour, marker in (("square", BLUE, "o"), ("batched", ORANGE, "s")):
        of_shape = [row for row in rows if row["shape"] == shape]
        beside = [_ours_point(row) for row in of_shape if not _is_round(row["n"])]
        line = [_ours_point(row) for row in round_rows if row["shape"] == shape]
        label = "n x n" if shape == "square" else "8 x n x n"
        axes.plot(
            *_columns(line), color=colour, marker=marker, markersize=3.5, linewidth=1.3, label=label
        )
        axes.plot(
            *_columns(beside),
            color=colour,
            marker=marker,
            markersize=3,
            markerfacecolor="white",
            linestyle="none",
            label=f"{label}: n - 1, n + 1",
            zorder=1,
        )


def _ours_point(row: Row) -> tuple[float, float]:
    return row["nbytes"], 2 * row["nbytes"] / row["ours_seconds"] / 1e9


def _columns(points: Sequence[tuple[float, float]]) -> tuple[list[float], list[float]]:
    return [x for x, _ in points], [y for _, y in points]


def _byte_text(nbytes: float) -> str:
    for unit, size in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if nbytes >= size:
            return f"{nbytes / size:g} {unit}"
    return f"{nbytes:g} B"


def scatter_figure(rows: Sequence[Row], title: str) -> Figure:
    """A dot for each timed row: PyTorch's speed across, ours upwards, both logarithmic."""
    timed = [row for row in rows if row["ours_seconds"] and row["torch_seconds"]]
    figure = new_figure(7.5, 7.2, title)
    axes = figure.subplots()
    make_plain(axes)
    groups = (
        ("ahead of PyTorch", BLUE, "o", 1.0, math.inf),
        ("as fast, within 5 %", ORANGE, "s", _LEAST_SPEEDUP, 1.0),
        ("slower than PyTorch", RED, "^", 0.0, _LEAST_SPEEDUP),
    )
    for label, colour, marker, least, most in groups:
        chosen = [row for row in timed if least <= _speedup(row) < most]
        points = [(_rate(row, "torch"), _rate(row, "ours")) for row in chosen]
        text = f"{label}: {len(chosen)}"
        axes.scatter(
            *_columns(points), s=26, c=colour, marker=marker, alpha=0.75, label=text, linewidths=0
        )
    _draw_diagonals(axes, [_rate(row, name) for row in timed for name in ("torch", "ours")])
    _name_losses(axes, timed)
    axes.set_xlabel("PyTorch, 10^9 bytes read + written a second", **LABEL)
    axes.set_ylabel("torch_hptp", **LABEL)
    axes.legend(loc="lower right", fontsize=8, frameon=False)
    return figure


def _rate(row: Row, name: str) -> float:
    return float(row["bytes_moved"] / row[f"{name}_seconds"] / 1e9)


def _speedup(row: Row) -> float:
    return float(row["torch_seconds"] / row["ours_seconds"])


def _name_losses(axes: Axes, rows: Sequence[Row]) -> None:
    """Writes names beside the dots that lie lowest under the diagonal, once beside a cluster."""
    losses = sorted((row for row in rows if _speedup(row) < _LEAST_SPEEDUP), key=_speedup)
    named: dict[tuple[float, float], list[str]] = {}
    for row in losses[:_NAMED_LOSSES]:
        place = (_rate(row, "torch"), _rate(row, "ours"))
        near = (other for other in named if _is_near(place, other))
        named.setdefault(next(near, place), []).append(row["row"])
    for place, names in named.items():
        axes.annotate(
            "\n".join(names),
            place,
            xytext=(5, -3),
            textcoords="offset points",
            fontsize=6.5,
            color=INK,
            va="top",
        )


def _is_near(left: tuple[float, float], right: tuple[float, float]) -> bool:
    return all(abs(math.log(a / b)) < _CLUSTER for a, b in zip(left, right, strict=True))


def _draw_diagonals(axes: Axes, speeds: Sequence[float]) -> None:
    """Lines of equal speed-up, in a square that holds all points."""
    least, most = min(speeds, default=1) / 1.3, max(speeds, default=1) * 1.3
    axes.set(xscale="log", yscale="log", xlim=(least, most), ylim=(least, most), aspect="equal")
    for factor in (1, 2, 5, 10, 20, 50):
        style, width = ("-", 1.2) if factor == 1 else (":", 0.8)
        axes.plot([least, most], [factor * least, factor * most], style, c=INK, lw=width, zorder=0)
        if factor > 1 and factor * least * 1.15 < most:
            axes.annotate(
                f"{factor}x",
                (most / factor / 1.05, most / 1.05),
                fontsize=7.5,
                color=INK,
                ha="right",
                va="top",
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5},
            )
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axis.set_minor_locator(NullLocator())
    axes.grid(color=GRID)
