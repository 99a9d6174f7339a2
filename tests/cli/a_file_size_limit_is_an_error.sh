# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# A limit on the size of files (ulimit -f) is an error with a sentence, and nothing is left behind.
lq generate -q a.ildg --lattice 8x8x8x8 --beta 6 --sweeps 1
(
  ulimit -f 100
  for verb in "squeeze a.ildg new.sqz" "convert a.ildg new.nersc" "copy a.ildg new.ildg" "generate new.scidac --lattice 8x8x8x8 --sweeps 1"; do
    # shellcheck disable=SC2086
    lq $verb > /dev/null 2> complaint && echo "$verb: done" || echo "$verb: exit $?"
    test -s complaint || echo "not a word"
  done
)
(
  ulimit -f 40
  lq index a.ildg --db new.db > /dev/null 2> complaint || echo "index: exit $?"
  test -s complaint || echo "not a word"
)
rm complaint
ls -A
