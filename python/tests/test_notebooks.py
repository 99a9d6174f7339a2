# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""The notebooks of examples/notebooks: their cells run in order, as plain Python and, where it is there, in Jupyter."""

import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import time

import pytest

from test_interrupts import sparse_gauge_file

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "examples" / "notebooks"
NAMES = sorted(path.stem for path in FOLDER.glob("*.ipynb"))


@pytest.fixture(autouse=True)
def ranks_anywhere(monkeypatch):
    """More ranks than cores, as root: all right for a test."""
    for name in ("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "OMPI_MCA_rmaps_base_oversubscribe",
                 "OMPI_MCA_mpi_yield_when_idle"):
        monkeypatch.setenv(name, "1")
    monkeypatch.setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none")


def cells(name):
    notebook = json.loads((FOLDER / f"{name}.ipynb").read_text(encoding="utf-8"))
    assert notebook["nbformat"] == 4
    return notebook["cells"]


def test_there_are_the_three():
    assert NAMES == ["ensemble", "first_steps", "parallel_checkpoint"]


@pytest.mark.parametrize("name", NAMES)
def test_notebooks_are_committed_without_results(name):
    code = [cell for cell in cells(name) if cell["cell_type"] == "code"]
    assert code and all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)


@pytest.mark.parametrize("name", NAMES)
def test_the_cells_run_as_a_program_and_again_beside_their_files(tmp_path, name):
    program = "\n\n".join("".join(cell["source"]) for cell in cells(name) if cell["cell_type"] == "code")
    for _ in range(2):
        result = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, text=True, capture_output=True,
                                env={**os.environ, "MPLBACKEND": "agg"})
        assert result.returncode == 0, result.stderr


@pytest.fixture
def kernel(tmp_path, monkeypatch):
    """The name of a kernel of the interpreter of the tests, whatever kernels there are."""
    pytest.importorskip("ipykernel")
    for folder in ("HOME", "IPYTHONDIR", "JUPYTER_RUNTIME_DIR", "JUPYTER_DATA_DIR"):
        monkeypatch.setenv(folder, str(tmp_path / "home"))
    folder = tmp_path / "home" / "kernels" / "this"
    folder.mkdir(parents=True)
    folder.joinpath("kernel.json").write_text(json.dumps({
        "argv": [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"], "display_name": "this",
        "language": "python"}))
    return "this"


@pytest.mark.parametrize("name", NAMES)
def test_jupyter_runs_and_shows_them(tmp_path, name, kernel):
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    notebook = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)
    nbclient.NotebookClient(notebook, timeout=120, kernel_name=kernel,
                            resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = {kind for cell in notebook.cells for output in cell.get("outputs", []) for kind in output.get("data", {})}
    wanted = {"first_steps": {"text/html", "image/png"}, "ensemble": {"image/png"}}.get(name, set())
    assert shown >= (wanted if importlib.util.find_spec("matplotlib") else wanted - {"image/png"})


class Kernel:
    """A kernel of Jupyter in which cells run, as a notebook has it."""

    def __init__(self, name, folder):
        manager = pytest.importorskip("jupyter_client.manager")
        self._manager, self._client = manager.start_new_kernel(kernel_name=name, cwd=str(folder))

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self._client.stop_channels()
        self._manager.shutdown_kernel(now=True)

    def start(self, code):
        self._request = self._client.execute(code, stop_on_error=False)  # else it would refuse the next cells

    def interrupt(self):
        self._manager.interrupt_kernel()

    def outcome(self):
        """What has become of the cell: its status and the name of its exception."""
        while True:
            reply = self._client.get_shell_msg(timeout=60)
            if reply["parent_header"].get("msg_id") == self._request:
                return reply["content"]["status"], reply["content"].get("ename")

    def run(self, code):
        self.start(code)
        return self.outcome()


@pytest.mark.parametrize("call", ("lq.verify('huge.ildg')", "lq.scrub(db='a.db')",
                                  "lq.convert('huge.ildg', 'new.scidac', accept_damage=True)"),
                         ids=("verify", "scrub", "convert"))
def test_the_stop_button_ends_a_cell_with_its_bar(tmp_path, kernel, call):
    folder = tmp_path / "work"
    folder.mkdir()
    sparse_gauge_file(folder / "huge.ildg", (64, 64, 64, 128))
    with Kernel(kernel, folder) as notebook:
        assert notebook.run("import os, limequat as lq\nlq.index('.', db='a.db', threads=1)") == ("ok", None)
        notebook.start(call)
        time.sleep(1)  # the cell would go on for long
        asked = time.monotonic()
        notebook.interrupt()
        assert notebook.outcome() == ("error", "KeyboardInterrupt")
        assert time.monotonic() - asked < 10  # a second where nothing else runs
        assert notebook.run("assert not [name for name in os.listdir() if 'new' in name]") == ("ok", None)
