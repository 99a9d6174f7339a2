# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Packages that are used if they are installed."""

import importlib


def needed(module, purpose, package=None):
    """A module; ImportError says what needs it, and how to install it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = package or module.split(".")[0]
        raise ImportError(f"{purpose} needs {package}, which cannot be imported here ({error}): "
                          f"pip install {package.replace(' and ', ' ')}", name=package) from None
