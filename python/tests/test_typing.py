# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""The package under type checkers, where these are there: a program of a user is clean under the strictest rules, and each line of
one that is wrong is refused."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent


def mypy(tmp_path, *arguments):
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy", "--config-file", ROOT / "pyproject.toml", "--cache-dir", tmp_path / "cache"]
    return subprocess.run([*command, *arguments], cwd=ROOT, text=True, capture_output=True,
                          env={**os.environ, "MYPYPATH": str(ROOT)}).stdout


def pyright(tmp_path):
    """Of the two programs, over the package beside them, by the strict rules."""
    program = shutil.which("pyright")
    if program is None:
        pytest.skip("pyright is not there")
    for name in ("typing_clean.py", "typing_wrong.py"):
        shutil.copy(HERE / name, tmp_path)
    rules = {"include": ["."], "extraPaths": [str(ROOT)], "typeCheckingMode": "strict"}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(rules))
    result = subprocess.run([program, "--pythonpath", sys.executable, "-p", "."], cwd=tmp_path, text=True, capture_output=True)
    return result.stdout


def errors_in(said, name):
    """Numbers of the lines of a file that a checker complains of."""
    return {int(number) for number in re.findall(rf"{re.escape(name)}:(\d+)(?::\d+)?(?: -|:) error", said)}


def calls_of(name):
    return {number for number, line in enumerate((HERE / name).read_text().splitlines(), 1) if line.startswith("lq.")}


def test_the_package_is_clean_and_wrong_options_are_found(tmp_path):
    wrong = tmp_path / "wrong.py"
    wrong.write_text("import limequat as lq\nlq.write('a.ildg', [1.0], precision='half')\nlq.write('a.ildg', [1.0], sync='data')\n")
    said = mypy(tmp_path, "limequat", wrong)
    lines = [line for line in said.splitlines() if ": error:" in line]
    assert [line for line in lines if "wrong.py:2" not in line] == []
    assert len(lines) == 1, said


def test_a_program_is_clean_under_strict_mypy_and_a_wrong_one_is_refused_line_by_line(tmp_path):
    said = mypy(tmp_path, "--strict", "--follow-imports=silent", HERE / "typing_clean.py", HERE / "typing_wrong.py")
    assert errors_in(said, "typing_clean.py") == set(), said
    assert calls_of("typing_wrong.py") - errors_in(said, "typing_wrong.py") == set(), said


def test_a_program_is_clean_under_strict_pyright_and_a_wrong_one_is_refused_line_by_line(tmp_path):
    said = pyright(tmp_path)
    assert errors_in(said, "typing_clean.py") == set(), said
    assert calls_of("typing_wrong.py") - errors_in(said, "typing_wrong.py") == set(), said


def test_the_programs_name_what_there_is():
    import limequat as lq

    text = (HERE / "typing_clean.py").read_text()
    for name in re.findall(r"\blq\.([A-Za-z0-9_]+)", text):
        assert hasattr(lq, name), name
