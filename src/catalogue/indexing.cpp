// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "catalogue/indexing.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/clock.hpp"
#include "base/in_order.hpp"
#include "base/utc_time.hpp"
#include "catalogue/batches.hpp"
#include "catalogue/look.hpp"
#include "catalogue/store.hpp"
#include "catalogue/walk.hpp"
#include "threads/cores.hpp"

namespace lq::catalogue {
namespace {

using ensemble::CatalogueOptions;
using ensemble::IndexReport;

class Indexing {
 public:
  Indexing(const Database& database, const CatalogueOptions& options, IndexReport& report)
      : database_(database), options_(options), report_(report) {
    FileStatus own;
    if (status_of(database.path(), own)) own_ = full_path(database.path());
  }

  void folder(const std::string& folder);

 private:
  std::vector<std::string> find_new(const std::string& folder, KnownFiles& known);
  void read(const std::vector<std::string>& paths, const KnownFiles& known);
  void keep(const Looked& looked, const KnownFiles& known);
  void settle_missing(const KnownFiles& known);
  bool is_hidden_from_us(std::string_view path) const;
  bool is_our_own(const std::string& path) const;

  const Database& database_;
  const CatalogueOptions& options_;
  IndexReport& report_;
  std::string now_ = base::utc_text(base::seconds_now());
  std::string own_;  // path of the catalogue
  Store store_{database_};
  std::vector<std::string> unreadable_;  // folders
};

void Indexing::folder(const std::string& folder) {
  KnownFiles known = known_below(database_, folder);
  read(find_new(folder, known), known);
  Transaction transaction(database_);
  settle_missing(known);
  database_
      .prepare(
          "INSERT INTO folders (path, indexed_at) VALUES (?1, ?2) ON CONFLICT (path) DO UPDATE SET indexed_at = ?2")
      .bind(folder, now_)
      .run();
  transaction.commit();
}

// The catalogue itself, and its journals.
bool Indexing::is_our_own(const std::string& path) const {
  return !own_.empty() && (path == own_ || path == own_ + "-journal" || path == own_ + "-wal" || path == own_ + "-shm");
}

std::vector<std::string> Indexing::find_new(const std::string& folder, KnownFiles& known) {
  std::vector<std::string> found;
  const auto visit = [&](const std::string& path, const FileStatus& status) {
    const auto entry = known.find(path);
    if (entry == known.end()) {
      if (!is_our_own(path)) found.push_back(path);
      return;
    }
    entry->second.was_seen = true;
    const bool is_unchanged =
        entry->second.is_settled && entry->second.size == status.size && entry->second.modified == status.modified;
    if (!is_unchanged) {
      found.push_back(path);
    } else if (entry->second.id != 0) {
      ++report_.unchanged;
    }
  };
  FileStatus status;
  if (status_of(folder, status)) {
    visit(folder, status);
  } else {
    walk(folder, visit, [&](const std::string& where, const std::string& reason) {
      unreadable_.push_back(where);
      report_.warnings.push_back(
          fmt::format("{}: the folder cannot be read: {}; what is known of its files is kept", where, reason));
    });
  }
  std::ranges::sort(found);
  return found;
}

void Indexing::read(const std::vector<std::string>& paths, const KnownFiles& known) {
  const auto keep_one = [&](const Looked& looked) { keep(looked, known); };
  Batches<Looked, decltype(keep_one)> batches(database_, keep_one);
  base::in_order(
      paths.size(), threads::or_usable_cores(options_.threads),
      [&](std::uint64_t k) { return look_at(paths[static_cast<std::size_t>(k)], options_.limits); },
      [&](std::uint64_t k, Looked looked) {
        batches.add(std::move(looked));
        if (options_.progress) options_.progress(k + 1, paths.size());
      });
  batches.flush();
}

void Indexing::keep(const Looked& looked, const KnownFiles& known) {
  const auto entry = known.find(looked.path);
  const bool was_lattice_file = entry != known.end() && entry->second.id != 0;
  if (looked.is_gone) {
    if (was_lattice_file) store_.set_missing(entry->second.id, now_);
    return;
  }
  if (looked.is_changing) {
    report_.warnings.push_back(
        fmt::format("{}: is written to while it is indexed; it will be read again next time", looked.path));
  }
  if (!looked.other.empty()) {
    if (was_lattice_file) store_.forget(entry->second.id);
    return store_.keep_other(looked);
  }
  ++(was_lattice_file ? report_.changed : report_.added);
  store_.keep(looked, now_);
}

bool Indexing::is_hidden_from_us(std::string_view path) const {
  return std::ranges::any_of(unreadable_, [&](const std::string& folder) { return is_below(path, folder); });
}

void Indexing::settle_missing(const KnownFiles& known) {
  for (const auto& [path, entry] : known) {
    if (entry.was_seen || is_hidden_from_us(path)) {
      if (entry.was_seen && entry.is_missing) store_.set_missing(entry.id, {});
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

void count_files(const Database& database, const std::vector<std::string>& folders, IndexReport& report) {
  const auto is_asked_for = [&](const std::string& path) {
    return std::ranges::any_of(folders, [&](const std::string& folder) { return is_below(path, folder); });
  };
  Statement files = database.prepare("SELECT path, size, state, missing_since IS NOT NULL FROM files");
  while (files.step()) {
    if (!is_asked_for(files.text(0))) continue;
    if (files.whole(3) != 0) {
      ++report.missing;
      continue;
    }
    ++report.files;
    report.bytes += static_cast<std::uint64_t>(files.whole(1));
    const std::string state = files.text(2);
    if (state == "damaged") ++report.damaged;
    if (state == "incomplete") ++report.incomplete;
    if (state == "unreadable") ++report.unreadable;
  }
  Statement others = database.prepare("SELECT path FROM others");
  while (others.step()) report.others += is_asked_for(others.text(0)) ? 1 : 0;
}

std::vector<std::string> all_folders(const Database& database) {
  std::vector<std::string> folders;
  Statement rows = database.prepare("SELECT path FROM folders ORDER BY path");
  while (rows.step()) folders.push_back(rows.text(0));
  if (folders.empty()) {
    throw Error(Code::invalid_argument, database.path() + ": no folder was indexed yet; name one",
                {.path = database.path()});
  }
  return folders;
}

}  // namespace

IndexReport bring_up_to_date(const Database& database, const std::vector<std::string>& folders,
                             const CatalogueOptions& options) {
  const base::Stopwatch watch;
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

}  // namespace lq::catalogue
