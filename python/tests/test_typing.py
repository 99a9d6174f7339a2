# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""The package under a type checker, where mypy is there; a program with wrong options is found by it."""

import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[1]


def mypy(tmp_path, *arguments):
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy", "--config-file", ROOT / "pyproject.toml", "--cache-dir", tmp_path / "cache"]
    return subprocess.run([*command, *arguments], cwd=ROOT, text=True, capture_output=True,
                          env={**os.environ, "MYPYPATH": str(ROOT)})


def test_the_package_is_clean_and_wrong_options_are_found(tmp_path):
    wrong = tmp_path / "wrong.py"
    wrong.write_text("import limequat as lq\nlq.write('a.ildg', [1.0], precision='half')\nlq.write('a.ildg', [1.0], sync='data')\n")
    result = mypy(tmp_path, "limequat", wrong)
    lines = [line for line in result.stdout.splitlines() if ": error:" in line]
    assert [line for line in lines if "wrong.py:2" not in line] == []
    assert len(lines) == 1, result.stdout + result.stderr
