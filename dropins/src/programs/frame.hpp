// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How these programs begin and end: a wrong call prints the usage, an error is a line on standard error, and
// the status is 0 or 1.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace lq::programs {

// Wrong usage: the program prints its usage.
struct WrongUsage {};

// An error, as the line to be printed.
class Failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Frame {
  const char* path;          // of the program, as called
  std::string_view usage;    // after "Usage: PATH "
  std::string speaker = {};  // prefix of messages: "siondump: "
};

// The exit status after `work`. If the output is incomplete, the program fails.
int run(const Frame& frame, const std::function<void()>& work) noexcept;

}  // namespace lq::programs
