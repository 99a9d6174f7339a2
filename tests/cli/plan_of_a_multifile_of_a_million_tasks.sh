# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Metadata only; the block is given, so that the answer is the same everywhere.
export LQ_PROFILE=$PWD/site.toml
echo 'name = "described"' > site.toml
lq plan --tasks 1000000 --files 64 --expected-bytes 4194304 --stripe 4096
