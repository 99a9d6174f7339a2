# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""The names of other packages, so that scripts written for them run over Limequat with one changed import:
:mod:`limequat.compat.pyquda_io`, :mod:`limequat.compat.pylatticeio`, :mod:`limequat.compat.latqcdtools`.

None of them is needed, and none is loaded unless it is imported by its name."""
