// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Included first by every header of the C++ interface, so that a compiler in an older mode says this before anything
// else.
#pragma once

#if defined(_MSVC_LANG) ? _MSVC_LANG < 202002L : __cplusplus < 202002L
#error \
    "Limequat needs C++20: compile with -std=c++20 (GCC 12, Clang 14 or later), or use <limequat/cxx17.hpp>, or its C interface, <limequat.h>"
#endif
