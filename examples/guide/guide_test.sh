#!/bin/sh
# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Runs the samples of the guide in an empty folder: guide_test.sh BUILD PYTHON [MPIEXEC]. Python is left out where it
# has no numpy.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$1
python=$2
mpiexec=${3:-}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

PATH=$build/bin:$PATH "$here/guide.sh"
if "$python" -c 'import numpy' 2>/dev/null; then
  LIMEQUAT_LIBRARY=$build/lib/liblimequat.so PYTHONPATH=$here/../../python "$python" "$here/guide.py"
fi
if [ -n "$mpiexec" ]; then
  rm -f ./*
  "$mpiexec" -n 4 "$build/bin/guide"
  "$mpiexec" -n 4 "$build/bin/background"
  test ! -e conf.0011.ildg
fi
