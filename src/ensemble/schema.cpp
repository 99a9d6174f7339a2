// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ensemble/database.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "ensemble/files.hpp"
#include "ensemble/folder.hpp"
#include "ensemble/observables.hpp"
#include "ensemble/store.hpp"
#include "io/replaceable.hpp"

namespace lq::ensemble {
namespace {

constexpr std::int64_t application = 0x6c716374;  // "lqct"; formats/catalogue.md 1
constexpr std::int64_t version = 3;

// formats/catalogue.md 2
constexpr const char* tables = R"sql(
CREATE TABLE folders (
  id INTEGER PRIMARY KEY,
  path TEXT NOT NULL UNIQUE,
  indexed_at TEXT NOT NULL);
CREATE TABLE files (
  id INTEGER PRIMARY KEY,
  path TEXT NOT NULL UNIQUE,
  size INTEGER NOT NULL,
  modified_ns INTEGER NOT NULL,
  settled INTEGER NOT NULL,
  modified TEXT NOT NULL,
  device INTEGER NOT NULL,
  inode INTEGER NOT NULL,
  format TEXT,
  kind TEXT,
  lattice TEXT,
  precision TEXT,
  gauge_group TEXT,
  fields INTEGER NOT NULL,
  checksum TEXT,
  plaquette REAL,
  link_trace REAL,
  trajectory INTEGER,
  trajectory_from TEXT,
  series TEXT NOT NULL,
  state TEXT NOT NULL,
  problem TEXT,
  indexed_at TEXT NOT NULL,
  missing_since TEXT,
  verified_at TEXT,
  cksum INTEGER,
  measured_plaquette REAL,
  computed_checksum TEXT);
CREATE TABLE fields (
  file_id INTEGER NOT NULL REFERENCES files(id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  name TEXT NOT NULL,
  kind TEXT NOT NULL,
  lattice TEXT,
  precision TEXT NOT NULL,
  offset INTEGER NOT NULL,
  length INTEGER NOT NULL,
  checksum TEXT,
  plaquette REAL,
  link_trace REAL,
  PRIMARY KEY (file_id, number)) WITHOUT ROWID;
CREATE TABLE properties (
  file_id INTEGER NOT NULL REFERENCES files(id) ON DELETE CASCADE,
  field INTEGER,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  number REAL,
  source TEXT NOT NULL);
CREATE TABLE findings (
  file_id INTEGER NOT NULL REFERENCES files(id) ON DELETE CASCADE,
  origin TEXT NOT NULL,
  severity TEXT NOT NULL,
  rule TEXT NOT NULL,
  message TEXT NOT NULL,
  offset INTEGER,
  length INTEGER);
CREATE TABLE damaged_slices (
  file_id INTEGER NOT NULL REFERENCES files(id) ON DELETE CASCADE,
  field INTEGER NOT NULL,
  slice INTEGER NOT NULL);
CREATE TABLE verifications (
  id INTEGER PRIMARY KEY,
  file_id INTEGER NOT NULL REFERENCES files(id) ON DELETE CASCADE,
  at TEXT NOT NULL,
  verdict TEXT NOT NULL,
  size INTEGER NOT NULL,
  modified_ns INTEGER NOT NULL,
  cksum INTEGER,
  sentence TEXT NOT NULL);
CREATE TABLE others (
  path TEXT PRIMARY KEY,
  size INTEGER NOT NULL,
  modified_ns INTEGER NOT NULL,
  settled INTEGER NOT NULL,
  what TEXT NOT NULL) WITHOUT ROWID;
CREATE INDEX files_series ON files(series, trajectory);
CREATE INDEX properties_file ON properties(file_id);
CREATE INDEX properties_name ON properties(name COLLATE NOCASE, number);
CREATE INDEX findings_file ON findings(file_id);
CREATE INDEX damaged_slices_file ON damaged_slices(file_id);
CREATE INDEX verifications_file ON verifications(file_id);
)sql";

// Tables of version 2.
constexpr const char* tables_of_files = R"sql(
CREATE TABLE further_files (
  file_id INTEGER NOT NULL REFERENCES files(id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  size INTEGER NOT NULL,
  modified_ns INTEGER NOT NULL,
  PRIMARY KEY (file_id, path)) WITHOUT ROWID;
CREATE TABLE sums (
  file_id INTEGER NOT NULL REFERENCES files(id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  size INTEGER NOT NULL,
  modified_ns INTEGER NOT NULL,
  cksum INTEGER NOT NULL,
  PRIMARY KEY (file_id, path)) WITHOUT ROWID;
)sql";

// Version 3: where the catalogue was at the last write, and columns added to `files`.
constexpr const char* table_of_place = "CREATE TABLE IF NOT EXISTS place (folder TEXT NOT NULL)";
constexpr const char* new_columns[][3] = {{"files", "measured_link_trace", "REAL"},
                                          {"folders", "left_out", "TEXT NOT NULL DEFAULT ''"}};

// formats/catalogue.md 5
constexpr const char* from_version_1 = R"sql(
INSERT INTO sums SELECT files.id, files.path, verifications.size, verifications.modified_ns, verifications.cksum
  FROM files JOIN verifications ON verifications.id = (SELECT max(id) FROM verifications WHERE file_id = files.id AND
    cksum IS NOT NULL AND verdict IN ('sound', 'replaced'));
UPDATE files SET state = 'consistent' WHERE state = 'sound' AND checksum IS NULL;
UPDATE files SET settled = 2;
DELETE FROM others;
)sql";

void add_what_is_new(const Database& database) {
  database.run(table_of_place);
  Statement known = database.prepare("SELECT 1 FROM pragma_table_info(?) WHERE name = ?");
  for (const auto& [table, column, type] : new_columns) {
    if (known.bind(table, column).step()) continue;
    known.reset();
    database.run(fmt::format("ALTER TABLE {} ADD COLUMN {} {}", table, column, type).c_str());
  }
}

void make_tables(const Database& database) {
  Transaction transaction(database);
  // Another process may have created them in the meantime.
  if (database.whole("PRAGMA user_version") == 0) {
    database.run(tables);
    database.run(tables_of_files);
    add_what_is_new(database);
    database.prepare("INSERT INTO place VALUES (?)").bind(database.paths().folder()).run();
    database.run(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", application, version).c_str());
  }
  transaction.commit();
}

void require_ours(const Database& database) {
  const std::string& path = database.path();
  const std::int64_t found = database.whole("PRAGMA application_id");
  if (found != application) {
    throw Error(Code::malformed,
                fmt::format("{}: this SQLite database is not a Limequat catalogue; name another file", path),
                {.path = path, .expected = std::to_string(application), .found = std::to_string(found)});
  }
  const std::int64_t found_version = database.whole("PRAGMA user_version");
  if (found_version > version) {
    throw Error(Code::unsupported,
                fmt::format("{}: the catalogue has version {}, made by a later Limequat than this one, which supports "
                            "version {}; use the later one, or index into another file",
                            path, found_version, version),
                {.path = path, .expected = std::to_string(version), .found = std::to_string(found_version)});
  }
}

// True before its tables are created, as an interrupted process leaves it.
bool is_empty(const Database& database) {
  return database.whole("SELECT count(*) FROM sqlite_master") == 0 && database.whole("PRAGMA application_id") == 0;
}

// A new catalogue would be created under the name that the link refers to, which may be one that another user wants to
// be created.
void require_no_link_to_nothing(const std::string& path) {
  std::error_code failure;
  if (!std::filesystem::is_symlink(path, failure)) return;
  throw Error(
      Code::invalid_argument,
      fmt::format("{}: cannot create a catalogue here: this symbolic link has no target; remove it, or name the "
                  "file it refers to",
                  path),
      {.path = path});
}

bool is_there(const std::string& path) {
  std::error_code failure;
  return std::filesystem::exists(path, failure);
}

// SQLite would write to a device.
void require_regular(const std::string& path) {
  std::error_code failure;
  if (std::filesystem::is_regular_file(path, failure) || failure) return;
  throw Error(Code::invalid_argument,
              fmt::format("{}: this is no catalogue: it is not a regular file; choose another name", path),
              {.path = path});
}

// True if the entries stored below `folder` exist below `other` under the same relative paths: most of a sample, with
// their known sizes.
bool holds_entries(const Database& database, const std::string& folder, const std::string& other) {
  constexpr int enough = 64;
  int entries = 0, fit = 0;
  Statement files = database.prepare("SELECT path, size FROM files");
  while (entries < enough && files.step()) {
    const std::string path = Paths::full_from(database.paths().folder(), files.text(0));
    if (!is_below(path, folder)) continue;
    ++entries;
    FileStatus status;
    const bool is_same = status_of(other + path.substr(folder.size()), status) &&
                         status.size == static_cast<std::uint64_t>(files.whole(1));
    fit += is_same ? 1 : 0;
  }
  return fit * 2 > entries;
}

// The present location of a folder from an earlier version, which stored absolute paths: the longest end of its path
// that is below the catalogue and holds its entries. Empty: not found.
std::string found_again(const Database& database, const std::string& folder) {
  const std::string& base = database.paths().folder();
  for (std::size_t slash = 0; slash != std::string::npos; slash = folder.find('/', slash + 1)) {
    std::string candidate = base + folder.substr(slash);
    if (is_there(candidate) && holds_entries(database, folder, candidate)) return candidate;
  }
  return holds_entries(database, folder, base) ? base : std::string();
}

// The folders that the catalogue was in, the latest first.
std::vector<std::string> places_of(const Database& database) {
  std::vector<std::string> places;
  Statement rows = database.prepare("SELECT folder FROM place ORDER BY rowid DESC");
  while (rows.step()) places.push_back(rows.text(0));
  return places;
}

// An ensemble may be moved with its catalogue; or one of them without the other, and the folder is
// where it was relative to a former place of the catalogue. Empty: it is where the catalogue says.
std::string moved_to(const Database& database, const std::string& kept, const std::vector<std::string>& places) {
  const std::string& base = database.paths().folder();
  const std::string here = Paths::full_from(base, kept);
  const bool is_here = is_there(here) && (places.front() == base || holds_entries(database, here, here));
  if (is_here) return {};
  for (const std::string& place : places) {
    std::string there = Paths::full_from(place, kept);
    if (there != here && is_there(there) && holds_entries(database, here, there)) return there;
  }
  return {};
}

struct MovedFolder {
  std::string here, there;  // stored path, and present path; empty: unchanged
  const std::string& now() const noexcept { return there.empty() ? here : there; }
};

// True if the new place has entries already, because the folder was indexed again there:
// the older ones then stay unchanged, as missing.
bool is_taken(const MovedFolder& one, const std::vector<MovedFolder>& all) {
  const auto meet = [](const std::string& a, const std::string& b) { return is_below(a, b) || is_below(b, a); };
  return std::ranges::any_of(all, [&](const MovedFolder& other) {
    return other.here != one.here && meet(one.there, other.now()) && !meet(one.here, other.here);
  });
}

void find_folders(Database& database) {
  Paths& paths = database.paths();
  if (paths.folder().empty()) return;
  const bool is_relative = database.whole("PRAGMA user_version") >= 3;
  const std::vector<std::string> places = is_relative ? places_of(database) : std::vector<std::string>();
  if (is_relative && places.empty()) return;
  Statement folders = database.prepare("SELECT path FROM folders");
  std::vector<MovedFolder> all;
  while (folders.step()) {
    const std::string kept = folders.text(0);
    MovedFolder& one = all.emplace_back(MovedFolder{Paths::full_from(paths.folder(), kept), {}});
    if (is_relative) {
      one.there = moved_to(database, kept, places);
    } else if (!is_there(one.here)) {
      one.there = found_again(database, one.here);
    }
  }
  for (MovedFolder& one : all) {
    if (!one.there.empty() && is_taken(one, all)) one.there.clear();
  }
  for (MovedFolder& one : all) {
    if (!one.there.empty()) paths.redirect(std::move(one.here), std::move(one.there));
  }
}

Database ready(Database database) {
  database.run("PRAGMA foreign_keys = ON");
  require_observables_table(database);
  find_folders(database);
  return database;
}

}  // namespace

std::string nearest_catalogue(const std::string& folder) {
  namespace fs = std::filesystem;
  for (fs::path here = folder; !here.empty(); here = here.parent_path()) {
    std::error_code unseen;
    if (fs::exists(here / usual_name, unseen)) return (here / usual_name).string();
    if (here == here.parent_path()) break;
  }
  return {};
}

std::string place_of(const std::string& db) {
  if (!db.empty()) return db;
  std::error_code failure;
  const std::filesystem::path folder = std::filesystem::current_path(failure);
  std::string nearest = failure ? std::string() : nearest_catalogue(folder.string());
  return nearest.empty() ? usual_name : std::move(nearest);
}

Database open_existing(const std::string& path) {
  const auto fail = [&](const char* what) {
    throw Error(Code::not_found, fmt::format("{}: {}; `lq index DIR` creates one", path, what), {.path = path});
  };
  std::error_code failure;
  if (!std::filesystem::exists(path, failure) && !failure) fail("no catalogue found");
  Database database(path, Opening::existing);
  if (is_empty(database)) fail("no catalogue yet: this database is empty");
  require_ours(database);
  return ready(std::move(database));
}

namespace {

// A catalogue gets its name together with its tables, so that a full disk leaves no empty file.
void make_catalogue(const std::string& path) {
  const std::string folder = std::filesystem::absolute(path).parent_path().string();
  if (!is_there(folder)) return;  // opening it says so
  Database made(path, Opening::in_memory);
  made.paths() = Paths(full_path(folder));
  make_tables(made);
  try {
    io::write_text(path, made.contents(), false);
  } catch (const Error& error) {
    // Another process was faster, or opening it fails, too, and says why.
    if (error.code() != Code::exists && error.code() != Code::no_permission) throw;
  }
}

}  // namespace

Database open_or_make(const std::string& path) {
  if (!is_there(path)) {
    require_no_link_to_nothing(path);
    make_catalogue(path);
  } else {
    require_regular(path);
  }
  Database database(path, Opening::create);
  if (is_empty(database)) make_tables(database);
  require_ours(database);
  return ready(std::move(database));
}

namespace {

void migrate_version_1(const Database& database) {
  database.run(tables_of_files);
  database.run(from_version_1);
  std::vector<std::int64_t> temporary;  // files of writers, which version 1 stored as entries
  Statement files = database.prepare("SELECT id, path FROM files");
  while (files.step()) {
    if (is_temporary(files.text(1))) temporary.push_back(files.whole(0));
  }
  Statement forget = database.prepare("DELETE FROM files WHERE id = ?");
  for (const std::int64_t id : temporary) forget.bind(id).run();
}

// All paths become absolute first, so that no new path collides with an old one.
void keep_paths_anew(Database& database) {
  constexpr const char* places[][2] = {{"folders", "path"},       {"files", "path"}, {"files", "series"},
                                       {"further_files", "path"}, {"sums", "path"},  {"others", "path"}};
  for (const char* function : {"full_path", "kept_path"}) {
    for (const auto& [table, column] : places) {
      database.run(fmt::format("UPDATE {0} SET {1} = {2}({1})", table, column, function).c_str());
    }
    database.run(
        fmt::format("UPDATE others SET what = '{0}' || {1}(substr(what, {2})) WHERE substr(what, 1, {3}) = '{0}'",
                    part_of, function, part_of.size() + 1, part_of.size())
            .c_str());
    database.paths() = Paths(database.paths().folder());
  }
  // Some former places are stored: files on unmounted disks may come back.
  database.prepare("DELETE FROM place WHERE folder = ?").bind(database.paths().folder()).run();
  database.prepare("INSERT INTO place VALUES (?)").bind(database.paths().folder()).run();
  database.run("DELETE FROM place WHERE rowid NOT IN (SELECT rowid FROM place ORDER BY rowid DESC LIMIT 8)");
}

bool is_at_its_place(const Database& database) {
  if (database.whole("PRAGMA user_version") < version) return false;
  if (database.paths().redirects()) return false;
  const std::vector<std::string> places = places_of(database);
  return !places.empty() && places.front() == database.paths().folder();
}

}  // namespace

void migrate(Database& database) {
  if (is_at_its_place(database)) return;
  Transaction transaction(database);
  // Another process may have done this in the meantime.
  if (!is_at_its_place(database)) {
    if (database.whole("PRAGMA user_version") < 2) migrate_version_1(database);
    if (database.whole("PRAGMA user_version") < 3) add_what_is_new(database);
    keep_paths_anew(database);
    database.run(fmt::format("PRAGMA user_version = {}", version).c_str());
  }
  transaction.commit();
}

Database make_in_memory() {
  Database database("the catalogue in memory", Opening::in_memory);
  make_tables(database);
  return ready(std::move(database));
}

Database make_in_memory(const Database& contents) { return ready(contents.in_memory()); }

}  // namespace lq::ensemble
