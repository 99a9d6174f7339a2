// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ensemble/ensemble.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/clock.hpp"
#include "base/ordered_results.hpp"
#include "base/text.hpp"
#include "comm/team.hpp"
#include "ensemble/cksum.hpp"
#include "ensemble/database.hpp"
#include "ensemble/folder.hpp"
#include "ensemble/pace.hpp"
#include "ensemble/remarks.hpp"
#include "ensemble/store.hpp"
#include "sets/checkpoint/repair.hpp"

namespace lq::ensemble {
namespace {

using ensemble::CatalogueOptions;
using ensemble::Scrubbed;
using ensemble::ScrubReport;

constexpr std::string_view bit_rot = "bit rot", replaced = "replaced", changed_and_damaged = "changed and damaged";

// An entry that is due, from the catalogue.
struct DueEntry {
  std::int64_t id = 0;
  std::string path;
  FileStatus status;
  std::vector<FurtherFile> further;
  std::optional<SoundState> sound;
};

// The result of reading it.
struct Examined {
  ExaminedFile examined;
  bool is_missing = false;
  std::string problem;            // not empty: it could not be read; the reason
  std::vector<SummedFile> files;  // the first one names the entry
  Verification verification;
};

bool is_as(const FileStatus& a, const FileStatus& b) noexcept { return a.size == b.size && a.modified == b.modified; }

// Entries without a modified file are unchanged since they passed.
class DueFiles {
 public:
  explicit DueFiles(const Database& database)
      : further_(database.prepare(
            "SELECT full_path(path) AS full, size, modified_ns FROM further_files WHERE file_id = ? ORDER BY full")),
        sound_(database.prepare("SELECT at FROM verifications WHERE file_id = ? AND verdict IN ('sound', 'consistent', "
                                "'replaced') ORDER BY id DESC LIMIT 1")),
        sums_(database.prepare("SELECT full_path(path), size, modified_ns, cksum FROM sums WHERE file_id = ?")) {}

  void complete(DueEntry& file) {
    further_.bind(file.id);
    while (further_.step()) file.further.push_back({further_.text(0), status(further_)});
    if (!sound_.bind(file.id).step()) return;
    file.sound = SoundState{sound_.text(0), {}};
    sums_.bind(file.id);
    while (sums_.step()) {
      file.sound->files.push_back({sums_.text(0), status(sums_), static_cast<std::uint32_t>(sums_.whole(3))});
    }
    for (SummedFile& summed : file.sound->files) {
      if (summed.path == file.path && is_as(summed.status, file.status)) summed.status.inode = file.status.inode;
    }
  }

 private:
  static FileStatus status(const Statement& row) {
    FileStatus status;
    status.size = static_cast<std::uint64_t>(row.whole(1));
    status.modified = row.whole(2);
    return status;
  }

  Statement further_, sound_, sums_;
};

// A text that names an existing or possible path is a place; any other an expression.
Condition condition_of(const Database& database, const std::string& which) {
  std::error_code failure;
  if (which.empty() || !std::filesystem::exists(std::filesystem::symlink_status(which, failure))) {
    Condition condition = parse_expression(which);
    require_known_names(database, condition, "nor is there such a file or folder");
    return condition;
  }
  return {.sql = "is_below(full_path(path), ?)", .values = {full_path(which)}, .properties = {}};
}

std::vector<DueEntry> due_files(const Database& database, const std::string& since, const Condition& condition) {
  std::vector<DueEntry> due;
  std::optional<std::string> before;
  if (!since.empty()) before = base::utc_text(base::seconds_now() - seconds_of(since));
  Statement rows = database.prepare(fmt::format(
      "SELECT id, full_path(path) AS full, size, modified_ns, inode FROM files WHERE ({}) AND (verified_at IS NULL "
      "OR ? < 1 OR verified_at < ?) ORDER BY verified_at, full",
      condition.sql));
  DueFiles files(database);
  int number = 0;
  for (const Value& value : condition.values) rows.bind_at(++number, value);
  rows.bind_at(++number, before ? 1 : 0);
  rows.bind_at(++number, before);
  while (rows.step()) {
    DueEntry file;
    file.id = rows.whole(0);
    file.path = rows.text(1);
    file.status.size = static_cast<std::uint64_t>(rows.whole(2));
    file.status.modified = rows.whole(3);
    file.status.inode = rows.whole(4);
    files.complete(file);
    due.push_back(std::move(file));
  }
  return due;
}

// Its physical files in their present state; missing ones are omitted.
std::vector<SummedFile> files_of(const ExaminedFile& examined) {
  std::vector<SummedFile> files = {{examined.path, examined.status, 0}};
  for (const FurtherFile& file : examined.further) {
    if (file.status.inode != 0) files.push_back({file.path, file.status, 0});
  }
  return files;
}

bool are_as_they_were(const std::vector<SummedFile>& files) {
  return std::ranges::all_of(files, [](const SummedFile& file) {
    FileStatus now;
    return status_of(file.path, now) && is_as(now, file.status);
  });
}

bool is_as_catalogued(const ExaminedFile& examined, const DueEntry& file) {
  const auto is_same = [](const FurtherFile& a, const FurtherFile& b) {
    return a.path == b.path && is_as(a.status, b.status);
  };
  return is_as(examined.status, file.status) && examined.status.inode == file.status.inode &&
         std::ranges::equal(examined.further, file.further, is_same);
}

const SummedFile* find(const std::vector<SummedFile>& files, const std::string& path) {
  const auto found = std::ranges::find(files, path, &SummedFile::path);
  return found == files.end() ? nullptr : &*found;
}

// Files with the same size and time stamp, but different bytes.
std::vector<std::string> rotten(const std::vector<SummedFile>& before, const std::vector<SummedFile>& now) {
  std::vector<std::string> paths;
  for (const SummedFile& file : now) {
    const SummedFile* const old = find(before, file.path);
    if (old != nullptr && is_as(old->status, file.status) && old->cksum != file.cksum) paths.push_back(file.path);
  }
  return paths;
}

// For an unreadable entry: unmodified files are summed nevertheless.
void sum_unwritten(Examined& examined, const DueEntry& file) {
  examined.files.clear();
  if (!file.sound) return;
  for (const SummedFile& before : file.sound->files) {
    SummedFile now = before;
    if (!status_of(now.path, now.status)) continue;
    try {
      if (is_as(now.status, before.status)) now.cksum = cksum_of(now.path);
      examined.files.push_back(std::move(now));
    } catch (const Error&) {
      // The reason is known already.
    }
  }
}

void read_once(Examined& examined, const VerifyOptions& how, Pace* pace) {
  const std::string& path = examined.examined.path;
  CksumInPassing files(storage::resolve(path), pace);
  try {
    if (const auto contents = std::exchange(examined.examined.contents, nullptr)) {
      examined.verification = sets::verify_file(storage::resolve(*contents), *contents, {}, how);
      examined.verification.path = path;
    } else {
      examined.verification = sets::verify_file(files, path, {}, how);
    }
    for (SummedFile& file : examined.files) file.cksum = files.cksum(file.path);
  } catch (const Error& error) {
    examined.problem = error.what();
  }
}

Examined examine(const DueEntry& file, const VerifyOptions& how, Pace* pace) {
  constexpr int attempts = 3;
  for (int attempt = 1;; ++attempt) {
    Examined examined;
    examined.examined = examine_file(file.path, how.limits);
    examined.is_missing = examined.examined.is_gone;
    if (examined.is_missing) return examined;
    const bool is_packed = !examined.examined.other.empty() && examine_contents(examined.examined, how.limits);
    if (!examined.examined.other.empty()) {
      const Place place{FileRole::lost, "the catalogue lists it"};
      examined.problem = sentence_of(place, file.path, examined.examined.other);
    } else {
      examined.files = files_of(examined.examined);
      if (is_packed) examined.problem = examined.examined.problem;
      if (examined.problem.empty()) read_once(examined, how, pace);
    }
    const bool is_steady = are_as_they_were(examined.files);
    if (!examined.problem.empty()) sum_unwritten(examined, file);
    if (is_steady) return examined;
    if (attempt < attempts) continue;
    examined.problem = fmt::format("{}: being written to while it is verified; try again later", file.path);
    return examined;
  }
}

class Scrubbing {
 public:
  Scrubbing(const Database& database, ScrubReport& report)
      : report_(report),
        put_verdict_(database.prepare("INSERT INTO verifications (file_id, at, verdict, size, modified_ns, cksum, "
                                      "sentence) VALUES (?, ?, ?, ?, ?, "
                                      "?, ?)")),
        put_state_(database.prepare(
            "UPDATE files SET state = ?2, verified_at = ?3, cksum = ?4, measured_plaquette = ?5, "
            "computed_checksum = ?6, measured_link_trace = ?7, problem = NULL, missing_since = NULL WHERE id = ?1")),
        put_sum_(database.prepare("INSERT OR REPLACE INTO sums VALUES (?, kept_path(?), ?, ?, ?)")),
        drop_sums_(database.prepare("DELETE FROM sums WHERE file_id = ?")),
        put_problem_(database.prepare("UPDATE files SET state = 'unreadable', problem = ?2 WHERE id = ?1")),
        put_finding_(database.prepare("INSERT INTO findings VALUES (?, 'verify', ?, ?, ?, ?, ?)")),
        put_slice_(database.prepare("INSERT INTO damaged_slices VALUES (?, ?, ?)")),
        drop_findings_(database.prepare("DELETE FROM findings WHERE file_id = ? AND origin = 'verify'")),
        drop_slices_(database.prepare("DELETE FROM damaged_slices WHERE file_id = ?")),
        store_(database) {}

  void keep(const DueEntry& file, Examined examined);

 private:
  void keep_unreadable(const DueEntry& file, Examined examined);
  void keep_read(const DueEntry& file, const Examined& examined, const Judged& judged);
  void keep_sums(std::int64_t id, const std::vector<SummedFile>& files);
  void keep_damage(std::int64_t id, const Verification& verification);
  void count(Scrubbed scrubbed);

  ScrubReport& report_;
  std::string now_ = base::utc_text(base::seconds_now());
  Statement put_verdict_, put_state_, put_sum_, drop_sums_, put_problem_, put_finding_, put_slice_, drop_findings_,
      drop_slices_;
  Store store_;
};

void Scrubbing::keep(const DueEntry& file, Examined examined) {
  if (examined.is_missing || !examined.problem.empty()) return keep_unreadable(file, std::move(examined));
  if (!is_as_catalogued(examined.examined, file)) store_.keep(examined.examined, now_);
  Judged judged = judge(file.sound, examined.files, examined.verification.verdict);
  keep_read(file, examined, judged);
  count({file.path, std::move(judged.verdict), std::move(judged.sentence), std::move(examined.verification)});
}

void Scrubbing::keep_unreadable(const DueEntry& file, Examined examined) {
  Verification nothing;
  nothing.path = file.path;
  nothing.verdict = Verdict::unreadable;
  nothing.ok = false;
  if (examined.is_missing) {
    store_.set_missing(file.id, now_);
    return count({file.path, "missing", "it no longer exists", std::move(nothing)});
  }
  put_problem_.bind(file.id, without_leading_path(examined.problem, file.path)).run();
  Judged judged{std::string(name(Verdict::unreadable)), examined.problem};
  if (file.sound && !rotten(file.sound->files, examined.files).empty()) {
    judged = judge(file.sound, examined.files, Verdict::unreadable);
    put_verdict_
        .bind(file.id, now_, judged.verdict, examined.examined.status.size, examined.examined.status.modified, nullptr,
              without_leading_path(judged.sentence, file.path))
        .run();
  }
  count({file.path, std::move(judged.verdict), std::move(judged.sentence), std::move(nothing)});
}

void Scrubbing::keep_read(const DueEntry& file, const Examined& examined, const Judged& judged) {
  const Verification& verification = examined.verification;
  const FieldVerdict* first = verification.fields.empty() ? nullptr : &verification.fields.front();
  const SummedFile& own = examined.files.front();
  const bool has_rotted = judged.verdict == bit_rot;
  const Verdict state = has_rotted && is_ok(verification.verdict) ? Verdict::damaged : verification.verdict;
  put_verdict_
      .bind(file.id, now_, judged.verdict, own.status.size, own.status.modified, std::uint64_t{own.cksum},
            judged.sentence)
      .run();
  if (is_ok(state)) keep_sums(file.id, examined.files);
  std::optional<double> plaquette, link_trace;
  if (first != nullptr && first->physics && first->physics->not_finite == 0) {
    plaquette = first->physics->plaquette.average;
    link_trace = first->physics->link_trace;
  }
  std::optional<std::string> computed;
  // Formats with their own sums get no second one: a SciDAC checksum is practically never 0 by accident.
  if (first != nullptr && first->computed != Checksum{}) computed = to_string(first->computed);
  put_state_.bind(file.id, name(state), now_, std::uint64_t{own.cksum}, plaquette, computed, link_trace).run();
  keep_damage(file.id, verification);
  if (has_rotted) {
    put_finding_.bind(file.id, name(Severity::error), "bit-rot", judged.sentence, nullptr, nullptr).run();
  }
}

void Scrubbing::keep_sums(std::int64_t id, const std::vector<SummedFile>& files) {
  drop_sums_.bind(id).run();
  for (const SummedFile& file : files) {
    put_sum_.bind(id, file.path, file.status.size, file.status.modified, std::uint64_t{file.cksum}).run();
  }
}

void Scrubbing::keep_damage(std::int64_t id, const Verification& verification) {
  drop_findings_.bind(id).run();
  drop_slices_.bind(id).run();
  for (const Finding& finding : verification.findings) {
    const bool is_of_series = std::ranges::find(notes_on_links, finding.rule) != notes_on_links.end();
    if (finding.severity == Severity::note && !is_of_series) continue;
    put_finding_.bind(id, name(finding.severity), finding.rule, finding.message, finding.offset, finding.length).run();
  }
  for (std::size_t k = 0; k < verification.fields.size(); ++k) {
    for (const std::int64_t slice : verification.fields[k].damaged_slices) {
      put_slice_.bind(id, std::uint64_t{k}, slice).run();
    }
  }
}

void Scrubbing::count(Scrubbed scrubbed) {
  const std::pair<std::string_view, std::uint64_t ScrubReport::*> counters[] = {
      {name(Verdict::sound), &ScrubReport::sound},
      {name(Verdict::consistent), &ScrubReport::consistent},
      {name(Verdict::unproven), &ScrubReport::unproven},
      {name(Verdict::damaged), &ScrubReport::damaged},
      {name(Verdict::incomplete), &ScrubReport::incomplete},
      {name(Verdict::unreadable), &ScrubReport::unreadable},
      {replaced, &ScrubReport::replaced},
      {bit_rot, &ScrubReport::bit_rot},
      {changed_and_damaged, &ScrubReport::damaged},
      {"missing", &ScrubReport::missing}};
  for (const auto& [verdict, counter] : counters) report_.*counter += verdict == scrubbed.verdict ? 1 : 0;
  const bool is_replaced = scrubbed.verdict == replaced;
  if (is_replaced) ++(scrubbed.verification.verdict == Verdict::sound ? report_.sound : report_.consistent);
  // Undetected damage to parity would make it useless when it is needed.
  for (const Finding& finding : scrubbed.verification.findings) {
    if (finding.rule != "parity-sidecar-damaged" && finding.rule != "parity-unreadable") continue;
    Verification nothing;
    nothing.path = scrubbed.path;
    nothing.verdict = Verdict::damaged;
    nothing.ok = false;
    ++report_.damaged;
    report_.failed.push_back({scrubbed.path, std::string(name(Verdict::damaged)), finding.message, std::move(nothing)});
  }
  const bool passed = scrubbed.verdict == name(Verdict::sound) || scrubbed.verdict == name(Verdict::consistent);
  if (!passed) report_.failed.push_back(std::move(scrubbed));
}

}  // namespace

std::int64_t seconds_of(const std::string& since) {
  constexpr std::pair<char, std::int64_t> units[] = {
      {'s', 1}, {'m', 60}, {'h', 3600}, {'d', 24 * 3600}, {'w', 7 * 24 * 3600}};
  if (!since.empty()) {
    const auto number = base::parse_u64(std::string_view(since).substr(0, since.size() - 1));
    const auto unit = std::ranges::find(units, since.back(), &std::pair<char, std::int64_t>::first);
    constexpr std::uint64_t longest = 1'000'000;
    if (number && *number <= longest && unit != std::end(units))
      return static_cast<std::int64_t>(*number) * unit->second;
  }
  throw Error(
      Code::invalid_argument,
      fmt::format("since is \"{}\", expected a number and one of s, m, h, d, w, such as 30d", base::printable(since)),
      {.expected = "30d", .found = since});
}

namespace {

bool was_written(const std::vector<SummedFile>& before, const std::vector<SummedFile>& now) {
  return std::ranges::any_of(before, [&](const SummedFile& old) {
    const SummedFile* const file = find(now, old.path);
    return file == nullptr || !is_as(old.status, file->status);
  });
}

// True if all of these have another inode than before.
bool are_other_files(const std::vector<std::string>& paths, const std::vector<SummedFile>& before,
                     const std::vector<SummedFile>& now) {
  return std::ranges::all_of(paths, [&](const std::string& path) {
    const SummedFile *const old = find(before, path), *const file = find(now, path);
    return old->status.inode != 0 && old->status.inode != file->status.inode;
  });
}

// What failed, and what to do.
std::string failure_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::unproven:
      return "none of its checksums disagrees, but its contents look wrong";
    case Verdict::incomplete:
      return "some of its bytes are missing";
    default:
      return "it fails";
  }
}

}  // namespace

Judged judge(const std::optional<SoundState>& before, const std::vector<SummedFile>& now, Verdict verdict) {
  const std::string word(name(verdict));
  if (!before) {
    if (!is_ok(verdict)) {
      return {word, fmt::format("{}, and no earlier verification found it intact: fetch it from its source again",
                                failure_of(verdict))};
    }
    return {word, verdict == Verdict::sound ? "it agrees with its checksums"
                                            : "no checksum disagrees, but not all of it has an exact checksum"};
  }
  if (const std::vector<std::string> paths = rotten(before->files, now); !paths.empty()) {
    if (is_ok(verdict) && are_other_files(paths, before->files, now)) {
      return {
          std::string(replaced),
          fmt::format("another file than on {} has its name, with the same size and time stamp: files were exchanged "
                      "or copied; this one is {}",
                      before->at, word)};
    }
    const std::string which = before->files.size() > 1 ? fmt::format("{}: ", fmt::join(paths, ", ")) : "";
    return {std::string(bit_rot),
            fmt::format("{}its bytes have changed since {}, but not its size and time stamp: the storage has "
                        "changed them; restore it from a copy, and check the disk",
                        which, before->at)};
  }
  if (was_written(before->files, now)) {
    if (is_ok(verdict)) {
      return {std::string(replaced),
              fmt::format("it was modified after {}, when it was last verified, and is {}", before->at, word)};
    }
    return {verdict == Verdict::damaged ? std::string(changed_and_damaged) : word,
            fmt::format("it was modified after {}, when it was found intact, and now {}: its writer or a copy failed",
                        before->at, failure_of(verdict))};
  }
  if (is_ok(verdict)) return {word, fmt::format("its bytes equal those of {}", before->at)};
  return {word,
          fmt::format("{}, although its bytes equal those of {}, when it passed: it was verified differently then",
                      failure_of(verdict), before->at)};
}

ScrubReport scrub(Database& database, const CatalogueOptions& options) {
  const base::Stopwatch watch;
  migrate(database);
  ScrubReport report;
  report.db = database.path();
  std::optional<Pace> pace;
  if (!options.rate.empty()) pace.emplace(rate_of(options.rate));
  const std::vector<DueEntry> due = due_files(database, options.since, condition_of(database, options.which));
  report.due = due.size();
  const int all = comm::count_or_cores(options.threads);
  const auto threads = static_cast<int>(std::clamp<std::uint64_t>(due.size(), 1, static_cast<std::uint64_t>(all)));
  VerifyOptions how{.physics = options.physics, .limits = options.limits};
  how.memory_bytes /= static_cast<std::uint64_t>(threads);
  how.threads = all / threads;
  Scrubbing scrubbing(database, report);
  using Item = std::pair<const DueEntry*, Examined>;
  const auto keep = [&](Item item) { scrubbing.keep(*item.first, std::move(item.second)); };
  Batches<Item, decltype(keep)> batches(database, keep);
  base::in_order(
      due.size(), threads,
      [&](std::uint64_t k) { return examine(due[static_cast<std::size_t>(k)], how, pace ? &*pace : nullptr); },
      [&](std::uint64_t k, Examined examined) {
        batches.add({&due[static_cast<std::size_t>(k)], std::move(examined)});
        if (options.progress) options.progress(k + 1, due.size());
      });
  batches.flush();
  report.seconds = watch.seconds();
  return report;
}

}  // namespace lq::ensemble
