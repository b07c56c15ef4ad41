"""One self-contained HTML page, and PNGs, out of what the benchmarks have written.

    python -m benchmarks.report
    python -m benchmarks.report board.json curve.json workloads.json --out build/report

Reads the JSON files of the board, the curve, the workloads, the strided views and the concerns, by
default all of `benchmarks/results`, and draws each: bars against memcpy and every contender, what
two threads bring, speed over size, and ours against PyTorch. What has not been measured is named on
the page.
"""

from __future__ import annotations

import argparse
import base64
import html
import io
import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import board_pictures, pictures
from benchmarks.paired_table import geometric_mean
from benchmarks.picture_style import Row

_FOLDER = Path(__file__).resolve().parent
_WORST = 25

KINDS = {
    "board": "The board: `python -m benchmarks.board --json FILE`",
    "curve": "Speed over size: `python -m benchmarks.curve --json FILE`",
    "workloads": "Reported shapes: `python -m benchmarks.workloads --json FILE`",
    "strided": "Strided views: `python -m benchmarks.strided --json FILE`",
    "concerns": "Concerns: `python -m benchmarks.concerns --json FILE`",
}


@dataclass(frozen=True)
class Record:
    """One file that a benchmark has written."""

    name: str
    kind: str
    machine: dict[str, str]
    rows: list[Row]
    scaling: list[Row]

    def title(self, text: str) -> str:
        """`text`, and below it the machine and the date."""
        said = [self.machine.get(key, "") for key in ("cpu", "date")]
        commit = self.machine.get("commit", "")
        return f"{text}\n{', '.join(part for part in said if part)}{f', {commit}' * bool(commit)}"


@dataclass(frozen=True)
class Section:
    """A picture with what stands below it; `name` is that of its PNG, without the ending."""

    name: str
    figure: Any
    lines: Sequence[str] = ()


def read_record(path: Path) -> Record:
    """Reads a file that one of the benchmarks has written with --json.

    Raises:
        ValueError: It is another file; the message names it.
    """
    try:
        read = json.loads(path.read_text(encoding="utf-8"))
        kind = read.get("benchmark", "board")
        if kind not in KINDS:
            raise ValueError(f"no benchmark is called {kind!r}")
        return Record(path.stem, kind, read["machine"], read["rows"], read.get("scaling", []))
    except (OSError, ValueError, KeyError, AttributeError) as error:
        raise ValueError(f"{path} is no record of a benchmark: {error!r}") from error


def sections_of(record: Record) -> list[Section]:
    """The pictures of one file."""
    if record.kind == "board":
        return _board_sections(record)
    if record.kind == "curve":
        title = record.title("Transposing through the C++ front desk, 1 thread")
        return [Section(record.name, pictures.curve_figure(record.rows, title))]
    return [_paired_section(record)]


def _board_sections(record: Record) -> list[Section]:
    groups: dict[tuple[str, int, str], list[Row]] = {}
    for row in record.rows:
        groups.setdefault((row["mode"], row["threads"], row["size"]), []).append(row)
    sections = []
    for (mode, threads, size), rows in groups.items():
        written = {"existing": "Into an existing output", "fresh": "As people write it"}[mode]
        text = f"{written}, {_count(threads, 'thread')}, {size} rows"
        figure = board_pictures.board_figure(rows, record.title(text))
        name = f"{record.name}-{mode}-{threads}-{size}"
        sections.append(Section(name, figure, _mean_lines(rows)))
    gains = board_pictures.thread_gains([*record.rows, *record.scaling])
    if gains:
        title = record.title("What further threads bring, into an existing output")
        sections.append(
            Section(f"{record.name}-threads", board_pictures.threads_figure(gains, title))
        )
    return sections


def _mean_lines(rows: Sequence[Row]) -> list[str]:
    names = dict.fromkeys(name for row in rows for name in row["contenders"])
    means = []
    for name in names:
        both = [(row["contenders"].get("ours"), row["contenders"].get(name)) for row in rows]
        ratios = [b["best"] / a["best"] for a, b in both if a and b and a["best"] and b["best"]]
        if ratios and name != "ours":
            means.append(f"{name} {geometric_mean(ratios):.2f} ({_count(len(ratios), 'row')})")
    lines = [f"Geometric means of our speed over that of: {', '.join(means)}."] if means else []
    skipped = [f"{row['row']}: {row['skipped']}" for row in rows if row["skipped"]]
    return lines + [f"Not measured: {text}." for text in skipped]


def _paired_section(record: Record) -> Section:
    timed = [row for row in record.rows if row["ours_seconds"] and row["torch_seconds"]]
    ratios = {row["row"]: row["torch_seconds"] / row["ours_seconds"] for row in timed}
    threads = max((row["threads"] for row in timed), default=1)
    text = f"{record.kind.capitalize()}, {_count(threads, 'thread')}: ours against PyTorch"
    mean = geometric_mean(ratios.values())
    lines = [f"{_count(len(timed), 'row')}, geometric mean of the speed-up {mean:.2f}."]
    skipped = [row["row"] for row in record.rows if row["skipped"]]
    if skipped:
        lines.append(f"Not measured, as they do not fit: {', '.join(skipped)}.")
    wrong = [row["row"] for row in record.rows if not row["has_equal_bits"]]
    lines += [f"WRONG BITS: {name}." for name in wrong]
    worst = sorted(timed, key=lambda row: ratios[row["row"]])[:_WORST]
    lines += [
        f"{ratios[row['row']]:.2f} times PyTorch: {row['row']}, {row['text']}" for row in worst
    ]
    return Section(record.name, pictures.scatter_figure(record.rows, record.title(text)), lines)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def absent_lines(records: Iterable[Record]) -> list[str]:
    """What no file holds, and how to measure it."""
    there = {record.kind for record in records}
    return [text for kind, text in KINDS.items() if kind not in there]


_STYLE = """body{font:16px/1.5 system-ui,sans-serif;color:#333;max-width:72rem;margin:2rem auto;
padding:0 1rem}img{max-width:100%;height:auto}figure{margin:2.5rem 0}figcaption{font-size:.85rem}
table{border-collapse:collapse;font-size:.85rem}td{padding:.1rem 1rem .1rem 0}
code{background:#f2f2f2;padding:0 .2em}"""


def page(records: Sequence[Record], images: Sequence[tuple[Section, bytes]]) -> str:
    """The whole page, pictures included."""
    machines = {tuple(record.machine.items()): record for record in records}
    parts = [
        "<!doctype html><html lang='en'><meta charset='utf-8'>",
        "<meta name='viewport' content='width=device-width'>",
        f"<title>torch_hptp: measurements</title><style>{_STYLE}</style>",
        "<h1>torch_hptp: measurements</h1>",
    ]
    absent = absent_lines(records)
    if absent:
        items = "".join(f"<li>{_text(line)}</li>" for line in absent)
        parts.append(f"<p>Not measured, or not given:</p><ul>{items}</ul>")
    parts += [_figure_html(section, png) for section, png in images]
    for record in machines.values():
        cells = "".join(
            f"<tr><td>{_text(key)}</td><td>{_text(value)}</td></tr>"
            for key, value in record.machine.items()
        )
        parts.append(f"<h2>The machine of {_text(record.name)}</h2><table>{cells}</table>")
    return "\n".join(parts) + "</html>\n"


def _figure_html(section: Section, png: bytes) -> str:
    source = "data:image/png;base64," + base64.b64encode(png).decode("ascii")
    lines = "<br>".join(_text(line) for line in section.lines)
    name = _text(section.name)
    return (
        f"<figure id='{name}'><img alt='{name}' src='{source}'>"
        f"<figcaption>{lines}</figcaption></figure>"
    )


def _text(text: str) -> str:
    """Escaped, with `code` between backticks."""
    pieces = html.escape(text).split("`")
    return "".join(
        f"<code>{piece}</code>" if position % 2 else piece for position, piece in enumerate(pieces)
    )


def write_report(paths: Sequence[Path], folder: Path) -> list[Path]:
    """Writes `index.html` and the PNGs into `folder`, and returns where they are."""
    records = [read_record(path) for path in paths]
    folder.mkdir(parents=True, exist_ok=True)
    written, images = [], []
    for section in (section for record in records for section in sections_of(record)):
        stream = io.BytesIO()
        section.figure.savefig(stream, format="png")
        images.append((section, stream.getvalue()))
        written.append(folder / f"{section.name}.png")
        written[-1].write_bytes(stream.getvalue())
    written.append(folder / "index.html")
    written[-1].write_text(page(records, images), encoding="utf-8")
    return written


def main(arguments: Sequence[str] | None = None) -> int:
    """Writes the report; returns 1 where a file is not a benchmark's."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.report",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    default = sorted((_FOLDER / "results").glob("*.json"))
    parser.add_argument("files", nargs="*", type=Path, default=default, metavar="FILE")
    out = _FOLDER.parent / "build" / "report"
    parser.add_argument("--out", type=Path, default=out, metavar="FOLDER", help="build/report")
    asked = parser.parse_args(arguments)
    try:
        written = write_report(asked.files, asked.out)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    print("\n".join(str(path) for path in written))
    return 0


if __name__ == "__main__":
    sys.exit(main())
