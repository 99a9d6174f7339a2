// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "catalogue/store.hpp"

#include <chrono>

#include <fmt/format.h>

#include "base/text.hpp"
#include "base/utc_time.hpp"

namespace lq::catalogue {
namespace {

constexpr std::int64_t nanoseconds = 1'000'000'000;
constexpr std::int64_t tick = 20'000'000;  // nanoseconds; file systems count in such steps or shorter ones

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

// A file that was written to just before we looked may be written to again without another time stamp.
bool is_settled(const Looked& looked) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto age = std::chrono::duration_cast<std::chrono::nanoseconds>(now).count() - looked.status.modified;
  return !looked.is_changing && (age < 0 || age > tick);
}

}  // namespace

bool is_below(std::string_view path, std::string_view folder) noexcept {
  if (!path.starts_with(folder)) return false;
  return path.size() == folder.size() || folder.ends_with('/') || path[folder.size()] == '/';
}

KnownFiles known_below(const Database& database, const std::string& folder) {
  KnownFiles known;
  Statement files =
      database.prepare("SELECT path, size, modified_ns, id, settled, missing_since IS NOT NULL FROM files");
  while (files.step()) {
    std::string path = files.text(0);
    if (!is_below(path, folder)) continue;
    known.emplace(std::move(path), Known{static_cast<std::uint64_t>(files.whole(1)), files.whole(2), files.whole(3),
                                         files.whole(4) != 0, files.whole(5) != 0});
  }
  Statement others = database.prepare("SELECT path, size, modified_ns, settled FROM others");
  while (others.step()) {
    std::string path = others.text(0);
    if (is_below(path, folder))
      known.emplace(std::move(path),
                    Known{static_cast<std::uint64_t>(others.whole(1)), others.whole(2), 0, others.whole(3) != 0});
  }
  return known;
}

Store::Store(const Database& database)
    : put_file_(database.prepare(
          "INSERT INTO files (path, size, modified_ns, modified, device, inode, format, kind, lattice, precision, "
          "gauge_group, fields, checksum, plaquette, link_trace, trajectory, trajectory_from, series, state, problem, "
          "indexed_at, settled) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, "
          "?18, ?19, "
          "?20, ?21, ?22) ON CONFLICT (path) DO UPDATE SET size = ?2, modified_ns = ?3, modified = ?4, device = ?5, "
          "inode = ?6, format = ?7, kind = ?8, lattice = ?9, precision = ?10, gauge_group = ?11, fields = ?12, "
          "checksum = ?13, plaquette = ?14, link_trace = ?15, trajectory = ?16, trajectory_from = ?17, series = ?18, "
          "state = ?19, problem = ?20, indexed_at = ?21, settled = ?22, missing_since = NULL, verified_at = NULL, "
          "cksum = NULL, "
          "measured_plaquette = NULL, computed_checksum = NULL RETURNING id")),
      put_field_(database.prepare("INSERT INTO fields VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")),
      put_property_(database.prepare("INSERT INTO properties VALUES (?, ?, ?, ?, ?, ?)")),
      put_finding_(database.prepare("INSERT INTO findings VALUES (?, 'index', ?, ?, ?, ?, ?)")),
      put_other_(database.prepare("INSERT OR REPLACE INTO others VALUES (?, ?, ?, ?, ?)")),
      set_missing_(database.prepare("UPDATE files SET missing_since = ?2 WHERE id = ?1")),
      forget_(database.prepare("DELETE FROM files WHERE id = ?")),
      forget_other_(database.prepare("DELETE FROM others WHERE path = ?")),
      drop_fields_(database.prepare("DELETE FROM fields WHERE file_id = ?")),
      drop_properties_(database.prepare("DELETE FROM properties WHERE file_id = ?")),
      drop_findings_(database.prepare("DELETE FROM findings WHERE file_id = ?")),
      drop_slices_(database.prepare("DELETE FROM damaged_slices WHERE file_id = ?")) {}

void Store::keep(const Looked& looked, const std::string& now) {
  const Catalog& catalog = looked.catalog;
  const FieldEntry* first = catalog.fields.empty() ? nullptr : &catalog.fields.front();
  const auto of_first = [&](auto&& what) -> std::optional<std::string> {
    return first != nullptr ? std::optional<std::string>(what(*first)) : std::nullopt;
  };
  put_file_.bind(looked.path, looked.status.size, looked.status.modified,
                 base::utc_text(looked.status.modified / nanoseconds), looked.status.device, looked.status.inode,
                 text_or_none(catalog.format), of_first([](const FieldEntry& f) { return name(f.payload.spec.kind); }),
                 first != nullptr ? lattice_of(*first) : std::nullopt,
                 of_first([](const FieldEntry& f) { return name(f.payload.spec.precision); }),
                 first != nullptr ? group_of(*first) : std::nullopt, std::uint64_t{catalog.fields.size()},
                 first != nullptr ? checksum_of(*first) : std::nullopt,
                 first != nullptr ? first->plaquette : std::nullopt,
                 first != nullptr ? first->link_trace : std::nullopt, looked.trajectory,
                 looked.trajectory_from != nullptr ? std::optional<std::string>(looked.trajectory_from) : std::nullopt,
                 looked.series, looked.state(), text_or_none(looked.problem), now, is_settled(looked) ? 1 : 0);
  put_file_.step();
  const std::int64_t id = put_file_.whole(0);
  put_file_.reset();
  drop_slices_.bind(id).run();
  keep_fields(id, looked);
  keep_properties(id, looked);
  keep_findings(id, looked);
  forget_other(looked.path);
}

void Store::keep_fields(std::int64_t id, const Looked& looked) {
  drop_fields_.bind(id).run();
  std::int64_t number = 0;
  for (const FieldEntry& field : looked.catalog.fields) {
    const Payload& payload = field.payload;
    put_field_
        .bind(id, number++, field.name, name(payload.spec.kind), lattice_of(field), name(payload.spec.precision),
              payload.offset, payload.length, checksum_of(field), field.plaquette, field.link_trace)
        .run();
  }
}

void Store::keep_properties(std::int64_t id, const Looked& looked) {
  drop_properties_.bind(id).run();
  for (const auto& [field, property] : looked.properties) {
    put_property_.bind(id, field, property.key, property.value, base::parse_double(property.value), property.source)
        .run();
  }
}

void Store::keep_findings(std::int64_t id, const Looked& looked) {
  drop_findings_.bind(id).run();
  for (const Finding& finding : looked.catalog.findings) {
    put_finding_.bind(id, name(finding.severity), finding.rule, finding.message, finding.offset, finding.length).run();
  }
}

void Store::keep_other(const Looked& looked) {
  put_other_.bind(looked.path, looked.status.size, looked.status.modified, is_settled(looked) ? 1 : 0, looked.other)
      .run();
}

void Store::set_missing(std::int64_t id, const std::string& since) { set_missing_.bind(id, text_or_none(since)).run(); }
void Store::forget(std::int64_t id) { forget_.bind(id).run(); }
void Store::forget_other(const std::string& path) { forget_other_.bind(path).run(); }

}  // namespace lq::catalogue
