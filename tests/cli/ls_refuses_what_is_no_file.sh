# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# A directory, a pipe and a device are named as what they are, without waiting for them.
mkdir directory
mkfifo pipe
lq ls directory pipe /dev/null
