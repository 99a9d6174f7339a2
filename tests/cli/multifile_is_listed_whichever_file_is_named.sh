# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# A set of three files, asked through the third: tasks with file and chunks; then one with keys.
cp "$LQ_SOURCE"/tests/golden/good/sion/v11* "$LQ_SOURCE"/tests/golden/good/sion/v05* .
lq ls v11_3files_splitcomm.sion.000002 v05_keyval.sion
lq info v11_3files_splitcomm.sion
lq explain v05_keyval.sion | tail -5
