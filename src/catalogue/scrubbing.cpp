// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "catalogue/scrubbing.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/clock.hpp"
#include "base/in_order.hpp"
#include "base/text.hpp"
#include "base/utc_time.hpp"
#include "catalogue/batches.hpp"
#include "catalogue/cksum_in_passing.hpp"
#include "catalogue/look.hpp"
#include "catalogue/store.hpp"
#include "checkpoint/repair.hpp"
#include "threads/cores.hpp"

namespace lq::catalogue {
namespace {

using ensemble::CatalogueOptions;
using ensemble::Scrubbed;
using ensemble::ScrubReport;

// A file that is due, as the catalogue has it.
struct Due {
  std::int64_t id = 0;
  std::string path;
  FileStatus status;
  std::optional<SeenSound> sound;
};

// What reading it gave.
struct Examined {
  FileStatus status;
  bool is_missing = false;
  std::string problem;  // not empty: it could not be read
  std::uint32_t cksum = 0;
  Verification verification;
  std::optional<Looked> looked;  // where its headers are to be read again
};

bool is_as(const FileStatus& a, const FileStatus& b) noexcept { return a.size == b.size && a.modified == b.modified; }

std::vector<Due> due_files(const Database& database, const std::string& since) {
  std::vector<Due> due;
  std::optional<std::string> before;
  if (!since.empty()) before = base::utc_text(base::seconds_now() - seconds_of(since));
  Statement rows = database.prepare(
      "SELECT id, path, size, modified_ns FROM files WHERE verified_at IS NULL OR ?1 IS NULL OR verified_at < ?1 ORDER "
      "BY "
      "verified_at, path");
  Statement sound = database.prepare(
      "SELECT at, size, modified_ns, cksum FROM verifications WHERE file_id = ? AND cksum IS NOT NULL AND verdict IN "
      "('sound', 'replaced') ORDER BY id DESC LIMIT 1");
  rows.bind(before);
  while (rows.step()) {
    Due file;
    file.id = rows.whole(0);
    file.path = rows.text(1);
    file.status.size = static_cast<std::uint64_t>(rows.whole(2));
    file.status.modified = rows.whole(3);
    if (sound.bind(file.id).step()) {
      file.sound = SeenSound{sound.text(0), static_cast<std::uint64_t>(sound.whole(1)), sound.whole(2),
                             static_cast<std::uint32_t>(sound.whole(3))};
    }
    due.push_back(std::move(file));
  }
  return due;
}

void read_once(Examined& examined, const Due& file, const VerifyOptions& how) {
  CksumInPassing files(transport::resolve(file.path), file.path);
  try {
    examined.verification = checkpoint::verify_file(files, file.path, {}, how);
    examined.cksum = files.cksum();
  } catch (const Error& error) {
    examined.is_missing = error.code() == Code::not_found;
    examined.problem = error.what();
  }
}

Examined examine(const Due& file, const VerifyOptions& how) {
  constexpr int attempts = 3;
  for (int attempt = 1;; ++attempt) {
    Examined examined;
    if (!status_of(file.path, examined.status)) {
      examined.is_missing = true;
      return examined;
    }
    read_once(examined, file, how);
    FileStatus after;
    if (!status_of(file.path, after) || is_as(examined.status, after)) {
      if (!is_as(examined.status, file.status)) examined.looked = look_at(file.path, how.limits);
      return examined;
    }
    if (attempt < attempts) continue;
    examined.problem = fmt::format("{}: is written to while it is verified; try again later", file.path);
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
        put_state_(
            database.prepare("UPDATE files SET state = ?2, verified_at = ?3, cksum = ?4, measured_plaquette = ?5, "
                             "computed_checksum = ?6, problem = NULL, missing_since = NULL WHERE id = ?1")),
        put_problem_(database.prepare("UPDATE files SET state = 'unreadable', problem = ?2 WHERE id = ?1")),
        put_finding_(database.prepare("INSERT INTO findings VALUES (?, 'verify', ?, ?, ?, ?, ?)")),
        put_slice_(database.prepare("INSERT INTO damaged_slices VALUES (?, ?, ?)")),
        drop_findings_(database.prepare("DELETE FROM findings WHERE file_id = ? AND origin = 'verify'")),
        drop_slices_(database.prepare("DELETE FROM damaged_slices WHERE file_id = ?")),
        store_(database) {}

  void keep(const Due& file, Examined examined);

 private:
  void keep_read(const Due& file, const Examined& examined, const Judged& judged);
  void keep_damage(std::int64_t id, const Verification& verification);
  void count(Scrubbed scrubbed);

  ScrubReport& report_;
  std::string now_ = base::utc_text(base::seconds_now());
  Statement put_verdict_, put_state_, put_problem_, put_finding_, put_slice_, drop_findings_, drop_slices_;
  Store store_;
};

void Scrubbing::keep(const Due& file, Examined examined) {
  if (examined.is_missing) {
    store_.set_missing(file.id, now_);
    return count({file.path, "missing", "it is no longer there", {}});
  }
  if (!examined.problem.empty()) {
    put_problem_.bind(file.id, examined.problem).run();
    return count({file.path, "unreadable", examined.problem, {}});
  }
  if (examined.looked && examined.looked->other.empty() && examined.looked->problem.empty()) {
    store_.keep(*examined.looked, now_);
  }
  Judged judged = judge(file.sound, examined.status, examined.cksum, examined.verification.ok);
  keep_read(file, examined, judged);
  count({file.path, std::move(judged.verdict), std::move(judged.sentence), std::move(examined.verification)});
}

void Scrubbing::keep_read(const Due& file, const Examined& examined, const Judged& judged) {
  const Verification& verification = examined.verification;
  const FieldVerdict* first = verification.fields.empty() ? nullptr : &verification.fields.front();
  const bool is_sound = judged.verdict == "sound" || judged.verdict == "replaced";
  const auto ends_early = [](const Finding& f) { return f.severity == Severity::error && f.code == Code::truncated; };
  const char* state = is_sound                                                 ? "sound"
                      : std::ranges::any_of(verification.findings, ends_early) ? "incomplete"
                                                                               : "damaged";
  put_verdict_
      .bind(file.id, now_, judged.verdict, examined.status.size, examined.status.modified,
            std::uint64_t{examined.cksum}, judged.sentence)
      .run();
  std::optional<double> plaquette;
  if (first != nullptr && first->physics && first->physics->not_finite == 0) {
    plaquette = first->physics->plaquette.average;
  }
  std::optional<std::string> computed;
  if (first != nullptr) computed = to_string(first->computed);
  put_state_.bind(file.id, state, now_, std::uint64_t{examined.cksum}, plaquette, computed).run();
  keep_damage(file.id, verification);
}

void Scrubbing::keep_damage(std::int64_t id, const Verification& verification) {
  drop_findings_.bind(id).run();
  drop_slices_.bind(id).run();
  for (const Finding& finding : verification.findings) {
    if (finding.severity == Severity::note) continue;
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
      {"sound", &ScrubReport::sound},          {"replaced", &ScrubReport::replaced},
      {"bit rot", &ScrubReport::bit_rot},      {"missing", &ScrubReport::missing},
      {"damaged", &ScrubReport::damaged},      {"changed and damaged", &ScrubReport::damaged},
      {"unreadable", &ScrubReport::unreadable}};
  for (const auto& [verdict, counter] : counters) report_.*counter += verdict == scrubbed.verdict ? 1 : 0;
  if (scrubbed.verdict == "replaced") ++report_.sound;
  if (scrubbed.verdict != "sound") report_.failed.push_back(std::move(scrubbed));
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

Judged judge(const std::optional<SeenSound>& before, const FileStatus& now, std::uint32_t cksum, bool is_ok) {
  const bool was_written = before && (before->size != now.size || before->modified != now.modified);
  if (!before) {
    return is_ok ? Judged{"sound", "it agrees with its checksums"}
                 : Judged{"damaged", "it fails, and was not seen sound before: get it from its source again"};
  }
  if (was_written) {
    return is_ok ? Judged{"replaced", fmt::format("it was written to after {}, when it was verified last, and is sound",
                                                  before->at)}
                 : Judged{"changed and damaged",
                          fmt::format("it was written to after {}, when it was seen sound, and fails now: its writer "
                                      "or a copy went wrong",
                                      before->at)};
  }
  if (before->cksum != cksum) {
    return {"bit rot", fmt::format("its bytes are others than on {}, although size and time stamp are the same: the "
                                   "storage has changed them; restore it from a copy, and check the disk",
                                   before->at)};
  }
  return is_ok ? Judged{"sound", fmt::format("its bytes are those of {}", before->at)}
               : Judged{"damaged", fmt::format("it fails, although its bytes are those of {}, when it passed: it was "
                                               "verified otherwise then",
                                               before->at)};
}

ScrubReport scrub(const Database& database, const CatalogueOptions& options) {
  const base::Stopwatch watch;
  ScrubReport report;
  report.db = database.path();
  const std::vector<Due> due = due_files(database, options.since);
  report.due = due.size();
  const int all = threads::or_usable_cores(options.threads);
  const auto threads = static_cast<int>(std::clamp<std::uint64_t>(due.size(), 1, static_cast<std::uint64_t>(all)));
  VerifyOptions how{.physics = options.physics, .limits = options.limits};
  how.memory_bytes /= static_cast<std::uint64_t>(threads);
  how.threads = all / threads;
  Scrubbing scrubbing(database, report);
  using Item = std::pair<const Due*, Examined>;
  const auto keep = [&](Item item) { scrubbing.keep(*item.first, std::move(item.second)); };
  Batches<Item, decltype(keep)> batches(database, keep);
  base::in_order(
      due.size(), threads, [&](std::uint64_t k) { return examine(due[static_cast<std::size_t>(k)], how); },
      [&](std::uint64_t k, Examined examined) {
        batches.add({&due[static_cast<std::size_t>(k)], std::move(examined)});
        if (options.progress) options.progress(k + 1, due.size());
      });
  batches.flush();
  report.seconds = watch.seconds();
  return report;
}

}  // namespace lq::catalogue
