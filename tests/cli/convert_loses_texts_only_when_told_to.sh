# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# A header of numbers has no place for words; lines of text have. What lq generate said itself is no loss.
lq generate -q conf.ildg --lattice 2x2x2x2 --sweeps 1 --seed 7
lq convert -q conf.ildg mine.ildg --metadata note=mine
lq convert mine.ildg conf.milc || true
ls
lq convert -q mine.ildg conf.milc --allow-loss
lq convert -q conf.ildg single.milc --precision single
lq convert -q conf.ildg conf.nersc
lq convert -q conf.nersc back.ildg
diff <(lq cat conf.ildg xlf-info) <(lq cat back.ildg xlf-info)
lq convert -q conf.nersc named.nersc --metadata ENSEMBLE_ID=b6.0 --layout two-rows
sed '/END_HEADER/q' named.nersc | grep -av LIMEQUAT_TEXT_MORE
lq diff conf.nersc named.nersc --tol 1e-14
