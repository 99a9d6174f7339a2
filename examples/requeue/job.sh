#!/bin/sh
# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# A job of docs/guide/checkpoints-in-a-folder.md. PROGRAM is the program with its arguments.
# [job]
#SBATCH --nodes=4 --ntasks-per-node=8 --time=12:00:00
#SBATCH --requeue --open-mode=append
#SBATCH --signal=B:USR1@300        # to this script, five minutes before the time is up

trap '' USR1                       # ignored until the program takes it
srun $PROGRAM &
step=$!
trap 'kill -USR1 $step' USR1       # srun passes it on; the program completes its step and ends with 85
wait $step; code=$?
if [ $code -gt 128 ]; then wait $step; code=$?; fi    # the first wait ended when the signal came
if [ $code -eq 85 ]; then scontrol requeue "$SLURM_JOB_ID"; fi
exit $code
# [/job]
