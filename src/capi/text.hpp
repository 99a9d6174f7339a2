// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Texts in and out of the C API.
#pragma once

#include <string>

#include "base/inner.hpp"
#include "capi/failure.hpp"

namespace lq::capi {

// A text that must be there.
inline std::string text(const char* value, const char* argument) { return given(value, argument); }

// A text that may be NULL, which is the empty one.
inline std::string optional_text(const char* value) { return value == nullptr ? std::string() : std::string(value); }

// Sets *out to a copy for lq_text_free.
LQ_INNER void hand_out(const std::string& value, char** out);

}  // namespace lq::capi
