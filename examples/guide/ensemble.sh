#!/bin/sh
# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The samples of docs/guide/ensembles.md for the command line; `lq` must be on the path.
set -e

mkdir -p b600
for n in 1000 1005 1010 1020; do
  lq generate made.lime --lattice 4x4x4x8 --sweeps 2 --seed "$n" --quiet --overwrite
  lq convert made.lime "b600/conf.$n.lime" --metadata "xlf-info=trajectory = $n, beta = 6.0" --quiet --overwrite
done

# [index]
lq index b600                          # reads the headers, on all cores; the second time only what has changed
lq find 'beta=6.0 trajectory>=1000'    # a table; --paths for scripts, --json for programs
lq scrub --since 30d                   # verifies what was not verified for a month
lq report b600 -o report.html --overwrite    # one page to look at and to send, with the changes since the last one
# [/index]

# [find]
lq find --paths 'not sound not consistent' | xargs -r -d '\n' lq verify
lq find --sort=-plaquette --most 10
# [/find]

# [nightly]
lq scrub --since 30d -j 2
# [/nightly]

# [whole]
lq convert b600 b600-nersc --to nersc --dry-run -q    # reads and verifies everything: what would fail?
lq convert b600 b600-nersc --to nersc --skip-existing # a tree of NERSC files; repeat this line after an interruption
lq diff b600 b600-nersc                               # number by number, file by file
lq extract --slice t=5 b600                           # b600.t5: one time slice of each file
lq manifest b600                                      # b600/manifest-sha256.txt, each file read and verified once
lq manifest --check b600
lq dump b600/conf.1000.lime --box t=5,x=0:2 -o slab.npy --overwrite
# [/whole]
lq set b600/conf.1000.lime beta=6.0 -q
rm -r b600-nersc b600.t5 b600/manifest-sha256.txt

gzip --stdout b600/conf.1000.lime > conf.1000.lime.gz
# [many]
lq verify -r b600            # a line for each file, and at the end: 499 sound, 1 damaged: conf.0310.lime (time slices 7)
lq ls --table b600/*.lime    # format, kind, lattice, precision, size: a line for each file
gunzip -c conf.1000.lime.gz | lq verify -    # standard input, through a temporary file
# [/many]

cd b600
# [ildg]
lq ildg document conf.1000.lime --metadata markovChainURI=mc://GRID/b600 --metadata series=1 -o conf.1000.xml --overwrite
lq ildg check conf.1000.lime --document conf.1000.xml
lq ildg lfn conf.1000.lime
lq ildg lfn conf.1000.lime --set lfn://GRID/b600/1000 -o conf.1000.named.lime --overwrite
# [/ildg]
