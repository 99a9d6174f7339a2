# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# What comes through a pipe is looked at as a file is.
make-config conf.lime
lq verify - < conf.lime
cat conf.lime | lq info --json - | json '[o["format"], o["lattice"]]'
cat conf.lime | lq ls --table conf.lime -
head -c 3000 conf.lime | lq verify --no-physics - || echo "exit $?"
ls -A "${TMPDIR:-/tmp}" | grep -c standard-input || true
