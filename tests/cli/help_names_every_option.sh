# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# For each verb and over all; the manual page knows them, too.
# Needs HDF5, which is among the formats that are listed.
lq --help | head -12
lq convert --help
for verb in ls info cat verify validate diagnose convert partition repartition protect checkpoints export extract unpack pack defrag repair diff dump explain index find scrub report ildg generate modes plan bench plot doctor squeeze unsqueeze copy completion; do
  lq "$verb" --help > help.txt
  cmp help.txt <(lq help "$verb")
  for option in $(grep -E '^  -' help.txt | sed -E 's/^  //; s/  .*//' | grep -oE -- '--[a-z-]+'); do
    grep -q -- "\*$option\*" "$LQ_SOURCE/docs/man/lq.1.scd" || echo "the manual page lacks $option of $verb"
  done
done
