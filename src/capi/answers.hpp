// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Results as C structs, which may grow like those of options.
#pragma once

#include <algorithm>
#include <cstring>

#include <limequat/report.hpp>

#include <limequat.h>

#include "base/inner.hpp"
#include "capi/call.hpp"
#include "capi/options.hpp"

namespace lq::capi {

// The size stated by the caller's struct; invalid_argument if it is invalid.
template <class C>
std::size_t room_in(const C* out, const char* argument) {
  const std::size_t size = given(out, argument)->struct_size;
  if (size < sizeof(std::size_t) || size > largest_struct) {
    reject("struct_size of " + std::string(argument) + " is " + std::to_string(size) +
           ": set it to sizeof(the struct)");
  }
  return size;
}

// Copies as much of `answer` as the caller's struct can hold.
template <class C>
void fill(C* out, C answer, const char* argument) {
  const std::size_t size = room_in(out, argument);
  answer.struct_size = size;
  std::memset(static_cast<void*>(out), 0, size);
  std::memcpy(static_cast<void*>(out), &answer, std::min(size, sizeof(C)));
}

LQ_INNER lq_report answer_of(const Report& report);
lq_difference answer_of(const Difference& difference);

}  // namespace lq::capi
