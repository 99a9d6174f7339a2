# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Of README.md: how the programs, libraries and the package are found. Run by tests/install/readme_test.py.

./dev install ~/limequat
export PATH=~/limequat/bin:$PATH LD_LIBRARY_PATH=~/limequat/lib
export PKG_CONFIG_PATH=~/limequat/lib/pkgconfig PYTHONPATH=~/limequat/lib/python
