# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Nor a temporary file.
make-config conf.ildg
lq convert conf.ildg out.ildg --dry-run
ls
