// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Damaged files made whole (include/limequat/repack.hpp). Multifiles that were not closed, or lost their end: those
// with records by checkpoint/repair, where they lie; others rewritten. Files of records and fields: repair_file.hpp.
#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <limequat/error.hpp>
#include <limequat/multifile.hpp>
#include <limequat/repack.hpp>

#include "base/folder.hpp"
#include "base/path.hpp"
#include "format/findings.hpp"
#include "format/format.hpp"
#include "sets/checkpoint/found_set.hpp"
#include "sets/checkpoint/publishing.hpp"
#include "sets/checkpoint/repair.hpp"
#include "sets/repack/examine.hpp"
#include "sets/repack/infer.hpp"
#include "sets/repack/repair_file.hpp"
#include "sets/repack/repair_set.hpp"
#include "sets/repack/rewrite.hpp"
#include "sets/repack/set_writer.hpp"
#include "sets/repack/source_set.hpp"

namespace lq {
namespace {

namespace sion = format::sion;

// Of a multifile that is closed and whole; its data may be damaged all the same.
RepackReport judge_whole(storage::Transport& transport, const std::string& path, const RepackOptions& options) {
  const Verification examined = sets::examine(transport, path, options);
  if (!examined.ok) sets::refuse_to_repair(examined);
  return sets::nothing_to_repair(examined);
}

// What an interrupted writer left of a set that has no file of its name.
std::string part_of(const std::string& path) {
  const std::string before = path.substr(0, path.rfind('/') + 1);
  std::vector<std::string> names, found;
  base::names_in(base::directory_of(path), names);
  for (const std::string& name : names) {
    const std::string other = before + name;
    if (sets::final_name(other) == path) found.push_back(other);
  }
  if (found.size() < 2) return found.empty() ? path : found.front();
  throw Error(Code::wrong_state,
              fmt::format("{}: several writers of it were interrupted; name the file to be repaired: {}", path,
                          fmt::join(found, ", ")),
              {.path = path});
}

Finding finding_of(const ChunkDamage& lost) {
  Finding finding;
  finding.severity = Severity::error;
  finding.code = Code::checksum_mismatch;
  const bool is_chunk = lost.task >= 0;
  finding.rule = is_chunk ? "repair-lost-chunk" : "repair-lost-field";
  finding.message = is_chunk
                        ? fmt::format("\"{}\": chunk {} of task {}: {}", lost.path, lost.chunk, lost.task, lost.what)
                        : lost.what;
  finding.offset = lost.offset;
  finding.length = lost.bytes;
  return finding;
}

RepackReport repair_with_records(storage::Transport& transport, const std::string& from, const std::string& to,
                                 const RepackOptions& options) {
  const RepairReport repaired =
      sets::repair(transport, from, {.output = to, .overwrite = options.overwrite, .dry_run = options.dry_run},
                   sets::ClosedSet::verified_by_caller);
  if (repaired.outcome == RepairReport::Outcome::nothing_to_do) return judge_whole(transport, repaired.path, options);
  RepackReport report;
  report.format = "sion";
  report.files = repaired.files;
  report.tasks = static_cast<std::uint64_t>(repaired.tasks);
  report.bytes = repaired.stored_bytes;
  for (const std::string& file : repaired.files) {
    std::error_code failure;  // not there yet in a dry run
    const std::uintmax_t bytes = std::filesystem::file_size(file, failure);
    if (!failure) report.file_bytes += bytes;
  }
  for (const ChunkDamage& lost : repaired.lost) report.findings.push_back(finding_of(lost));
  for (const ChunkDamage& bytes : repaired.unfinished) {
    report.findings.push_back(finding_of(bytes));
    report.findings.back().severity = Severity::warning;
    report.findings.back().code = Code::ok;
    report.findings.back().rule = "repair-unfinished";
  }
  for (const std::string& mended : repaired.mended) {
    report.findings.push_back({.severity = Severity::note, .rule = "repair-record", .message = mended});
  }
  if (options.dry_run) return report;
  const Verification examined = sets::examine(transport, repaired.path, options);
  report.verdict = examined.verdict;
  // What is lost the set remembers, and the examination would tell again.
  if (repaired.lost.empty()) sets::conclude(report, examined);
  return report;
}

RepackReport repair_without_records(storage::Transport& transport, const std::string& from, const std::string& to,
                                    const RepackOptions& options) {
  sion::Set set = sets::open_damaged_set(transport, from, options);
  if (set.is_whole()) return judge_whole(transport, from, options);
  if (to.empty()) {
    throw Error(Code::invalid_argument,
                fmt::format("{}: it holds no records of its chunks, so a new multifile is written from what can be "
                            "guessed: name the multifile to write",
                            from),
                {.path = from});
  }
  format::Findings findings;
  for (std::size_t k = 0; k < set.files().size(); ++k) {
    const sion::PhysicalFile& file = set.files()[k];
    if (file.has_table()) continue;
    const auto source = transport.open_read(file.path);
    set.set_table(static_cast<std::int32_t>(k), sets::infer_table(file, *source, options.unit, findings));
  }
  std::vector<sets::FilePlan> plans = sets::same_files(set, to);
  sets::require_other_files(set, plans);
  RepackReport report = sets::write_set(transport, std::move(plans), sets::streams_of(transport, set), options);
  report.findings = findings.take();
  if (!options.dry_run) sets::conclude(report, sets::examine(transport, to, options));
  return report;
}

// By its content; what nobody recognises may be left of a multifile.
bool holds_streams(storage::Transport& transport, const std::string& path) {
  const std::unique_ptr<storage::File> file = transport.open_read(path);
  try {
    return format::recognise(*file).info.contents == Contents::streams;
  } catch (const Error& error) {
    if (error.code() != Code::unknown_format || !sets::final_name(path)) throw;
    return true;
  }
}

}  // namespace

RepackReport repair(const std::string& from, const std::string& to, const RepackOptions& options) {
  if (options.unit < 1) {
    throw Error(Code::invalid_argument, fmt::format("{}: data come in units of at least 1 byte", from), {.path = from});
  }
  storage::Transport& transport = storage::resolve(from);
  if (auto report = sets::complete_replacement(transport, from, to, options)) return *report;
  const bool is_absent = transport.kind(from) == storage::PathKind::absent;
  const std::string source = is_absent ? part_of(from) : from;
  if (transport.kind(source) == storage::PathKind::file) {
    if (auto report = sets::repair_subfiles(transport, source, to, options)) return *report;
  }
  if (to.empty() && !is_absent) {
    if (auto report = sets::recover_file(transport, source, options)) return *report;
  }
  try {
    if (!holds_streams(transport, source)) return sets::repair_file(transport, source, to, options);
    const bool has_records = sets::generation_at(transport, source) || sets::final_name(source);
    return has_records ? repair_with_records(transport, source, to, options)
                       : repair_without_records(transport, source, to, options);
  } catch (const Error& error) {
    if (error.code() != Code::not_found) throw;
    if (auto report = sets::rescue(transport, from, to, options)) return *report;
    throw;
  }
}

}  // namespace lq
