#!/usr/bin/env python3
# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Runs scripts of shell and compares what they do with what stands beside them:
#   NAME.sh      the script, run by bash in an empty directory, with `lq` and the tools of tools/ on the path
#   NAME.exit    its exit code; without the file 0
#   NAME.stdout  its output; a `*` stands for anything within a line, a line `...` for any lines; without the file empty
#   NAME.stderr  the same for standard error
# --bless writes the three files anew where they do not match; look at the change before you commit it.
import argparse
import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SKIPPED = 77  # what ctest takes for "skipped"


def pattern_of(expected):
    parts = []
    for line in expected.splitlines():
        if line == "...":
            parts.append("(?:.*\n)*")
        else:
            parts.append(".*".join(re.escape(piece) for piece in line.split("*")) + "\n")
    return re.compile("".join(parts))


class Case:
    def __init__(self, name, arguments):
        self.name = name
        self.arguments = arguments

    def path(self, kind):
        return HERE / f"{self.name}.{kind}"

    def expected(self, kind):
        path = self.path(kind)
        return path.read_text() if path.exists() else ""

    def needs(self):
        """Names of the environment variables that the script asks for in a line `# needs: NAME`."""
        return re.findall(r"^# needs: (\w+)", self.path("sh").read_text(), re.MULTILINE)

    def run(self):
        environment = dict(os.environ)
        environment["LC_ALL"] = "C.UTF-8"
        environment["LQ_MPIRUN"] = self.arguments.mpirun
        environment["LQ_SOURCE"] = str(HERE.parent.parent)
        # `lq plot` draws with the Python package.
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, [str(HERE.parent.parent / "python"), environment.get("PYTHONPATH")]))
        environment["PYTHONDONTWRITEBYTECODE"] = "1"
        environment["LIMEQUAT_LIBRARY"] = str(self.arguments.lq.parent.parent / "lib" / "liblimequat.so")
        environment["LQ_MATPLOTLIB"] = "yes" if importlib.util.find_spec("matplotlib") else ""
        if any(not environment.get(name) for name in self.needs()):
            return None
        with tempfile.TemporaryDirectory(prefix="lq-cli-") as folder, tempfile.TemporaryDirectory() as programs:
            # The tools run with the Python that runs this; what else is called so may be a script that looks for one.
            pathlib.Path(programs, "python3").symlink_to(sys.executable)
            environment["PATH"] = os.pathsep.join(
                [str(self.arguments.lq.parent), str(HERE / "tools"), programs, environment["PATH"]])
            return subprocess.run(["bash", "-eu", "-o", "pipefail", str(self.path("sh"))], cwd=folder, env=environment,
                                  stdin=subprocess.DEVNULL, capture_output=True, timeout=120)

    def check(self):
        result = self.run()
        if result is None:
            print(f"{self.name}: skipped, needs {', '.join(self.needs())}")
            return SKIPPED
        found = {"exit": f"{result.returncode}\n", "stdout": result.stdout.decode(errors="replace"),
                 "stderr": result.stderr.decode(errors="replace")}
        wrong = [kind for kind in ("exit", "stdout", "stderr") if not self.matches(kind, found[kind])]
        for kind in wrong:
            if self.arguments.bless:
                self.bless(kind, found[kind])
            else:
                print(f"{self.name}.{kind}: expected\n{self.expected(kind)}--- found\n{found[kind]}---")
        return 0 if self.arguments.bless else min(len(wrong), 1)

    def matches(self, kind, found):
        expected = self.expected(kind) or ("0\n" if kind == "exit" else "")
        return pattern_of(expected).fullmatch(found if found.endswith("\n") or not found else found + "\n") is not None

    def bless(self, kind, found):
        if found in ("", "0\n" if kind == "exit" else ""):
            self.path(kind).unlink(missing_ok=True)
        else:
            self.path(kind).write_text(self.with_wildcards(kind, found))
        print(f"{self.name}.{kind}: written anew")

    def with_wildcards(self, kind, found):
        """The lines found, in the form with `*` where an expected line still matches."""
        expected = [line for line in self.expected(kind).splitlines() if "*" in line]
        return "".join(next((old for old in expected if pattern_of(old).fullmatch(line + "\n")), line) + "\n"
                       for line in found.splitlines())


def main():
    parser = argparse.ArgumentParser(description="Tests of the command line.")
    parser.add_argument("names", nargs="*", help="without .sh; default all")
    parser.add_argument("--lq", type=lambda text: pathlib.Path(text).resolve(), required=True, help="the program lq")
    parser.add_argument("--mpirun", default="", help="command that starts ranks; their number follows it")
    parser.add_argument("--bless", action="store_true", help="write what was expected anew")
    arguments = parser.parse_args()
    names = arguments.names or sorted(path.stem for path in HERE.glob("*.sh"))
    codes = [Case(name, arguments).check() for name in names]
    if codes == [SKIPPED]:
        return SKIPPED
    return max((code for code in codes if code != SKIPPED), default=0)


if __name__ == "__main__":
    sys.exit(main())
