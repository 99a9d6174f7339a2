# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The samples of docs/guide/correlators.md; run by guide_test.sh in an empty folder.
import pathlib

import numpy


def measure(configuration, source, momentum):
    """A correlator of 16 times that looks like one."""
    noise = numpy.random.default_rng([configuration, source, *momentum]).normal(size=16)
    return numpy.exp(-0.3 * numpy.arange(16)) * (1 + 0.01 * noise)


pathlib.Path("run.h5").unlink(missing_ok=True)  # begin without a store
momenta = [(0, 0, 0), (0, 0, 1), (0, 1, 1)]
# [append]
import limequat as lq

with lq.correlators.open("run.h5", "a") as store:
    for configuration in range(1000, 1100, 10):
        found = []
        for source in (0, 8):
            for p in momenta:
                c = measure(configuration, source, p)
                found.append(("pion", {"smearing": "SS", "momentum": p, "source": source}, c, ("t",)))
        store.append(configuration, found, labels={"stream": "a"}, replace=True)  # safe in the file from here on
# [/append]

# [read]
with lq.correlators.open("run.h5") as store:
    one = store.read(1020, "pion", momentum=(0, 0, 1), source=8)    # [t]
    all_of_them = store.ensemble("pion", momentum=(0, 0, 1), source=8)  # [configuration, t]
    moving = store.select("pion", momentum=lambda p: any(p), source={0, 8}, configurations=range(1000, 1050))
    print(moving)
    numbers = moving.array()  # [configuration, correlator, t]
    for configuration, correlator, values in moving:
        print(configuration, correlator.labels["momentum"], values[0])
# [/read]
assert (one == measure(1020, 8, (0, 0, 1))).all() and (all_of_them[2] == one).all() and numbers.shape == (5, 4, 16)

# [missing]
with lq.correlators.open("run.h5", "a") as store:
    store.append(1100, [("pion", {"smearing": "SS", "momentum": (0, 0, 0), "source": 0}, measure(1100, 0, (0, 0, 0)))], replace=True)
    pions = store.select("pion")
    missing = pions.missing               # five arrays of configuration 1100
    whole = pions.complete().array()      # without that configuration
    filled = pions.array(fill=numpy.nan)  # or with a number of your choice
# [/missing]
assert len(missing) == 5 and len(whole) == 10 and len(filled) == 11 and numpy.isnan(filled[-1, 1]).all()

pathlib.Path("compact.h5").unlink(missing_ok=True)
# [replace]
with lq.correlators.open("run.h5", "a") as store:
    labels = {"smearing": "SS", "momentum": (0, 0, 0), "source": 0}
    try:
        store.append(1100, [("pion", labels, measure(1100, 0, (0, 0, 0)))])
    except FileExistsError as error:
        print(error)  # the correlator that already exists
    store.append(1100, [("pion", labels, measure(1100, 0, (0, 0, 0)))], replace=True)
    store.append(1100, {"plaquette": 0.5937, "w0": 1.7}, replace=True)  # names and numbers without labels
    print(store.sizes)
    store.select().copy("compact.h5")
    if not store.verify():
        print("damaged")
# [/replace]

table = "".join(f"1 1 {t} {numpy.exp(-0.3 * t):.6e} {0 if t in (0, 8) else numpy.exp(-0.3 * t):.6e}\n" for t in range(9))
for number in (4, 8):
    with open(f"onlinemeas.{number:06d}", "w") as file:
        file.write(table)
# [import]
with lq.correlators.open("online.h5", "a") as store:
    for configuration in (4, 8):
        store.import_files(configuration, f"onlinemeas.{configuration:06d}", replace=True)
    print(store.correlators)
# [/import]


def exports():
    with lq.correlators.open("run.h5") as store:
        # [exports]
        pions = store.select("pion", momentum=(0, 0, 0), source=0)
        frame = pions.to_pandas()      # a row for each number
        array = pions.to_xarray()      # [configuration, correlator, t], with labels as coordinates
        observables = pions.to_pyerrors("A654r000")  # an array of pyerrors.Obs for each correlator
        pions.write_pyerrors("pion.json.gz", "A654r000", overwrite=True)  # or .xml.gz: dobs
        # [/exports]
        assert len(frame) == 11 * 16 and array.shape == (11, 1, 16) and len(observables[0]) == 16


try:
    exports()
except ImportError as missing:
    print(missing)
