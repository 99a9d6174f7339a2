#!/bin/sh
# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The job of docs/guide/cluster.md, submitted twice: the first time there is no checkpoint, the second time the newest file is truncated.
# The functions below simulate the batch system and the program.
set -e
rm -f conf.*.ildg  # of an earlier run of this test
module() { :; }
srun() { "$@"; }
cat > hmc <<'END'
#!/bin/sh
if [ "$1" = --start ]; then echo "from $2"; lq generate conf.0020.ildg --lattice 4x4x4x8 --sweeps 2 -q --overwrite
else echo "from nothing"; lq generate conf.0010.ildg --lattice 4x4x4x8 --sweeps 1 -q; fi
END
chmod +x hmc

job() {
# [job]
#SBATCH --nodes=4 --ntasks-per-node=8 --time=12:00:00 --requeue
module load gcc/12 openmpi hdf5
export PATH="$HOME/limequat/bin:$PATH"

start=
for file in $(ls -t conf.*.ildg 2> /dev/null); do   # the newest intact configuration
  if lq verify -q "$file"; then start=$file; break; fi
  echo "$file is damaged or truncated; it is not used"
done
srun ./hmc ${start:+--start "$start"}
# [/job]
}

test "$(job)" = "from nothing"
head -c 10000 conf.0010.ildg > conf.0020.ildg
job > said
grep -q "conf.0020.ildg is damaged" said
test "$(tail -n 1 said)" = "from conf.0010.ildg"
lq verify -q conf.0020.ildg
