# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Results of benchmarks: what is read, which chart they become, and what is drawn."""

import copy
import json
import random

import pytest

import limequat as lq
from limequat import benchmarks

SECONDS = {"min": 1.0, "lower_quartile": 3.0, "median": 4.0, "upper_quartile": 5.0, "max": 9.0, "first": 9.0}
HALF = {key: value / 2 for key, value in SECONDS.items()}
ONE = {"name": "lattice", "direction": "write", "lattice": "4x4x4x8", "grid": "1x1x1x2", "ranks": 2, "strategy": "auto", "format": "ildg",
       "precision": "single", "verify": "checksum", "bytes": 1000, "seconds": SECONDS, "raw_seconds": HALF, "ratio_to_raw": 0.5,
       "steps": {"open": 0.5, "pack": 1.0, "exchange": 2.0, "write": 3.0, "sync": 4.0}}
GOOD = {"environment": {"file_system": "tmpfs", "cores": 2, "mpi": "none", "processor": "P"}, "results": [ONE]}


def parsed(document):
    return benchmarks.parsed((document if isinstance(document, str) else json.dumps(document)).encode(), "r.json")


def changed(**facts):
    return {**GOOD, "results": [{**ONE, **facts}]}


def test_what_bench_writes_is_read():
    (r,) = parsed(GOOD)
    assert (r.lattice, r.precision, r.ranks, r.seconds, r.raw.high, r.ratio_to_raw) == ("4x4x4x8", "single", 2, (4, 3, 5), 2.5, 0.5)
    assert r.steps.sync == 4 and (r.file_system, r.processor, r.cores) == ("tmpfs", "P", 2)
    assert len(parsed([GOOD, GOOD])) == 2 and parsed([]) == []
    assert parsed({"environment": {}, "results": [{"name": "memcpy"}]}) == []


def test_the_documented_keys_suffice():
    old = {key: value for key, value in SECONDS.items() if "quartile" not in key}
    one = {key: value for key, value in ONE.items() if key != "precision"}
    (r,) = parsed({"environment": {}, "results": [{**one, "seconds": old, "raw_seconds": old, "steps": {"pack": None}}]})
    assert (r.seconds, r.precision, r.cache, r.file_system, r.steps) == ((4, 1, 9), "double", "warm", "unknown", None)


def test_tasks_and_clients_of_file_systems_are_read():
    task = {"part": "create", "name": "multifile", "direction": "create", "ranks": 8, "files": 1, "block": 0, "verify": "none", "bytes": 0,
            "seconds": SECONDS, "raw_seconds": HALF, "ratio_to_raw": 0.5}
    create, write = parsed({"environment": {}, "results": [task, {**task, "part": "transfer", "direction": "write", "files": 2, "block": 3072,
                                                                    "bytes": 4096}]})
    assert (create.ranks, create.files, write.files, write.block, write.lattice) == (8, 1, 2, 3072, "")
    (client,) = parsed(changed(servers=4, stripe_bytes=65536, split="xyz"))
    assert (client.servers, client.stripe_bytes, client.split) == (4, 65536, "xyz")


def test_spreads_and_aggregators_are_read_and_drawn():
    spread = {**SECONDS, "mean": 4.5}
    run = {**GOOD, "results": [{**ONE, "seconds": spread, "aggregators": n} for n in (1, 4)]}
    results = parsed(run)
    assert [r.aggregators for r in results] == [1, 4] and benchmarks.kind_for(results) == "rate-by-aggregators"
    made = benchmarks.chart(results, "rate-by-aggregators")
    assert [point.x for point in made.lines[0].points] == [1, 4]
    (box, _) = benchmarks.chart(results, "spread").boxes
    assert [1e-6 / rate for rate in (box.worst, box.low, box.median, box.high, box.best, box.mean)] == pytest.approx([9, 5, 4, 3, 1, 4.5])
    assert box.label == "1 aggregator"
    with pytest.raises(lq.InvalidArgument):
        benchmarks.chart(parsed(GOOD), "spread")  # without a mean


PROGRAM = {"program": "inversion", "io": "serial", "read": 33, "compute": 110, "write": 73}


def test_programs_are_read_and_drawn_by_their_parts():
    run = {"environment": GOOD["environment"], "lattice": "48x48x48x96", "ranks": 4096,
           "results": [PROGRAM, {**PROGRAM, "io": "parallel", "read": 1, "write": 2}]}
    programs = parsed(run)
    assert [(r.io, r.read, r.compute, r.write, r.lattice, r.ranks) for r in programs] == [
        ("serial", 33, 110, 73, "48x48x48x96", 4096), ("parallel", 1, 110, 2, "48x48x48x96", 4096)]
    assert benchmarks.kind_for(programs) == "program-parts"
    made = benchmarks.chart(programs)
    assert [bar.label for bar in made.bars] == ["inversion, serial I/O", "inversion, parallel I/O"]
    assert [round(sum(bar.parts)) for bar in made.bars] == [100, 52] and made.bars[0].text == "216 s, 49 % I/O"
    assert len(benchmarks.chart([*programs, result()], "ratio").bars) == 1
    for wrong in ({"read": -1}, {"read": 0, "compute": 0, "write": 0}, {"write": "1"}, {"io": 3}):
        with pytest.raises(lq.Malformed):
            parsed({**run, "results": [{**PROGRAM, **wrong}]})


def test_each_beginning_of_a_file_is_refused():
    text = json.dumps(GOOD)
    for length in range(len(text)):
        with pytest.raises(lq.Malformed, match=f"r.json: not valid JSON, at byte {length}: the file ends early"):
            parsed(text[:length])


@pytest.mark.parametrize("document, words", [
    ({}, '"environment" is missing; "lq plot" reads what "lq bench --json" writes'),
    (7, "the document is not an object"),
    (changed(ranks=-2), '"results[0].ranks" is not a whole number'),
    (changed(ranks=2.0), '"results[0].ranks" is not a whole number'),
    (changed(ranks=0), "is not a number of ranks"),
    (changed(bytes=0), "results[0].bytes"),
    (changed(bytes=1 << 64), "results[0].bytes"),
    (changed(seconds={**SECONDS, "median": 0}), "results[0].seconds.median"),
    (changed(seconds={**SECONDS, "median": float("nan")}), "results[0].seconds.median"),
    (changed(raw_seconds=7), '"results[0].raw_seconds" is not an object'),
    (changed(ratio_to_raw=10**400), "results[0].ratio_to_raw"),
    (changed(steps={**ONE["steps"], "pack": "x"}), "results[0].steps.pack"),
    (changed(threads=0), "is not a number of threads"),
    (changed(name=None), '"results[0].name" is not a text'),
    ("[" * 1_000_000, "not valid JSON"),
])
def test_the_wrong_key_is_named(document, words):
    with pytest.raises(lq.Malformed) as caught:
        parsed(document)
    assert words in str(caught.value) and str(caught.value).startswith("r.json: ") and caught.value.path == "r.json"


def test_no_document_does_anything_else():
    """Any value in any place: results that can be drawn as values, or Malformed."""
    generator = random.Random(1)
    odd = (None, -1, 0, 1, 1e308, 1e-320, 2**63, 10**30, "", "\x00$\ud800", [], {}, True, float("inf"), float("nan"))
    drawn = 0
    for _ in range(3000):
        document = copy.deepcopy(GOOD)
        for _ in range(generator.randint(1, 3)):
            place = generator.choice([document, document["environment"], document["results"][0], document["results"][0]["seconds"],
                                      document["results"][0]["steps"]])
            if place is document["results"][0]:
                place = dict(place)
            place[generator.choice([*place, "files", "threads", "part"])] = generator.choice(odd)
            if "direction" in place and "verify" in place:
                document["results"] = [place]
            if not (isinstance(document["results"], list) and document["results"] and isinstance(document["environment"], dict)
                    and all(isinstance(document["results"][0].get(key), dict) for key in ("seconds", "steps"))):
                break
        try:
            results = parsed(document)
        except lq.Malformed:
            continue
        for kind in (None, *benchmarks.KINDS):
            try:
                assert "inf" not in repr(benchmarks.chart(results, kind)) and "nan" not in repr(benchmarks.chart(results, kind))
                drawn += 1
            except lq.InvalidArgument:
                pass
    assert drawn > 100


def result(ranks=1, direction="write", seconds=2.0, **facts):
    known = {"name": "lattice", "verify": "checksum", "cache": "warm", "bytes": 2_000_000_000, "seconds": benchmarks.Seconds(*[seconds] * 3),
             "raw": benchmarks.Seconds(1, 1, 1), "ratio_to_raw": 1 / seconds, "file_system": "tmpfs", "processor": "P", "mpi": "M", "cores": 2,
             "lattice": "4x4x4x8", "grid": f"1x1x1x{ranks}", "strategy": "auto", "precision": "double",
             "steps": benchmarks.Steps(0.1, 0.2, 0.3, 0.4)}
    return benchmarks.Result(ranks=ranks, direction=direction, **{**known, **facts})


def stream(name, direction, tasks, files):
    return result(tasks, direction, name=name, lattice="", grid="", strategy="", precision="", verify="none", files=files, steps=None)


def client(name, clients, split, stripe_bytes):
    return result(clients, name=name, lattice=str(clients), split=split, servers=2, stripe_bytes=stripe_bytes)


def points(line):
    return [(point.x, point.y) for point in line.points]


def test_the_kind_follows_the_data():
    assert benchmarks.kind_for([result(1), result(2)]) == "rate-by-ranks"
    assert benchmarks.kind_for([result(1), result(1, "read")]) == "ratio"
    assert benchmarks.kind_for([result(bytes=1000 << i) for i in range(4)]) == "rate-by-size"
    assert benchmarks.kind_for([stream("multifile", "write", 4, 1)]) == "rate-by-files"
    assert benchmarks.kind_for([stream("multifile", "write", 4, 1), stream("multifile", "create", 4, 1)]) == "create-by-tasks"
    assert benchmarks.kind_for([result(threads=1), result(threads=2)]) == "rate-by-threads"


def test_creation_has_a_line_for_each_way():
    chart = benchmarks.chart([stream(name, "create", tasks, tasks if name[0] == "o" else 1) for tasks in (8, 1)
                              for name in ("one file per task", "multifile")])
    assert [line.name for line in chart.lines] == ["one file per task", "multifile"]
    assert points(chart.lines[1]) == [(1, 2000), (8, 2000)]
    assert chart.subtitle == "create, no checksum, warm, tmpfs, P, 2 cores, M"


def test_rates_by_files_stand_beside_one_file_per_task():
    chart = benchmarks.chart([stream("multifile", "write", 4, 2), stream("multifile", "write", 4, 1), stream("checkpoint", "write", 4, 1),
                              stream("one file per task", "write", 4, 4)])
    assert [(line.name, line.is_limit) for line in chart.lines] == [("multifile", False), ("checkpoint", False), ("one file per task", True)]
    assert [x for x, _ in points(chart.lines[0])] == [1, 2]


def test_the_rate_per_server_is_the_rate_over_the_servers():
    results = [client("raw", 1, "t", 65536), client("lattice", 1, "t", 65536), client("lattice", 4, "t", 65536), client("own files", 4, "t", 65536)]
    chart = benchmarks.chart(results, "rate-per-server")
    assert [(line.name, line.is_limit) for line in chart.lines] == [("limequat", False), ("own files", False), ("raw limit", True)]
    assert points(chart.lines[0]) == [(1, 0.5), (4, 0.5)]  # 2 GB in 2 s on 2 servers
    assert "t split, stripes of 64 KiB, 2 servers" in chart.subtitle
    chart = benchmarks.chart([client("lattice", 1, "t", 0), client("lattice", 1, "xyz", 1 << 20)], "rate-by-ranks")
    assert [line.name for line in chart.lines[:2]] == ["t split", "xyz split, stripes of 1 MiB"]


def test_each_direction_has_a_line_and_a_limit():
    chart = benchmarks.chart([result(2, seconds=0.5), result(1, seconds=1), result(1, "read", 2), result(2, "read", 1)])
    assert [line.name for line in chart.lines] == ["write", "read", "raw limit, write", "raw limit, read"]
    assert points(chart.lines[0]) == [(1, 2), (2, 4)]
    assert chart.subtitle == "limequat, checksum, double, 4x4x4x8, warm, tmpfs, P, 2 cores, M"


def test_verifying_has_no_second_limit():
    chart = benchmarks.chart([result(1, direction, 1 / threads, threads=threads) for threads in (1, 4) for direction in ("read", "verify")])
    assert [line.name for line in chart.lines] == ["read", "verify", "raw limit, read"]
    assert points(chart.lines[1]) == [(1, 2), (4, 8)]


def test_of_several_at_one_place_the_fastest_is_shown():
    chart = benchmarks.chart([result(2, grid="2x1x1x1"), result(2, seconds=1), result(1, seconds=1)])
    assert points(chart.lines[0]) == [(1, 2), (2, 2)]
    assert chart.subtitle.endswith("; of several results at one place the fastest")


def test_bars_are_fractions_of_the_raw_limit_or_steps():
    chart = benchmarks.chart([result(2), result(2, "read", 1, name="hdf5")], "ratio")
    assert [(bar.label, bar.parts) for bar in chart.bars] == [("write, limequat", [0.5]), ("read, hdf5", [0.0, 1.0])] and chart.limit == 1
    chart = benchmarks.chart([result(2), result(2, "read", 1, steps=None)], "steps")
    (bar,) = chart.bars
    assert bar.parts == pytest.approx([100, 200, 300, 400, 1000]) and bar.limit == 1000 and bar.text == "2000 ms"


@pytest.mark.parametrize("results, kind", [([], "ratio"), ([result(steps=None)], "steps"), ([result()], "create-by-tasks"),
                                           ([result()], "rate-per-server"), ([result()], "rate-by-threads"), ([result()], "pie")])
def test_nothing_to_draw_is_an_error(results, kind):
    with pytest.raises(lq.InvalidArgument):
        benchmarks.chart(results, kind)


def test_lines_are_drawn_where_the_numbers_are():
    pytest.importorskip("matplotlib")
    made = benchmarks.chart([result(1, seconds=1), result(2, seconds=0.5), result(4, seconds=2.0)])
    (axes,) = benchmarks.draw(made).axes
    ours, limit = axes.lines[0], axes.lines[-1]
    assert list(ours.get_xdata()) == [1, 2, 4] and list(ours.get_ydata()) == [2, 4, 1]
    assert limit.get_linestyle() == "--" and list(limit.get_ydata()) == [2, 2, 2]
    assert axes.get_xscale() == "log" and axes.get_ylim()[0] == 0 and axes.get_xlabel() == "ranks" and axes.get_ylabel().startswith("GB/s")
    assert [label.get_text() for label in axes.get_xticklabels()] == ["1", "2", "4"]
    legend = axes.get_legend()
    assert {text.get_text() for text in legend.get_texts()} == {"limequat", "raw limit"} and "tmpfs" in legend.get_title().get_text()


def test_bars_are_drawn_where_the_numbers_are():
    pytest.importorskip("matplotlib")
    (axes,) = benchmarks.draw(benchmarks.chart([result(2), result(2, name="hdf5", seconds=1)], "steps")).axes
    widths = [[bar.get_width() for bar in part] for part in axes.containers]
    assert [row[0] for row in widths] == pytest.approx([100, 200, 300, 400, 1000])
    assert [bar.get_x() for bar in axes.containers[1]] == pytest.approx([100, 100])
    assert [label.get_text() for label in axes.get_yticklabels()] == ["limequat", "hdf5"]
    (axes,) = benchmarks.draw(benchmarks.chart([result(2), result(2, "read")], "ratio")).axes
    assert [[bar.get_width() for bar in part] for part in axes.containers] == [[0.5, 0], [0, 0.5]]


def test_many_lines_and_long_labels_are_drawn_apart(tmp_path):
    pytest.importorskip("matplotlib")
    results = [result(n, seconds=1 / n, name=f"a library with a rather long name, number {k}", processor="$\\frac{" + "w" * 70) for n in range(1, 40)
               for k in range(12)]
    figure = benchmarks.draw(benchmarks.chart(results, "rate-by-ranks"))
    benchmarks.save(figure, tmp_path / "a.svg")
    benchmarks.save(figure, tmp_path / "a.pdf")
    assert (tmp_path / "a.pdf").read_bytes().startswith(b"%PDF-")
    (axes,) = figure.axes
    shown = [label.get_window_extent() for label in axes.get_xticklabels() if label.get_text()]
    assert len(shown) > 5 and all(a.x1 <= b.x0 for a, b in zip(shown, shown[1:]))
    whole, legend = figure.bbox, axes.get_legend().get_window_extent()
    assert whole.x0 <= legend.x0 and legend.x1 <= whole.x1 and legend.y1 <= whole.y1
    assert "frac" in (tmp_path / "a.svg").read_text()


def test_the_subtitle_of_bars_with_long_labels_fits(tmp_path):
    pytest.importorskip("matplotlib")
    results = [result(2, "read", name=f"a library with a name that is longer than those of others, number {k}",
                      processor="A(R) Processor of 2026", mpi="Some MPI v4.1.4, patched") for k in range(3)]
    figure = benchmarks.draw(benchmarks.chart(results, "ratio"))
    benchmarks.save(figure, tmp_path / "a.svg")  # which lays it out
    (axes,) = figure.axes
    legend = axes.get_legend().get_window_extent()
    assert figure.bbox.x0 <= legend.x0 and legend.x1 <= figure.bbox.x1


def test_the_same_results_give_the_same_bytes(tmp_path):
    pytest.importorskip("matplotlib")
    (tmp_path / "r.json").write_text(json.dumps(GOOD))
    for name in "ab":
        assert benchmarks.main([str(tmp_path / "r.json"), "-q", "-o", str(tmp_path / f"{name}.svg")]) == 0
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    figure = lq.plot.results([tmp_path / "r.json"], kind="ratio")
    assert figure._repr_png_().startswith(b"\x89PNG")


def test_errors_have_the_exit_codes_of_lq(tmp_path, capsys):
    (tmp_path / "bad.json").write_text("{")
    for name, code in (("bad.json", 3), ("missing.json", 3), ("", 4)):
        assert benchmarks.main([str(tmp_path / name), "-o", str(tmp_path / "a.svg")]) == code
        assert capsys.readouterr().err.startswith(f"lq: {tmp_path}")
