# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# What verbs write and tell does not depend on how many threads they have, more than there are cores among them, nor on
# there being one core only.
lq generate -q good.ildg --lattice 8x8x8x16 --sweeps 1 --hot-start
make-wrong good.ildg wrong.ildg zeros=130,2000
make-wrong good.ildg moved.ildg grid=2x1x4x2
head -c 4000000 good.ildg > short.ildg
for i in 1 2 3 4 5; do head -c $((i * 777777)) good.ildg > part$i; done
lq pack -q set.sion part1 part2 part3 part4 part5
alone=$(command -v taskset > /dev/null && echo "taskset -c $(taskset -cp $$ | sed -E "s/.*[ ,-]([0-9]+)\$/\1/")" || true)
work() {
  mkdir new
  {
    "$@" pack new/packed.sion part1 part2 part3 part4 part5
    "$@" defrag set.sion -o new/one.sion --block-size 1
    "$@" defrag set.sion -o new/checked.sion --checkpoint
    "$@" unpack set.sion -d new/out
    "$@" unpack new/checked.sion -d new/checked
    "$@" extract good.ildg ildg-binary-data new/links
    "$@" repair short.ildg -o new/mended.ildg || echo "exit code $?"
    "$@" diagnose wrong.ildg || echo "exit code $?"
    "$@" diagnose moved.ildg || echo "exit code $?"
  } 2>&1 | sed -E 's/ in [0-9.]+ [a-z]*s$//' > told
  mv told new
  rm new/checked.sion  # its records say which writing it was
}
with() { lq "$@" -j $threads; }
threads=1 && work with && mv new one
cmp one/out/task.3 part4 && cmp one/checked/task.4 part5 && cmp one/links <(lq cat good.ildg ildg-binary-data)
grep -c . one/told
for threads in 2 3 7 0; do
  work with && diff -r one new && rm -r new && echo "the same with $threads"
done
work $alone lq && diff -r one new && echo "the same with one core"
