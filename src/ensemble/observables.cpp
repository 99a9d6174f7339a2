// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ensemble/observables.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <limequat/error.hpp>
#include <limequat/inspect.hpp>

#include "base/ordered_results.hpp"
#include "comm/team.hpp"
#include "ensemble/ensemble.hpp"
#include "ensemble/files.hpp"
#include "ensemble/store.hpp"
#include "sets/staging/packed.hpp"

namespace lq::ensemble {
namespace {

// A value applies to the file only while size and time stamp equal those at the measurement.
std::string definition_of_table(std::string_view owner) {
  return fmt::format(
      "observables (file_id INTEGER NOT NULL{}, name TEXT NOT NULL, value REAL NOT NULL, size INTEGER NOT NULL, "
      "modified_ns INTEGER NOT NULL, PRIMARY KEY (file_id, name)) WITHOUT ROWID",
      owner);
}

bool has_table(const Database& database) {
  return database.whole("SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'observables'") > 0;
}

void make_table(const Database& database) {
  const std::string table = definition_of_table(" REFERENCES files(id) ON DELETE CASCADE");
  database.run(("DROP TABLE IF EXISTS temp.observables; CREATE TABLE IF NOT EXISTS main." + table).c_str());
}

struct UnmeasuredFile {
  std::int64_t id = 0;
  std::string path;
  FileStatus status;
};

struct MeasuredFile {
  std::optional<Observables> observables;
  std::string problem;  // why there are no values
};

std::vector<UnmeasuredFile> unmeasured_files(const Database& database, const std::vector<std::string>& folders,
                                             const CatalogueOptions& options) {
  Statement rows = database.prepare(
      "SELECT id, " + std::string(column_named("path")) +
      " AS whole, size, modified_ns FROM files WHERE kind = 'gauge' AND missing_since IS NULL AND state NOT IN "
      "('damaged', 'incomplete', 'unreadable') AND NOT EXISTS (SELECT 1 FROM observables AS steps JOIN observables AS "
      "step ON step.file_id = steps.file_id AND step.name = 'flow_step' WHERE steps.file_id = files.id AND steps.name "
      "= "
      "'flow_steps' AND steps.size = files.size AND steps.modified_ns = files.modified_ns AND (?1 = 0 OR (steps.value "
      ">= ?1 AND step.value = ?2))) ORDER BY whole");
  rows.bind(options.flow_steps, options.flow_step);
  std::vector<UnmeasuredFile> files;
  while (rows.step()) {
    UnmeasuredFile file;
    file.id = rows.whole(0);
    file.path = rows.text(1);
    file.status.size = static_cast<std::uint64_t>(rows.whole(2));
    file.status.modified = rows.whole(3);
    const auto holds = [&](const std::string& folder) { return is_below(file.path, folder); };
    if (folders.empty() || std::ranges::any_of(folders, holds)) files.push_back(std::move(file));
  }
  return files;
}

// Of a packed file, which no format recognises: its contents.
Verification verified_entry(const std::string& path, const VerifyOptions& how) {
  try {
    return verify(path, {}, how);
  } catch (const Error& error) {
    if (error.code() != Code::unknown_format) throw;
    if (std::optional<Verification> contents = sets::verify_contents(path, how)) return *contents;
    throw;
  }
}

// No values are stored for data that fail verification.
MeasuredFile measure_file(const UnmeasuredFile& file, const VerifyOptions& how) {
  MeasuredFile measured;
  try {
    const Verification verification = verified_entry(file.path, how);
    FileStatus now;
    const bool is_same =
        status_of(file.path, now) && now.size == file.status.size && now.modified == file.status.modified;
    if (!is_ok(verification.verdict)) {
      measured.problem = fmt::format("{}: observables are not stored because the file is {}: `lq verify` shows why",
                                     file.path, name(verification.verdict));
    } else if (!is_same) {
      measured.problem = fmt::format("{}: being written to while it is measured; index it again later", file.path);
    } else if (!verification.fields.empty()) {
      measured.observables = verification.fields.front().observables;
      for (const Finding& finding : verification.findings) {
        if (!measured.observables && finding.rule == "observables") measured.problem = finding.message;
      }
    }
  } catch (const Error& error) {
    if (error.code() == Code::wrong_state || error.code() == Code::out_of_memory) throw;
    measured.problem = error.what();
  }
  return measured;
}

class ObservableStore {
 public:
  ObservableStore(const Database& database, const CatalogueOptions& options)
      : options_(options),
        drop_(database.prepare("DELETE FROM observables WHERE file_id = ?")),
        put_(
            database.prepare("INSERT INTO observables (file_id, name, value, size, modified_ns) SELECT ?1, ?2, ?3, ?4, "
                             "?5 WHERE EXISTS (SELECT 1 FROM files WHERE id = ?1)")) {}

  void keep(const UnmeasuredFile& file, const Observables& measured) {
    drop_.bind(file.id).run();
    for (const auto& [name, value] : observable_values(measured)) put(file, name, value);
    put(file, "flow_steps", options_.flow_steps);
    put(file, "flow_step", options_.flow_step);
  }

 private:
  void put(const UnmeasuredFile& file, std::string_view name, double value) {
    put_.bind(file.id, name, value, file.status.size, file.status.modified).run();
  }

  const CatalogueOptions& options_;
  Statement drop_, put_;
};

}  // namespace

void require_observables_table(const Database& database) {
  if (has_table(database)) return;
  database.run(("CREATE TEMP TABLE IF NOT EXISTS " + definition_of_table("")).c_str());
}

KnownObservables known_observables(const Database& database) {
  KnownObservables known;
  if (!has_table(database)) return known;
  Statement rows = database.prepare(fmt::format(
      "SELECT {}, observables.name, value FROM observables JOIN files ON files.id = file_id AND files.size = "
      "observables.size AND files.modified_ns = observables.modified_ns",
      column_named("path")));
  while (rows.step()) {
    const auto column = std::ranges::find(observable_columns, rows.text(1), &ObservableColumn::name);
    if (column == observable_columns.end()) continue;
    std::vector<std::optional<double>>& values = known[rows.text(0)];
    values.resize(observable_columns.size());
    values[static_cast<std::size_t>(column - observable_columns.begin())] = rows.optional_real(2);
  }
  return known;
}

std::vector<std::pair<std::string, double>> catalogued_observables(const std::string& path) {
  std::vector<std::pair<std::string, double>> values;
  FileStatus now;
  if (!status_of(path, now)) return values;  // a pipe, an address
  const std::string full = full_path(path);
  const std::string db = nearest_catalogue(full.substr(0, full.rfind('/')));
  if (db.empty()) return values;
  const Database database = open_existing(db);
  if (!has_table(database)) return values;
  Statement rows = database.prepare(
      fmt::format("SELECT observables.name, value FROM files JOIN observables ON files.id = file_id WHERE {} = ? AND "
                  "observables.size = ? AND observables.modified_ns = ? ORDER BY observables.name",
                  column_named("path")));
  rows.bind(full, now.size, now.modified);
  while (rows.step()) values.emplace_back(rows.text(0), rows.real(1));
  return values;
}

void measure_observables(const Database& database, const std::vector<std::string>& folders,
                         const CatalogueOptions& options, IndexReport& report) {
  make_table(database);
  std::vector<std::string> full;
  for (const std::string& folder : folders) full.push_back(full_path(folder));
  const std::vector<UnmeasuredFile> files = unmeasured_files(database, full, options);
  const int all = comm::count_or_cores(options.threads);
  const auto threads = static_cast<int>(std::clamp<std::uint64_t>(files.size(), 1, static_cast<std::uint64_t>(all)));
  VerifyOptions how{.physics = options.physics, .limits = options.limits};
  how.memory_bytes /= static_cast<std::uint64_t>(threads);
  how.threads = all / threads;
  how.observables = true;
  how.flow_steps = options.flow_steps;
  how.flow_step = options.flow_step;
  ObservableStore store(database, options);
  using Item = std::pair<const UnmeasuredFile*, MeasuredFile>;
  const auto keep = [&](const Item& item) {
    if (!item.second.problem.empty()) report.warnings.push_back(item.second.problem);
    if (!item.second.observables) return;
    store.keep(*item.first, *item.second.observables);
    ++report.measured;
  };
  Batches<Item, decltype(keep)> batches(database, keep);
  base::in_order(
      files.size(), threads, [&](std::uint64_t k) { return measure_file(files[static_cast<std::size_t>(k)], how); },
      [&](std::uint64_t k, MeasuredFile measured) {
        batches.add({&files[static_cast<std::size_t>(k)], std::move(measured)});
        if (options.progress) options.progress(k + 1, files.size());
      });
  batches.flush();
}

}  // namespace lq::ensemble
