# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Without --force; the old file stays.
make-config conf.ildg
echo mine > out.ildg
code=0
lq convert conf.ildg out.ildg || code=$?
cat out.ildg
lq convert conf.ildg out.ildg --force -q
lq diff -q conf.ildg out.ildg
exit $code
