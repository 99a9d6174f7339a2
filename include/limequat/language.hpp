// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Included first by every header of the C++ interface, so that a compiler in an older mode reports this error first. A
// program needs a library of the minor version of its headers, because structs may grow in the next one.
#pragma once

#include <limequat/version.hpp>

#if defined(_MSVC_LANG) ? _MSVC_LANG < 202002L : __cplusplus < 202002L
#error \
    "Limequat needs C++20: compile with -std=c++20 (GCC 11, Clang 14 or later), or use <limequat/cxx17.hpp>, or its C interface, <limequat.h>"
#endif

// "lq_compiled_for_1_0": a library whose structs differ from these headers does not define it. So the linker or the
// loader reports a library that does not match, before any function is called.
#define LQ_COMPILED_FOR_(major, minor) lq_compiled_for_##major##_##minor
#define LQ_COMPILED_FOR(major, minor) LQ_COMPILED_FOR_(major, minor)
extern "C" LQ_API const char LQ_COMPILED_FOR(LQ_VERSION_MAJOR, LQ_VERSION_MINOR);
namespace lq {
[[gnu::used]] static const char* const compiled_for = &LQ_COMPILED_FOR(LQ_VERSION_MAJOR, LQ_VERSION_MINOR);
}
