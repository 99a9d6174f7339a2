// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// See checkpoint.hpp.
#include "cli/checkpoint.hpp"

#include <algorithm>

#include <limequat/inspect.hpp>

namespace lq::cli {

std::optional<Checkpoint> checkpoint_of(const Catalog& catalog) {
  const auto is_error = [](const Finding& finding) { return finding.severity == Severity::error; };
  if (format_info(catalog.format).contents != Contents::streams || !catalog.complete ||
      std::ranges::any_of(catalog.findings, is_error)) {
    return std::nullopt;
  }
  const MultifileReader reader(catalog.files.empty() ? catalog.path : catalog.files.front());
  if (!reader.info().has_records) return std::nullopt;
  return Checkpoint{reader.info(), reader.fields()};
}

}  // namespace lq::cli
