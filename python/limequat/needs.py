# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Packages that are used if they are installed."""

import importlib

from limequat import signals


def loaded(module):
    """A module. Ctrl-C waits for its import: one that was interrupted can leave a package that cannot be imported again."""
    with signals.deferred:
        return importlib.import_module(module)


def needed(module, purpose, package=None):
    """A module; ImportError says what needs it, and how to install it."""
    try:
        return loaded(module)
    except ImportError as error:
        package = package or module.split(".")[0]
        raise ImportError(f"{purpose} needs {package}, which cannot be imported here ({error}): "
                          f"pip install {package.replace(' and ', ' ')}", name=package) from None
