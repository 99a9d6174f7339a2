# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Names what is missing, and lists the streams of the other file.
cp "$LQ_SOURCE"/tests/golden/good/sion/v02_2files_5tasks.sion .
lq ls v02_2files_5tasks.sion
