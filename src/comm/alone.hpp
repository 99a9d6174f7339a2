// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Public calls that need no other ranks throw the same as collective ones: only Error, even if memory runs out.
#pragma once

#include <new>
#include <stdexcept>
#include <type_traits>

#include "base/inner.hpp"

namespace lq::comm {

// Local. Throws a preallocated error.
[[noreturn]] LQ_INNER void throw_out_of_memory();

// Local. Returns the result of `work`. A lack of memory becomes out_of_memory; other exceptions pass unchanged.
template <class Work>
auto alone(const Work& work) -> std::invoke_result_t<const Work&> {
  try {
    return work();
  } catch (const std::bad_alloc&) {
  } catch (const std::length_error&) {
  }
  throw_out_of_memory();
}

}  // namespace lq::comm
