# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# What cannot be read is told with its name and what to do about it, whatever it is called.
# Needs HDF5, which is among the formats that are listed.
make-config conf.ildg
gzip -c conf.ildg > conf.lime
tar cf conf.tar conf.ildg
printf 'CDF\x01 more' > conf.nc
printf 'BEGIN_HEADER\nHDR_VERSION = 1.0\nDATATYPE = 4D_SU3_GAUGE_3x3\n' > conf.nersc
printf 'version https://git-lfs.github.com/spec/v1\n' > conf.scidac
code=0
for file in conf.lime conf.tar conf.nc conf.nersc conf.scidac; do lq verify $file || code=$?; done
exit $code
