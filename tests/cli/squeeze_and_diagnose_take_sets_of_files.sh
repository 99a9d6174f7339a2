# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Blocks and local files of openQCD, and volumes: one archive, the same files again; looked at as one field.
lq generate -q conf.ildg --lattice 8x4x4x8 --sweeps 2 --seed 3
lq convert -q conf.ildg run --to openqcd --parts 2x1x1x2 --allow-loss
lq convert -q conf.ildg local --to openqcd --layout local --parts 1x1x1x2 --allow-loss
lq convert -q conf.ildg vol.lime --to scidac --parts 1x1x2x1
for first in run_b2 local_1 vol.lime.vol0000; do
  name=${first%[._]*}
  lq squeeze -q $first $name.sqz
  lq diff $first $name.sqz
  lq ls $name.sqz | tail -1
  lq unsqueeze -q $name.sqz back
  for file in "$name"[._]*[0-9]; do cmp "$file" "back${file#"$name"}" && echo "$file"; done
  rm back*
  lq diagnose $first | head -2
done
lq diagnose run.sqz | head -2
# A file that replaces a set of subfiles leaves none of them behind; what only has such a name stays.
for verb in squeeze convert copy; do
  lq repartition -q conf.ildg set --to t=block:2
  touch set.0123abcd.0000
  case $verb in
    squeeze) lq squeeze -q set set --overwrite ;;
    convert) lq convert -q conf.ildg set --to scidac --overwrite ;;
    copy) lq copy -q conf.ildg set --overwrite ;;
  esac
  lq verify -q set
  echo "$verb:" set*
  rm set*
done
# Two copies of a set have the same names.
lq repartition -q conf.ildg set --to t=block:2
mkdir there
lq copy -q set there/
lq copy -q set there/ --overwrite
lq verify -q there/set && ls there | wc -l
rm -r set* there conf.ildg
dd if=/dev/zero of=run_b1 bs=576 seek=1 count=16 conv=notrunc status=none
lq diagnose run_b0 | sed -E '/plaquette stated|READING/,$d' || true
rm run_b1
lq diagnose run_b0 || echo "exit code $?"
lq squeeze run_b0 lost.sqz || echo "exit code $?"
ls
