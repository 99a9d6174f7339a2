// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The version as text, compiled into the library so that a program can find out what it is linked with.
#include <limequat/language.hpp>
#include <limequat/version.hpp>

#define LQ_TEXT_OF(x) #x
#define LQ_TEXT(x) LQ_TEXT_OF(x)

// If no struct of the headers has grown since an older minor version, the name of that version stays next to this one.
const char LQ_COMPILED_FOR(LQ_VERSION_MAJOR, LQ_VERSION_MINOR) = 0;

namespace lq {

const char* version() noexcept {
  return LQ_TEXT(LQ_VERSION_MAJOR) "." LQ_TEXT(LQ_VERSION_MINOR) "." LQ_TEXT(LQ_VERSION_PATCH);
}

}  // namespace lq
