// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Findings of a scan in order of occurrence. A file with a million broken records does not get a million messages:
// each rule is reported a limited number of times, then counted.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <limequat/catalog.hpp>

#include "base/inner.hpp"

namespace lq::format {

class LQ_INNER Findings {
 public:
  static constexpr std::uint64_t most_per_rule = 16;

  void add(Finding finding);
  // Shorter forms: a finding about a record, at the offset of its header.
  void error(Code code, std::string rule, const Record& record, std::string message, std::string expected = {},
             std::string found = {});
  void warning(std::string rule, const Record& record, std::string message, std::string expected = {},
               std::string found = {});
  void note(std::string rule, const Record& record, std::string message);
  bool has_errors() const noexcept;
  // How often a rule was broken.
  std::uint64_t count(const std::string& rule) const noexcept;

  // All of them, with one message for each rule that occurred more often; errors are never omitted entirely.
  std::vector<Finding> take();

 private:
  std::vector<Finding> findings_;
  std::map<std::string, std::uint64_t> counts_;
};

}  // namespace lq::format
