# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Sample in README.md: the paths of programs, libraries and the package. Run by tests/install/readme_test.py.

./dev install ~/limequat
export PATH=~/limequat/bin:$PATH LD_LIBRARY_PATH=~/limequat/lib
export PKG_CONFIG_PATH=~/limequat/lib/pkgconfig PYTHONPATH=~/limequat/lib/python
