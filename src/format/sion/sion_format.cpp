// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// See sion_format.hpp.
#include "format/sion/sion_format.hpp"

#include <array>

#include <limequat/error.hpp>

#include "format/sion/explain.hpp"
#include "format/sion/head.hpp"
#include "format/sion/scan.hpp"

namespace lq::format::sion {

Likeness SionFormat::recognise(base::ByteSource& file) const {
  std::array<std::byte, magic.size()> start{};
  const std::size_t held = file.read_at(0, start);
  return has_magic(base::Bytes(start).first(held)) ? Likeness::yes : Likeness::no;
}

Catalog SionFormat::scan(base::ByteSource& file, const Limits& limits) const { return sion::scan(file, limits); }

Layout SionFormat::plan(const PlanRequest&) const {
  throw Error(Code::unsupported,
              "format \"sion\" holds the streams of tasks and says nothing about lattices; use format \"scidac\", or "
              "\"ildg\" for gauge fields");
}

Layout SionFormat::plan_record(std::string_view, std::string_view, std::uint64_t, bool) const {
  throw Error(Code::unsupported,
              "format \"sion\" takes streams of tasks and no further records; \"lq pack\" makes a multifile of files");
}

Metadata SionFormat::carried(const Metadata&, bool) const {
  return {};  // no field, so nothing can stand beside one
}

std::vector<Stretch> SionFormat::stretches(base::ByteSource& file, const Catalog& catalog, const Record& record) const {
  const auto name = parse_record_name(record.type);
  const bool is_in_one = !name || (!name->key && record.pieces == 1);
  if (is_in_one) return Format::stretches(file, catalog, record);
  return sion::stretches(file, *name);
}

std::vector<Finding> SionFormat::validate(base::ByteSource&, const Catalog& catalog) const {
  return catalog.findings;  // the scan looks at everything there is to look at
}

std::vector<Annotation> SionFormat::explain(base::ByteSource& file, const Catalog&) const {
  return sion::explain(file);
}

}  // namespace lq::format::sion
