#!/bin/sh
# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Runs the samples of the guide in an empty folder, and again in the same folder, which then contains their files: guide_test.sh BUILD PYTHON [MPIEXEC [PYTHON-OVER-MPI]].
# Python samples are omitted without numpy. LQ_GUIDE_PARTS: the scripts that this build can run.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$1
python=$2
mpiexec=${3:-}
over_mpi=${4:-}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

export PATH="$build/bin:$PATH" MPIEXEC="$mpiexec"
export LIMEQUAT_LIBRARY="$build/lib/liblimequat.so" PYTHONPATH="$here/../../python"
twice() { "$@" && "$@"; }
for part in $LQ_GUIDE_PARTS; do
  mkdir "$part"
  (cd "$part" && twice "$here/$part.sh")
done
if "$python" -c 'import numpy' 2>/dev/null; then
  (cd guide && twice "$python" "$here/guide.py")
  (mkdir correlators && cd correlators && twice "$python" "$here/correlators.py")
  if [ -d ensemble ]; then (cd ensemble && twice "$python" "$here/ensemble.py"); fi
fi
if [ -n "$over_mpi" ]; then
  cd guide
  twice "$mpiexec" -n 4 "$over_mpi" "$here/over_mpi.py"
  lq diff conf.ildg copy.ildg
  cd ..
fi
if [ -n "$mpiexec" ]; then
  rm -rf ./*
  twice "$mpiexec" -n 4 "$build/bin/guide"
  twice "$mpiexec" -n 4 "$build/bin/background"
  test ! -e conf.0011.ildg
fi
