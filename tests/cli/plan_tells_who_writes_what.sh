# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# On the machine of a profile, so that the answer is the same everywhere.
export LQ_PROFILE=$PWD/site.toml
cat > site.toml <<'END'
name = "two nodes"
[nodes]
nodes = 2
ranks_per_node = 4
cores_per_node = 4
[storage]
file_system = "lustre"
block_bytes = 1048576
END
lq plan --lattice 16x16x16x32 --grid 2x2x1x2 --extents 4
lq plan --lattice 16x16x16x32 --grid 1x1x1x8 --read --precision single --extents 2
