# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Nothing of MPI is loaded with lq.
ldd "$(command -v lq)" | grep -i mpi && exit 1
lq --version
