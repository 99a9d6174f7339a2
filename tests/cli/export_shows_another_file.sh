# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# A small HDF5 file that shows the data of another one; nothing is copied, nothing is overwritten.
# Needs HDF5.
make-config conf.ildg
lq export --virtual conf.ildg -o view.h5
lq ls view.h5
test "$(stat -c %s view.h5)" -lt 20000 && echo small
lq export --virtual conf.ildg -o view.h5 || echo "exit $?"
lq export conf.ildg -o other.h5 || echo "exit $?"
lq export --virtual conf.ildg -o other.lime || echo "exit $?"
lq export --virtual conf.ildg -o other.h5 --dry-run
test -e other.h5 || echo nothing was written
