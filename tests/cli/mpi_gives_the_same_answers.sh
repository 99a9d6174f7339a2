# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# needs: LQ_MPIRUN
# Only rank 0 prints; every rank has the same code. The launcher's own words about exit codes are left out.
ranks() {
  local code=0
  $LQ_MPIRUN "$@" 2> launcher.txt || code=$?
  grep '^lq-mpi' launcher.txt >&2 || true
  return $code
}
ranks 4 lq-mpi generate conf.ildg --lattice 2x2x4x4 --sweeps 2 --grid 1x1x2x2 -q
lq generate alone.ildg --lattice 2x2x4x4 --sweeps 2 -q
cmp conf.ildg alone.ildg
cmp <(lq ls --json conf.ildg) <(ranks 3 lq-mpi ls --json conf.ildg)
cmp <(lq verify conf.ildg) <(ranks 3 lq-mpi verify conf.ildg)
cmp <(lq cat conf.ildg ildg-binary-data) <(ranks 2 lq-mpi cat conf.ildg ildg-binary-data)
ranks 2 lq-mpi convert -q conf.ildg single.ildg --precision single
ranks 3 lq-mpi diff conf.ildg single.ildg --tol 1e-6 -q
ranks 2 lq-mpi ls --jsn || echo "code $?"
ranks 2 lq-mpi cat conf.ildg no-such-record > /dev/null || echo "code $?"
ranks 4 lq-mpi convert -q conf.ildg wide.ildg --grid 1x1x1x2 || echo "code $?"
ranks 4 lq-mpi convert -q conf.ildg wide.ildg --grid 1x1x1x2 --idle-ranks
cmp conf.ildg wide.ildg
