# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""A real SIGINT while `lq` works, verb by verb: it dies of the signal at once, and leaves no file that is not complete."""

import glob
import os
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import limequat as lq
from slow_storage import SlowStorage
from test_interrupts import sparse_gauge_file

LQ = os.environ.get("LQ_PROGRAM") or shutil.which("lq")
MPIRUN = shutil.which("mpirun")
pytestmark = pytest.mark.skipif(LQ is None, reason="there is no lq")

AT_WORK = 60  # calls of the system after which a verb is at its work
AFTER = {"generate": 1, "manifest": 2500, "references": 2500}  # computes; begin with modules of Python
AFTER_MPI = 300  # MPI_Init takes some, too
AT_ONCE = 10  # seconds; one on a machine of one's own


@pytest.fixture(scope="module")
def slow(tmp_path_factory):
    return SlowStorage(tmp_path_factory.mktemp("slow"))


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """What verbs have to do with: 450 GB without room on the disk, 1.2 GB, many small ones, a multifile, checkpoints, modes."""
    folder = tmp_path_factory.mktemp("files")
    (folder / "far").mkdir()
    sparse_gauge_file(folder / "far/huge.ildg", (128, 128, 128, 384))
    sparse_gauge_file(folder / "large.ildg", (32, 32, 32, 64))
    run("pack", folder / "set.sion", folder / "large.ildg", "--sync", "none")
    run("generate", "-q", folder / "small.ildg", "--lattice", "4x4x4x8", "--sweeps", "1")
    (folder / "many").mkdir()
    for k in range(4000):
        os.link(folder / "small.ildg", folder / f"many/{k}.ildg")
    run("generate", "-q", folder / "middle.ildg", "--lattice", "16x16x16x32", "--sweeps", "1", "--sync", "none")
    run("squeeze", "-q", folder / "middle.ildg", folder / "middle.sqz", "--sync", "none")
    with lq.Checkpoints(folder / "checkpoints", keep=9) as checkpoints:
        for step in range(6):
            checkpoints.save(step, streams=[bytes(40 << 20)])
    vector = np.zeros((16, 8, 8, 8, 4, 3), complex)
    vector[...] = 0.5
    with lq.modes.create(folder / "low.modes", (8, 8, 8, 16), sync="none") as modes:
        for k in range(60):
            modes.append(vector, eigenvalue=k)
    yield folder
    shutil.rmtree(folder)


def run(*words, **options):
    subprocess.run([LQ, *map(str, words)], check=True, stdout=subprocess.DEVNULL, **options)


READING = {
    "verify": "verify FAR/huge.ildg",
    "verify_below": "verify -r FAR",
    "validate": "validate FAR/huge.ildg",
    "diff": "diff FAR/huge.ildg FAR/huge.ildg",
    "diagnose": "diagnose FAR/huge.ildg --whole-bytes 1000000000000",
    "cat": "cat FAR/huge.ildg ildg-binary-data",
    "scrub": "scrub --db FILES/far.db",
    "find": "find --db FILES/many.db beta>=0",
    "diff_below": "diff FILES/many FILES/many",
    "dump": "dump FILES/large.ildg --box t=0:64",
    "observables": "verify --observables FILES/middle.ildg",
    "checkpoints": "checkpoints FILES/checkpoints",
    "modes_verify": "modes verify FILES/low.modes",
}
WRITING = {
    "generate": "generate new.ildg --lattice 16x16x16x16 --sweeps 1000000",
    "convert": "convert FILES/large.ildg new.scidac --accept-damage",
    "convert_many": "convert FILES/many new --to nersc --allow-loss",
    "squeeze": "squeeze FILES/large.ildg new.sqz",
    "protect": "protect FAR/huge.ildg",
    "repair": "repair FAR/huge.ildg -o new",
    "pack": "pack new.sion FILES/large.ildg FILES/large.ildg",
    "unpack": "unpack FILES/set.sion -d new",
    "extract": "extract FILES/large.ildg ildg-binary-data new",
    "convert_part": "convert FILES/large.ildg new.scidac --region t=1:62 --accept-damage",
    "defrag": "defrag FILES/set.sion -o new.sion",
    "copy": "copy FILES/large.ildg new.ildg",
    "repartition": "repartition FILES/large.ildg new.set --to t=block:4",
    "index": "index FILES/many --db new.db",
    "manifest": "manifest FILES/many -o new.txt",
    "references": "export --references FILES/many -o new.json",
    "bench": "bench lattice --lattice 16x16x16x16 --path .",
    "set": "set FILES/large.ildg -o new.ildg beta=6.1",
    "unsqueeze": "unsqueeze FILES/middle.sqz new.ildg",
    "extract_below": "extract --slice t=1 FILES/many new",
    "dump_array": "dump FILES/large.ildg --box t=0:64 -o new.npy",
    "modes_convert": "modes convert FILES/low.modes new.modes --storage single",
    "report": "report FILES/many -o new.html",
    "document": "ildg document FAR/huge.ildg -o new.xml",
    "images": "export --vtk FILES/middle.ildg -o new.pvd",
}


def words_of(line, files):
    return [word.replace("FILES", str(files)).replace("FAR", str(files / "far")) for word in line.split()]


def is_complete(path):
    """Whole files of verbs that make several, and what the next `lq copy` or `lq repartition` goes on with."""
    is_record = path.name.startswith(".") and path.name.endswith((".lq-copy", ".lq-copied"))
    if is_record or ".set." in path.name or path.name == "lq-convert.log":
        return True
    if path.name == "new":  # the numbers of large.ildg without a format
        return path.stat().st_size == 32 * 32 * 32 * 64 * 4 * 144
    return path.suffix == ".db" or subprocess.run([LQ, "info", path], stdout=subprocess.DEVNULL).returncode == 0  # zeros are damage to `lq verify`


def ends_by(program, send):
    """The exit code, and what the program said, after a signal that `send` sends."""
    began = time.monotonic()
    send(program)
    try:
        words = program.communicate(timeout=60)[1].decode()
    finally:
        program.kill()
    assert time.monotonic() - began < AT_ONCE
    return program.returncode, words


def interrupted(slow, words, folder, number=signal.SIGINT, after=AT_WORK):
    """The exit code of a program that was at work when the signal came."""
    program = slow.start(words, after, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    return ends_by(program, lambda program: program.send_signal(number))[0]


def files_in(*folders):
    return [path for folder in folders for path in folder.rglob("*") if path.is_file()]


@pytest.mark.parametrize("verb", READING)
def test_ctrl_c_ends_what_reads(slow, files, tmp_path, verb):
    if verb in ("scrub", "find"):
        folder = {"scrub": "far", "find": "many"}[verb]
        run("index", "-q", files / folder, "--db", files / f"{folder}.db")
    assert interrupted(slow, [LQ, *words_of(READING[verb], files)], tmp_path) == -signal.SIGINT


@pytest.mark.parametrize("verb, number", [(verb, signal.SIGINT) for verb in WRITING] + [("convert", signal.SIGTERM), ("manifest", signal.SIGTERM)])
def test_ctrl_c_leaves_only_what_is_complete(slow, files, tmp_path, verb, number):
    assert interrupted(slow, [LQ, *words_of(WRITING[verb], files)], tmp_path, number, AFTER.get(verb, AT_WORK)) == -number
    assert [path for path in files_in(tmp_path) + list((files / "far").glob("*parity*")) if not is_complete(path)] == []


def ranks_of(program):
    """The processes that the launcher started."""
    children = []
    for path in glob.glob(f"/proc/{program.pid}/task/*/children"):
        with open(path) as lines:
            children += [int(word) for word in lines.read().split()]
    return sorted(children)


def has_ended(process):
    try:
        with open(f"/proc/{process}/stat") as line:
            return line.read().rsplit(")", 1)[1].split()[0] in "ZX"
    except OSError:
        return True


@pytest.mark.skipif(not os.path.exists(f"{LQ}-mpi") or MPIRUN is None, reason="there is no lq-mpi")
@pytest.mark.parametrize("verb, told", [(verb, told) for verb in ("convert", "convert_many", "squeeze", "protect", "copy", "verify")
                                        for told in ("launcher", "group", "first", "last")]
                         + [(verb, "last") for verb in ("set", "manifest", "references", "index", "repair", "repartition", "unpack", "extract_below", "modes_convert", "diff_below")])
def test_ctrl_c_ends_all_ranks(slow, files, tmp_path, verb, told):
    """By themselves: this launcher kills them a minute after it told them to end, and of a signal that one rank alone
    received the others know from it."""
    patient = ["--mca", "odls_base_sigkill_timeout", "60"] if told in ("first", "last") else []
    words = [MPIRUN, "-n", "3", *patient, f"{LQ}-mpi", *words_of({**READING, **WRITING}[verb], files)]
    program = slow.start(words, max(AFTER_MPI, AFTER.get(verb, 0)), cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)
    ranks = ranks_of(program)
    assert len(ranks) == 3
    try:
        if told == "launcher":
            program.send_signal(signal.SIGINT)
        elif told == "group":
            os.killpg(program.pid, signal.SIGINT)
        else:
            os.kill(ranks[0 if told == "first" else -1], signal.SIGINT)
        began = time.monotonic()
        while not all(map(has_ended, ranks)):
            assert time.monotonic() - began < AT_ONCE
            time.sleep(0.02)
    finally:
        os.killpg(program.pid, signal.SIGKILL)
        for rank in ranks:
            if not has_ended(rank):
                os.kill(rank, signal.SIGKILL)
    program.communicate()
    assert [path for path in files_in(tmp_path) + list((files / "far").glob("*parity*")) if not is_complete(path)] == []


@pytest.mark.skipif(not os.path.exists(f"{LQ}-mpi") or MPIRUN is None, reason="there is no lq-mpi")
@pytest.mark.parametrize("seconds", (0.05, 0.15, 0.3))
def test_ctrl_c_while_mpi_starts_ends_all_ranks(files, tmp_path, seconds):
    program = subprocess.Popen([MPIRUN, "-n", "3", f"{LQ}-mpi", *words_of(WRITING["convert"], files)], cwd=tmp_path, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE)
    while len(ranks := ranks_of(program)) < 3:
        assert program.poll() is None
        time.sleep(0.005)
    time.sleep(seconds)
    os.kill(ranks[-1], signal.SIGINT)
    began = time.monotonic()
    program.communicate(timeout=60)
    assert time.monotonic() - began < AT_ONCE and all(map(has_ended, ranks))
    assert [path for path in tmp_path.iterdir() if not is_complete(path)] == []


@pytest.mark.skipif(MPIRUN is None, reason="there is no mpirun")
def test_ctrl_c_ends_ranks_of_python(files, tmp_path):
    """The launcher ends them, and they take back what they had begun."""
    pytest.importorskip("mpi4py")
    work = (f"from mpi4py import MPI; import limequat as lq; "
            f"lq.convert({str(files / 'large.ildg')!r}, 'new.scidac', accept_damage=True, comm=MPI.COMM_WORLD)")
    program = subprocess.Popen([MPIRUN, "-n", "3", sys.executable, "-c", work], cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    while not os.listdir(tmp_path) and program.poll() is None:
        time.sleep(0.01)
    if program.poll() is not None:
        pytest.skip(program.communicate()[1].decode()[-300:])
    program.send_signal(signal.SIGINT)
    program.communicate(timeout=60)
    assert [path for path in tmp_path.iterdir() if not is_complete(path)] == []
