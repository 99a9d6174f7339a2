// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The public functions of a catalogue.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <unordered_map>

#include <fmt/format.h>
#include <limequat/ensemble.hpp>

#include "base/text.hpp"
#include "comm/alone.hpp"
#include "ensemble/database.hpp"
#include "ensemble/ensemble.hpp"
#include "ensemble/observables.hpp"

namespace lq::ensemble {

// Rows of a catalogue as entries.

namespace {

using ensemble::CatalogueOptions;
using ensemble::Entry;
using ensemble::Found;

std::string order_of(const std::string& sort) {
  const std::string_view path = column_named("path");
  if (sort.empty()) return std::string(path);
  const bool is_downwards = sort.starts_with('-');
  // Unknown values come last in both directions.
  return fmt::format("{}{} NULLS LAST, {}", column_named(std::string_view(sort).substr(is_downwards ? 1 : 0)),
                     is_downwards ? " DESC" : "", path);
}

Entry entry_of(const Statement& row) {
  Entry entry;
  int column = 1;
  for (std::string Entry::*member :
       {&Entry::path, &Entry::format, &Entry::kind, &Entry::lattice, &Entry::precision, &Entry::group, &Entry::checksum,
        &Entry::series, &Entry::state, &Entry::modified, &Entry::indexed, &Entry::verified}) {
    entry.*member = row.text(column++);
  }
  entry.size = static_cast<std::uint64_t>(row.whole(column++));
  entry.fields = static_cast<std::uint64_t>(row.whole(column++));
  if (const auto sum = row.optional_whole(column++)) entry.cksum = static_cast<std::uint64_t>(*sum);
  entry.plaquette = row.optional_real(column++);
  entry.link_trace = row.optional_real(column++);
  entry.trajectory = row.optional_whole(column++);
  for (const ObservableColumn& observable : observable_columns) {
    if (const auto value = row.optional_real(column++)) entry.observables.emplace_back(observable.name, *value);
  }
  return entry;
}

std::string selection() {
  std::string text = "SELECT id";
  for (const char* name :
       {"path", "format", "kind", "lattice", "precision", "group", "checksum", "series", "state", "modified", "indexed",
        "verified", "size", "fields", "cksum", "plaquette", "link_trace", "trajectory"}) {
    text += fmt::format(", {}", column_named(name));
  }
  for (const ObservableColumn& observable : observable_columns) text += fmt::format(", {}", observable.sql);
  return text + " FROM files";
}

}  // namespace

void require_known_names(const Database& database, const Condition& condition, std::string_view further) {
  // An empty catalogue has no names to compare with.
  if (condition.properties.empty() || database.whole("SELECT count(*) FROM files") == 0) return;
  Statement known = database.prepare("SELECT 1 FROM properties WHERE name = ? COLLATE NOCASE LIMIT 1");
  for (const std::string& name : condition.properties) {
    if (known.bind(name).step()) continue;
    std::vector<std::string> names = words_of_expressions();
    Statement all = database.prepare("SELECT DISTINCT name FROM properties LIMIT 1000");
    while (all.step()) names.push_back(all.text(0));
    const auto meant = base::nearest(name, names);
    throw Error(Code::invalid_argument,
                fmt::format("{}: no file of the catalogue has a \"{}\"{}{}{}", database.path(), base::printable(name),
                            further.empty() ? "" : ", ", further,
                            meant ? fmt::format("; did you mean \"{}\"?", base::printable(*meant)) : ""),
                {.path = database.path(), .expected = meant.value_or("a name that files have"), .found = name});
  }
}

namespace {

// Numbers of the files that fulfil the expression, in the order that is asked for.
std::vector<std::int64_t> find_ids(const Database& database, const std::string& expression,
                                   const CatalogueOptions& options) {
  const Condition condition = parse_expression(expression);
  require_known_names(database, condition);
  Statement rows = database.prepare(
      fmt::format("SELECT id FROM files WHERE {} ORDER BY {} LIMIT ?", condition.sql, order_of(options.sort)));
  int number = 0;
  for (const Value& value : condition.values) rows.bind_at(++number, value);
  rows.bind_at(++number, options.most == 0 ? std::int64_t{-1} : static_cast<std::int64_t>(options.most));
  std::vector<std::int64_t> ids;
  while (rows.step()) ids.push_back(rows.whole(0));
  return ids;
}

std::vector<Entry> entries_of(const Database& database, std::span<const std::int64_t> ids) {
  Statement row = database.prepare(selection() + " WHERE id = ?");
  Statement properties = database.prepare("SELECT name, value FROM properties WHERE file_id = ? ORDER BY rowid");
  std::vector<Entry> entries;
  for (const std::int64_t id : ids) {
    if (!row.bind(id).step()) continue;
    Entry entry = entry_of(row);
    properties.bind(id);
    while (properties.step()) entry.properties.emplace_back(properties.text(0), properties.text(1));
    entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace

// No statement is open while `each` runs: whoever reads slowly, as a pager does, keeps no writer waiting.
void find(const std::string& expression, const std::function<void(const Entry& file)>& each,
          const CatalogueOptions& options) {
  constexpr std::size_t at_once = 500;
  comm::alone([&] {
    const Database database = open_existing(place_of(options.db));
    const std::vector<std::int64_t> ids = find_ids(database, expression, options);
    for (std::size_t begin = 0; begin < ids.size(); begin += at_once) {
      const auto some = std::span(ids).subspan(begin, std::min(at_once, ids.size() - begin));
      for (const Entry& entry : entries_of(database, some)) each(entry);
    }
  });
}

IndexReport index(const std::vector<std::string>& folders, const CatalogueOptions& options) {
  return comm::alone([&] {
    const std::string place = ensemble::place_of(options.db);
    ensemble::Database database = folders.empty() ? ensemble::open_existing(place) : ensemble::open_or_make(place);
    IndexReport report = ensemble::bring_up_to_date(database, folders, options);
    if (options.observables || options.flow_steps > 0) measure_observables(database, folders, options, report);
    report.assessment = ensemble::assess(database);
    return report;
  });
}

Found find(const std::string& expression, const CatalogueOptions& options) {
  return comm::alone([&] {
    Found found;
    find(
        expression, [&](const Entry& file) { found.files.push_back(file); }, options);
    return found;
  });
}

ScrubReport scrub(const CatalogueOptions& options) {
  return comm::alone([&] {
    ensemble::Database database = ensemble::open_existing(ensemble::place_of(options.db));
    return ensemble::scrub(database, options);
  });
}

Assessment assess(const CatalogueOptions& options) {
  return comm::alone([&] { return ensemble::assess(ensemble::open_existing(ensemble::place_of(options.db))); });
}

PageReport report_page(const std::vector<std::string>& folders, const std::string& page,
                       const CatalogueOptions& options) {
  return comm::alone([&] { return ensemble::write_page(folders, page, options); });
}

}  // namespace lq::ensemble
