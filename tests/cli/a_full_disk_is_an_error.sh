# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Results that did not arrive are not passed over.
make-config conf.ildg
lq ls conf.ildg > /dev/full
