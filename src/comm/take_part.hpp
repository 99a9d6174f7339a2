// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// For several collective operations of which each takes place whatever became of the one before, because others wait
// for this rank's part in it.
#pragma once

#include <exception>

#include <limequat/error.hpp>

namespace lq::comm {

// Runs `operation`; what it throws at its end, when it went through with its part, becomes `failure` unless there was
// one before. Where ranks are lost it is thrown at once: nobody waits for this rank any more, and to go on would be to
// wait for those who do not.
template <class Operation>
void take_part(std::exception_ptr& failure, const Operation& operation) {
  try {
    operation();
  } catch (const Error& error) {
    if (error.code() == Code::communication) throw;
    if (!failure) failure = std::current_exception();
  } catch (...) {
    if (!failure) failure = std::current_exception();
  }
}

}  // namespace lq::comm
