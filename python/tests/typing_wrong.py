# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Every call below is wrong, and type checkers must say so of each line (test_typing.py). Not run."""

import limequat as lq

lq.read(3.14)
lq.read("a.ildg", dtype="float12")
lq.read("a.ildg", region=[0, 8])
lq.read("a.ildg", precison="single")
lq.read("a.ildg").no_such_member
lq.write("a.ildg", 3.14)
lq.write(7, [1.0])
lq.write("a.ildg", [1.0], precision="half")
lq.write("a.ildg", [1.0], sync="never")
lq.write("a.ildg", [1.0], kind="links")
lq.write("a.ildg", [1.0], metadata="beta=6.0")
lq.open(3)
lq.open("a.ildg").no_such_member
lq.open("a.ildg")[3.5]
lq.verify(None)
lq.verify("a.ildg", comm=3)
lq.verify("a.ildg", physics="perhaps")
lq.info(3.14)
lq.convert("a.ildg", 3)
lq.convert("a.ildg", "b.h5", overwrite="yes")
lq.diff("a.ildg", 1)
lq.generate(8.5)
lq.generate([4, 4, 4, 8], beta="six")
lq.plaquette("a.ildg")
lq.Grid(3.5)
lq.Grid([4, 4, 4, 8]).extents.append(3)
lq.find(6.0)
lq.find("beta=6.0", most="ten")
lq.report_page("folder", 3)
lq.scrub(since=30)
lq.create("a.ildg").write(3, [1.0])
lq.hdf5.open("a.h5", "rw")
lq.hdf5.open("a.h5").read(3)
lq.modes.open(3.14)
lq.modes.create("a.modes", [4, 4, 4, 8], storage="half")
lq.multifile.open(3)
lq.copy("a", 3)
