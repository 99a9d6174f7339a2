// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// See broken_rule.hpp.
#include "format/sion/broken_rule.hpp"

#include <utility>

#include <fmt/format.h>

namespace lq::format::sion {

BrokenRule::BrokenRule(Code code, std::string rule, const std::string& path, std::optional<std::uint64_t> offset,
                       const std::string& message, std::string expected, std::string found)
    : Error(code,
            offset ? fmt::format("{}: at byte {}: {}", path, *offset, message) : fmt::format("{}: {}", path, message),
            {.path = path, .offset = offset, .expected = std::move(expected), .found = std::move(found)}),
      rule_(std::move(rule)),
      message_(message) {}

Finding BrokenRule::finding() const {
  return {.severity = Severity::error,
          .code = code(),
          .rule = rule_,
          .message = message_,
          .offset = facts().offset,
          .expected = facts().expected,
          .found = facts().found};
}

}  // namespace lq::format::sion
