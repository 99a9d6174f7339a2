# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# needs: LQ_MATPLOTLIB
# Needs HDF5 and
# Needs SQLite: every verb has two examples in its help, and each of them runs as it is printed there, in a folder that
# has the files which it names.
mkdir fresh && cd fresh
lq generate -q conf.ildg --lattice 4x4x4x8 --sweeps 2
lq convert -q conf.ildg copy.h5
lq convert -q conf.ildg single.ildg --precision single
mkdir ensemble backup one two
make-checkpoint run 1 1
for number in 0010 0020; do
  lq generate -q ensemble/conf.$number.ildg --lattice 4x4x4x8 --sweeps 2 --seed $number
done
lq index -q ensemble
lq cat conf.ildg ildg-binary-data > links.bin
cp "$LQ_SOURCE"/tests/golden/good/modes/three_modes.modes eigen.modes
head -c 3000 /dev/zero > task.0
printf 'one' > task.1
lq pack -q streams.sion task.0 task.1
lq pack -q killed.sion task.0 task.1
lq squeeze -q conf.ildg archive.squeezed
mkdir parts
lq repartition -q conf.ildg parts.set --to t=block:2 --folders parts
lq bench lattice -q --lattice 2x2x2x4 --runs 1 --json result.json
rm result.json.* 2> /dev/null || true
cd ..
verbs=$(lq --help | sed -n 's/^  \([a-z]\{2,\}\)  *[^ ].*/\1/p')
for verb in $verbs; do
  mapfile -t commands < <(lq "$verb" --help | sed -n '/^Examples$/,$p' | grep '^  [^#]')
  [ ${#commands[@]} = 2 ] || echo "$verb has ${#commands[@]} examples"
  for command in "${commands[@]}"; do
    [ ${#command} -le 80 ] || echo "$verb: an example is wider than a terminal: $command"
    grep -qE "^ *(source <\()?lq $verb( |$)" <<< "$command" || echo "$verb: no example of it: $command"
    rm -rf work && cp -r fresh work
    [ "$verb" != bench ] || rm work/result.json
    (cd work && eval "$command") > output.txt 2>&1 || { echo "$verb: exit code $?: $command"; cat output.txt; }
  done
done
echo "$verbs" | wc -l
