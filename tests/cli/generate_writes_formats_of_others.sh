# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Formats without a place for the generator's own text are written without it; a text that is asked for is an error.
code=0
for format in milc openqcd hirep ddalphaamg fnal field raw; do
  lq generate "new.$format" --lattice 4x4x4x4 --sweeps 1 -q
  lq verify -q "new.$format"
done
lq generate mine.milc --lattice 4x4x4x4 --sweeps 1 --metadata xlf-info=beta || code=$?
lq diff . no/such/folder || true
lq diff no/such/file . || true
ls
exit $code
