// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Our errors as codes: no exception leaves a function of C.
#pragma once

#include <lemon_defines.h>

#include <limequat/error.hpp>

namespace lq::compat::lemon {

// Bad arguments have one code; `otherwise` is that of the call: LEMON_ERR_READ or LEMON_ERR_WRITE.
inline int code_of(const Error& error, int otherwise) noexcept {
  switch (error.code()) {
    case Code::invalid_argument:
    case Code::ranks_disagree:
    case Code::too_large:
      return LEMON_ERR_PARAM;
    default:
      return otherwise;
  }
}

// The code that `work` returns, or that of what it throws.
template <class Work>
int code_from(int otherwise, Work&& work) noexcept {
  try {
    return work();
  } catch (const Error& error) {
    return code_of(error, otherwise);
  } catch (...) {
    return otherwise;
  }
}

// LEMON_SUCCESS, or the code of what `work` throws.
template <class Work>
int outcome(int otherwise, Work&& work) noexcept {
  return code_from(otherwise, [&] {
    work();
    return static_cast<int>(LEMON_SUCCESS);
  });
}

}  // namespace lq::compat::lemon
