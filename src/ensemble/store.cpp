// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ensemble/store.hpp"

#include <chrono>

#include <fmt/format.h>

#include "base/clock.hpp"
#include "base/text.hpp"
#include "ensemble/database.hpp"
#include "ensemble/folder.hpp"

namespace lq::ensemble {
namespace {

constexpr std::int64_t nanoseconds = 1'000'000'000;
constexpr std::int64_t tick = 20'000'000;  // nanoseconds; the resolution of time stamps is this or better

std::optional<std::string> text_or_none(std::string text) {
  return text.empty() ? std::nullopt : std::optional(std::move(text));
}

std::optional<std::string> checksum_of(const FieldEntry& field) {
  const std::optional<Checksum> sum = field.sums.checksum();
  return sum ? std::optional(to_string(*sum)) : std::nullopt;
}

std::optional<std::string> lattice_of(const FieldEntry& field) {
  return field.payload.extents.size() > 0 ? std::optional(to_string(field.payload.extents)) : std::nullopt;
}

std::optional<std::string> group_of(const FieldEntry& field) {
  const FieldSpec& spec = field.payload.spec;
  return spec.kind == FieldKind::generic ? std::nullopt : std::optional(fmt::format("SU({})", spec.colors));
}

// A file modified just before this examination may be modified again without a new time stamp.
bool is_settled(const ExaminedFile& examined) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto age = std::chrono::duration_cast<std::chrono::nanoseconds>(now).count() - examined.status.modified;
  return !examined.is_changing && (age < 0 || age > tick);
}

}  // namespace

std::string contents_of(const Catalog& catalog) {
  if (catalog.fields.empty()) return std::string(no_field);
  const FieldEntry& first = catalog.fields.front();
  return fmt::format("{} {}", name(first.payload.spec.kind), lattice_of(first).value_or(""));
}

KnownFiles known_below(const Database& database, const std::string& folder) {
  KnownFiles known;
  Statement files = database.prepare(
      "SELECT full_path(path), size, modified_ns, id, settled = 1, missing_since IS NOT NULL, coalesce(kind, '') || ' "
      "' || "
      "coalesce(lattice, ''), state <> 'unreadable' FROM files");
  while (files.step()) {
    std::string path = files.text(0);
    if (!is_below(path, folder)) continue;
    known.emplace(std::move(path), Known{.size = static_cast<std::uint64_t>(files.whole(1)),
                                         .modified = files.whole(2),
                                         .id = files.whole(3),
                                         .is_settled = files.whole(4) != 0,
                                         .is_missing = files.whole(5) != 0,
                                         .was_seen = false,
                                         .what = files.text(6),
                                         .is_readable = files.whole(7) != 0,
                                         .further = {}});
  }
  Statement further = database.prepare(
      "SELECT full_path(files.path), full_path(further_files.path), further_files.size, further_files.modified_ns FROM "
      "further_files JOIN "
      "files ON files.id = file_id ORDER BY file_id, further_files.path");
  while (further.step()) {
    const auto entry = known.find(further.text(0));
    if (entry == known.end()) continue;
    FileStatus status;
    status.size = static_cast<std::uint64_t>(further.whole(2));
    status.modified = further.whole(3);
    entry->second.further.push_back({further.text(1), status});
  }
  Statement others = database.prepare("SELECT full_path(path), size, modified_ns, settled, what FROM others");
  while (others.step()) {
    std::string path = others.text(0);
    if (!is_below(path, folder)) continue;
    known.emplace(std::move(path), Known{.size = static_cast<std::uint64_t>(others.whole(1)),
                                         .modified = others.whole(2),
                                         .id = 0,
                                         .is_settled = others.whole(3) != 0,
                                         .is_missing = false,
                                         .was_seen = false,
                                         .what = others.text(4),
                                         .is_readable = false,
                                         .further = {}});
  }
  return known;
}

// Entries that passed in an earlier version, and lack only what it did not store, still count as passed.
#define LQ_PASSED \
  "settled = 2 AND state IN ('sound', 'consistent') AND ?19 = 'indexed' AND size = ?2 AND modified_ns = ?3"

Store::Store(const Database& database)
    : move_file_(database.prepare("UPDATE files SET path = kept_path(?2) WHERE id = ?1")),
      move_sum_(database.prepare(
          "UPDATE OR REPLACE sums SET path = kept_path(?3) WHERE file_id = ?1 AND path = kept_path(?2)")),
      put_file_(database.prepare(
          "INSERT INTO files (path, size, modified_ns, modified, device, inode, format, kind, lattice, precision, "
          "gauge_group, fields, checksum, plaquette, link_trace, trajectory, trajectory_from, series, state, problem, "
          "indexed_at, settled) VALUES (kept_path(?1), ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, "
          "?16, ?17, "
          "kept_path(?18), ?19, "
          "?20, ?21, ?22) ON CONFLICT (path) DO UPDATE SET size = ?2, modified_ns = ?3, modified = ?4, device = ?5, "
          "inode = ?6, format = ?7, kind = ?8, lattice = ?9, precision = ?10, gauge_group = ?11, fields = ?12, "
          "checksum = ?13, plaquette = ?14, link_trace = ?15, trajectory = ?16, trajectory_from = ?17, series = "
          "kept_path(?18), "
          "state = CASE WHEN " LQ_PASSED " THEN state ELSE ?19 END, problem = ?20, indexed_at = ?21, settled = ?22, "
          "missing_since = NULL, verified_at = CASE WHEN " LQ_PASSED
          " THEN verified_at END, cksum = CASE WHEN " LQ_PASSED
          " THEN cksum END, measured_plaquette = CASE WHEN " LQ_PASSED
          " THEN measured_plaquette END, measured_link_trace = CASE WHEN " LQ_PASSED
          " THEN measured_link_trace END, computed_checksum = CASE WHEN " LQ_PASSED " THEN computed_checksum END "
          "RETURNING id")),
      put_further_(database.prepare("INSERT OR REPLACE INTO further_files VALUES (?, kept_path(?), ?, ?)")),
      put_lost_(database.prepare(
          "UPDATE files SET size = ?2, modified_ns = ?3, modified = ?4, device = ?5, inode = ?6, settled = ?7, state = "
          "'unreadable', problem = ?8, missing_since = NULL, verified_at = NULL, cksum = NULL, measured_plaquette = "
          "NULL, measured_link_trace = NULL, computed_checksum = NULL WHERE id = ?1")),
      put_field_(database.prepare("INSERT INTO fields VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")),
      put_property_(database.prepare("INSERT INTO properties VALUES (?, ?, ?, ?, ?, ?)")),
      put_finding_(database.prepare("INSERT INTO findings VALUES (?, 'index', ?, ?, ?, ?, ?)")),
      put_other_(database.prepare("INSERT OR REPLACE INTO others VALUES (kept_path(?), ?, ?, ?, ?)")),
      set_missing_(database.prepare("UPDATE files SET missing_since = ?2 WHERE id = ?1")),
      forget_(database.prepare("DELETE FROM files WHERE id = ?")),
      forget_other_(database.prepare("DELETE FROM others WHERE path = kept_path(?)")),
      drop_fields_(database.prepare("DELETE FROM fields WHERE file_id = ?")),
      drop_properties_(database.prepare("DELETE FROM properties WHERE file_id = ?")),
      drop_findings_(database.prepare("DELETE FROM findings WHERE file_id = ?")),
      drop_slices_(database.prepare("DELETE FROM damaged_slices WHERE file_id = ?")),
      drop_further_(database.prepare("DELETE FROM further_files WHERE file_id = ?")),
      drop_others_(
          database.prepare("DELETE FROM others WHERE path IN (SELECT path FROM further_files WHERE file_id = ?)")) {}

#undef LQ_PASSED

void Store::keep(const ExaminedFile& examined, const std::string& now) {
  const Catalog& catalog = examined.catalog;
  const FieldEntry* first = catalog.fields.empty() ? nullptr : &catalog.fields.front();
  const auto of_first = [&](auto&& what) -> std::optional<std::string> {
    return first != nullptr ? std::optional<std::string>(what(*first)) : std::nullopt;
  };
  put_file_.bind(
      examined.path, examined.status.size, examined.status.modified,
      base::utc_text(examined.status.modified / nanoseconds), examined.status.device, examined.status.inode,
      text_or_none(catalog.format), of_first([](const FieldEntry& f) { return name(f.payload.spec.kind); }),
      first != nullptr ? lattice_of(*first) : std::nullopt,
      of_first([](const FieldEntry& f) { return name(f.payload.spec.precision); }),
      first != nullptr ? group_of(*first) : std::nullopt, std::uint64_t{catalog.fields.size()},
      first != nullptr ? checksum_of(*first) : std::nullopt, first != nullptr ? first->plaquette : std::nullopt,
      first != nullptr ? first->link_trace : std::nullopt, examined.trajectory,
      examined.trajectory_from != nullptr ? std::optional<std::string>(examined.trajectory_from) : std::nullopt,
      examined.series, examined.state(),
      text_or_none(std::string(without_leading_path(examined.problem, examined.path))), now,
      is_settled(examined) ? 1 : 0);
  put_file_.step();
  const std::int64_t id = put_file_.whole(0);
  put_file_.reset();
  drop_slices_.bind(id).run();
  keep_fields(id, examined);
  keep_properties(id, examined);
  keep_findings(id, examined);
  keep_further(id, examined);
  forget_other(examined.path);
}

void Store::move(std::int64_t id, const std::string& from, const std::string& to) {
  move_file_.bind(id, to).run();
  move_sum_.bind(id, from, to).run();
}

void Store::keep_lost(std::int64_t id, const ExaminedFile& examined) {
  put_lost_
      .bind(id, examined.status.size, examined.status.modified, base::utc_text(examined.status.modified / nanoseconds),
            examined.status.device, examined.status.inode, is_settled(examined) ? 1 : 0,
            without_leading_path(examined.problem, examined.path))
      .run();
  drop_findings_.bind(id).run();
  drop_slices_.bind(id).run();
}

void Store::keep_further(std::int64_t id, const ExaminedFile& examined) {
  drop_further_.bind(id).run();
  for (const FurtherFile& file : examined.further) {
    put_further_.bind(id, file.path, file.status.size, file.status.modified).run();
  }
}

void Store::keep_fields(std::int64_t id, const ExaminedFile& examined) {
  drop_fields_.bind(id).run();
  std::int64_t number = 0;
  for (const FieldEntry& field : examined.catalog.fields) {
    const Payload& payload = field.payload;
    put_field_
        .bind(id, number++, field.name, name(payload.spec.kind), lattice_of(field), name(payload.spec.precision),
              payload.offset, payload.length, checksum_of(field), field.plaquette, field.link_trace)
        .run();
  }
}

void Store::keep_properties(std::int64_t id, const ExaminedFile& examined) {
  drop_properties_.bind(id).run();
  for (const auto& [field, property] : examined.properties) {
    put_property_.bind(id, field, property.key, property.value, base::parse_double(property.value), property.source)
        .run();
  }
}

void Store::keep_findings(std::int64_t id, const ExaminedFile& examined) {
  drop_findings_.bind(id).run();
  for (const Finding& finding : examined.catalog.findings) {
    put_finding_.bind(id, name(finding.severity), finding.rule, finding.message, finding.offset, finding.length).run();
  }
}

void Store::keep_other(const ExaminedFile& examined) {
  put_other_
      .bind(examined.path, examined.status.size, examined.status.modified, is_settled(examined) ? 1 : 0, examined.other)
      .run();
}

void Store::set_missing(std::int64_t id, const std::string& since) { set_missing_.bind(id, text_or_none(since)).run(); }
// Parts of the entry are examined again because they may be entries now.
void Store::forget(std::int64_t id) {
  drop_others_.bind(id).run();
  forget_.bind(id).run();
}
void Store::forget_other(const std::string& path) { forget_other_.bind(path).run(); }

Catalogued catalogued_below(const std::string& folder) {
  Catalogued known{.db = nearest_catalogue(folder), .paths = {}};
  if (known.db.empty()) return known;
  const Database database = open_existing(known.db);
  Statement files = database.prepare("SELECT full_path(path) AS full FROM files ORDER BY full");
  while (files.step()) {
    std::string path = files.text(0);
    if (is_below(path, folder)) known.paths.push_back(std::move(path));
  }
  return known;
}

}  // namespace lq::ensemble
