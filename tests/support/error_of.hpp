// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The lq::Error that a piece of work throws, as a value to ask questions of.
#pragma once

#include <limequat/error.hpp>

namespace lq::testing {

// Code ok when nothing is thrown; other exceptions pass.
template <class Work>
Error error_of(Work work) {
  try {
    work();
  } catch (const Error& error) {
    return error;
  }
  return {Code::ok, "no error"};
}

}  // namespace lq::testing
