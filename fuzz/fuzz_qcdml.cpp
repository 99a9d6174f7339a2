// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Any bytes as a QCDml document: findings, or none and a schema.
#include <cstdint>
#include <vector>

#include "answers.hpp"
#include "base/bytes.hpp"
#include "ensemble/qcdml.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = lq::base::as_text({reinterpret_cast<const std::byte*>(data), size});
  std::vector<lq::Finding> findings;
  const auto document = lq::ensemble::qcdml::checked_by_rules(text, findings);
  lq::fuzz::require(document.schema != nullptr || !findings.empty(), "no schema, and nothing said");
  for (const lq::Finding& finding : findings) {
    lq::fuzz::require(!finding.rule.empty() && !finding.message.empty(), "a finding without rule or sentence");
  }
  return 0;
}
