# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# And is sound in the shell that is certainly here.
for shell in bash zsh fish; do
  lq completion $shell > $shell.txt
  for verb in ls info cat verify validate diagnose convert extract unpack pack defrag repair diff dump explain index find scrub report ildg generate plan bench plot; do
    grep -qw "$verb" $shell.txt || echo "$shell lacks $verb"
    for option in $(lq "$verb" --help | grep -E '^  -' | sed -E 's/^  //; s/  .*//' | grep -oE -- '--[a-z-]+'); do
      grep -q -- "${option#--}" $shell.txt || echo "$shell lacks $option of $verb"
    done
  done
done
source bash.txt
complete_words() {
  COMP_WORDS=("$@")
  COMP_CWORD=$(($# - 1))
  _lq
  echo "${COMPREPLY[*]}"
}
complete_words lq ver
complete_words lq convert --pre
complete_words lq convert --precision ''
# Words that are no options, after options and their values, too.
complete_words lq ildg ''
complete_words lq modes --storage single c
complete_words lq help ver
complete_words lq completion ''
complete_words lq -q bench p
touch conf.ildg
complete_words lq ildg lfn co
complete_words lq verify co
