# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Sets of modes that another program wrote: every mode, what they have in common, and as any other file.
cd "$LQ_SOURCE"/tests/golden/good/modes
lq modes ls three_modes.modes index_in_three_blocks.modes
lq modes info parameters.modes odd_sites_with_ls.modes no_modes.modes
lq modes ls three_modes.modes --json
lq modes info parameters.modes --json
lq ls three_modes.modes
lq info three_modes.modes
