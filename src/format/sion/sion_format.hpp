// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Multifiles of SIONlib: logical files of many tasks in one or several physical files, no lattice.
#pragma once

#include "format/format.hpp"

namespace lq::format::sion {

class SionFormat final : public Format {
 public:
  std::string_view name() const noexcept override { return "sion"; }
  std::span<const std::string_view> suffixes() const noexcept override { return {}; }
  Likeness recognise(base::ByteSource& file) const override;
  Catalog scan(base::ByteSource& file, const Limits& limits) const override;
  Layout plan(const PlanRequest& request) const override;
  Metadata carried(const Metadata& texts, bool precision_changes) const override;
  Layout plan_record(std::string_view type, std::string_view contents, std::uint64_t offset, bool first) const override;
  std::vector<Stretch> stretches(base::ByteSource& file, const Catalog& catalog, const Record& record) const override;
  std::vector<Finding> validate(base::ByteSource& file, const Catalog& catalog) const override;
  std::vector<Annotation> explain(base::ByteSource& file, const Catalog& catalog) const override;
};

}  // namespace lq::format::sion
