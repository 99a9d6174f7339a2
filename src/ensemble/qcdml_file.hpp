// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the file of a configuration says that is in its document, too.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <limequat/qcdml.hpp>

#include "base/xml.hpp"
#include "ensemble/qcdml_schema.hpp"

namespace lq::ensemble::qcdml {

struct FileFacts {
  ildg::Cksums sums;
  std::vector<std::optional<std::uint32_t>> field_sums;  // of each gauge field, where it lies in one piece
  std::string field;                                     // "su3gauge"
  std::string precision;                                 // "single", "double"
  std::optional<double> plaquette;                       // as measured where it fits into memory, else as stated
  std::string lfn;                                       // empty: none
  std::string update;                                    // empty: not known
  std::string beta;                                      // empty: not known
  std::string modified;                                  // when it was written to
};

// unsupported: it holds no gauge field.
FileFacts facts_of(const std::string& path, const Limits& limits);

// The logical file name among the texts of a file; empty: none.
std::string lfn_in(const Catalog& catalog);
// What is wrong with one.
void check_lfn(const std::string& lfn, std::vector<Finding>& findings);

// A document that was held against the rules of its schema; nullptr: it has none that is known, which the findings say.
struct RuledDocument {
  base::xml::Element root;
  const Schema* schema = nullptr;
};
RuledDocument checked_by_rules(std::string_view text, std::vector<Finding>& findings);

Finding finding(Severity severity, std::string rule, std::string message, std::string expected = {},
                std::string found = {});

}  // namespace lq::ensemble::qcdml
