# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
touch there.json
code=0
lq bench lattice --lattice 4x4x4x8 --json there.json || code=$?
echo "existing file: $code"
code=0
lq bench lattice --lattice 4x4x4x8 --path no/such/folder || code=$?
echo "no folder: $code"
code=0
lq bench lattice --lattice 4x4x4x8 --grid 1x1x1x3 || code=$?
echo "too few ranks: $code"
code=0
lq bench lattice --lattice 4x4x4x8 --runs 0 || code=$?
echo "no runs: $code"
code=0
lq bench lattice --lattice 4x4x4x8 --strategy gather || code=$?
echo "nobody to gather from: $code"
code=0
lq bench overlap --lattice 4x4x4x8 --strategy gather || code=$?
echo "no background: $code"
code=0
lq bench lattice --lattice 4x4x4x8 --protocol grid || code=$?
echo "no paths of others: $code"
code=0
lq bench overlap --lattice 4x4x4x8 --protocol grid || code=$?
echo "another protocol: $code"
code=0
lq bench lattice --lattice 4x4x4x8 --read-only || code=$?
echo "nothing to read: $code"
ls
