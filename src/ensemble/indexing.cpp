// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ensemble/ensemble.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/clock.hpp"
#include "base/ordered_results.hpp"
#include "base/path.hpp"
#include "base/text.hpp"
#include "comm/team.hpp"
#include "ensemble/database.hpp"
#include "ensemble/files.hpp"
#include "ensemble/folder.hpp"
#include "ensemble/store.hpp"
#include "protection/sidecar.hpp"
#include "storage/transport.hpp"

namespace lq::ensemble {
namespace {

using ensemble::CatalogueOptions;
using ensemble::IndexReport;

constexpr std::int64_t one_second = 1'000'000'000;  // in nanoseconds

bool is_as_before(const Known& known, const FileStatus& status) {
  const auto is_same = [](const FurtherFile& file) {
    FileStatus now;
    status_of(file.path, now);
    return now.size == file.status.size && now.modified == file.status.modified;
  };
  return known.is_settled && known.size == status.size && known.modified == status.modified &&
         std::ranges::all_of(known.further, is_same);
}

FileInspection sighting_of(const std::string& path, const Known& known) {
  FileInspection inspection{.path = path,
                            .size = known.size,
                            .modified = known.modified,
                            .is_recognised = known.is_readable,
                            .has_remains = false,
                            .was_entry = known.id != 0,
                            .part_of = {},
                            .parts = {}};
  for (const FurtherFile& file : known.further) inspection.parts.push_back(file.path);
  return inspection;
}

class Indexing {
 public:
  Indexing(const Database& database, const CatalogueOptions& options, IndexReport& report)
      : database_(database), options_(options), report_(report) {
    FileStatus own;
    if (status_of(database.path(), own)) own_ = full_path(database.path());
    is_new_ = !own_.empty() && database.whole("SELECT count(*) FROM folders") == 0;
  }

  void folder(const std::string& folder);

 private:
  void add_claims_from_outside(const std::string& folder);
  std::vector<std::string> find_new(const std::string& folder);
  void visit(const std::string& path, const FileStatus& status, std::vector<std::string>& found);
  void keep_links();
  std::string patterns_for(const std::string& folder) const;
  void read(const std::vector<std::string>& paths);
  void keep(const ExaminedFile& examined);
  void keep_entry(const ExaminedFile& examined);
  bool take_over_moved(const ExaminedFile& examined);
  void count_read(const Known* before, bool is_unreadable);
  void tell_change(const ExaminedFile& examined, const Known& before);
  std::vector<std::string> parts_of_nobody() const;
  void settle(ExaminedFile examined);
  bool is_orphan(const std::string& path, const Place& place) const;
  void settle_lost(ExaminedFile examined, const Place& place);
  void settle_unread();
  void forget_parity(const std::string& folder) const;
  void keep_parity(const std::string& sidecar) const;
  void settle_missing();
  const Known* entry_before(const std::string& path) const;
  bool is_hidden_from_us(std::string_view path) const;
  bool is_our_own(const std::string& path) const;

  const Database& database_;
  const CatalogueOptions& options_;
  IndexReport& report_;
  std::int64_t begun_ = base::seconds_now();
  std::string now_ = base::utc_text(begun_);
  std::string own_;  // path of the catalogue
  bool is_new_ = false;
  Store store_{database_};
  std::vector<std::string> unreadable_;  // folders
  std::vector<std::string> links_;       // to folders, and what is no file
  std::string folder_, patterns_;        // current folder, and its exclusion patterns
  Exclusion exclusion_{""};
  KnownFiles known_;  // files of the folder
  // Entries by the facts that moving a file does not change; filled at the first new file.
  struct Stamped {
    std::int64_t id = 0;
    std::string path;
    std::int64_t inode = 0;
  };
  std::unordered_map<std::string, std::vector<Stamped>> by_stamp_;
  bool has_stamps_ = false;
  Neighbours neighbours_;
  std::vector<std::string> parity_;                         // sidecars
  std::vector<ExaminedFile> rest_;                          // classified by their neighbours later
  std::vector<std::pair<std::string, FileStatus>> unread_;  // files that are not entries, with their earlier status
};

void Indexing::folder(const std::string& folder) {
  known_ = known_below(database_, folder);
  by_stamp_.clear();
  has_stamps_ = false;
  neighbours_ = {};
  unread_.clear();
  links_.clear();
  folder_ = folder;
  patterns_ = patterns_for(folder);
  exclusion_ = Exclusion(patterns_);
  add_claims_from_outside(folder);
  read(find_new(folder));
  read(parts_of_nobody());
  Transaction transaction(database_);
  forget_parity(folder);
  for (ExaminedFile& examined : std::exchange(rest_, {})) settle(std::move(examined));
  settle_unread();
  keep_links();
  settle_missing();
  for (const std::string& sidecar : std::exchange(parity_, {})) keep_parity(sidecar);
  database_
      .prepare(
          "INSERT INTO folders (path, indexed_at, left_out) VALUES (kept_path(?1), ?2, ?3) ON CONFLICT (path) DO "
          "UPDATE "
          "SET indexed_at = ?2, left_out = ?3")
      .bind(folder, now_, patterns_)
      .run();
  transaction.commit();
}

// The given patterns, or those of the last time.
std::string Indexing::patterns_for(const std::string& folder) const {
  if (!options_.exclude.empty()) return options_.exclude;
  Statement row = database_.prepare("SELECT left_out FROM folders WHERE path = kept_path(?)");
  return row.bind(folder).step() ? row.text(0) : std::string();
}

void Indexing::keep_links() {
  for (const std::string& path : links_) {
    if (const auto entry = known_.find(path); entry != known_.end()) entry->second.was_seen = true;
    if (const Known* const before = entry_before(path)) store_.forget(before->id);
    ExaminedFile examined = unexamined_file(path, {});
    examined.other = describe_not_entered(path);
    store_.keep_other(examined);
  }
}

void Indexing::add_claims_from_outside(const std::string& folder) {
  Statement rows = database_.prepare(
      "SELECT full_path(files.path), full_path(further_files.path) FROM further_files JOIN files ON files.id = "
      "further_files.file_id");
  while (rows.step()) {
    FileInspection owner;
    owner.path = rows.text(0);
    owner.parts = {rows.text(1)};
    if (!is_below(owner.path, folder) && is_below(owner.parts.front(), folder)) neighbours_.add(owner);
  }
}

// The catalogue itself, and its journals.
bool Indexing::is_our_own(const std::string& path) const {
  return !own_.empty() && (path == own_ || path == own_ + "-journal" || path == own_ + "-wal" || path == own_ + "-shm");
}

const Known* Indexing::entry_before(const std::string& path) const {
  const auto entry = known_.find(path);
  return entry == known_.end() || entry->second.id == 0 ? nullptr : &entry->second;
}

void Indexing::visit(const std::string& path, const FileStatus& status, std::vector<std::string>& found) {
  if (is_our_own(path)) return;
  const auto entry = known_.find(path);
  if (entry != known_.end()) entry->second.was_seen = true;
  if (is_temporary(path) || protection::is_sidecar(path)) {
    rest_.push_back(unexamined_file(path, status));
    return;
  }
  // An unreadable entry may be readable by now without a change to the file.
  const bool is_unreadable = entry != known_.end() && entry->second.id != 0 && !entry->second.is_readable;
  if (entry == known_.end() || is_unreadable || !is_as_before(entry->second, status)) {
    found.push_back(path);
    return;
  }
  neighbours_.add(sighting_of(path, entry->second));
  if (entry->second.id != 0) {
    ++report_.unchanged;
  } else {
    unread_.emplace_back(path, status);
  }
}

std::vector<std::string> Indexing::find_new(const std::string& folder) {
  std::vector<std::string> found;
  FileStatus status;
  if (status_of(folder, status)) {
    visit(folder, status, found);
  } else {
    walk(
        folder, [&](const std::string& path, const FileStatus& seen) { visit(path, seen, found); },
        [&](const std::string& where, const std::string& reason) {
          std::error_code failure;
          if (!std::filesystem::exists(where, failure) && !failure) {
            report_.warnings.push_back(fmt::format("{}: the folder no longer exists; its files are missing", where));
            return;
          }
          unreadable_.push_back(where);
          report_.problems.push_back(
              {where, "unreadable",
               fmt::format("cannot read the folder: {}; its entries in the catalogue are kept", reason)});
        },
        [&](const std::string& path) { links_.push_back(path); },
        [&](const std::string& path) { return exclusion_.holds(path, folder_); });
  }
  std::ranges::sort(found);
  return found;
}

void Indexing::read(const std::vector<std::string>& paths) {
  const auto keep_one = [&](const ExaminedFile& examined) { keep(examined); };
  Batches<ExaminedFile, decltype(keep_one)> batches(database_, keep_one);
  base::in_order(
      paths.size(), comm::count_or_cores(options_.threads),
      [&](std::uint64_t k) { return examine_file(paths[static_cast<std::size_t>(k)], options_.limits); },
      [&](std::uint64_t k, ExaminedFile examined) {
        batches.add(std::move(examined));
        if (options_.progress) options_.progress(k + 1, paths.size());
      });
  batches.flush();
}

// Entries are stored immediately; all others are classified by their neighbours later.
void Indexing::keep(const ExaminedFile& examined) {
  if (examined.is_gone) {
    if (const Known* const before = entry_before(examined.path)) store_.set_missing(before->id, now_);
    return;
  }
  if (examined.is_changing) {
    report_.warnings.push_back(
        fmt::format("{}: being written to while it is indexed; it will be read again next time", examined.path));
  }
  neighbours_.add(examined.inspection());
  if (!examined.other.empty() || !examined.part_of.empty() || neighbours_.owner_of(examined.path) != nullptr) {
    rest_.push_back(examined);
  } else {
    keep_entry(examined);
  }
}

namespace {

std::string stamp_of(const std::string& path, std::uint64_t size, std::int64_t modified) {
  return fmt::format("{} {} {}", size, modified, path.substr(path.rfind('/') + 1));
}

// Not in an empty folder, which may be an unmounted mount point.
bool is_surely_gone(const std::string& path) {
  std::vector<std::string> others;
  return base::names_in(std::filesystem::path(path).parent_path().string(), others) == 0 && !others.empty();
}

}  // namespace

// A file with the name, size and time stamp of one that no longer exists is taken for that file, with its history,
// unless the old file may only be out of sight. A file with another inode is a copy until the folder of the old file
// is known to be accessible. The next verification compares its bytes.
bool Indexing::take_over_moved(const ExaminedFile& examined) {
  if (!examined.further.empty() || !examined.problem.empty()) return false;
  if (!std::exchange(has_stamps_, true)) {
    Statement rows = database_.prepare(
        "SELECT id, full_path(path), size, modified_ns, inode FROM files WHERE id NOT IN (SELECT file_id FROM "
        "further_files)");
    while (rows.step()) {
      std::string path = rows.text(1);
      std::string stamp = stamp_of(path, static_cast<std::uint64_t>(rows.whole(2)), rows.whole(3));
      by_stamp_[std::move(stamp)].push_back({rows.whole(0), std::move(path), rows.whole(4)});
    }
  }
  const auto found = by_stamp_.find(stamp_of(examined.path, examined.status.size, examined.status.modified));
  if (found == by_stamp_.end() || found->second.size() != 1) return false;
  const auto [id, path, inode] = std::exchange(found->second, {}).front();
  FileStatus status;
  if (path == examined.path || status_of(path, status) || is_hidden_from_us(path)) return false;
  if (inode != examined.status.inode && !is_surely_gone(path)) return false;
  store_.move(id, path, examined.path);
  known_.erase(path);
  return true;
}

void Indexing::keep_entry(const ExaminedFile& examined) {
  const Known* const before = entry_before(examined.path);
  if (before != nullptr) tell_change(examined, *before);
  // A new catalogue is readable only for users who may read all of its files; later its owner decides.
  FileStatus now;
  if (is_new_ && status_of(examined.path, now)) storage::resolve(own_).keep_private(examined.path, own_);
  if (before == nullptr && take_over_moved(examined)) {
    ++report_.changed;
  } else {
    count_read(before, !examined.problem.empty());
  }
  store_.keep(examined, now_);
}

void Indexing::count_read(const Known* before, bool is_unreadable) {
  const bool is_as_it_was = before != nullptr && !before->is_readable && is_unreadable;
  ++(before == nullptr ? report_.added : is_as_it_was ? report_.unchanged : report_.changed);
}

void Indexing::tell_change(const ExaminedFile& examined, const Known& before) {
  const std::string contents = contents_of(examined.catalog);
  if (!examined.problem.empty() && !before.is_readable) return;
  if (!examined.problem.empty()) {
    report_.warnings.push_back(
        fmt::format("{}: it can no longer be read, and stays in the catalogue as unreadable", examined.path));
  } else if (examined.state() != "indexed" && examined.status.size < before.size) {
    report_.warnings.push_back(fmt::format("{}: it had {} bytes when it was indexed before, and has {} now",
                                           examined.path, before.size, examined.status.size));
  } else if (before.is_readable && before.what != no_field && contents != before.what) {
    report_.warnings.push_back(fmt::format("{}: it held {} when it was indexed before, and holds {} now", examined.path,
                                           base::printable(before.what),
                                           contents == no_field ? "no field" : base::printable(contents)));
  }
}

// Parts without an owner may be entries now.
std::vector<std::string> Indexing::parts_of_nobody() const {
  std::vector<std::string> paths;
  for (const auto& [path, status] : unread_) {
    if (known_.at(path).what.starts_with(part_of) && neighbours_.owner_of(path) == nullptr) paths.push_back(path);
  }
  return paths;
}

void Indexing::settle(ExaminedFile examined) {
  const Known* const before = entry_before(examined.path);
  FileInspection inspection = examined.inspection();
  inspection.was_entry = before != nullptr;
  const Place place = neighbours_.place_of(inspection, begun_ * one_second);
  switch (place.role) {
    case FileRole::entry:
      return keep_entry(examined);
    case FileRole::lost:
      if (examine_contents(examined, options_.limits)) return keep_entry(examined);
      return settle_lost(std::move(examined), place);
    case FileRole::part:
      if (protection::is_sidecar(examined.path)) parity_.push_back(examined.path);
      examined.other = is_orphan(examined.path, place)
                           ? fmt::format("parity of {}, which is not there", base::printable(place.reason, 4096))
                           : fmt::format("{}{}", part_of, database_.paths().kept(place.reason));
      break;
    case FileRole::being_written:
    case FileRole::leftover:
      examined.other = "a temporary file";
      break;
    case FileRole::stranger:
      break;
  }
  if (before != nullptr) store_.forget(before->id);
  store_.keep_other(examined);
}

// Of a sidecar: the file that it is called after is gone.
bool Indexing::is_orphan(const std::string& path, const Place& place) const {
  FileStatus status;
  std::error_code failure;
  return protection::is_sidecar(path) && !status_of(place.reason, status) && !is_hidden_from_us(place.reason) &&
         !std::filesystem::is_directory(place.reason, failure);
}

void Indexing::settle_lost(ExaminedFile examined, const Place& place) {
  examined.problem = sentence_of(place, examined.path, examined.other);
  const Known* const before = entry_before(examined.path);
  if (before == nullptr) return keep_entry(examined);
  count_read(before, true);
  if (before->is_readable) report_.warnings.push_back(examined.problem);
  store_.keep_lost(before->id, examined);
}

// Protection depends on neighbouring files, so it is determined again each time.
void Indexing::forget_parity(const std::string& folder) const {
  Statement drop =
      database_.prepare("DELETE FROM properties WHERE file_id = ? AND name = 'parity' AND source = 'sidecar'");
  for (const auto& [path, known] : known_) {
    if (known.id != 0 && is_below(path, folder)) drop.bind(known.id).run();
  }
}

void Indexing::keep_parity(const std::string& sidecar) const {
  Statement put = database_.prepare(
      "INSERT INTO properties (file_id, field, name, value, number, source) SELECT id, NULL, 'parity', "
      "kept_path(?2), NULL, 'sidecar' FROM files WHERE path = kept_path(?1)");
  try {
    const protection::Sidecar opened(storage::resolve(sidecar), sidecar);
    for (std::size_t i = 0; i < opened.head().files.size(); ++i) {
      const std::string path = opened.path_of(i);
      put.bind(path, sidecar).run();
      FileStatus status;
      if (opened.head().files.size() < 2 || status_of(path, status) || is_hidden_from_us(path)) continue;
      report_.warnings.push_back(fmt::format(
          "{}: this file is gone; `lq repair {}` brings it back if {} has enough parity", path, path, sidecar));
    }
  } catch (const Error& error) {
    if (error.code() == Code::out_of_memory) throw;
    report_.warnings.push_back(error.what());
  }
}

// Files that were not read again may have another meaning because of new neighbours.
void Indexing::settle_unread() {
  for (const auto& [path, status] : unread_) {
    const Known& known = known_.at(path);
    if (known.what.starts_with(part_of)) continue;  // part of an entry that is unchanged, or was read again
    const Place place = neighbours_.place_of(sighting_of(path, known), begun_ * one_second);
    if (place.role != FileRole::lost) continue;
    ExaminedFile examined = unexamined_file(path, status);
    examined.other = known.what;
    settle_lost(std::move(examined), place);
  }
  Statement entry = database_.prepare("SELECT id FROM files WHERE path = kept_path(?)");
  for (const auto& [path, owner] : neighbours_.owners()) {
    FileStatus status;
    if (!entry.bind(path).step() || !status_of(path, status)) continue;
    ExaminedFile examined = unexamined_file(path, status);
    examined.other = fmt::format("{}{}", part_of, database_.paths().kept(owner));
    store_.forget(entry.whole(0));
    store_.keep_other(examined);
  }
}

bool Indexing::is_hidden_from_us(std::string_view path) const {
  return std::ranges::any_of(unreadable_, [&](const std::string& folder) { return is_below(path, folder); });
}

void Indexing::settle_missing() {
  for (const auto& [path, entry] : known_) {
    const bool is_left_out = exclusion_.holds(path, folder_);
    if (entry.was_seen || is_hidden_from_us(path) || (is_left_out && entry.id != 0 && !options_.forget)) {
      if (entry.was_seen && entry.is_missing) store_.set_missing(entry.id, {});
      if (!entry.was_seen && is_left_out && entry.id != 0) ++report_.left_out;
    } else if (entry.id == 0) {
      store_.forget_other(path);
    } else if (options_.forget) {
      store_.forget(entry.id);
      ++report_.forgotten;
    } else if (!entry.is_missing) {
      store_.set_missing(entry.id, now_);
    }
  }
}

void count_strangers(const Database& database, const std::function<bool(const std::string&)>& is_asked_for,
                     IndexReport& report) {
  const Neighbours nobody;
  Statement others = database.prepare("SELECT full_path(path) AS full, modified_ns, what FROM others ORDER BY full");
  while (others.step()) {
    FileInspection inspection;
    inspection.path = others.text(0);
    inspection.modified = others.whole(1);
    const std::string what = others.text(2);
    if (!is_asked_for(inspection.path)) continue;
    const bool is_part = what.starts_with(part_of);
    const FileRole role = nobody.place_of(inspection, base::seconds_now() * one_second).role;
    if (!is_part && role == FileRole::being_written) {
      ++report.being_written;
      report.strangers.push_back({inspection.path, "being written"});
    } else if (!is_part && role == FileRole::leftover) {
      ++report.leftovers;
      report.strangers.push_back({inspection.path, "left by an interrupted writer"});
    } else {
      ++report.others;
      if (!is_part) report.strangers.push_back({inspection.path, what});
    }
  }
}

void count_files(const Database& database, const std::vector<std::string>& folders, IndexReport& report) {
  const auto is_asked_for = [&](const std::string& path) {
    return std::ranges::any_of(folders, [&](const std::string& folder) { return is_below(path, folder); });
  };
  Statement files = database.prepare(
      "SELECT full_path(path) AS full, size, state, missing_since IS NOT NULL, coalesce(problem, (SELECT message FROM "
      "findings WHERE file_id = files.id AND severity = 'error' LIMIT 1)) FROM files ORDER BY full");
  while (files.step()) {
    if (!is_asked_for(files.text(0))) continue;
    if (files.whole(3) != 0) {
      ++report.missing;
      report.problems.push_back({files.text(0), "missing", "it no longer exists"});
      continue;
    }
    ++report.files;
    report.bytes += static_cast<std::uint64_t>(files.whole(1));
    const std::string state = files.text(2);
    if (state == "damaged" || state == "incomplete" || state == "unreadable" || state == "unproven") {
      const std::string problem = files.text(4);
      report.problems.push_back({files.text(0), state, std::string(without_leading_path(problem, files.text(0)))});
    }
    if (state == "damaged") ++report.damaged;
    if (state == "incomplete") ++report.incomplete;
    if (state == "unreadable") ++report.unreadable;
  }
  count_strangers(database, is_asked_for, report);
}

std::vector<std::string> all_folders(const Database& database) {
  std::vector<std::string> folders;
  Statement rows = database.prepare("SELECT full_path(path) AS full FROM folders ORDER BY full");
  while (rows.step()) folders.push_back(rows.text(0));
  if (folders.empty()) {
    throw Error(Code::invalid_argument,
                database.path() +
                    ": no folder was indexed yet; name one, or the file of a catalogue that has some "
                    "(`--db FILE`)",
                {.path = database.path()});
  }
  return folders;
}

}  // namespace

IndexReport bring_up_to_date(Database& database, const std::vector<std::string>& folders,
                             const CatalogueOptions& options) {
  const base::Stopwatch watch;
  migrate(database);
  IndexReport report;
  report.db = database.path();
  std::vector<std::string> full;
  for (const std::string& folder : folders) full.push_back(full_path(folder));
  if (full.empty()) full = all_folders(database);
  Indexing indexing(database, options, report);
  for (const std::string& folder : full) indexing.folder(folder);
  count_files(database, full, report);
  report.seconds = watch.seconds();
  return report;
}

}  // namespace lq::ensemble
