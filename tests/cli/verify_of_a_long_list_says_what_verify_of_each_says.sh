# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# A folder of which many files are named is listed once. Sidecars, journals and damage are found as for one file.
make-config conf.00.ildg
for number in $(seq -w 1 19); do cp conf.00.ildg conf.$number.ildg; done
touch -d '1 hour ago' conf.*.ildg
damage conf.03.ildg 5000
lq protect -q conf.05.ildg
lq protect -q conf.06.ildg
damage conf.05.ildg 6000
echo text >.conf.07.ildg.lq-journal
echo text >conf.08.ildg.lq-journal
rm conf.09.ildg
ln -s conf.00.ildg conf.09.ildg
touch conf.11.ildg # written to after the folder is listed, as far as clocks can tell
echo text >.conf.11.ildg.lq-journal
truncate -s 9000 conf.13.ildg
each=0
for file in conf.*.ildg missing.ildg; do lq verify -v $file >>one.txt 2>>one.err || { code=$?; test $code -le $each || each=$code; }; done
for jobs in 2 3; do
  together=0
  lq verify -v --threads $jobs conf.*.ildg missing.ildg >many.txt 2>many.err || together=$?
  cmp one.txt many.txt && cmp one.err many.err && test $each = $together && echo "the same with $jobs"
done
grep -c ': OK' one.txt
grep -c lq-journal one.txt
grep -c "parity (exact sum)" many.txt
grep -E 'conf.(03|05|13).ildg: [A-Z]' one.txt
