# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""How do I read a configuration in Python? The file is the one that write_gauge.c writes.

  python3 read_gauge.py gauge_c.ildg

Prints:
  (8, 4, 4, 4, 4, 3, 3) complex128
  plaquette 0.7911793228 spatial 0.7918495233 temporal 0.7905091223
  checksum 121fd158/cc0eccec
  (2, 4, 4, 4, 4, 3, 3) True
"""

import sys

import limequat as lq

try:
    u = lq.read(sys.argv[1])  # [t, z, y, x, mu, 3, 3]; the checksum is verified
    print(u.shape, u.dtype)
    plaquette = lq.plaquette(u)
    print(f"plaquette {plaquette.average:.10f} spatial {plaquette.spatial:.10f} temporal {plaquette.temporal:.10f}")

    file = lq.open(sys.argv[1])
    view = file.fields["gauge"]
    checksum = view.checksum
    print(f"checksum {checksum.suma}/{checksum.sumb}")

    two_slices = view[2:4]  # reads those two time slices and nothing else
    print(two_slices.shape, (two_slices == u[2:4]).all())
except FileNotFoundError as error:  # lq.NotFound is both lq.Error and FileNotFoundError
    sys.exit(str(error))
