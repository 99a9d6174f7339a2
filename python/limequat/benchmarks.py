# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Results of benchmarks (docs/reference/json.md) as charts: common facts are in the subtitle, differences in the
legend. ``lq plot`` runs :func:`main`."""

import argparse
import io
import json
import os
import re
import sys
import textwrap
from collections import namedtuple

from limequat.errors import Code, Error, InvalidArgument, Malformed, NotFound, NoPermission, IoError, TooLarge
from limequat.needs import needed
from limequat.plot import _INK, _figure, _plain, _shortened
from limequat.publishing import NewFiles
from limequat.remedies import in_arguments

KINDS = ("rate-by-ranks", "rate-by-size", "steps", "ratio", "create-by-tasks", "rate-by-files", "rate-per-server", "rate-by-threads",
         "rate-by-aggregators", "spread", "program-parts")
_LARGEST_FILE = 64 << 20
_SHORTEST = 1e-15  # seconds; no clock measures less, and rates stay finite

Seconds = namedtuple("Seconds", "median low high")  # quartiles; extremes where the file has none
Steps = namedtuple("Steps", "pack exchange write sync")
# Results of tasks have no lattice, grid, strategy and precision, but files. Numbers that a result does not have are 0.
Result = namedtuple("Result", "name direction ranks verify cache bytes seconds raw ratio_to_raw file_system processor mpi cores lattice grid "
                    "strategy precision format layout alignment threads servers stripe_bytes split files block steps aggregators spread",
                    defaults=("", "", "", "", "", "", 0, 0, 0, 0, "", 0, 0, None, 0, None))
Spread = namedtuple("Spread", "best worst mean")  # seconds
# A program that reads, computes and writes, in seconds; `io`: "serial" or "parallel".
ProgramParts = namedtuple("ProgramParts", "program io read compute write lattice ranks file_system processor cores mpi")
Point = namedtuple("Point", "x y low high")
Line = namedtuple("Line", "name points is_limit")
LineChart = namedtuple("LineChart", "title subtitle x_title y_title lines sizes")  # sizes: x is a number of bytes
Bar = namedtuple("Bar", "label parts text limit")
Box = namedtuple("Box", "label worst low median high best mean direction")  # rates
BoxChart = namedtuple("BoxChart", "title subtitle value_title boxes")
BarChart = namedtuple("BarChart", "title subtitle value_title part_names limit bars")


class _Object:
    """An object of the document, and its place: "results[3].seconds"."""

    def __init__(self, value, place, path):
        self.value, self.place, self.path = value, place, path
        if not isinstance(value, dict):
            self.refuse(place, "an object")

    def refuse(self, place, expected):
        place = f'"{_shortened(place, 80)}"' if place else "the document"
        raise Malformed(f'{self.path}: {place} is not {expected}; "lq plot" reads what "lq bench --json" writes', path=self.path,
                        expected=expected)

    def place_of(self, key):
        return f"{self.place}.{key}" if self.place else key

    def get(self, key, is_right, expected, otherwise=None):
        if key not in self.value:
            if otherwise is not None:
                return otherwise
            raise Malformed(f'{self.path}: "{_shortened(self.place_of(key), 80)}" is missing; "lq plot" reads what "lq bench --json" '
                            "writes", path=self.path)
        if not is_right(self.value[key]):
            self.refuse(self.place_of(key), expected)
        return self.value[key]

    def object(self, key):
        return _Object(self.get(key, lambda value: True, ""), self.place_of(key), self.path)

    def array(self, key):
        return self.get(key, lambda value: isinstance(value, list), "an array")

    def text(self, key, otherwise=None):
        return _shortened(self.get(key, lambda value: isinstance(value, str), "a text", otherwise), 80)

    def whole(self, key, otherwise=None):
        return self.get(key, lambda value: type(value) is int and 0 <= value < 1 << 64, "a whole number from 0", otherwise)

    def number(self, key):
        """Finite and not negative, as times and ratios are."""
        return float(self.get(key, lambda value: type(value) in (int, float) and 0 <= value < 1e150, "a number from 0"))

    def positive(self, key, what):
        if self.whole(key) == 0:
            self.refuse(self.place_of(key), f"a number of {what}")
        return self.value[key]


def _seconds_of(seconds):
    low, high = (key if key in seconds.value else other for key, other in (("lower_quartile", "min"), ("upper_quartile", "max")))
    result = Seconds(seconds.number("median"), seconds.number(low), seconds.number(high))
    if min(result) < _SHORTEST:
        seconds.refuse(seconds.place_of("median"), "a time above 0")
    return result


def _lattice_of(one):
    """The facts that only results of a lattice have, not those of tasks."""
    facts = {key: one.text(key) for key in ("lattice", "grid", "strategy")}
    facts.update(precision=one.text("precision", "double"), format=one.text("format", ""), layout=one.text("layout", ""),
                 alignment=one.whole("alignment", 0))
    if "threads" in one.value:
        facts["threads"] = one.positive("threads", "threads")
    if "aggregators" in one.value:
        facts["aggregators"] = one.positive("aggregators", "aggregators")
    if "servers" in one.value:
        facts.update(servers=one.positive("servers", "servers"), stripe_bytes=one.whole("stripe_bytes"), split=one.text("split"))
    steps = one.object("steps")
    if steps.value.get("pack") is not None:
        facts["steps"] = Steps(*(steps.number(key) for key in Steps._fields))
    return facts


def _spread_of(seconds):
    """Best, worst and mean, if the file has them."""
    if not {"min", "max", "mean"} <= seconds.value.keys():
        return None
    spread = Spread(*(seconds.number(key) for key in ("min", "max", "mean")))
    if min(spread) < _SHORTEST:
        seconds.refuse(seconds.place_of("min"), "a time above 0")
    return spread


def _result_of(one, environment):
    is_of_tasks = "part" in one.value
    facts = {"files": one.positive("files", "files"), "block": one.whole("block")} if is_of_tasks else _lattice_of(one)
    if one.text("direction") != "create":
        one.positive("bytes", "bytes")
    return Result(name=one.text("name"), direction=one.text("direction"), ranks=one.positive("ranks", "ranks"), verify=one.text("verify"),
                  cache=one.text("cache", "warm"), bytes=one.whole("bytes"), seconds=_seconds_of(one.object("seconds")),
                  raw=_seconds_of(one.object("raw_seconds")), ratio_to_raw=one.number("ratio_to_raw"),
                  cores=environment.whole("cores", 0), spread=_spread_of(one.object("seconds")),
                  **{key: environment.text(key, "unknown") for key in ("file_system", "processor", "mpi")}, **facts)


def _program_of(one, run, environment):
    seconds = [one.number(part) for part in ("read", "compute", "write")]
    if min(seconds) < 0 or sum(seconds) < _SHORTEST:
        one.refuse(one.place_of("compute"), "times, and a sum above 0")
    return ProgramParts(one.text("program"), one.text("io"), *seconds, run.text("lattice"), run.positive("ranks", "ranks"),
                        *(environment.text(key, "unknown") for key in ("file_system", "processor")), environment.whole("cores", 0),
                        environment.text("mpi", "unknown"))


def parsed(text, path):
    """The results of transfers in the bytes ``text`` of the file ``path``; others, such as those of parts, are ignored. Raises
    Malformed: not JSON, or JSON of something else."""
    try:
        document = json.loads(text.decode(), parse_constant=float)
    except json.JSONDecodeError as error:
        rest = error.doc[error.pos:].strip()
        early = error.msg.startswith("Unterminated") or len(rest) < 5 and not re.search(r'[\[\]{}",:]', rest)  # in a word or before one
        at = len(text) if early else len(error.doc[:error.pos].encode()) + 1
        raise Malformed(f"{path}: not valid JSON, at byte {at}{': the file ends early' if early else ''}", path=path, offset=at) from None
    except UnicodeDecodeError as error:
        raise Malformed(f"{path}: not valid JSON, at byte {error.start + 1}", path=path, offset=error.start + 1) from None
    except (RecursionError, ValueError) as error:  # ValueError: numbers of thousands of digits
        raise Malformed(f"{path}: not valid JSON: {error}", path=path) from None
    results = []
    for place, run in ((f"[{i}]", run) for i, run in enumerate(document)) if isinstance(document, list) else [("", document)]:
        run = _Object(run, place, path)
        environment = run.object("environment")
        for i, one in enumerate(run.array("results")):
            one = _Object(one, run.place_of(f"results[{i}]"), path)
            if "direction" in one.value:
                results.append(_result_of(one, environment))
            elif "program" in one.value:
                results.append(_program_of(one, run, environment))
    return results


def read(path):
    """The results in the file ``path``. Raises what :func:`parsed` raises, NotFound, NoPermission, IoError, TooLarge."""
    path = os.fspath(path)
    try:
        with open(path, "rb") as file:
            text = file.read(_LARGEST_FILE)
    except OSError as error:
        kind = {FileNotFoundError: NotFound, PermissionError: NoPermission}.get(type(error), IoError)
        raise kind(f"{path}: cannot open: {error.strerror}", path=path, errno=error.errno) from None
    if len(text) == _LARGEST_FILE:
        raise TooLarge(f"{path}: more than 64 MiB, so it is not a result of a benchmark", path=path)
    return parsed(text, path)


def _counted(number, what):
    return f"{number} {what}{'' if number == 1 else 's'}"


def _decimal_bytes(count):
    value, prefix = count / 1000, 0
    while value >= 999.95 and prefix < 5:
        value, prefix = value / 1000, prefix + 1
    return f"{count:.0f} B" if count < 1000 else f"{value:.1f} {'kMGTPE'[prefix]}B"


def _binary_bytes(count):
    for unit, size in (("MiB", 1 << 20), ("KiB", 1 << 10)):
        if count >= size and count % size == 0:
            return f"{count // size} {unit}"
    return f"{count} bytes"


def _who(r):
    return r.name if r.name != "lattice" else "limequat" if r.strategy == "auto" else f"limequat {r.strategy}"


# Facts by which results may differ, in the order in which they are named.
_FACTS = {
    "direction": lambda r: r.direction,
    "who": _who,
    "checksum": lambda r: "no checksum" if r.verify == "none" else r.verify,
    "precision": lambda r: r.precision,
    "format": lambda r: r.format,
    "layout": lambda r: r.layout,
    "alignment": lambda r: f"at multiples of {_decimal_bytes(r.alignment)}" if r.alignment else "",
    "lattice": lambda r: r.lattice,
    "split": lambda r: f"{r.split} split" if r.split else "",
    "stripes": lambda r: f"stripes of {_binary_bytes(r.stripe_bytes)}" if r.stripe_bytes else "",
    "servers": lambda r: _counted(r.servers, "server") if r.servers else "",
    "grid": lambda r: f"grid {r.grid}" if r.grid else "",
    "ranks": lambda r: _counted(r.ranks, "task" if r.files else "rank"),
    "threads": lambda r: _counted(r.threads, "thread") if r.threads else "",
    "aggregators": lambda r: _counted(r.aggregators, "aggregator") if r.aggregators else "",
    "files": lambda r: _counted(r.files, "file") if r.files else "",
    "block": lambda r: "not at blocks" if r.block else "",
    "cache": lambda r: r.cache,
    "file_system": lambda r: r.file_system,
    "processor": lambda r: f"{r.processor}, {r.cores} cores" if r.cores else r.processor,
    "mpi": lambda r: "without MPI" if r.mpi == "none" else r.mpi,
}


def _varying(results):
    return {fact for fact, text in _FACTS.items() if len({text(r) for r in results}) > 1}


def _words(r, facts):
    return ", ".join(text(r) for fact, text in _FACTS.items() if fact in facts and text(r))


def _common(results):
    return _words(results[0], _FACTS.keys() - _varying(results))


def _is_creation_by_tasks(r):
    """True for opening and closing without data; fields are created with their data (``--protocol grid``)."""
    return r.direction == "create" and bool(r.files)


def kind_for(results):
    """For tasks: the time to create, or rates by files. For several numbers of threads, aggregators, ranks or sizes: rates against these;
    otherwise ratios. For programs: their parts."""
    if all(isinstance(r, ProgramParts) for r in results):
        return "program-parts"
    results = [r for r in results if isinstance(r, Result)]
    if any(_is_creation_by_tasks(r) for r in results):
        return "create-by-tasks"
    if any(r.files for r in results):
        return "rate-by-files"
    ranks, sizes, threads = ({getattr(r, key) for r in results} for key in ("ranks", "bytes", "threads"))
    if len(threads) > 1:
        return "rate-by-threads"
    if len({r.aggregators for r in results} - {0}) > 1:
        return "rate-by-aggregators"
    if len(sizes) > max(len(ranks), 2):
        return "rate-by-size"
    return "rate-by-ranks" if len(ranks) > 1 else "ratio"


class _Lines:
    """Points of each name in order; if several are at one place (process grids, for example), the highest."""

    def __init__(self):
        self.points, self.is_choice = {}, False

    def add(self, name, point):
        line = self.points.setdefault(name, {})
        self.is_choice |= point.x in line
        line[point.x] = max(line.get(point.x, point), point, key=lambda p: p.y)

    def lines(self, are_limits):
        return [Line(name, [line[x] for x in sorted(line)], are_limits) for name, line in self.points.items()]


def create_chart(results):
    """The time to open and close against the number of tasks."""
    facts, lines = _varying(results) - {"ranks", "files", "checksum"}, _Lines()
    for r in results:
        lines.add(_words(r, facts), Point(r.ranks, *(seconds * 1e3 for seconds in r.seconds)))
    return LineChart("Time to open and close against the number of tasks", _common(results), "tasks", "ms, median with quartiles",
                     lines.lines(False), False)


# Axis, title, the number on the axis, and the facts that it shows.
_RATES = {
    "rate-by-ranks": ("ranks", "Rate against the number of ranks", lambda r: r.ranks, {"ranks", "grid"}),
    "rate-per-server": ("clients", "Rate of each server against the number of clients", lambda r: r.ranks, {"ranks", "grid"}),
    "rate-by-threads": ("threads of a rank", "Rate against the number of threads", lambda r: r.threads, {"threads"}),
    "rate-by-aggregators": ("ranks that access the file", "Rate against the number of ranks that access the file", lambda r: r.aggregators,
                            {"aggregators"}),
    "rate-by-size": ("size of the file", "Rate against the size of the file", lambda r: r.bytes, {"lattice"}),
    "rate-by-files": ("physical files", "Rate against the number of physical files", lambda r: r.files, {"files"}),
}


def rate_chart(results, kind):
    """Rates, and the raw limit as a separate line, against the number that ``kind`` names."""
    x_title, title, x_of, shown = _RATES[kind]
    facts = _varying(results) - shown
    if all(r.servers for r in results):  # the lattice grows with its clients
        facts -= {"lattice"}
    limit = "one file per task" if kind == "rate-by-files" else "raw limit"
    ours, raw = _Lines(), _Lines()

    def point(r, seconds):
        gigabytes = r.bytes / 1e9 / (r.servers if kind == "rate-per-server" else 1)
        return Point(x_of(r), gigabytes / seconds.median, gigabytes / seconds.high, gigabytes / seconds.low)

    for r in results:
        if r.name != "raw":
            ours.add(_words(r, facts) or "limequat", point(r, r.seconds))
        if r.direction != "verify":  # its limit is that of reading
            words = _words(r, facts - {"who", "checksum"})
            raw.add(f"{limit}, {words}" if words else limit, point(r, r.raw))
    subtitle = _common(results) + ("; of several results at one place the fastest" if ours.is_choice else "")
    return LineChart(title, subtitle, x_title, "GB/s, median with quartiles", ours.lines(False) + raw.lines(True), kind == "rate-by-size")


def box_chart(results):
    """A box for each result: quartiles and median of its rate, its extremes, and the mean."""
    facts = _varying(results)
    if "grid" in facts:
        facts -= {"ranks"}
    boxes = []
    for r in (r for r in results if r.spread):
        rates = [r.bytes / 1e9 / seconds for seconds in (r.spread.worst, r.seconds.high, r.seconds.median, r.seconds.low, r.spread.best)]
        boxes.append(Box(_words(r, facts) or "limequat", *rates, r.bytes / 1e9 / r.spread.mean, r.direction))
    return BoxChart("Spread of the rate", _common(results), "GB/s: extremes, quartiles, median; diamond: mean; the number: the best", boxes)


def bar_chart(results, kind):
    """A bar for each result: its steps, or the fraction of the raw limit."""
    facts = _varying(results)
    if "grid" in facts:  # each grid has its number of ranks
        facts -= {"ranks"}
    if kind == "steps":
        bars = []
        for r in (r for r in results if r.steps):
            # What no step accounts for: ranks waiting for each other. Steps that overlap leave nothing.
            rest = max(0.0, r.seconds.median - sum(r.steps))
            bars.append(Bar(_words(r, facts), [seconds * 1e3 for seconds in (*r.steps, rest)], f"{r.seconds.median * 1e3:.4g} ms",
                            r.raw.median * 1e3))
        return BarChart("Time per step", _common(results), "ms, each step's slowest rank; next to the bar the total",
                        ["pack", "exchange", "storage", "sync", "rest"], None, bars)
    # Writing and reading have different colours.
    bars = [Bar(_words(r, facts), [0.0] * (r.direction == "read") + [r.ratio_to_raw], f"{r.ratio_to_raw:.2f}", None) for r in results]
    return BarChart("Rate as a fraction of the raw limit", _common(results), "raw time / our time", ["write", "read"], 1.0, bars)


def program_chart(results):
    """A bar for each program and way of reading and writing: its parts as shares of the time with serial I/O."""
    serial = {(r.program, r.lattice, r.ranks): r.read + r.compute + r.write for r in results if r.io == "serial"}
    facts = {"lattice": lambda r: r.lattice, "ranks": lambda r: _counted(r.ranks, "rank"), **{
        key: _FACTS[key] for key in ("file_system", "processor", "mpi")}}
    varying = {fact for fact, text in facts.items() if len({text(r) for r in results}) > 1}
    bars = []
    for r in results:
        total = r.read + r.compute + r.write
        whole = serial.get((r.program, r.lattice, r.ranks), total)
        label = ", ".join([r.program, f"{r.io} I/O", *(text(r) for fact, text in facts.items() if fact in varying)])
        bars.append(Bar(label, [100 * part / whole for part in (r.read, r.compute, r.write)],
                        f"{total:.3g} s, {100 * (r.read + r.write) / total:.2g} % I/O", None))
    common = ", ".join(text(results[0]) for fact, text in facts.items() if fact not in varying)
    return BarChart("Where the time of a program goes", common, "percent of the time with serial I/O", ["read", "compute", "write"], None, bars)


def _fitting(results, kind):
    """The results that a picture of this kind shows. One file per task is the limit of multifiles, not a separate line."""
    wanted = ProgramParts if kind == "program-parts" else Result
    results = [r for r in results if isinstance(r, wanted)]
    if kind == "program-parts":
        return results
    keep = {"create-by-tasks": _is_creation_by_tasks,
            "rate-per-server": lambda r: r.servers,
            "rate-by-threads": lambda r: r.threads,
            "rate-by-aggregators": lambda r: r.aggregators,
            "spread": lambda r: r.spread and not _is_creation_by_tasks(r),
            "rate-by-files": lambda r: r.files and r.direction != "create" and r.name != "one file per task" and r.block == 0}
    return [r for r in results if keep.get(kind, lambda r: not _is_creation_by_tasks(r))(r)]


def chart(results, kind=None):
    """The chart of ``results``. Raises InvalidArgument if they contain nothing of this kind."""
    if not results:
        raise InvalidArgument("there is no result of a transfer in these files: nothing to plot")
    kind = kind or kind_for(results)
    if kind not in KINDS:
        raise InvalidArgument(f'kind: "{kind}" is not one of {", ".join(KINDS)}')
    results = _fitting(results, kind)
    if not results:
        raise InvalidArgument("none of these results has this kind; choose another --kind")
    if kind == "create-by-tasks":
        return create_chart(results)
    if kind == "program-parts":
        return program_chart(results)
    if kind == "spread":
        return box_chart(results)
    if kind in _RATES:
        return rate_chart(results, kind)
    made = bar_chart(results, kind)
    if not made.bars:
        raise InvalidArgument("none of these results has steps; choose another --kind")
    return made


_COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#7a5195", "#8c8c00")
_LIMIT = {"color": "#777777", "lw": 1.5}
_DASHES = ((0, (5, 3)), (0, (1, 2)), (0, (8, 3)), (0, (8, 3, 1, 3)))


def draw(made):
    """A figure of matplotlib that shows a chart."""
    if isinstance(made, LineChart):
        names, paint = [line.name for line in made.lines], _draw_lines
    elif isinstance(made, BoxChart):
        names, paint = ["write", "read"], _draw_boxes
    else:
        names, paint = [*made.part_names, "raw limit"], _draw_bars
    columns = max(1, min(4, 110 // (max(map(len, names)) + 6)))
    rows = [] if isinstance(made, LineChart) else made.boxes if isinstance(made, BoxChart) else made.bars
    labels = max((len(row.label) for row in rows), default=0)  # beside the axes, where the subtitle begins
    subtitle = "\n".join(textwrap.wrap(made.subtitle, max(40, 105 - 7 * labels // 10)))
    extra = 0.18 * (-(-len(names) // columns) + subtitle.count("\n"))
    body = 3.6 if isinstance(made, LineChart) else 0.6 + 0.3 * len(rows)
    figure = _figure(1.0 + extra + body)
    figure.suptitle(made.title, x=0.01, ha="left", weight="bold", fontsize=12)
    axes = figure.subplots()
    paint(axes, made)
    legend = axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncol=columns, frameon=False, fontsize=8, title=subtitle, title_fontsize=9)
    legend._legend_box.align = "left"
    _plain(axes)
    return figure


def _draw_lines(axes, made):
    ours, limits = 0, 0
    for line in made.lines:
        x, y, low, high = zip(*line.points)
        if line.is_limit:
            style = {**_LIMIT, "linestyle": _DASHES[limits % len(_DASHES)], "label": line.name}
            limits += 1
            axes.axhline(y[0], **style) if len(x) == 1 else axes.plot(x, y, **style)  # known at one place only, it is still a line
        else:
            whiskers = [[max(0.0, a - b) for a, b in zip(y, low)], [max(0.0, b - a) for a, b in zip(y, high)]]
            axes.errorbar(x, y, yerr=whiskers, fmt="o-", ms=4, lw=1.8, elinewidth=1, color=_COLOURS[ours % len(_COLOURS)], label=line.name)
            ours += 1
    values = sorted({point.x for line in made.lines for point in line.points})
    axes.set_xscale("log")
    axes.set(xlabel=made.x_title, ylabel=made.y_title)
    axes.set_ylim(bottom=0)
    axes.grid(axis="y", color="#dddddd")
    axes.set_axisbelow(True)
    air = (values[-1] / values[0]) ** 0.04 if len(values) > 1 else 2  # a single value is drawn in the middle
    axes.set_xlim(values[0] / air, values[-1] * air)
    if made.sizes:
        ticker = needed("matplotlib.ticker", "lq.plot", package="matplotlib")
        axes.xaxis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5)))
        axes.xaxis.set_major_formatter(lambda x, _: _decimal_bytes(x))
    else:
        axes.set_xticks(values, _spaced(values))
    axes.minorticks_off()


def _spaced(values):
    """The numbers as texts, but empty if a text would overlap the previous one."""
    texts, free_from, span = [], 0.0, values[-1] / values[0]
    for value in values:
        text = f"{value:.6g}"
        ratio = span ** (len(text) * 0.013)  # half of the text, on the logarithmic axis
        texts.append("" if value / ratio < free_from else text)
        free_from = value * ratio if texts[-1] else free_from
    return texts


def _draw_bars(axes, made):
    rows = range(len(made.bars))
    for part, name in enumerate(made.part_names):
        lengths = [bar.parts[part] if part < len(bar.parts) else 0 for bar in made.bars]
        left = [sum(bar.parts[:part]) for bar in made.bars]
        axes.barh(rows, lengths, left=left, height=0.65, color=_COLOURS[part], label=name)
    longest = 0.0
    for row, bar in enumerate(made.bars):
        end = max(sum(bar.parts), bar.limit or 0)
        longest = max(longest, end)
        if bar.limit:
            axes.plot([bar.limit] * 2, [row - 0.45, row + 0.45], linestyle=_DASHES[0], **_LIMIT, label=None if row else "raw limit")
        over_lines = {"facecolor": "white", "edgecolor": "none", "pad": 0.8}
        axes.annotate(bar.text, (end, row), (5, 0), textcoords="offset points", va="center", fontsize=8, color=_INK, bbox=over_lines)
    if made.limit:
        axes.axvline(made.limit, linestyle=_DASHES[0], **_LIMIT, label="raw limit")
    axes.set(xlim=(0, 1.12 * max(longest, made.limit or 0) or 1), ylim=(len(made.bars) - 0.4, -0.6), xlabel=made.value_title)
    axes.set_yticks(rows, [bar.label for bar in made.bars], fontsize=8)
    axes.grid(axis="x", color="#dddddd")
    axes.set_axisbelow(True)


def _draw_boxes(axes, made):
    directions = {"write": _COLOURS[0], "read": _COLOURS[1]}
    named = set()
    for row, box in enumerate(made.boxes):
        colour = directions.get(box.direction, _COLOURS[2])
        axes.plot([box.worst, box.best], [row, row], color=colour, lw=1)
        label = None if box.direction in named else box.direction
        named.add(box.direction)
        axes.barh(row, box.high - box.low, left=box.low, height=0.6, color=colour, alpha=0.55, edgecolor=colour, label=label)
        axes.plot([box.median] * 2, [row - 0.3, row + 0.3], color=_INK, lw=1.5)
        axes.plot(box.mean, row, "D", color=_INK, ms=3.5)
        axes.annotate(f"{box.best:.3g}", (box.best, row), (5, 0), textcoords="offset points", va="center", fontsize=8, color=_INK)
    axes.set(xlim=(0, 1.12 * max(box.best for box in made.boxes)), ylim=(len(made.boxes) - 0.4, -0.6), xlabel=made.value_title)
    axes.set_yticks(range(len(made.boxes)), [box.label for box in made.boxes], fontsize=8)
    axes.grid(axis="x", color="#dddddd")
    axes.set_axisbelow(True)


def save(figure, path, likes=()):
    """Saves ``figure`` as the file ``path``: as SVG, the same bytes for the same chart, and texts as texts. Nobody may read it who may
    not read all files in ``likes``."""
    matplotlib = needed("matplotlib", "lq.plot")
    path = os.fspath(path)
    ending = os.path.splitext(path)[1][1:]
    drawn = io.BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": "limequat", "svg.fonttype": "none"}):
        times = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
        figure.savefig(drawn, format=ending or None, dpi=160, metadata=times.get(ending))
    with NewFiles(True, likes) as new:
        new.write(path, [drawn.getvalue()])


_EXIT_CODES = {Code.INVALID_ARGUMENT: 2, Code.NOT_FOUND: 3, Code.MALFORMED: 3, Code.TOO_LARGE: 3}


def main(words):
    """``lq plot``, which has checked the options and the name of the picture. Returns the exit code."""
    parser = argparse.ArgumentParser(prog="lq plot")
    parser.add_argument("files", nargs="*")
    parser.add_argument("-o", "--output", required=True)
    parser.add_argument("--kind", choices=KINDS)
    parser.add_argument("--direction", choices=("write", "read"))
    parser.add_argument("-q", "--quiet", action="store_true")
    options = parser.parse_args(words)
    try:
        results = [result for path in options.files for result in read(path)]
        if options.direction:
            results = [r for r in results if getattr(r, "direction", options.direction) == options.direction]
        kind = options.kind or kind_for(results)
        save(draw(chart(results, kind)), options.output, options.files)
    except Error as error:
        print(f"lq: {in_arguments(str(error))}", file=sys.stderr)
        return _EXIT_CODES.get(error.code, 4)
    if not options.quiet:
        print(f"{options.output}: a picture of {kind}, drawn from {_counted(len(results), 'result')}")
    return 0
