# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Every verb with paths that no call of the system accepts: a circle of links, a name that is too long, a folder that is a
# file, and in a folder that was removed. Each is an ordinary error (2 to 4, and 1 where a file is judged).
#
# Needs SQLite
lq generate -q good.ildg --lattice 2x2x2x2
lq index -q good.ildg
ln -s circle circle
long=$(printf 'x%.0s' {1..300})
for path in circle circle/x "$long" good.ildg/x; do
  for words in "ls P" "info P" "verify P" "verify -r P" "repair P" "diagnose P" "dump P" "validate P" "convert P a.h5" \
    "convert good.ildg P" "convert good.ildg P/" "convert P P/" "copy P a" "copy good.ildg P" "diff P good.ildg" "diff good.ildg P" \
    "extract --slice t=1 P a" "extract --slice t=1 good.ildg P" "squeeze good.ildg P" "squeeze P" "unsqueeze P" "protect P" \
    "set P a=b" "manifest P" "index P" "index --db P ." "scrub P" "scrub --db P" "find --db P sound" "report --db P" \
    "report -o P" "generate P --lattice 2x2x2x2" "checkpoints P" "modes ls P" "modes verify P" "unpack P" "repartition P a" \
    "repartition good.ildg P" "defragment P" "export --virtual good.ildg P" "export --references P -o a" "ildg check P" \
    "ildg document P" "plot P -o a.svg" "plot good.ildg -o P" "doctor P" "bench lattice --path P" "plan --profile P"; do
    # shellcheck disable=SC2086
    output=$(timeout 60 lq ${words//P/$path} 2>&1 </dev/null) && code=0 || code=$?
    if [ $code -eq 0 ] || [ $code -gt 4 ] || grep -qi 'unexpected exception\|internal error\|please report' <<<"$output"; then
      echo "$words, P is ${path:0:20}: exit $code: ${output:0:300}"
    fi
  done
done
mkdir gone && cd gone && rmdir ../gone
for words in "index ." "report -o a.html" "scrub ." "find sound" "verify -r ." "convert ../good.ildg a.nersc" "doctor ."; do
  # shellcheck disable=SC2086
  output=$(timeout 60 lq $words 2>&1) && code=0 || code=$?
  if [ $code -gt 4 ] || grep -qi 'unexpected exception\|internal error\|please report' <<<"$output"; then
    echo "$words in a folder that is gone: exit $code: ${output:0:300}"
  fi
done
