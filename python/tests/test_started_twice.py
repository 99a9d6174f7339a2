# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Jobs that were started twice by mistake: two processes write the same file at the same time, and it is whole afterwards."""

import os
import re

import numpy as np
import pytest
from conftest import random_links

import limequat as lq

TRIALS = int(os.environ.get("LQ_TRIALS", 4))
LINKS = [random_links(shape=(2, 2, 2, 4, 4), seed=seed) for seed in (1, 2)]


def arrays(configuration):
    return [("c", {"k": k}, np.arange(500.0) + configuration + k) for k in range(3)]


def append(path, mode, *configurations, **options):
    with lq.correlators.open(path, mode) as store:
        for configuration in configurations:
            store.append(configuration, arrays(configuration), **options)


def count_of(path):
    with lq.correlators.open(path) as store:
        return len(store.configurations) if store.verify() else 0


def write_by_regions(path, links, **options):
    with lq.create(path, like=links, **options) as field:
        for t in (1, 0):
            field[t] = links[t]


def is_one_of_both(path):
    return lq.verify(path).verdict == "sound" and any(np.array_equal(lq.read(path), links) for links in LINKS)


def is_one_series(path):
    """All images are of one of both, and nothing else is there."""
    names = re.findall('file="([^"]*)"', path.read_text())
    images = [(path.parent / name).read_bytes() for name in names]
    return len(set(images)) == 1 and sorted(os.listdir(path.parent)) == sorted([path.name, *names])


def lattice(folder):
    (folder / "data").mkdir()
    lq.write(folder / "data" / "a.ildg", LINKS[0])


def protected(folder):
    lattice(folder)
    lq.protect([folder / "data" / "a.ildg"])


# What there is before, what both do (the number is that of the process), whether the result is whole, and whether one of them must fail.
WRITERS = {
    "new store": (lambda f: None, lambda f, k: append(f / "c.h5", "x", 0, 1), lambda f: count_of(f / "c.h5") == 2, True),
    "appended store": (lambda f: append(f / "c.h5", "x", 0), lambda f, k: append(f / "c.h5", "a", 1, 2), lambda f: count_of(f / "c.h5") == 3, True),
    "replaced array": (lambda f: append(f / "c.h5", "x", 0, 1), lambda f, k: append(f / "c.h5", "a", 1, replace=True),
                       lambda f: count_of(f / "c.h5") == 2, False),
    "manifest": (lattice, lambda f, k: lq.manifest(f), lambda f: lq.check_manifest(f), True),
    "bag": (lattice, lambda f, k: lq.manifest(f, bag=True), lambda f: lq.check_manifest(f), True),
    "replaced bag": (lattice, lambda f, k: lq.manifest(f, bag=True, overwrite=True), lambda f: lq.check_manifest(f), False),
    "references": (lattice, lambda f, k: lq.references([f / "data" / "a.ildg"], f / "r.json"), lambda f: lq.check_references(f / "r.json"), True),
    "catalogue": (lattice, lambda f, k: lq.index(f / "data", db=f / "x.db"), lambda f: len(lq.find(db=f / "x.db")) == 1, False),
    "sidecar": (lattice, lambda f, k: lq.protect([f / "data" / "a.ildg"]), lambda f: lq.protect([f / "data" / "a.ildg"], check=True), True),
    "replaced sidecar": (protected, lambda f, k: lq.protect([f / "data" / "a.ildg"], overwrite=True),
                         lambda f: lq.protect([f / "data" / "a.ildg"], check=True), False),
    "regions": (lambda f: None, lambda f, k: write_by_regions(f / "a.ildg", LINKS[k]), lambda f: is_one_of_both(f / "a.ildg"), True),
    "replaced regions": (lambda f: lq.write(f / "a.ildg", LINKS[0]), lambda f, k: write_by_regions(f / "a.ildg", LINKS[k], overwrite=True),
                         lambda f: is_one_of_both(f / "a.ildg"), False),
    "images": (lambda f: None, lambda f, k: lq.export_vtk(f / "q.pvd", {"q": np.full((3, 2, 2, 2), 1.0 + k)}), lambda f: is_one_series(f / "q.pvd"), True),
    "replaced images": (lambda f: lq.export_vtk(f / "q.pvd", {"q": np.zeros((9, 2, 2, 2))}),
                        lambda f, k: lq.export_vtk(f / "q.pvd", {"q": np.full((3 + k, 2, 2, 2), 1.0 + k)}, overwrite=True),
                        lambda f: is_one_series(f / "q.pvd"), False),
}


def both(work):
    """The errors of two processes that begin at the same time; empty: there was none."""
    start = os.pipe()
    children = []
    for number in range(2):
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(start[1])
            os.read(start[0], 1)  # ends when the parent closes it
            answer = "an exception that is no Error"
            try:
                work(number)
                answer = ""
            except lq.Error as error:
                answer = str(error)
            finally:
                os.write(writing, answer.encode())
                os._exit(0)
        os.close(writing)
        children.append((child, reading))
    os.close(start[0])
    os.close(start[1])
    answers = []
    for child, reading in children:
        with os.fdopen(reading) as pipe:
            answers.append(pipe.read())
        os.waitpid(child, 0)
    return answers


@pytest.mark.parametrize("name", WRITERS)
def test_what_two_processes_write_is_whole(tmp_path, name):
    before, work, is_whole, one_fails = WRITERS[name]
    for trial in range(TRIALS):
        folder = tmp_path / str(trial)
        folder.mkdir()
        before(folder)
        errors = [error for error in both(lambda number: work(folder, number)) if error]
        assert len(errors) == 1 if one_fails else len(errors) < 2, errors
        assert all(str(folder) in error for error in errors), errors
        assert is_whole(folder)
        assert [path for path in folder.rglob(".*")] == []
