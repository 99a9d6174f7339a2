// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Repairs damaged files (include/limequat/repack.hpp). Multifiles that were not closed, or lost their end: those
// with records in place by checkpoint/repair; others are rewritten. Files of records and fields as new files.
#include "sets/repack/repair.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <limequat/error.hpp>
#include <limequat/file.hpp>
#include <limequat/grid.hpp>
#include <limequat/multifile.hpp>

#include "base/error.hpp"
#include "base/path.hpp"
#include "comm/alone.hpp"
#include "comm/node.hpp"
#include "comm/team.hpp"
#include "format/format.hpp"
#include "io/journal.hpp"
#include "io/new_file.hpp"
#include "io/repair_file.hpp"
#include "io/replacement.hpp"
#include "io/verdict.hpp"
#include "protection/sidecar.hpp"
#include "sets/checkpoint/closing.hpp"
#include "sets/checkpoint/found_set.hpp"
#include "sets/checkpoint/repair.hpp"
#include "sets/repack/set_writer.hpp"
#include "storage/owners.hpp"
#include "storage/subfiles.hpp"

namespace lq::sets {

void require_target(storage::Transport& transport, const std::string& from, const std::string& to, bool overwrite) {
  if (to.empty()) {
    base::fail(Code::invalid_argument, from,
               "a repaired file is always a new one: name the file to write (lq: -o OUT)");
  }
  if (is_same_file(from, to)) {
    base::fail(Code::invalid_argument, to,
               "the repaired file would replace the damaged one, which may be all that is left; choose another name");
  }
  io::require_target(transport, to, overwrite);
}

void write_file(storage::Transport& transport, base::ByteSource& source, const std::string& to,
                const RepackOptions& options) {
  const std::uint64_t size = source.size();
  io::NewFile file(transport, Communicator(), to);
  if (transport.kind(source.path()) == storage::PathKind::file) file.keep_private(source.path());
  file.create(options.overwrite, size);
  Progressing progress(options.progress, size);
  comm::Team team(comm::thread_count(options.threads, size));
  std::vector<std::vector<std::byte>> buffers(static_cast<std::size_t>(team.size()));
  comm::parallel_for(team, size / piece_bytes + (size % piece_bytes > 0 ? 1 : 0), [&](int thread, std::uint64_t i) {
    std::vector<std::byte>& piece = buffers[static_cast<std::size_t>(thread)];
    piece.resize(static_cast<std::size_t>(std::min(piece_bytes, size - i * piece_bytes)));
    if (source.read_at(i * piece_bytes, piece) < piece.size()) {
      base::fail(Code::io, source.path(), "became shorter while being repaired; try again");
    }
    file.named([&] { file.file().write_at(i * piece_bytes, piece); });
    progress.add(piece.size(), thread);
  });
  progress.finish();
  file.finish(options.sync);
  file.publish(options.sync);
}

RepackReport report_of(const Catalog& catalog, const std::string& path, std::uint64_t file_bytes) {
  RepackReport report;
  report.format = catalog.format;
  report.files = {path};
  report.tasks = catalog.records.size();
  report.fields = catalog.fields.size();
  report.file_bytes = file_bytes;
  for (const Record& record : catalog.records) report.bytes += record.data_length;
  return report;
}

namespace {

bool is_in_order(const Verification& examined) { return examined.ok && examined.findings.empty(); }

// If a file is intact except for harmless findings, the reason why it cannot be repaired is of no interest.
std::optional<io::RepairedFile> mended(base::ByteSource& file, const Verification& before,
                                       const RepackOptions& options) {
  try {
    return io::repair_records(file, options.limits, options.threads);
  } catch (const Error& error) {
    if (error.code() == Code::io || error.code() == Code::out_of_memory) throw;
    if (before.ok) return {};
    Verification both;
    both.path = before.path;
    both.findings.push_back({.severity = Severity::error,
                             .code = error.code(),
                             .message = error.what(),
                             .record = error.facts().record,
                             .offset = error.facts().offset});
    io::add_new_findings(both.findings, before.findings);
    throw *io::all_errors(both, {});
  }
}

}  // namespace

RepackReport repair_opened(storage::Transport& transport, base::ByteSource& once, const Target& target,
                           const RepackOptions& options) {
  // A bit that is read wrongly when the damage was found already would be damage of the new file.
  base::ReadTwice file(once);
  Verification before = examine(transport, file, file.path(), options);
  if (is_in_order(before)) return nothing_to_repair(before);
  if (!before.ok) target.require();
  const std::optional<io::RepairedFile> result = mended(file, before, options);
  // What is not proven is no better than a file that is in order.
  const bool is_better = result && result->to_write().is_changed() && !(before.ok && io::has_errors(result->findings));
  if (!is_better) {
    if (before.ok) return nothing_to_repair(before);
    // The findings of the repair explain the failure better than those of the examination.
    if (result) io::add_new_findings(before.findings, std::exchange(before.findings, result->findings));
    refuse_to_repair(before);
  }
  target.require();
  RepackReport report = report_of(result->catalog, target.path, result->to_write().size());
  report.findings = result->findings;
  conclude(report, examine(transport, result->to_write(), target.path, options));
  if (!options.dry_run) write_file(transport, result->to_write(), target.path, options);
  return report;
}

RepackReport repair_file(storage::Transport& transport, const std::string& from, const std::string& to,
                         const RepackOptions& options) {
  const Target target{to, [&] { require_target(transport, from, to, options.overwrite); }};
  return repair_opened(transport, *io::open_journaled(transport, from), target, options);
}

// The change is in the file itself, so no other file is named.
std::optional<Recovered> recover_file(storage::Transport& transport, const std::string& path,
                                      const RepackOptions& options) {
  io::FoundJournal found = io::find_journal(transport, *transport.open_read(path));
  if (found.state == io::FoundJournal::State::absent) return {};
  const std::uint64_t journal_bytes = found.bytes.size();
  if (!options.dry_run) {
    const storage::WriterLock lock(path);
    found.state = io::recover(transport, path, options.sync, lock);
  }
  const auto file = io::open_journaled(transport, path);
  RepackReport report = report_of(format::scan(*file, options.limits), path, file->size());
  Finding finding{.severity = Severity::warning, .rule = "repair-journal"};
  finding.length = journal_bytes;
  switch (found.state) {
    case io::FoundJournal::State::complete:
      finding.message = "an append was interrupted after all its data were written: it has been completed";
      break;
    case io::FoundJournal::State::interrupted:
      finding.message = "an append was interrupted: the file has its previous contents again";
      break;
    default:
      finding.message = "a journal that did not belong to the file was removed";
  }
  report.findings.push_back(std::move(finding));
  conclude(report, examine(transport, path, options));
  return Recovered{std::move(report), found.state == io::FoundJournal::State::complete};
}

std::optional<RepackReport> complete_replacement(storage::Transport& transport, const std::string& path,
                                                 const std::string& to, const RepackOptions& options) {
  if (!to.empty()) io::require_no_replacement(transport, path);
  const auto found = !to.empty()       ? std::nullopt
                     : options.dry_run ? io::find_replacement(transport, path)
                                       : io::settle_replacement(transport, path, options.sync);
  if (!found) return {};
  const std::string first = found->members.front().to;
  const Catalog catalog = inspect(first, {}, options.limits);
  RepackReport report = report_of(catalog, first, catalog.file_bytes);
  report.files.clear();
  for (const io::Replacement::Member& member : found->members) report.files.push_back(member.to);
  report.findings.push_back({.severity = Severity::warning,
                             .rule = "repair-names",
                             .message = "a writer was interrupted when all of its files were complete: they have been "
                                        "renamed"});
  if (!options.dry_run) conclude(report, examine(transport, first, options));
  return report;
}

}  // namespace lq::sets

namespace lq {
namespace {

namespace sion = format::sion;

// For a multifile that is closed and complete; its data may be damaged nevertheless.
RepackReport judge_whole(storage::Transport& transport, const std::string& path, const RepackOptions& options) {
  const Verification examined = sets::examine(transport, path, options);
  if (!examined.ok) sets::refuse_to_repair(examined);
  return sets::nothing_to_repair(examined);
}

// What an interrupted writer left of a set that has no file of its name.
std::string part_of(const std::string& path) {
  const std::string before = base::folder_before(path);
  std::vector<std::string> names, found;
  base::names_in(base::directory_of(path), names);
  for (const std::string& name : names) {
    const std::string other = before + name;
    if (sets::final_name(other) == path) found.push_back(other);
  }
  if (found.size() < 2) return found.empty() ? path : found.front();
  base::fail(Code::wrong_state, path, "several writers of it were interrupted; name the file to be repaired: {}",
             fmt::join(found, ", "));
}

Finding finding_of(const ChunkDamage& lost) {
  Finding finding{.severity = Severity::error,
                  .code = Code::checksum_mismatch,
                  .rule = "repair-lost-field",
                  .message = lost.what,
                  .offset = lost.offset,
                  .length = lost.bytes};
  if (lost.task < 0) return finding;
  finding.rule = "repair-lost-chunk";
  finding.message = fmt::format("\"{}\": chunk {} of task {}: {}", lost.path, lost.chunk, lost.task, lost.what);
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
    std::error_code failure;  // does not exist in a dry run
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
  // The set stores what is lost, and the examination would report it again.
  if (repaired.lost.empty()) sets::conclude(report, examined);
  return report;
}

RepackReport repair_without_records(storage::Transport& transport, const std::string& from, const std::string& to,
                                    const RepackOptions& options) {
  sion::Set set = sets::open_damaged_set(transport, from, options);
  if (set.is_whole()) return judge_whole(transport, from, options);
  if (to.empty()) {
    base::fail(Code::invalid_argument, from,
               "it has no records of its chunks, so a new multifile is written from guesses: "
               "name the multifile to write");
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

// Decided by its content; an unrecognised file may be left of a multifile.
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

namespace {

// A set of subfiles has no journal of its own: journals next to its description are leftovers (repair_subfiles).
bool describes_set(storage::Transport& transport, const std::string& path) {
  try {
    return storage::set_in(*transport.open_read(path), path).has_value();
  } catch (const Error& error) {
    if (error.code() == Code::out_of_memory) throw;
    return true;
  }
}

RepackReport repair_any(const std::string& from, const std::string& to, const RepackOptions& options) {
  if (options.unit < 1) {
    base::fail(Code::invalid_argument, from, "data come in units of at least 1 byte");
  }
  storage::Transport& transport = storage::resolve(from);
  if (auto report = sets::complete_replacement(transport, from, to, options)) return *report;
  const bool is_absent = transport.kind(from) == storage::PathKind::absent;
  // A file that is being appended to has neither its old nor its new contents.
  const bool may_grow =
      to.empty() && transport.kind(from) == storage::PathKind::file && !describes_set(transport, from);
  const auto recovered = may_grow ? sets::recover_file(transport, from, options) : std::nullopt;
  if (recovered && (options.dry_run || recovered->is_added_to)) return recovered->report;
  if (auto report = sets::restore(transport, from, to, options)) return *report;
  if (recovered) return recovered->report;
  const std::string source = is_absent ? part_of(from) : from;
  if (transport.kind(source) == storage::PathKind::file) {
    if (auto report = sets::repair_subfiles(transport, source, to, options)) return *report;
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

// A sidecar that cannot be read is one, too.
bool is_covered(const std::string& path) {
  try {
    return protection::find_cover(path).has_value();
  } catch (const Error& error) {
    if (error.code() == Code::out_of_memory) throw;
    return true;
  }
}

// What a sidecar says of a file that is in order by itself belongs to its verdict. Of one of no format it has said all.
RepackReport repair_covered(const std::string& from, const std::string& to, const RepackOptions& options) {
  RepackReport report = repair_any(from, to, options);
  if (report.needed || report.format.empty() || !is_covered(from)) return report;
  const Verification examined =
      sets::verify_file(storage::resolve(from), from, {}, {.limits = options.limits, .threads = options.threads});
  if (!examined.ok) sets::refuse_to_repair(examined);
  report.verdict = examined.verdict;
  return report;
}

}  // namespace

RepackReport repair(const std::string& from, const std::string& to, const RepackOptions& options) {
  return comm::alone([&] { return repair_covered(from, to, options); });
}

}  // namespace lq
