// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Restores files from the parity of their sidecars.
#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <limequat/error.hpp>
#include <limequat/protect.hpp>

#include "base/error.hpp"
#include "format/format.hpp"
#include "io/journal.hpp"
#include "io/verdict.hpp"
#include "protection/sidecar.hpp"
#include "sets/checkpoint/protected.hpp"
#include "sets/checkpoint/repair.hpp"
#include "sets/repack/repair.hpp"

namespace lq::sets {
namespace {

// An unreadable sidecar restores nothing; the file may be repaired by its own data.
std::optional<protection::Cover> readable_cover(const std::string& path) {
  try {
    return protection::find_cover_in_folder(path);
  } catch (const Error& error) {
    if (error.code() == Code::out_of_memory) throw;
    return {};
  }
}

// Empty: no known format.
std::optional<Verdict> own_verdict(storage::Transport& transport, const std::string& path,
                                   const RepackOptions& options) {
  const Verdict verdict = examine(transport, path, options).verdict;
  return verdict == Verdict::foreign ? std::nullopt : std::optional(verdict);
}

// The block sums have proven it; its own sums must not contradict them.
void require_sound(const Verification& examined, const protection::Cover& cover, RepackReport& report) {
  if (examined.verdict < Verdict::damaged) return;
  const bool had_format = !cover.part().sums.empty();
  if (examined.verdict == Verdict::foreign && !had_format) return;
  // A part of a set has no sums of its own.
  const bool may_be_a_part =
      cover.sidecar->head().files.size() > 1 && (examined.verdict != Verdict::damaged || !had_format);
  if (!may_be_a_part) {
    const auto error = io::first_error(examined);
    base::fail(Code::checksum_mismatch, examined.path,
               "data restored from {} agree with its block sums, but not with the file's own; nothing was written{}{}",
               cover.sidecar->path(), error ? ": " : "", error ? error->what() : "");
  }
  report.findings.push_back({.severity = Severity::warning,
                             .rule = "repair-part",
                             .message = fmt::format("{}: proven by the block sums in {}; verify it together with the "
                                                    "files that it belongs to",
                                                    examined.path, cover.sidecar->path())});
}

// A file of unknown format has nothing else that could be repaired.
std::optional<RepackReport> of_intact(std::optional<Verdict> own, const std::string& path) {
  if (own) return {};
  RepackReport report;
  report.files = {path};
  report.needed = false;
  report.verdict = Verdict::sound;
  return report;
}

// The lost files of a set with a sidecar of its own, without those of the previous set.
std::vector<std::string> lost_files(const protection::Cover& cover, const std::string& path, int threads) {
  std::vector<std::string> lost;
  if (cover.sidecar->path() != path + std::string(protection::set_ending)) return lost;
  for (std::size_t i = 0; i < cover.sidecar->head().files.size(); ++i) {
    const std::string one = cover.sidecar->path_of(i);
    if (i == cover.file || storage::resolve(one).kind(one) != storage::PathKind::absent) continue;
    if (judge({cover.sidecar, i}, one, threads).file.state != ProtectedState::changed) lost.push_back(one);
  }
  return lost;
}

// Under their own names. A copy of the set cannot contain them: it would have other files.
RepackReport restore_lost(storage::Transport& transport, const std::vector<std::string>& lost, const std::string& path,
                          const std::string& to, const RepackOptions& options) {
  if (!to.empty()) {
    throw Error(Code::not_found,
                fmt::format("{}: files of this set are missing: {}. Its sidecar restores them under their own names: "
                            "`lq repair {}`, without a name for the result",
                            path, fmt::join(lost, ", "), path),
                {.path = lost.front()});
  }
  RepackReport report;
  for (const std::string& one : lost) {
    RepackReport restored = restore(transport, one, {}, options).value();
    report.format = restored.format;
    report.bytes += restored.bytes;
    report.file_bytes += restored.file_bytes;
    report.files.push_back(one);
    std::ranges::move(restored.findings, std::back_inserter(report.findings));
  }
  if (options.dry_run) return report;
  std::erase_if(report.findings, [](const Finding& finding) { return finding.rule == "repair-part"; });
  conclude(report, examine(transport, path, options));
  return report;
}

RepackReport begun_report(base::ByteSource& restored, const std::string& to, const RepackOptions& options) {
  try {
    base::CachedSource cached(restored);
    return report_of(format::scan(cached, options.limits), to, restored.size());
  } catch (const Error& error) {
    if (error.code() == Code::out_of_memory) throw;
    RepackReport report;
    report.files = {to};
    report.bytes = report.file_bytes = restored.size();
    return report;
  }
}

}  // namespace

std::optional<RepackReport> restore(storage::Transport& transport, const std::string& path, const std::string& to,
                                    const RepackOptions& options) {
  const auto cover = readable_cover(path);
  if (!cover) return {};
  const bool is_missing = transport.kind(path) == storage::PathKind::absent;
  if (const auto lost = lost_files(*cover, path, options.threads); !is_missing && !lost.empty()) {
    return restore_lost(transport, lost, path, to, options);
  }
  std::unique_ptr<storage::File> source;
  if (!is_missing) source = io::open_journaled(transport, path);
  const JudgedFile judged = judge(*cover, path, options.threads);
  switch (judged.file.state) {
    case ProtectedState::intact:
      return of_intact(own_verdict(transport, path, options), path);
    case ProtectedState::damaged:
      break;
    case ProtectedState::lost:
      throw Error(Code::checksum_mismatch, sentence_of(judged) + ". Nothing was written",
                  {.path = path, .offset = judged.file.lost.empty() ? 0 : judged.file.lost.front().offset});
    case ProtectedState::changed:
      if (own_verdict(transport, path, options)) return {};  // its own data are what counts now
      throw Error(Code::checksum_mismatch, sentence_of(judged) + ". Nothing was written", {.path = path});
    default:
      return {};
  }
  const std::string& target = is_missing && to.empty() ? path : to;
  if (!is_missing || target != path) require_target(transport, path, target, options.overwrite);
  protection::RestoredFile restored(*cover, source.get(), path);
  const Verification examined = examine(transport, restored, target, options);
  RepackReport report = begun_report(restored, target, options);
  require_sound(examined, *cover, report);
  std::vector<protection::Range> ranges;
  for (const ByteRange& range : judged.file.damaged) ranges.push_back({range.offset, range.length});
  report.findings.push_back(
      {.severity = Severity::warning,
       .rule = "repair-parity",
       .message = ranges.empty()
                      ? fmt::format("{} bytes after the end of the file, according to {}, were cut off",
                                    judged.bytes_now - restored.size(), cover->sidecar->path())
                      : fmt::format("{} were restored from {}", protection::text_of(ranges), cover->sidecar->path())});
  report.verdict = examined.verdict;
  if (!options.dry_run) write_file(transport, restored, target, options);
  return report;
}

}  // namespace lq::sets
