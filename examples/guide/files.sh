#!/bin/sh
# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The samples of docs/guide for whole files: copies, sets of subfiles, archives; `lq` must be on the path. If MPIEXEC names
# a launcher, `mpirun` is that launcher; otherwise one process does the work.
set -e
if [ "${MPIEXEC:-}" ]; then
  mpirun() { "$MPIEXEC" "$@"; }
else
  mpirun() { # -n N PROGRAM-mpi ...
    program=${3%-mpi}
    shift 3
    "$program" "$@"
  }
fi

[ -e conf.ildg ] || lq generate conf.ildg --lattice 8x8x8x16 --sweeps 1 --quiet
mkdir -p run1 archive2
[ -e run1/conf.0010.ildg ] || cp conf.ildg run1/conf.0010.ildg
printf '[targets]\narchive = "%s/archive2"\n' "$PWD" > site.toml
LQ_PROFILE=$PWD/site.toml
XDG_STATE_HOME=$PWD/state
export LQ_PROFILE XDG_STATE_HOME

# [copy]
lq copy --resume conf.ildg archive/new/                  # into a folder, which is created if its name ends in a slash
mpirun -n 4 lq-mpi copy --resume -r run1 scratch/        # a folder, by four ranks
lq copy --resume -r run1 archive/                        # again after a kill: intact copies are kept
lq copy --resume --verify conf.ildg tape/                # read the copy again before it gets its name
lq copy --resume --background conf.ildg archive:run1/    # during a job; NAME: is a folder of the site profile
lq copy --status                                         # progress of copies in the background
# [/copy]
for _ in $(seq 200); do
  if lq copy --status | grep -q "done"; then break; fi
  sleep 0.1
done
for copy in archive/new/conf.ildg scratch/run1/conf.0010.ildg archive/run1/conf.0010.ildg tape/conf.ildg archive2/run1/conf.ildg; do
  cmp conf.ildg "$copy"
done

mkdir -p d1 d2
# [repartition]
lq repartition conf.ildg conf.set --to t=block:4 --overwrite          # four subfiles, each with a quarter of the time slices
lq repartition conf.ildg wide.set --to t=block:4 --folders d1,d2 --overwrite     # in two folders, disks or servers
lq repartition conf.set other.set --to x=cyclic:2,y=block:2 --overwrite          # a set as another set
lq repartition conf.set conf.set --to z=block:8 --overwrite           # in place
mpirun -n 4 lq-mpi repartition conf.set whole.ildg --overwrite        # one file again, byte for byte, by four ranks
lq repartition --resume conf.set whole.ildg                           # resume after a kill
lq partition conf.set --access t=block:2,x=block:2 --parts 4          # how well it matches an access, and the best partition
# [/repartition]
cmp conf.ildg whole.ildg

cp conf.ildg run1/conf.0020.ildg
# [protect]
lq protect conf.ildg                    # conf.ildg.lq-parity: 3% of the size, restores any 2 MiB of 64
lq protect run1                         # files.set.lq-parity in it: also restores any two files
lq protect --check conf.ildg run1       # is everything unchanged?
lq repair conf.ildg -o restored.ildg    # if not: restore the damaged parts
# [/protect]
rm conf.ildg.lq-parity run1/files.set.lq-parity

# [squeeze]
lq squeeze conf.ildg conf.ildg.sqz --overwrite               # 382 MB become 155 MB
mpirun -n 4 lq-mpi squeeze conf.ildg conf.sqz --overwrite    # by four ranks; the same bytes
lq unsqueeze conf.ildg.sqz again.ildg --overwrite            # the original file, byte for byte
lq verify conf.ildg.sqz                                      # an archive is read like any other file
lq convert conf.ildg written.sqz --overwrite                 # written at once, as an archive of an ILDG file
# [/squeeze]
cmp conf.ildg again.ildg
cmp conf.ildg.sqz conf.sqz

lq pack run.sion conf.ildg site.toml --overwrite
# [threads]
lq verify -j 8 run1/*.ildg                 # eight files at a time; with fewer files, several threads in each
lq convert -j 4 conf.ildg conf.lime --overwrite
lq defrag -j 8 run.sion -o one.sion --overwrite    # eight streams at a time
# [/threads]
