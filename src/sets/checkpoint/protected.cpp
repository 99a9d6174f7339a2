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

JudgedFile judge(const Cover& cover, const std::string& path, int threads, const Progress& progress) {
  storage::Transport& transport = storage::resolve(path);
  std::unique_ptr<storage::File> source;
  if (transport.kind(path) == storage::PathKind::file) source = io::open_journaled(transport, path);
  const FileCheck check = protection::check_file(cover, source.get(), threads, progress);
  OwnExamination own;
  if (!check.is_intact(cover.part().bytes)) own = own_examination(cover, path, threads);
  return io::judge(cover, source.get(), check, own, path, threads);
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

}  // namespace sets
}  // namespace lq
