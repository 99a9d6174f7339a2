// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "sets/checkpoint/protected.hpp"

#include <algorithm>
#include <memory>
#include <set>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/path.hpp"
#include "io/journal.hpp"
#include "io/parity.hpp"
#include "io/scan.hpp"
#include "io/verdict.hpp"
#include "sets/checkpoint/repair.hpp"
#include "sets/checkpoint/set_fields.hpp"
#include "storage/subfiles.hpp"

namespace lq {

namespace sets {
namespace {

using protection::Cover;
using protection::FileCheck;
using protection::OwnSum;
using protection::Range;

// True if both have a sum of the same field, with different values.
bool have_other_sums(const std::vector<OwnSum>& before, const std::vector<OwnSum>& now) {
  return std::ranges::any_of(now, [&](const OwnSum& sum) {
    if (sum.key == io::key_of_format()) return false;
    const auto old = std::ranges::find(before, sum.key, &OwnSum::key);
    return old != before.end() && old->value != sum.value;
  });
}

bool had_format(const std::vector<OwnSum>& sums) {
  return std::ranges::count(sums, io::key_of_format(), &OwnSum::key) > 0;
}

bool have_common_sums(const std::vector<OwnSum>& before, const std::vector<OwnSum>& now) {
  return std::ranges::any_of(now, [&](const OwnSum& sum) {
    return sum.key != io::key_of_format() && std::ranges::count(before, sum.key, &OwnSum::key) > 0;
  });
}

// True if there are sums of an additional field.
bool have_further_sums(const std::vector<OwnSum>& before, const std::vector<OwnSum>& now) {
  return std::ranges::any_of(now,
                             [&](const OwnSum& sum) { return std::ranges::count(before, sum.key, &OwnSum::key) == 0; });
}

// How many bytes of damaged blocks have changed.
std::uint64_t differing_bytes(base::ByteSource& before, base::ByteSource& now, const std::vector<Range>& damaged) {
  std::uint64_t differing = 0;
  std::vector<std::byte> a, b;
  for (const Range& range : damaged) {
    for (std::uint64_t at = range.offset; at < range.offset + range.length;) {
      const auto count =
          static_cast<std::size_t>(std::min<std::uint64_t>(base::mebi, range.offset + range.length - at));
      a.assign(count, std::byte{0});
      b.assign(count, std::byte{0});
      before.read_at(at, a);
      const std::size_t there = now.read_at(at, b);
      differing += count - there;
      for (std::size_t i = 0; i < there; ++i) differing += a[i] != b[i] ? 1 : 0;
      at += count;
    }
  }
  return differing;
}

bool mostly_differs(const Cover& cover, const FileCheck& check, bool comes_back, protection::RestoredFile& restored,
                    base::ByteSource& now) {
  if (2 * check.differing <= check.blocks) return false;
  // A single byte makes the only block of a small file differ.
  return !comes_back || 2 * differing_bytes(restored, now, check.damaged) > cover.part().bytes;
}

// An intentional change does not leave a file contradicting itself; damage leaves the sums in it unchanged, or
// makes them contradict the data.
bool is_changed(const Cover& cover, const FileCheck& check, const OwnExamination& own, bool comes_back,
                protection::RestoredFile& restored, base::ByteSource& now) {
  const bool was_added_to = check.bytes > cover.part().bytes && check.damaged.empty();
  if (!own.verdict) {
    if (had_format(own.sums_before)) return false;
    return was_added_to || mostly_differs(cover, check, comes_back, restored, now);
  }
  if (*own.verdict > Verdict::unproven) return false;
  const std::vector<OwnSum> sums = io::own_sums(own.catalog);
  if (have_other_sums(own.sums_before, sums)) return true;
  // Meaningless bytes after the end do not belong to the file.
  if (was_added_to) return have_further_sums(own.sums_before, sums);
  if (check.bytes != cover.part().bytes) return true;
  if (!is_ok(*own.verdict) || have_common_sums(own.sums_before, sums)) return false;
  return mostly_differs(cover, check, comes_back, restored, now);
}

std::vector<ByteRange> public_ranges(const std::vector<Range>& ranges) {
  std::vector<ByteRange> made;
  for (const Range& range : ranges) made.push_back({range.offset, range.length});
  return made;
}

std::vector<Range> inner_ranges(const std::vector<ByteRange>& ranges) {
  std::vector<Range> made;
  for (const ByteRange& range : ranges) made.push_back({range.offset, range.length});
  return made;
}

}  // namespace

std::vector<std::string> members_of(const std::string& path, const Catalog& catalog) {
  std::vector<std::string> members{path};
  members.insert(members.end(), catalog.files.begin(), catalog.files.end());
  const std::string fields = fields_name(catalog.files.empty() ? path : catalog.files.front());
  if (storage::resolve(fields).kind(fields) == storage::PathKind::file) members.push_back(fields);
  if (const auto set = storage::set_in(*storage::resolve(path).open_read(path), path)) {
    for (const PartitionedFile::Subfile& subfile : set->files) members.push_back(subfile.path);
  }
  return members;
}

namespace {

// True if it is the sidecar of the set of this name.
bool is_sidecar_of_set(const protection::Sidecar& sidecar, const std::string& path) {
  return sidecar.path() == path + std::string(protection::set_ending);
}

bool has_all_files(const protection::Sidecar& sidecar, const std::vector<std::string>& members) {
  std::set<std::string> plain;
  for (const std::string& member : members) plain.insert(base::plain_path(member));
  plain.insert(base::plain_path(fields_name(members.front())));  // it may be lost
  for (std::size_t i = 0; i < sidecar.head().files.size(); ++i) {
    if (!plain.contains(base::plain_path(sidecar.path_of(i)))) return false;
  }
  return true;
}

}  // namespace

OwnExamination own_examination(const Cover& cover, const std::string& path, std::optional<Verdict> verdict) {
  OwnExamination own{.verdict = verdict, .sums_before = cover.part().sums};
  if (!verdict) return own;
  try {
    own.catalog = io::ScannedFile::open(storage::resolve(path), path, {}, {})->catalog();
    own.is_another_set = is_ok(*verdict) && is_sidecar_of_set(*cover.sidecar, path) &&
                         !has_all_files(*cover.sidecar, members_of(path, own.catalog));
  } catch (const Error& error) {
    if (error.code() == Code::out_of_memory) throw;
    own.verdict = std::max(*verdict, Verdict::unreadable);
  }
  return own;
}

namespace {

// True if that file of the sidecar is the whole that the one of the cover is a part of.
bool is_whole_of(const Cover& whole, const Cover& part) {
  if (whole.part().sums.empty()) return false;
  const std::string path = whole.sidecar->path_of(whole.file);
  try {
    const Catalog catalog = io::ScannedFile::open(storage::resolve(path), path, {}, {})->catalog();
    return std::ranges::count(members_of(path, catalog), part.sidecar->path_of(part.file)) > 0;
  } catch (const Error& error) {
    if (error.code() == Code::out_of_memory) throw;
    return false;
  }
}

// The cover of the file whose sums apply to this one.
Cover speaker_of(const Cover& cover) {
  if (!cover.part().sums.empty()) return cover;
  const std::size_t files = cover.sidecar->head().files.size();
  for (std::size_t i = 0; i < files; ++i) {
    if (is_sidecar_of_set(*cover.sidecar, cover.sidecar->path_of(i))) return {cover.sidecar, i};
  }
  for (std::size_t i = 0; i < files; ++i) {
    const Cover other{cover.sidecar, i};
    if (i != cover.file && is_whole_of(other, cover)) return other;
  }
  return cover;
}

std::optional<Verdict> verdict_of(const std::string& path, int threads) {
  try {
    return verify_own(storage::resolve(path), path, {}, {.threads = threads}).verdict;
  } catch (const Error& error) {
    if (error.code() == Code::out_of_memory) throw;
    return error.code() == Code::unknown_format ? std::nullopt : std::optional(io::verdict_of(error));
  }
}

}  // namespace

OwnExamination own_examination(const Cover& cover, const std::string& path, int threads) {
  const Cover speaker = speaker_of(cover);
  const std::string name = speaker.file == cover.file ? path : speaker.sidecar->path_of(speaker.file);
  return own_examination(speaker, name, verdict_of(name, threads));
}

namespace {

JudgedFile judge_checked(const Cover& cover, base::ByteSource* source, const FileCheck& check,
                         const OwnExamination& own, const std::string& path, int threads) {
  JudgedFile judged;
  judged.file.path = path;
  judged.file.sidecar = cover.sidecar->path();
  judged.file.bytes = cover.part().bytes;
  judged.bytes_now = check.bytes;
  judged.unprovable = check.unprovable;
  judged.file.is_missing = check.is_missing;
  judged.file.damaged = public_ranges(check.damaged);
  if (check.is_intact(cover.part().bytes)) return judged;
  protection::RestoredFile restored(cover, source, path);
  const std::vector<Range> lost = restored.lost_of(check.damaged, threads);
  judged.file.lost = public_ranges(lost);
  if (own.is_another_set || (source != nullptr && is_changed(cover, check, own, lost.empty(), restored, *source))) {
    judged.file.state = ProtectedState::changed;
  } else if (!lost.empty()) {
    judged.file.state = ProtectedState::lost;
  } else if (!check.unprovable.empty()) {
    judged.file.state = check.damaged.empty() ? ProtectedState::unproven : ProtectedState::lost;
  } else {
    judged.file.state = ProtectedState::damaged;
  }
  return judged;
}

}  // namespace

JudgedFile judge(const Cover& cover, base::ByteSource* source, const OwnExamination& own, const std::string& path,
                 int threads, const protection::PassedBlocks* passed) {
  return judge_checked(cover, source, protection::check_file(cover, source, threads, {}, passed), own, path, threads);
}

JudgedFile judge(const Cover& cover, const std::string& path, int threads, const Progress& progress) {
  storage::Transport& transport = storage::resolve(path);
  std::unique_ptr<storage::File> source;
  if (transport.kind(path) == storage::PathKind::file) source = io::open_journaled(transport, path);
  const FileCheck check = protection::check_file(cover, source.get(), threads, progress);
  OwnExamination own;
  if (!check.is_intact(cover.part().bytes)) own = own_examination(cover, path, threads);
  return judge_checked(cover, source.get(), check, own, path, threads);
}

Error with_remedy(const Error& not_found) {
  const std::string& path = not_found.facts().path;
  const auto cover = path.empty() ? std::nullopt : protection::find_cover_in_folder(path);
  if (!cover || storage::resolve(path).kind(path) != storage::PathKind::absent) return not_found;
  return {not_found.code(),
          fmt::format("{}. {} protects this file: `lq repair {}` restores it", not_found.what(), cover->sidecar->path(),
                      path),
          not_found.facts()};
}

std::string sentence_of(const JudgedFile& judged) {
  const ProtectedFile& file = judged.file;
  const std::string damaged = protection::text_of(inner_ranges(file.damaged));
  const std::string beyond =
      judged.bytes_now > file.bytes ? fmt::format("{} additional bytes", judged.bytes_now - file.bytes) : "";
  switch (file.state) {
    case ProtectedState::intact:
    case ProtectedState::unprotected:
      return {};
    case ProtectedState::damaged:
      if (file.is_missing) {
        return fmt::format("{}: the file is missing, and all of it can be restored from {} (`lq repair`)", file.path,
                           file.sidecar);
      }
      return fmt::format(
          "{}: {} differ from the protected data, and can be restored from {} (`lq repair`). If the file was edited on "
          "purpose, protect it again with options.overwrite = true and options.accept_damage = true",
          file.path, file.damaged.empty() ? beyond : damaged, file.sidecar);
    case ProtectedState::lost:
      return fmt::format("{}: {}, more than the parity in {} can restore: {} are lost", file.path,
                         file.is_missing ? std::string("the file is missing") : damaged + " are damaged", file.sidecar,
                         file.lost.empty() ? "they" : protection::text_of(inner_ranges(file.lost)));
    case ProtectedState::changed:
      if (file.is_missing) {
        return fmt::format("{}: the set of this file was rewritten after {} was made; protect it again", file.path,
                           file.sidecar);
      }
      return fmt::format(
          "{}: the file was rewritten or appended to after {} was made, so it is no longer protected; protect it again "
          "(`lq protect --overwrite`)",
          file.path, file.sidecar);
    case ProtectedState::unproven:
      return fmt::format("{}: {} cannot be proven: their sums in {} are damaged in both copies; protect it again",
                         file.path, protection::text_of(judged.unprovable), file.sidecar);
  }
  return {};
}

std::vector<Finding> findings_of(const JudgedFile& judged) {
  std::vector<Finding> findings;
  const ProtectedFile& file = judged.file;
  if (judged.is_ok()) return findings;
  Finding finding{.severity = Severity::error,
                  .code = Code::checksum_mismatch,
                  .rule = fmt::format("parity-{}", name(file.state)),
                  .message = sentence_of(judged)};
  const bool is_warning = file.state == ProtectedState::changed || file.state == ProtectedState::unproven;
  if (is_warning) {
    finding.severity = Severity::warning;
    finding.code = Code::ok;
  }
  const std::vector<ByteRange>& ranges = file.lost.empty() ? file.damaged : file.lost;
  if (!ranges.empty() && !is_warning && !file.is_missing) {
    finding.offset = ranges.front().offset;
    finding.length = ranges.back().offset + ranges.back().length - ranges.front().offset;
  }
  findings.push_back(std::move(finding));
  return findings;
}

std::vector<Finding> findings_of(const protection::Sidecar& sidecar, const std::vector<Range>& damage) {
  if (damage.empty()) return {};
  // Not damage of the files.
  return {{.severity = Severity::warning,
           .rule = "parity-sidecar-damaged",
           .message = fmt::format("{}: {} of this sidecar are damaged; the rest of it is still usable. Protect the "
                                  "files again (`lq protect --overwrite`)",
                                  sidecar.path(), protection::text_of(damage)),
           .offset = damage.front().offset,
           .length = damage.front().length}};
}

}  // namespace sets
}  // namespace lq
