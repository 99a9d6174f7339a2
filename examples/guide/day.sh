#!/bin/sh
# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The samples of docs/guide/day-on-a-cluster.md; `lq` must be on the path. The functions below simulate modules, the batch system and
# the program: the job is submitted three times, and the first two run out of time.
set -e
rm -rf run archive module.log requeued
mkdir -p run archive
cd run
SCRATCH=$PWD ARCHIVE=$PWD/../archive SLURM_JOB_ID=7 LIMIT=2
export SCRATCH ARCHIVE SLURM_JOB_ID LIMIT
module() { echo "module $*" >> ../module.log; }
srun() { "$@"; }
scontrol() { echo "scontrol $*" >> ../requeued; }
cat > hmc << 'END'
#!/bin/sh
# Two configurations in each job, then the batch system's signal.
first=1; [ "$1" = --start ] && first=$(expr "$(echo "$2" | tr -dc 0-9)" / 10 + 1)
last=$((first + LIMIT - 1)); [ $last -gt 5 ] && last=5
for k in $(seq $first $last); do lq generate conf.00${k}0.ildg --lattice 4x4x4x4 --sweeps 1 --seed $k -q --overwrite; done
[ $last -ge 5 ] || { kill -USR1 "$(cat ../pid)"; sleep 0.1; exit 1; }
END
chmod +x hmc

job() {
# [job]
#SBATCH --nodes=4 --ntasks-per-node=8 --time=12:00:00 --requeue --open-mode=append --signal=B:USR1@600
module load gcc/12 openmpi hdf5
cd "$SCRATCH"

requeue=                                   # ten minutes before the end Slurm sends USR1 to this script
trap 'requeue=yes' USR1
start=
for file in $(ls -r conf.*.ildg 2> /dev/null); do
  if lq verify -q "$file"; then start=$file; break; fi    # the newest intact configuration
done
code=0
srun ./hmc ${start:+--start "$start"} &
hmc=$!
wait $hmc || code=$?
if [ -n "$requeue" ]; then wait $hmc || true; fi    # the signal ended the first wait; this is the end of the program

lq copy --resume conf.*.ildg "$ARCHIVE/" || exit    # exit codes of `lq`: 1 damaged, 4 no space
if [ -n "$requeue" ]; then scontrol requeue "$SLURM_JOB_ID"; exit 0; fi
exit $code
# [/job]
}

for submitted in 1 2 3; do
  (sh -c 'echo $PPID' > ../pid; job) > "../job.$submitted.log" 2>&1 || { cat "../job.$submitted.log"; exit 1; }
done
test "$(grep -c requeue ../requeued)" = 2
test "$(ls ../archive | wc -l)" = 5
cd ../archive
# [evening]
lq verify -r -q "$ARCHIVE"                  # prints nothing if all files are intact; the exit code counts
lq index "$ARCHIVE" --db ensemble.db        # on a login node: headers only
lq report "$ARCHIVE" --db ensemble.db -o report.html --overwrite    # begins with the changes since yesterday
# [/evening]
grep -q "module load gcc" ../module.log
