# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""How do I read the file of hdf5_session.cpp, and append to it?

  python3 hdf5_session.py run.h5

Prints:
  ['/conf.0010/gauge']
  (8, 4, 4, 4, 4, 3, 3) complex128
  1.0 6.0 native gauge
"""

import sys

import limequat as lq

path = sys.argv[1]
# [session]
with lq.hdf5.open(path, "a") as h:
    h.cd("/conf.0010")
    names = h.fields()
    u, beta, plaquette = h["gauge"], h.attrs("gauge")["beta"], h["plaquette"]
    h.write("rho", 2 * h["pion"], axes=h.axes("pion"), replace=True)
    h.set_attr(".", "checked", "by hand")
# [/session]
print(names)
print(u.shape, u.dtype)
with lq.hdf5.open(path) as h:
    known = h.stat("/conf.0010/gauge")
    print(plaquette, beta, known.layout, known.object)
