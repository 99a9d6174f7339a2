# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# needs: LQ_MATPLOTLIB
lq bench lattice -q --lattice 2x2x2x2 --runs 1 --json good.json
head -c 500 good.json > truncated.json
lq generate conf.ildg --lattice 2x2x2x2 --sweeps 1 -q
lq info --json conf.ildg > other.json
for file in truncated.json other.json conf.ildg missing.json; do
  code=0
  lq plot $file -o out.svg || code=$?
  echo "$file: $code"
done
for options in "" "-o out.gif" "-o out.svg --kind pie"; do
  code=0
  lq plot good.json $options || code=$?
  echo "$options: $code"
done
touch there.svg
lq plot good.json -o there.svg
