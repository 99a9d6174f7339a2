# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# needs: LQ_MPIRUN
# Each rank has a folder of its own, and that of the second one lacks a file, as if it had looked a moment earlier.
mkdir -p 0/from 0/other 1/from 1/other
for place in from other; do
  lq generate 0/$place/1.ildg --lattice 4x4x4x4 --seed 1 -q
  ln 0/$place/1.ildg 1/$place/1.ildg
  lq generate 0/$place/2.ildg --lattice 4x4x4x4 --seed 2 -q
done
cat > on_its_own << 'END'
cd "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" && exec "$@"
END
timeout 60 $LQ_MPIRUN 2 sh on_its_own lq-mpi diff from other > out 2> err || echo "exit code $?"
cat out
grep -c 2.ildg err
timeout 60 $LQ_MPIRUN 2 sh on_its_own lq-mpi convert from "$PWD/to" --format nersc > out 2> err || echo "exit code $?"
grep -o "[0-9]* files* written, [0-9]* failed" out
ls to
