# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The kind is what the system says; what it does not say is unknown.
lq info --storage /proc
lq info --json --storage /proc --storage /proc/self | sed 's/,"is_shared".*//'
bytes=$(lq info --json --storage . | sed 's/.*"total_bytes":\([0-9]*\),.*/\1/')
test "$bytes" = "$(($(stat -f -c '%b * %S' .)))" && echo "as large as the system says"
lq info || echo "nothing to describe: $?"
lq info --storage /no-such-folder/x
