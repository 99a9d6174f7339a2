# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Each with its reason and remedy; the exit code is that of the last.
export LQ_PROFILE=$PWD/site.toml
echo 'neighbours = { pull_permitted = false }' > site.toml
lq plan --grid 2x1x1x1 || echo $?
lq plan --lattice 8x8x8x8 || echo $?
lq plan --lattice 8x8x8x8 --grid 2x2 || echo $?
lq plan --lattice 8x8x8x8 --grid 2x1x1x1 --strategy pul || echo $?
lq plan --lattice 24x24x24x48 --grid 2x1x1x1 --strategy pull
