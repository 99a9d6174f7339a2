#!/bin/sh
# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# run.sh LQ EIGENMODES EIGENMODE_SUM FOLDER MPIEXEC FLAG: low modes of a configuration of 4x4x4x8 on two ranks, and their
# sum on one and on two, read ahead and on demand, checked against a direct inversion.
set -e
lq=$1 eigenmodes=$2 sum=$3 folder=$4 mpiexec=$5 flag=$6
cd "$folder"
"$lq" generate tiny.ildg --lattice 4x4x4x8 --beta 5.7 --sweeps 10 --seed 7 --overwrite -q
"$mpiexec" "$flag" 2 "$eigenmodes" tiny.ildg 0.15 20 tiny.modes
"$lq" modes info tiny.modes
"$lq" modes verify tiny.modes
"$mpiexec" "$flag" 2 "$sum" tiny.ildg tiny.modes --check
"$mpiexec" "$flag" 1 "$sum" tiny.ildg tiny.modes --behind --check
