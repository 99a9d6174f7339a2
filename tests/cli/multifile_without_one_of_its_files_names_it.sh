# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The streams of the files that are there are had; for the others the missing file is told.
cp "$LQ_SOURCE"/tests/golden/good/sion/v11* .
rm v11_3files_splitcomm.sion.000001
lq verify v11_3files_splitcomm.sion || echo "exit code $?"
lq cat v11_3files_splitcomm.sion task.0 | wc -c
lq cat v11_3files_splitcomm.sion task.4 || echo "exit code $?"
lq unpack v11_3files_splitcomm.sion -d parts || echo "exit code $?"
ls parts
