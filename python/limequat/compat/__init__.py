# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""The names of other packages, so that scripts written for them run with Limequat after changing one import:
:mod:`limequat.compat.pyquda_io`, :mod:`limequat.compat.pylatticeio`, :mod:`limequat.compat.latqcdtools`.

None of these packages is needed. A module is loaded only when it is imported."""
