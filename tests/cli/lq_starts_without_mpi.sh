# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Nothing of MPI is loaded with lq; the names of libraries count, not the folders they lie in.
ldd "$(command -v lq)" | awk '{ print $1 }' | grep -i mpi && exit 1
lq --version
