# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Where no thread can be made (a stack of 4 GiB each, in an address space of 3), every verb does its work all the same.
lq generate -q a.ildg --lattice 4x4x4x4 --beta 6 --sweeps 1
ulimit -s 4194304 2> /dev/null || exit 77
ulimit -v 3145728
for verb in "ls a.ildg" "info a.ildg" "verify a.ildg" "validate a.ildg" "diff a.ildg a.ildg" "explain a.ildg" \
            "convert a.ildg b.nersc" "squeeze a.ildg a.sqz" "unsqueeze a.sqz c.ildg" "copy a.ildg d.ildg" \
            "verify -r ." "diagnose a.ildg" "index . --db c.db" "scrub --db c.db" "generate e.ildg --lattice 2x2x2x2 --sweeps 1"; do
  # shellcheck disable=SC2086
  lq $verb > /dev/null 2> complaints.log && echo "$verb: done" || { echo "$verb: exit $?"; cat complaints.log; }
done
