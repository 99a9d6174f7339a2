#!/usr/bin/env bash
# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Prepares the Debian source package: FOLDER/limequat-VERSION with debian/, and the original tar file next to it.
set -euo pipefail
(($# == 1)) || {
  echo "usage: packaging/make_debian.sh FOLDER" >&2
  exit 2
}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
mkdir -p "$1"
archive=$(python3 "$here/tools/make_wheel.py" --sdist "$1")
version=${archive##*/limequat-}
version=${version%.tar.gz}
mv "$archive" "$1/limequat_$version.orig.tar.gz"
tar -xzf "$1/limequat_$version.orig.tar.gz" -C "$1"
cp -r "$here/packaging/debian" "$1/limequat-$version/debian"
echo "$1/limequat-$version"
