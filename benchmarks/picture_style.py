"""What all pictures of the report share: colours, fonts, and the figure with its title.

Colours are those of Okabe and Ito, which colour-blind readers tell apart; what matters differs in
its place, its marker or its label besides.
"""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

Row = dict[str, Any]  # as it stands in the JSON files

BLUE, ORANGE, RED, GREY = "#0072B2", "#E69F00", "#D55E00", "#9A9A9A"
INK, GRID = "#333333", "#E4E4E4"
LABEL: dict[str, Any] = {"size": 9, "color": INK}


def new_figure(width: float, height: float, title: str) -> Figure:
    """An empty figure of so many inches, its title at the top left."""
    figure = Figure(figsize=(width, height), dpi=120, layout="constrained")
    figure.suptitle(title, fontsize=11, color=INK, x=0.01, ha="left", linespacing=1.4)
    return figure


def make_plain(axes: Axes) -> None:
    """Takes away what carries nothing, and puts the grid behind the rest."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(labelsize=8, colors=INK)
    axes.set_axisbelow(True)
