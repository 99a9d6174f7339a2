#!/usr/bin/env python3
# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Mutation tests: inserts bugs into the code, one at a time, and checks whether a test fails. All bugs ("mutants") are compiled into
# one build, and an environment variable selects one at run time: `a < b` becomes
# `lq_mutant_is(7) ? (a <= b) : (a < b)`. Each test runs once to find the mutants that it reaches; then the tests that reach
# a mutant run with it, fastest first.
"""usage: mutants.py TREE [--seed S] [--each N] [--only TEXT] [--seconds N] [--again] [--list] [--fix]

TREE       a configured build tree, with LIMEQUAT_MUTANTS=TREE/changed (./dev mutants makes it)
--seed S   selects other mutants (default 1); --each N: the number for each area (default 40)
--only T   only mutants whose file, line or change contains T
--seconds  maximum time of the tests for one mutant (default 60); --slowest N: without tests that take longer (default 30)
--again    tests surviving mutants again; results of the others are always kept
--list     lists the mutants without running tests
--fix      writes the score into docs/how-it-is-tested.md"""

import argparse
import collections
import fnmatch
import hashlib
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from concurrent import futures

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import count_tests  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
AREAS = ("src/comm", "src/io", "src/engine", "src/storage", "src/modes", "src/hdf5", "src/sets/checkpoint", "src/sets/staging",
         "src/sets/repack")
KNOWN = "tests/mutants/known.txt"
SURVIVORS = "tests/mutants/survivors.md"
LABELS = {"unit", "fault", "golden", "cli", "conformance", "simulation", "capi", "scale", "physics", "device", "python"}
TARGETS = r"lq|lq_.*_test|lq_simulate|limequat(_hdf5|_ensemble)?"
JOBS = int(os.environ.get("LQ_JOBS", "1"))
HEADER = """#pragma once
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <type_traits>

#pragma GCC diagnostic ignored "-Wpragmas"
{ignored}

namespace lq_mutant {{
inline int chosen = [] {{
  const char* number = std::getenv("LQ_MUTANT");
  return number == nullptr ? 0 : std::atoi(number);
}}();
inline unsigned char* reached = []() -> unsigned char* {{
  const char* path = std::getenv("LQ_MUTANTS_REACHED");
  const int file = path == nullptr ? -1 : ::open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return nullptr;
  void* memory = ::mmap(nullptr, {size}, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  ::close(file);
  return memory == MAP_FAILED ? nullptr : static_cast<unsigned char*>(memory);
}}();
}}  // namespace lq_mutant

constexpr bool lq_mutant_is(int number) noexcept {{
  if (std::is_constant_evaluated()) return false;
  if (lq_mutant::reached != nullptr) lq_mutant::reached[number] = 1;
  return lq_mutant::chosen == number;
}}
"""
IGNORED = """parentheses type-limits sign-compare sign-conversion conversion float-conversion arith-conversion unused-value unused-variable
unused-but-set-variable unused-parameter unused-result bool-compare bool-operation return-type maybe-uninitialized uninitialized array-bounds
stringop-overflow stringop-overread int-in-bool-context tautological-compare div-by-zero extra nonnull dangling-pointer use-after-free restrict
free-nonheap-object dangling-else shift-count-overflow shift-count-negative overflow alloc-size-larger-than""".split()

# Replacements in conditions, returned values and stored values.
CHANGES = [(r"(?<= )<(?=\s)", "<="), (r"(?<= )<=(?=\s)", "<"), (r"(?<= )>(?=\s)", ">="), (r"(?<= )>=(?=\s)", ">"), (r"(?<= )==(?=\s)", "!="),
           (r"(?<= )!=(?=\s)", "=="), (r"(?<= )&&(?=\s)", "||"), (r"(?<= )\|\|(?=\s)", "&&"), (r" [+-] 1\b(?![.'])", ""), (r"(?<= )\+(?= )", "-"),
           (r"(?<=[\w)\]] )-(?= )", "+"), (r"(?<=[\w)\]] )\*(?= )", "+"), (r"(?<= )/(?= )", "*"), (r"(?<= )%(?= )", "/"), (r"\btrue\b", "false"),
           (r"\bfalse\b", "true"), (r"(?<![\w:.])!(?=[\w(])", ""), (r"\bstd::min\b", "std::max"), (r"\bstd::max\b", "std::min"),
           (r"(?<![\w.'<])\d+(?![\w.'>])", lambda match: str(int(match[0]) + 1)),
           (r"(?<=\w\()(\w+), (\w+)(?=\))", lambda match: f"{match[2]}, {match[1]}")]

Mutant = collections.namedtuple("Mutant", "file line before after begin end text")


def masked(text):
    """Replaces comments, strings and lines of the preprocessor by other letters; the length stays the same."""
    pattern = r'//[^\n]*|/\*.*?\*/|R"\((?:.*?)\)"|"(?:\\.|[^"\\\n])*"|(?<![\w])\'(?:\\.|[^\'\\\n])+\'|^#[^\n]*'
    return re.sub(pattern, lambda match: re.sub(r"[^\n]", "~" if match[0][0] in "\"'R" else " ", match[0]), text, flags=re.S | re.M)


def end_of(mask, begin, ends=";"):
    """The position of the semicolon or closing bracket that ends the text beginning there."""
    depth = 0
    for at in range(begin, len(mask)):
        depth += (mask[at] in "([{") - (mask[at] in ")]}")
        if depth < 0 or depth == 0 and mask[at] in ends:
            return at
    return len(mask)


def units(mask):
    """(kind, begin, end) of the parts that mutants may replace: conditions, values, calls, and thrown errors."""
    for match in re.finditer(r"\b(if|while|for) \(", mask):
        begin, end = match.end(), end_of(mask, match.end(), "")
        parts, at = [], begin
        while at < end:
            stop = min(end_of(mask, at), end)
            parts.append((at, stop))
            at = stop + 1
        if match[1] == "for" and len(parts) != 3:
            continue
        begin, end = parts[1 if len(parts) > 1 else 0]
        begin += len(mask[begin:end]) - len(mask[begin:end].lstrip())
        if " = " not in mask[begin:end]:
            yield "condition", begin, end
    for match in re.finditer(r"\breturn (?=[^{;\s])|(?<=[;{}])\s+[\w:<>,*& \[\].>()-]*?[\w\])] [+|-]?= (?=[^{;\[\s])", mask):
        if "constexpr" not in match[0] and "static" not in match[0] and "operator" not in match[0]:
            end = end_of(mask, match.end())
            if not re.search(r", [&*]?\w+ = ", mask[match.end():end]):
                yield "value", match.end(), end
    for match in re.finditer(r"(?:(?<=[;{}])\s+|\n +if \([^\n]*\) (?=\w))((?!return|throw|delete|using|goto|break)[\w:]+(?:(?:\.|->)\w+)*\()", mask):
        end = end_of(mask, match.end()) + 1
        if mask[end:end + 1] == ";" and not re.match(r"if|while|for|switch|catch|lq_mutant|LQ_|static_assert", match[1]):
            yield "call", match.start(1), end
    for match in re.finditer(r"\n +if \([^\n]*\) (throw [^;]*);", mask):
        yield "throw", match.start(1), match.end(1)


def candidates(file, text):
    """All mutants of a file, each of one line."""
    mask = masked(text)

    def mutant(begin, end, at, stop, put, new):
        first, last = text.rfind("\n", 0, at) + 1, text.find("\n", stop)
        after = text[first:at] + put + text[stop:last]
        return Mutant(file, text.count("\n", 0, at) + 1, text[first:last].strip(), after.strip(), begin, end, new)

    for kind, begin, end in units(mask):
        if end - begin > 500:
            continue
        old = text[begin:end]
        if kind == "call" or kind == "throw":
            if "\n" not in old:
                put = "void()" if kind == "call" else "lq_no_throw()"
                yield mutant(begin, end, begin, end, "", f"lq_mutant_is(@) ? void() : {'void(' + old + ')' if kind == 'call' else old}")._replace(
                    after=re.sub(r"\s+", " ", f"(without) {old}")) if put else None
            continue
        changes = []
        for pattern, put in CHANGES:
            for match in re.finditer(pattern, mask[begin:end]):
                changes.append((begin + match.start(), begin + match.end(), put(match) if callable(put) else put))
        if kind == "condition" and "\n" not in old:
            changes += [(begin, end, f"!({old})"), (begin, end, "false")]
        for at, stop, put in changes:
            # A comment must not hide the rest when lines are joined.
            pieces = [(text[a:b], mask[a:b]) for a, b in ((begin, at), (stop, end))]
            before, rest = (re.sub(r"\s*\n\s*", " ", "".join(" " if m == " " else t for t, m in zip(*piece) if t != "\n" or m == "\n")) for piece in pieces)
            cast = "bool" if kind == "condition" else ""
            yield mutant(begin, end, at, stop, put, f"lq_mutant_is(@) ? {cast}({before}{put}{rest}) : {cast}({old})")


def key(mutant):
    return f"{mutant.file}: `{mutant.before}` -> `{mutant.after}`"


def known(root):
    """Mutants written by hand: blocks of a file's path, a remark, the old lines after `<`, as many new lines after `>`."""
    blocks = re.findall(r"^(src/\S+)\n# (.*)\n((?:< .*\n)+)((?:> .*\n?)+)", (root / KNOWN).read_text(encoding="utf-8"), re.M)
    for file, remark, old, new in blocks:
        old, new = ("\n".join(line[2:] for line in part.splitlines()) for part in (old, new))
        text = (root / file).read_text(encoding="utf-8")
        if text.count(old) != 1 or old.count("\n") != new.count("\n"):
            raise SystemExit(f"mutants.py: {KNOWN}: {file}: found {text.count(old)} times, expected once: {old}")
        begin = text.index(old)
        yield Mutant(file, text.count("\n", 0, begin) + 1, "known", remark, begin, begin + len(old), new.replace("LQ_MUTANT", "lq_mutant_is(@)"))


def choose(root, seed, each):
    """Known mutants first, then the requested number of each area; other changes in the code do not change the selection."""
    chosen = list(known(root))
    for area in AREAS:
        found = []
        for path in sorted((root / area).rglob("*.cpp")):
            if not path.stem.endswith(("_test", "_other")):
                file = path.relative_to(root).as_posix()
                found += candidates(file, path.read_text(encoding="utf-8"))
        found.sort(key=lambda mutant: hashlib.sha1(f"{seed} {key(mutant)}".encode()).hexdigest())
        kept = []
        for mutant in found:
            rivals = [other for other in chosen + kept if other.file == mutant.file]
            is_apart = all(mutant.line != other.line and (mutant.end <= other.begin or other.end <= mutant.begin) for other in rivals)
            if len(kept) < each and is_apart and all(key(other) != key(mutant) for other in rivals):
                kept.append(mutant)
        chosen += kept
    return chosen


def write_if_new(path, text):
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return True
    return False


def write_sources(root, changed, mutants, dropped):
    """The sources with all mutants except the dropped ones; mutants are numbered from 1 in the order of the list."""
    ignored = "\n".join(f'#pragma GCC diagnostic ignored "-W{name}"' for name in IGNORED)
    write_if_new(changed / "lq_mutant.hpp", HEADER.format(ignored=ignored, size=4096 * (len(mutants) // 4096 + 1)))
    files = sorted({mutant.file for mutant in mutants})
    for path in changed.rglob("*.cpp"):
        if path.relative_to(changed).as_posix() not in files:
            path.unlink()
    for file in files:
        text = (root / file).read_text(encoding="utf-8")
        own = [(number, mutant) for number, mutant in enumerate(mutants, 1) if mutant.file == file and number not in dropped]
        for number, mutant in sorted(own, key=lambda entry: -entry[1].begin):
            text = text[:mutant.begin] + mutant.text.replace("@", str(number), 1) + text[mutant.end:]
        write_if_new(changed / file, f'#include "{"../" * file.count("/")}lq_mutant.hpp"  ' + text)


def blamed(output, mutants):
    """Numbers of the mutants on or next to lines with compiler errors."""
    found = set()
    for file, line in re.findall(r"\bchanged/(src/[^\s:]+):(\d+):\d+: (?:fatal )?error:", output):
        near = [(abs(mutant.line - int(line)), number) for number, mutant in enumerate(mutants, 1) if mutant.file == file]
        found |= {number for distance, number in near if distance <= 1} or {number for _, number in near[:1] and [min(near)]}
    return found


def build(root, tree, mutants):
    """Compiles until there are no errors; returns the numbers of the mutants that do not compile."""
    changed, invalid = tree / "changed", tree / "invalid.json"
    known_invalid = json.loads(invalid.read_text()) if invalid.exists() else []
    dropped = {number for number, mutant in enumerate(mutants, 1) if key(mutant) in known_invalid}
    had = {path.relative_to(changed).as_posix() for path in changed.rglob("*.cpp")}
    write_sources(root, changed, mutants, dropped)
    if had != {mutant.file for mutant in mutants}:
        subprocess.run(["cmake", str(tree)], check=True, stdout=subprocess.DEVNULL)
    listed = subprocess.run(["ninja", "-C", str(tree), "-t", "targets", "all"], capture_output=True, text=True, check=True).stdout
    targets = [name for name in re.findall(r"^(\S+): phony$", listed, re.M) if re.fullmatch(TARGETS, name)]
    while True:
        done = subprocess.run(["ninja", "-C", str(tree), "-k", "0", "-j", str(JOBS), *targets], capture_output=True, text=True)
        (tree / "build.log").write_text(done.stdout + done.stderr, encoding="utf-8")
        if done.returncode == 0:
            return dropped
        new = blamed(done.stdout, mutants) - dropped
        if not new:
            raise SystemExit(f"mutants.py: the build fails, and no mutant is the cause: {tree}/build.log")
        print(f"{len(new)} mutants do not compile", flush=True)
        dropped |= new
        invalid.write_text(json.dumps([key(mutants[number - 1]) for number in sorted(dropped)]))
        write_sources(root, changed, mutants, dropped)


Test = collections.namedtuple("Test", "name command environment folder")


def tests_of(tree, slowest):
    """The tests that may run with mutants, except those that take longer according to ctest."""
    listed = subprocess.run(["ctest", "--test-dir", str(tree), "--show-only=json-v1"], capture_output=True, text=True, check=True).stdout
    costs = tree / "Testing/Temporary/CTestCostData.txt"
    slow = {name for name, cost in re.findall(r"^(\S+) \d+ (\S+)$", costs.read_text() if costs.exists() else "", re.M) if float(cost) > slowest}
    has_mutants = {}
    for test in json.loads(listed)["tests"]:
        properties = {entry["name"]: entry["value"] for entry in test.get("properties", ())}
        is_plain = not {"PASS_REGULAR_EXPRESSION", "FAIL_REGULAR_EXPRESSION", "WILL_FAIL", "DISABLED"} & set(properties)
        if not LABELS & set(properties.get("LABELS", ())) or not test.get("command") or not is_plain or test["name"] in slow or test["name"].startswith("rules."):
            continue
        program = pathlib.Path(test["command"][0])
        if program not in has_mutants:
            has_mutants[program] = not program.name.endswith("_test") or b"LQ_MUTANTS_REACHED" in program.read_bytes()
        if has_mutants[program]:
            yield Test(test["name"], test["command"], tuple(properties.get("ENVIRONMENT", ())), properties.get("WORKING_DIRECTORY", str(tree)))


def limit():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.setsid()


def run(tree, test, seconds, **variables):
    """Whether the test passes in time, and its time."""
    scratch = tempfile.mkdtemp(dir=tree, prefix="scratch-")
    environment = os.environ | dict(entry.split("=", 1) for entry in test.environment) | {"TMPDIR": scratch} | variables
    began = time.monotonic()
    process = subprocess.Popen(test.command, cwd=test.folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, preexec_fn=limit)
    try:
        passes = process.wait(timeout=seconds) == 0
    except subprocess.TimeoutExpired:
        passes = False
    seconds = time.monotonic() - began
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()
    shutil.rmtree(scratch, ignore_errors=True)
    return passes, seconds


def record_one(tree, test, marks, slowest):
    """Seconds of a test, and the mutants that it reaches; none if it fails without a mutant."""
    with tempfile.NamedTemporaryFile(dir=tree) as reached:
        reached.truncate(marks)
        passes, seconds = run(tree, test, 4 * slowest, LQ_MUTANTS_REACHED=reached.name)
        return {"seconds": seconds, "reached": [at for at, mark in enumerate(reached.read()) if mark] if passes else [], "passes": passes}


def record(tree, mutants, slowest):
    """The mutants that each test reaches; kept for tests that ran before."""
    place = tree / "reached.json"
    kept = json.loads(place.read_text()) if place.exists() else {}
    signature = hashlib.sha1("\n".join(key(mutant) for mutant in mutants).encode()).hexdigest()
    if kept.get("mutants") != signature:
        kept = {"mutants": signature, "tests": {}}
    tests, done = list(tests_of(tree, slowest)), 0
    with futures.ThreadPoolExecutor(JOBS) as pool:
        left = {pool.submit(record_one, tree, test, 4096 * (len(mutants) // 4096 + 1), slowest): test.name for test in tests if test.name not in kept["tests"]}
        for one in futures.as_completed(left):
            kept["tests"][left[one]] = one.result()
            done += 1
            if done % 100 == 0 or done == len(left):
                print(f"{done} of {len(left)} tests recorded", flush=True)
                place.write_text(json.dumps(kept))
    return tests, kept["tests"]


def batches(tests, recorded, number, mutant, seconds):
    """The tests that reach a mutant: the test that is known to fail, then tests of its room, then tests that are fast and reach
    few others; many tests of one program run at once."""
    own = f"lq_{mutant.file.split('/')[1]}_test"
    expected = re.search(r" \[(\S+)\]$", mutant.after) if mutant.before == "known" else None

    def order(test):
        is_expected = expected and fnmatch.fnmatch(test.name, expected[1])
        entry = recorded[test.name]
        return not is_expected, os.path.basename(test.command[0]) != own, entry["seconds"] * len(entry["reached"])

    reaching = sorted((test for test in tests if number in recorded[test.name]["reached"]), key=order)
    groups = collections.defaultdict(list)
    for place, test in enumerate(reaching):
        is_gtest = len(test.command) > 1 and test.command[1].startswith("--gtest_filter=")
        groups[order(test)[0], place // 60, test.command[0] if is_gtest else test.name, test.environment, test.folder].append(test)
    left = seconds
    for group in sorted(groups, key=lambda group: min(order(test) for test in groups[group])):
        members = groups[group]
        while members and left > 0:
            part, took = [], 0.0
            while members and (not part or took < 2) and len(part) < 40:
                part.append(members.pop(0))
                took += recorded[part[-1].name]["seconds"]
            left -= took
            command = part[0].command
            if len(part) > 1:
                names = ":".join(test.command[1].partition("=")[2] for test in part)
                command = [command[0], "--gtest_filter=" + names, *command[2:]]
            if len(command) > 1 and command[1].startswith("--gtest_filter="):
                command = [*command, "--gtest_fail_fast"]
            yield Test(part[0].name if len(part) == 1 else f"{part[0].name} and {len(part) - 1} more", command, part[0].environment, part[0].folder), took


def meet(tree, tests, recorded, number, mutant, seconds):
    """The result for one mutant: the test that kills it, or how it survived."""
    met = 0
    for test, took in batches(tests, recorded, number, mutant, seconds):
        met += 1
        # On a busy machine a test may fail for other reasons: the mutant counts as killed only if the test passes without it.
        for patience in (6, 20, 60):
            if run(tree, test, 10 + patience * took, LQ_MUTANT=str(number))[0]:
                break
            if run(tree, test, 30 + patience * took)[0]:
                return {"result": "killed", "by": test.name}
    return {"result": "survived" if met else "not reached", "by": ""}


def argued(root):
    """Mutants that no test can detect, each with the reason: `- KEY: reason`."""
    text = (root / SURVIVORS).read_text(encoding="utf-8") if (root / SURVIVORS).exists() else ""
    return {match[1]: match[2] for match in re.finditer(r"^- (src/\S+: `.*` -> `.*`)\n  (\S.*)", text, re.M)}


def table(mutants, results, reasons):
    rows = ["| Code | Mutants | A test fails | Argued | Left |", "|---|---|---|---|---|"]
    total = collections.Counter()
    for area in ("known", *AREAS):
        count = collections.Counter()
        for mutant in mutants:
            result = results.get(key(mutant), {}).get("result")
            if (mutant.before == "known") != (area == "known") or area != "known" and not mutant.file.startswith(area + "/") or result in (None, "invalid"):
                continue
            count["all"] += 1
            count["killed" if result == "killed" else "argued" if key(mutant) in reasons else "left"] += 1
        total += count
        name = "mutants from a review" if area == "known" else f"`{area}`"
        rows.append(f"| {name} | {count['all']} | {count['killed']} | {count['argued']} | {count['left']} |")
    rows.append(f"| all | {total['all']} | {total['killed']} | {total['argued']} | {total['left']} |")
    return "\n".join(rows)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("tree", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--seed", default="1")
    parser.add_argument("--each", type=int, default=40)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--slowest", type=float, default=30)
    parser.add_argument("--only", default="")
    for flag in ("again", "list", "fix"):
        parser.add_argument("--" + flag, action="store_true")
    options = parser.parse_args()
    mutants = choose(ROOT, options.seed, options.each)
    if options.list:
        print("\n".join(f"{mutant.file}:{mutant.line}: `{mutant.before}` -> `{mutant.after}`" for mutant in mutants))
        return 0
    dropped = build(ROOT, options.tree, mutants)
    tests, recorded = record(options.tree, mutants, options.slowest)
    place = options.tree / "results.json"
    results = json.loads(place.read_text()) if place.exists() else {}
    with futures.ThreadPoolExecutor(JOBS) as pool:
        running = {}
        for number, mutant in enumerate(mutants, 1):
            if number in dropped:
                results[key(mutant)] = {"result": "invalid", "by": ""}
            elif options.only in key(mutant) and (key(mutant) not in results or options.again and results[key(mutant)]["result"] != "killed"):
                running[pool.submit(meet, options.tree, tests, recorded, number, mutant, options.seconds)] = mutant
        for one in futures.as_completed(running):
            mutant = running[one]
            results[key(mutant)] = one.result()
            print(f"{mutant.file}:{mutant.line} {one.result()['result']} {one.result()['by']}", flush=True)
            place.write_text(json.dumps(results, indent=1))
    reasons, shown = argued(ROOT), table(mutants, results, argued(ROOT))
    left = [mutant for mutant in mutants if results.get(key(mutant), {}).get("result") in ("survived", "not reached") and key(mutant) not in reasons]
    for mutant in left:
        print(f"{mutant.file}:{mutant.line}: {results[key(mutant)]['result']}: `{mutant.before}` -> `{mutant.after}`")
    print(shown)
    if options.fix:
        page = count_tests.PAGE
        page.write_text(count_tests.filled(page.read_text(encoding="utf-8"), {"mutants": shown}), encoding="utf-8")
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())
