# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# What cannot be read is told with its name and what to do about it, whatever it is called.
make-config conf.ildg
gzip -c conf.ildg > conf.lime
tar cf conf.tar conf.ildg
printf '\x89HDF\r\n\x1a\n more' > conf.h5
printf 'BEGIN_HEADER\nHDR_VERSION = 1.0\nDATATYPE = 4D_SU3_GAUGE_3x3\n' > conf.nersc
printf 'version https://git-lfs.github.com/spec/v1\n' > conf.scidac
code=0
for file in conf.lime conf.tar conf.h5 conf.nersc conf.scidac; do lq verify $file || code=$?; done
exit $code
