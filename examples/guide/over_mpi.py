# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
from mpi4py import MPI
import limequat as lq

grid = lq.Grid([8, 8, 8, 16], comm=MPI.COMM_WORLD)  # x, y, z, t; processes=[1, 1, 2, 2] where you want to choose
u = lq.read("conf.ildg", grid=grid)                 # this rank's box: u.shape == grid.shape + (4, 3, 3)
print(lq.plaquette(u, grid).average)                # of the whole field, on every rank
lq.write("copy.ildg", u, grid=grid, overwrite=True)
