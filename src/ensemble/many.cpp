// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Several files at a time, without a catalogue.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <iterator>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>
#include <limequat/ensemble.hpp>

#include "base/bytes.hpp"
#include "base/ordered_results.hpp"
#include "comm/team.hpp"
#include "ensemble/files.hpp"
#include "ensemble/folder.hpp"
#include "io/verdict.hpp"
#include "protection/layout.hpp"
#include "sets/checkpoint/repair.hpp"
#include "sets/staging/packed.hpp"
#include "storage/listed_folders.hpp"

namespace lq::ensemble {
namespace {

using ensemble::FileRole;
using ensemble::Place;

// `verify(path)`, or what it throws.
template <class Verify>
VerifiedFile verified_by(std::string path, const Verify& verify) {
  VerifiedFile file;
  file.path = std::move(path);
  try {
    file.verification = verify(file.path);
    file.verdict = file.verification->verdict;
  } catch (const Error& error) {
    file.verdict = io::verdict_of(error);
    file.problem = error.what();
    file.error = error;
  }
  return file;
}

VerifiedFile verified(storage::Transport& files, std::string path, const VerifyOptions& options) {
  return verified_by(std::move(path),
                     [&](const std::string& name) { return sets::verify_file(files, name, {}, options); });
}

using Folders = storage::CrowdedFolders;

VerifiedFile verified(const Folders& folders, const std::string& path, const VerifyOptions& options) {
  return folders.with(path, [&](storage::Transport& files) { return verified(files, path, options); });
}

VerifiedFile not_verified(std::string path, Verdict verdict, std::string problem) {
  VerifiedFile file;
  file.path = std::move(path);
  file.verdict = verdict;
  file.problem = std::move(problem);
  return file;
}

// The share of each of several files processed at a time.
class Shares {
 public:
  Shares(std::uint64_t files, int threads, const VerifyOptions& options) : each_(options) {
    const int all = comm::count_or_cores(threads);
    at_once_ = static_cast<int>(std::clamp<std::uint64_t>(files, 1, static_cast<std::uint64_t>(all)));
    each_.progress = {};
    each_.threads = all / at_once_;
    each_.memory_bytes /= static_cast<std::uint64_t>(at_once_);
  }
  int at_once() const noexcept { return at_once_; }
  const VerifyOptions& each() const noexcept { return each_; }

 private:
  VerifyOptions each_;
  int at_once_ = 1;
};

// A file to verify, or the message that replaces its result.
struct Candidate {
  std::string path;
  ensemble::FileStatus status;
  bool is_named = false;
  bool was_entry = false;
  std::optional<VerifiedFile> answer;
  std::optional<VerifiedFile> verified;  // a small file is, while it is open to be examined
  ensemble::FileInspection inspection;
  std::string what;  // its kind if no format recognises it
};

class Listing {
 public:
  void add(const std::string& path);
  std::vector<Candidate> take() { return std::move(files_); }
  const Folders& folders() const noexcept { return folders_; }

 private:
  void add_folder(const std::string& folder);
  void compare_with_catalogue(const std::string& folder, std::vector<Candidate>& found);
  static Candidate listed(const std::string& path, const ensemble::FileStatus& status) {
    Candidate made;
    made.path = path;
    made.status = status;
    return made;
  }
  static Candidate answered(VerifiedFile answer) {
    Candidate made;
    made.path = answer.path;
    made.answer = std::move(answer);
    return made;
  }

  std::vector<Candidate> files_;
  Folders folders_;
  std::unordered_set<std::string> catalogues_;  // unreadable ones, reported once
};

void Listing::add(const std::string& path) {
  ensemble::FileStatus status;
  if (!ensemble::status_of(path, status)) return add_folder(path);
  files_.push_back(listed(path, status));
  files_.back().is_named = true;
}

void Listing::add_folder(const std::string& folder) {
  std::vector<Candidate> found;
  try {
    ensemble::full_path(folder);  // throws if it does not exist
    ensemble::walk(
        folder,
        [&](const std::string& path, const ensemble::FileStatus& status) {
          folders_.add(path);
          found.push_back(listed(path, status));
        },
        [&](const std::string& where, const std::string& reason) {
          const Error error(Code::no_permission, fmt::format("{}: cannot read the folder: {}", where, reason),
                            {.path = where});
          found.push_back(answered({where, Verdict::unreadable, error.what(), {}, error}));
        },
        [&](const std::string& path) {
          found.push_back(answered(
              not_verified(path, Verdict::foreign, path + ": this is " + ensemble::describe_not_entered(path))));
        });
    compare_with_catalogue(folder, found);
  } catch (const Error& error) {
    found.push_back(answered({folder, Verdict::unreadable, error.what(), {}, error}));
  }
  std::ranges::sort(found, {}, &Candidate::path);
  std::ranges::move(found, std::back_inserter(files_));
}

// Entries of the catalogue must exist and be readable.
void Listing::compare_with_catalogue(const std::string& folder, std::vector<Candidate>& found) {
  const std::string full = ensemble::full_path(folder);
  ensemble::Catalogued known;
  try {
    known = ensemble::catalogued_below(full);
  } catch (const Error& error) {
    const std::string& db = error.facts().path;
    if (catalogues_.insert(db).second) found.push_back(answered({db, Verdict::unreadable, error.what(), {}, error}));
    return;
  }
  // In the spelling of the walk.
  const std::string beginning = folder.ends_with('/') ? folder : folder + '/';
  std::unordered_set<std::string> entries;
  const std::size_t above = full.ends_with('/') ? full.size() : full.size() + 1;
  for (const std::string& path : known.paths) entries.insert(beginning + path.substr(above));
  for (Candidate& file : found) file.was_entry = entries.erase(file.path) > 0;
  for (const std::string& path : entries) {
    if (ensemble::is_temporary(path)) continue;
    found.push_back(answered(not_verified(
        path, Verdict::unreadable,
        fmt::format("{}: the file no longer exists, although the catalogue {} lists it", path, known.db))));
  }
}

// Small files are verified while they are examined, so that each is opened once; nobody waits long for the first
// verdict, nor do too many verdicts wait for the last look.
class EarlyVerification {
 public:
  // nullptr: none.
  explicit EarlyVerification(const VerifyOptions* options) : options_(options) {}

  void verify(Candidate& file, storage::Transport& files, const ensemble::ExaminedFile& examined) {
    constexpr std::uint64_t small = 2 * base::mebi, most_files = 16384;
    constexpr std::uint64_t memory = 8;  // for each byte of the file, so that its links are measured
    if (options_ == nullptr || !examined.scanned || !examined.problem.empty() || !examined.part_of.empty()) return;
    if (examined.status.size > small || examined.status.size * memory > options_->memory_bytes) return;
    if (begun_.fetch_add(1) >= most_files) return;
    file.verified = verified_by(file.path, [&](const std::string& path) {
      return sets::verify_scanned(files, path, *options_, examined.scanned);
    });
  }

 private:
  const VerifyOptions* options_;
  std::atomic<std::uint64_t> begun_ = 0;
};

void look(Candidate& file, const Folders& folders, const Limits& limits, EarlyVerification& early) {
  const bool is_unread = ensemble::is_temporary(file.path) || protection::is_sidecar(file.path);
  const ensemble::ExaminedFile examined = folders.with(file.path, [&](storage::Transport& files) {
    if (is_unread) return ensemble::unexamined_file(file.path, file.status);
    ensemble::ExaminedFile seen = ensemble::examine_headers(files, file.path, file.status, limits);
    early.verify(file, files, seen);
    seen.scanned.reset();
    return seen;
  });
  if (examined.is_gone) {
    file.answer =
        not_verified(file.path, Verdict::unreadable, file.path + ": the file was removed while others were read");
    return;
  }
  file.inspection = examined.inspection();
  file.inspection.was_entry = file.was_entry;
  file.what = examined.other;
}

// Of a file that should be a lattice file: it may be packed, and is then judged by its contents.
VerifiedFile verified_lost(VerifiedFile lost, const VerifyOptions& options) {
  try {
    std::optional<Verification> contents = sets::verify_contents(lost.path, options);
    if (!contents) return lost;
    lost.verdict = contents->verdict;
    lost.verification = std::move(contents);
    lost.problem.clear();
  } catch (const Error& error) {
    lost.problem = error.what();
  }
  return lost;
}

VerifiedFile no_entry(const Candidate& file, const Place& place) {
  if (place.role == FileRole::stranger) {
    return not_verified(file.path, Verdict::foreign, fmt::format("{}: this is {}", file.path, file.what));
  }
  return not_verified(file.path, verdict_of(place.role), sentence_of(place, file.path, file.what));
}

VerifiedFile answer_of(const Candidate& file, const Place& place, const Folders& folders,
                       const VerifyOptions& options) {
  if (place.role == FileRole::entry) return file.verified ? *file.verified : verified(folders, file.path, options);
  VerifiedFile answer = no_entry(file, place);
  return place.role == FileRole::lost ? verified_lost(std::move(answer), options) : answer;
}

std::int64_t now_in_nanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace

namespace {

// Classifies each file by its neighbours.
std::vector<Place> places_of(std::vector<Candidate>& files, const Folders& folders, int threads, const Limits& limits,
                             EarlyVerification& early, const Progress& progress = {}) {
  ensemble::Neighbours neighbours;
  std::uint64_t done = 0;
  base::in_order(
      files.size(), comm::count_or_cores(threads),
      [&](std::uint64_t k) {
        Candidate& file = files[static_cast<std::size_t>(k)];
        if (!file.answer) look(file, folders, limits, early);
        return k;
      },
      [&](std::uint64_t k, std::uint64_t) {
        const Candidate& file = files[static_cast<std::size_t>(k)];
        if (!file.answer) neighbours.add(file.inspection);
        if (progress && file.verified) progress(++done, files.size());
      });
  const std::int64_t now = now_in_nanoseconds();
  std::vector<Place> places;
  places.reserve(files.size());
  for (const Candidate& file : files) {
    places.push_back(file.answer ? Place{} : neighbours.place_of(file.inspection, now));
  }
  return places;
}

}  // namespace

Below look_below(const std::string& folder, int threads, const Limits& limits) {
  ensemble::full_path(folder);  // throws if it does not exist
  Listing listing;
  listing.add(folder);
  std::vector<Candidate> files = listing.take();
  EarlyVerification none(nullptr);
  const std::vector<Place> places = places_of(files, listing.folders(), threads, limits, none);
  Below below;
  for (std::size_t k = 0; k < files.size(); ++k) {
    if (files[k].answer) {
      below.others.push_back(*files[k].answer);
    } else if (places[k].role == FileRole::entry) {
      below.entries.push_back(files[k].path);
    } else if (places[k].role != FileRole::part) {
      below.others.push_back(no_entry(files[k], places[k]));
    }
  }
  return below;
}

void verify_all(const std::vector<std::string>& paths, int threads, const VerifyOptions& options,
                const std::function<void(const VerifiedFile&)>& tell) {
  const Shares shares(paths.size(), threads, options);
  Folders folders;
  folders.add_crowded(paths);
  base::in_order(
      paths.size(), shares.at_once(),
      [&](std::uint64_t k) { return verified(folders, paths[static_cast<std::size_t>(k)], shares.each()); },
      [&](std::uint64_t, const VerifiedFile& file) { tell(file); });
}

void verify_below(const std::vector<std::string>& paths, int threads, const VerifyOptions& options,
                  const std::function<void(const VerifiedFile&)>& tell) {
  Listing listing;
  for (const std::string& path : paths) listing.add(path);
  std::vector<Candidate> files = listing.take();
  const Shares all(files.size(), threads, options);
  EarlyVerification early(&all.each());
  const std::vector<Place> places =
      places_of(files, listing.folders(), threads, options.limits, early, options.progress);
  const auto is_entry = [](const Place& place) { return place.role == FileRole::entry; };
  const Shares shares(static_cast<std::uint64_t>(std::ranges::count_if(places, is_entry)), threads, options);
  auto done = static_cast<std::uint64_t>(
      std::ranges::count_if(files, [](const Candidate& file) { return file.verified.has_value(); }));
  base::in_order(
      files.size(), shares.at_once(),
      [&](std::uint64_t k) {
        const Candidate& file = files[static_cast<std::size_t>(k)];
        return file.answer ? *file.answer
                           : answer_of(file, places[static_cast<std::size_t>(k)], listing.folders(), shares.each());
      },
      [&](std::uint64_t k, VerifiedFile answer) {
        const auto number = static_cast<std::size_t>(k);
        answer.is_named = files[number].is_named;
        if (places[number].role != FileRole::part) tell(answer);
        if (options.progress && !files[number].verified) options.progress(++done, files.size());
      });
}

void set_unpacking(Unpack unpack) { sets::set_unpacking(std::move(unpack)); }

VerifiedFiles verify_below(const std::vector<std::string>& paths, const VerifyOptions& options) {
  VerifiedFiles all;
  verify_below(paths, options.threads, options, [&](const VerifiedFile& file) {
    all.ok = all.ok && file.ok();
    all.counts.add(file.verdict);
    (file.is_stranger() ? all.strangers : all.files).push_back(file);
  });
  return all;
}

std::vector<std::string> files_below(const std::string& path) {
  ensemble::FileStatus status;
  if (ensemble::status_of(path, status)) return {path};
  std::vector<std::string> found;
  ensemble::full_path(path);  // throws if it does not exist
  std::optional<Error> failure;
  ensemble::walk(
      path,
      [&](const std::string& file, const ensemble::FileStatus& found_status) {
        if (found_status.inode != 0) found.push_back(file);
      },
      [&](const std::string& folder, const std::string& reason) {
        if (!failure) {
          failure = Error(Code::no_permission, folder + ": the folder cannot be read: " + reason, {.path = folder});
        }
      });
  if (failure) throw *failure;
  std::ranges::sort(found);
  return found;
}

}  // namespace lq::ensemble
