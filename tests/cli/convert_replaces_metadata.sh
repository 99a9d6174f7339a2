# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# A key that a text gives already gets another value where it stands; one that nobody gives becomes a text of its own.
make-config conf.ildg
lq convert -q conf.ildg one.ildg --metadata beta=5.9 --metadata "trajectory nr=8" --metadata ensemble=A
lq convert -q one.ildg two.ildg --metadata ensemble=B --metadata ildg-data-LFN=lfn://ldg/test/conf.8
lq info two.ildg | grep -E "beta|trajectory|kappa|ensemble|lfn"
