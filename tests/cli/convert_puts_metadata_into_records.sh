# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Text of the user, under its name; what follows the first "=" is all text.
make-config conf.ildg
lq convert -q conf.ildg out.ildg --metadata "ensemble=B55.32" --metadata "note=a=b"
lq cat out.ildg ensemble
echo
lq cat out.ildg note
