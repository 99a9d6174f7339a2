// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Queries to a catalog, and the errors for what the file does not contain.
#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <limequat/catalog.hpp>

#include "base/error.hpp"
#include "base/text.hpp"

namespace lq {
namespace {

// "gauge", "spinor" (12)
std::string names_of(const std::vector<FieldEntry>& fields) {
  std::vector<std::pair<std::string, int>> counts;
  for (const FieldEntry& entry : fields) {
    const auto same = [&](const auto& count) { return count.first == entry.name; };
    const auto known = std::find_if(counts.begin(), counts.end(), same);
    if (known == counts.end()) {
      counts.emplace_back(entry.name, 1);
    } else {
      ++known->second;
    }
  }
  std::string list;
  for (const auto& [name, count] : counts) {
    if (list.size() > 400) return list + ", ...";
    list += fmt::format("{}\"{}\"", list.empty() ? "" : ", ", base::printable(name));
    if (count > 1) list += fmt::format(" ({})", count);
  }
  return list;
}

std::string types_of(const std::vector<Record>& records) {
  std::map<std::string_view, int> types;
  for (const Record& record : records) ++types[record.type];
  std::string list;
  for (const auto& [type, count] : types) {
    if (list.size() > 2000) return list + ", ...";
    list += list.empty() ? "" : ", ";
    list += count == 1 ? type : fmt::format("{} ({} times)", type, count);
  }
  return list;
}

// The datasets of a file without fields (written by h5py, for example) that have the shape of one, and their positions.
std::string possible_fields(const Catalog& catalog) {
  constexpr std::size_t most = 8;
  std::vector<std::string> shapes;
  for (const Finding& finding : catalog.findings) {
    if (finding.rule != "hdf5-no-field") continue;
    const auto record = std::ranges::find(catalog.records, finding.record, &Record::type);
    const bool is_in_one_piece = record != catalog.records.end() && record->offset > 0;
    shapes.push_back(fmt::format("{} ({}{})", base::printable(finding.record),
                                 finding.message.substr(0, finding.message.find(':')),
                                 is_in_one_piece ? fmt::format(", at byte {}", record->offset) : ""));
  }
  if (shapes.empty()) {
    return catalog.records.empty() ? std::string()
                                   : fmt::format(" but {} record{}, which `lq ls` lists", catalog.records.size(),
                                                 catalog.records.size() == 1 ? "" : "s");
  }
  const std::size_t more = shapes.size() - std::min(shapes.size(), most);
  shapes.resize(shapes.size() - more);
  return fmt::format(
      "; of its datasets {}{} may be one, but the file does not state which dimensions form a lattice: describe the "
      "order in a text file next to it (formats/raw.md; data, offset, lattice, order), or read it as an array and "
      "write it again as a field",
      fmt::join(shapes, ", "), more > 0 ? fmt::format(" and {} more", more) : "");
}

// "spinor:3", as `lq ls` prints it: name and number.
std::optional<std::pair<std::string_view, std::uint64_t>> numbered_name(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return {};
  const auto number = base::parse_u64(text.substr(colon + 1));
  if (!number) return {};
  return std::pair{text.substr(0, colon), *number};
}

[[noreturn]] void no_such_field(const Catalog& catalog, std::string_view wanted, std::uint64_t index,
                                std::uint64_t of_that_name) {
  const std::string what = wanted.empty() ? std::string("field") : fmt::format("field \"{}\"", base::printable(wanted));
  const std::string held = catalog.fields.empty() ? "no field" : names_of(catalog.fields);
  std::string sentence = wanted.empty() && catalog.fields.empty()
                             ? fmt::format("{}: the file holds no field{}", catalog.path, possible_fields(catalog))
                         : of_that_name == 0 ? fmt::format("{}: no {}; the file holds {}", catalog.path, what, held)
                                             : fmt::format("{}: no {} number {} (they count from 0); the file holds {}",
                                                           catalog.path, what, index, held);
  if (of_that_name == 0 && !wanted.empty()) {
    std::vector<std::string> names;
    for (const FieldEntry& entry : catalog.fields) names.push_back(entry.name);
    if (const auto near = base::nearest(wanted, names)) sentence += fmt::format("; did you mean \"{}\"?", *near);
  }
  throw Error(Code::no_such_record, sentence,
              {.path = catalog.path,
               .record = std::string(wanted),
               .expected = fmt::format("{} number {}", what, index),
               .found = held});
}

}  // namespace

std::string_view name(Severity severity) noexcept {
  switch (severity) {
    case Severity::note:
      return "note";
    case Severity::warning:
      return "warning";
    case Severity::error:
      return "error";
  }
  return "unknown";
}

const Finding* Catalog::first_error() const noexcept {
  // Errors without a code matter only to programs that examine a file: its data can be read nevertheless.
  const auto stops_readers = [](const Finding& f) { return f.severity == Severity::error && f.code != Code::ok; };
  const auto found = std::find_if(findings.begin(), findings.end(), stops_readers);
  return found == findings.end() ? nullptr : &*found;
}

void Catalog::require_sound() const {
  const Finding* finding = first_error();
  if (!finding) return;
  std::string where = path;
  if (!finding->record.empty()) where += fmt::format(": record \"{}\"", base::printable(finding->record));
  if (finding->offset) where += fmt::format("{} byte {}", finding->record.empty() ? ":" : " at", *finding->offset);
  throw Error(finding->code, fmt::format("{}: {}", where, finding->message),
              {.path = path,
               .record = finding->record,
               .offset = finding->offset,
               .expected = finding->expected,
               .found = finding->found});
}

const FieldEntry& Catalog::field(std::string_view wanted, std::uint64_t index) const {
  std::uint64_t of_that_name = 0;
  for (const FieldEntry& entry : fields) {
    if (!wanted.empty() && entry.name != wanted) continue;
    if (of_that_name == index) return entry;
    ++of_that_name;
  }
  // "spinor:3" is number 3 of the fields "spinor", unless a field has that very name.
  if (const auto numbered = numbered_name(wanted); numbered && of_that_name == 0 && index == 0) {
    return field(numbered->first, numbered->second);
  }
  no_such_field(*this, wanted, index, of_that_name);
}

const Record& Catalog::record(std::string_view type, std::uint64_t index) const {
  std::uint64_t seen = 0;
  for (const Record& candidate : records) {
    if (candidate.type == type && seen++ == index) return candidate;
  }
  if (records.empty()) require_sound();  // a damaged file is the better explanation
  const Finding* const wrong = first_error();
  base::fail(Code::no_such_record, {.path = path, .record = std::string(type)},
             "there is no record \"{}\"{}; there are: {}{}", type,
             index > 0 ? fmt::format(" number {} (from 0)", index) : "", types_of(records),
             wrong != nullptr ? fmt::format("; {}", wrong->message) : "");
}

}  // namespace lq
