// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "sets/repack/repair_file.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <limequat/error.hpp>
#include <limequat/file.hpp>
#include <limequat/grid.hpp>

#include "comm/parallel_for.hpp"
#include "io/journal.hpp"
#include "io/mend.hpp"
#include "io/new_file.hpp"
#include "io/replacement.hpp"
#include "sets/repack/examine.hpp"
#include "sets/repack/set_writer.hpp"
#include "sets/repack/source_set.hpp"
#include "storage/writer_lock.hpp"

namespace lq::sets {

void require_target(storage::Transport& transport, const std::string& from, const std::string& to, bool overwrite) {
  if (to.empty()) {
    throw Error(Code::invalid_argument,
                fmt::format("{}: a repaired file is always a new one: name the file to write (lq: -o OUT)", from),
                {.path = from});
  }
  if (is_same_file(from, to)) {
    throw Error(Code::invalid_argument,
                fmt::format("{}: the repaired file would replace the damaged one, which may be all that is left; "
                            "choose another name",
                            to),
                {.path = to});
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
  comm::Team team(threads_for(options, size));
  std::vector<std::vector<std::byte>> buffers(static_cast<std::size_t>(team.size()));
  comm::parallel_for(team, size / piece_bytes + (size % piece_bytes > 0 ? 1 : 0), [&](int thread, std::uint64_t i) {
    std::vector<std::byte>& piece = buffers[static_cast<std::size_t>(thread)];
    piece.resize(static_cast<std::size_t>(std::min(piece_bytes, size - i * piece_bytes)));
    if (source.read_at(i * piece_bytes, piece) < piece.size()) {
      throw Error(Code::io, fmt::format("{}: became shorter while it was repaired; try again", source.path()),
                  {.path = source.path()});
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

// Of a file that is sound except for what is no damage nobody needs to know why it cannot be repaired.
std::optional<io::MendedFile> mended(base::ByteSource& file, const Verification& before, const RepackOptions& options) {
  try {
    return io::mend_file(file, options.limits, options.threads);
  } catch (const Error& error) {
    if (!before.ok || error.code() == Code::io || error.code() == Code::out_of_memory) throw;
    return {};
  }
}

}  // namespace

RepackReport repair_opened(storage::Transport& transport, base::ByteSource& file, const Target& target,
                           const RepackOptions& options) {
  Verification before = examine(transport, file, file.path(), options);
  if (is_in_order(before)) return nothing_to_repair(before);
  if (!before.ok) target.require();
  const std::optional<io::MendedFile> result = mended(file, before, options);
  if (!result || !result->to_write().is_changed()) {
    if (before.ok) return nothing_to_repair(before);
    // What repairing found says more of why not than the examination does.
    if (result) before.findings.insert(before.findings.begin(), result->findings.begin(), result->findings.end());
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

// What was changed is in the file itself, so that no other one is named.
std::optional<RepackReport> recover_file(storage::Transport& transport, const std::string& path,
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
      finding.message = "an append was interrupted when all of it was there: it has been completed";
      break;
    case io::FoundJournal::State::interrupted:
      finding.message = "an append was interrupted: the file is as it was before";
      break;
    default:
      finding.message = "a journal that did not belong to the file was removed";
  }
  report.findings.push_back(std::move(finding));
  conclude(report, examine(transport, path, options));
  return report;
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
                                        "given their names"});
  if (!options.dry_run) conclude(report, examine(transport, first, options));
  return report;
}

}  // namespace lq::sets
