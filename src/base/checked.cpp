// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Overflow as an error that names the quantity.
#include "base/checked.hpp"

#include <fmt/format.h>
#include <limequat/error.hpp>

namespace lq::base {
namespace {

[[noreturn]] void overflow(std::uint64_t a, char operation, std::uint64_t b, std::string_view what) {
  throw Error(Code::too_large, fmt::format("{}: {} {} {} does not fit 64 bits", what, a, operation, b));
}

}  // namespace

std::uint64_t add_or_throw(std::uint64_t a, std::uint64_t b, std::string_view what) {
  if (const auto sum = checked_add(a, b)) return *sum;
  overflow(a, '+', b, what);
}

std::uint64_t multiply_or_throw(std::uint64_t a, std::uint64_t b, std::string_view what) {
  if (const auto product = checked_multiply(a, b)) return *product;
  overflow(a, '*', b, what);
}

}  // namespace lq::base
