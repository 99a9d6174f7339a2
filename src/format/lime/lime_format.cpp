// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// See lime_format.hpp.
#include "format/lime/lime_format.hpp"

#include <array>
#include <utility>

#include <limequat/error.hpp>

#include "format/lime/explain.hpp"
#include "format/lime/place.hpp"
#include "format/lime/rules.hpp"
#include "format/lime/walk.hpp"
#include "format/text_reader.hpp"

namespace lq::format::lime {

Likeness LimeFormat::recognise(base::ByteSource& file) const {
  std::array<std::byte, 4> start{};
  const std::size_t held = file.read_at(0, start);
  return has_magic(base::Bytes(start).first(held)) ? Likeness::yes : Likeness::no;
}

Catalog LimeFormat::scan(base::ByteSource& file, const Limits& limits) const {
  ReadAhead window(file);
  Findings findings;
  Walk walked = walk(window, limits, findings);
  Catalog catalog;
  catalog.path = file.path();
  catalog.format = name();
  catalog.file_bytes = window.size();
  catalog.records = std::move(walked.records);
  catalog.complete = !walked.truncated;
  if (walked.inside_message && !walked.truncated) {
    findings.warning("lime-message-end", catalog.records.back(), "the last message of the file is not ended (ME)");
  }
  TextReader texts(window, limits);
  for (const Record& record : catalog.records) {
    if (record.data_length > window.size() - record.offset) continue;
    if (auto text = texts.text(record)) catalog.metadata.emplace_back(record.type, std::move(*text));
  }
  catalog.findings = findings.take();
  return catalog;
}

Layout LimeFormat::plan(const PlanRequest&) const {
  throw Error(Code::unsupported,
              "format \"lime\" is a container of records and says nothing about lattices; use format \"scidac\", or "
              "\"ildg\" for gauge fields");
}

Layout LimeFormat::plan_record(std::string_view type, std::string_view contents, std::uint64_t offset, bool) const {
  return lime::plan_record(type, contents, offset);
}

Metadata LimeFormat::carried(const Metadata&, bool) const {
  return {};  // no field, so nothing can stand beside one
}

std::vector<Finding> LimeFormat::validate(base::ByteSource& file, const Catalog& catalog) const {
  Findings findings;
  for (const Finding& finding : catalog.findings) findings.add(finding);
  check_headers(file, catalog, findings);
  return findings.take();
}

std::vector<Annotation> LimeFormat::explain(base::ByteSource& file, const Catalog& catalog) const {
  return lime::explain(file, catalog, [](const Record&) { return Meaning{"payload", "formats/lime.md 4"}; });
}

}  // namespace lq::format::lime
