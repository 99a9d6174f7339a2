# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# What is told of many files, and in which order, does not depend on how many are verified at a time.
for angle in 0.1 0.2 0.3 0.4 0.5; do make-config conf.$angle.ildg --angle $angle; done
truncate -s 10000 conf.0.2.ildg
damage conf.0.4.ildg 5000
alone=0
lq verify -j 1 conf.*.ildg missing.ildg conf.0.1.ildg >one.txt 2>one.err || alone=$?
grep -c ': OK$' one.txt
for jobs in 2 3 7 0; do
  together=0
  lq verify --threads $jobs conf.*.ildg missing.ildg conf.0.1.ildg >many.txt 2>many.err || together=$?
  cmp one.txt many.txt && cmp one.err many.err && test $alone = $together && echo "the same with $jobs"
done
