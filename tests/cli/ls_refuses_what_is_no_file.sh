# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# A directory and a device are named as what they are; a pipe is read, and what came out of it is judged.
mkdir directory
mkfifo pipe
echo text > pipe &
lq ls directory pipe /dev/null
