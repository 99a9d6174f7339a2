# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Files of QUDA, MILC and Hadrons as sets of vectors; what they do not say is asked for; converted, and back for QUDA.
cd "$LQ_SOURCE"/tests/golden/good/vectors
lq modes info quda_wilson.quda milc_packed.eigen hadrons_folder
lq modes info quda_two_vectors_with_ls_2.quda --ls 2
lq modes info hadrons_even_sites.bin || echo "exit code $?"
lq modes ls hadrons_five_dimensions_odd_sites.bin --parity odd
lq modes verify quda_wilson.quda milc_packed.eigen hadrons_folder
lq modes ls milc.eigen --json
lq ls milc_packed.eigen
cd - > /dev/null
lq modes convert "$LQ_SOURCE"/tests/golden/good/vectors/quda_staggered_odd_sites.quda set.modes
lq modes info set.modes
lq modes convert set.modes back.quda --format quda
cmp <(lq cat back.quda scidac-binary-data) <(lq cat "$LQ_SOURCE"/tests/golden/good/vectors/quda_staggered_odd_sites.quda scidac-binary-data)
lq modes convert set.modes back.eigen --format milc || echo "exit code $?"
