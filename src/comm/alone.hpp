// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Public calls that work without other ranks throw what those with ranks do: Error alone, where memory runs out, too.
#pragma once

#include <new>
#include <stdexcept>
#include <type_traits>

#include "base/inner.hpp"

namespace lq::comm {

// Local. In words that were made before.
[[noreturn]] LQ_INNER void throw_out_of_memory();

// Local. What `work` returns. A lack of memory becomes out_of_memory; all else is thrown as it is.
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
