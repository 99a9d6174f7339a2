// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Texts handed out live in malloc memory, so that they may cross any language.
#include "capi/text.hpp"

#include <cstdlib>
#include <cstring>
#include <new>

namespace lq::capi {

void hand_out(const std::string& value, char** out) {
  auto* copy = static_cast<char*>(std::malloc(value.size() + 1));
  if (copy == nullptr) throw std::bad_alloc();
  std::memcpy(copy, value.c_str(), value.size() + 1);
  *out = copy;
}

}  // namespace lq::capi

void lq_text_free(char* text) { std::free(text); }
