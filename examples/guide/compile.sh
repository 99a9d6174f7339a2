# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Sample in README.md: compiling a program with the installed library. Run by tests/install/readme_test.py.

mpicxx -std=c++20 first.cpp -o first $(pkg-config --cflags --libs limequat_mpi)
mpirun -n 4 ./first
