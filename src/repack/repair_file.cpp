// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "repack/repair_file.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <limequat/error.hpp>
#include <limequat/grid.hpp>

#include "io/journal.hpp"
#include "io/mend.hpp"
#include "io/new_file.hpp"
#include "repack/set_writer.hpp"
#include "repack/source_set.hpp"
#include "threads/deal.hpp"
#include "transport/writer_lock.hpp"

namespace lq::repack {

namespace {

// Nothing was put right: the file is sound, or what is wrong with it is beyond repair.
[[noreturn]] void nothing_was_mended(const io::MendedFile& mended, const std::string& path) {
  const auto error = std::ranges::find(mended.findings, Severity::error, &Finding::severity);
  if (error != mended.findings.end()) {
    throw Error(error->code, fmt::format("{}: nothing of it can be put right: {}", path, error->message),
                {.path = path, .record = error->record, .offset = error->offset});
  }
  throw Error(Code::wrong_state, fmt::format("{}: nothing is to be repaired: the file is sound", path), {.path = path});
}

}  // namespace

void require_target(transport::Transport& transport, const std::string& from, const std::string& to, bool overwrite) {
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

void write_file(transport::Transport& transport, base::ByteSource& source, const std::string& to,
                const RepackOptions& options) {
  const std::uint64_t size = source.size();
  io::NewFile file(transport, Communicator(), to);
  file.create(options.overwrite, size);
  Progressing progress(options.progress, size);
  threads::Team team(threads_for(options, size));
  std::vector<std::vector<std::byte>> buffers(static_cast<std::size_t>(team.size()));
  threads::deal_out(team, size / piece_bytes + (size % piece_bytes > 0 ? 1 : 0), [&](int thread, std::uint64_t i) {
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

RepackReport repair_opened(transport::Transport& transport, base::ByteSource& file, const std::string& to,
                           const RepackOptions& options) {
  const io::MendedFile mended = io::mend_file(file, options.limits, options.threads);
  if (!mended.to_write().is_changed()) nothing_was_mended(mended, file.path());
  RepackReport report = report_of(mended.catalog, to, mended.to_write().size());
  report.findings = mended.findings;
  if (!options.dry_run) write_file(transport, mended.to_write(), to, options);
  return report;
}

RepackReport repair_file(transport::Transport& transport, const std::string& from, const std::string& to,
                         const RepackOptions& options) {
  require_target(transport, from, to, options.overwrite);
  return repair_opened(transport, *io::open_journaled(transport, from), to, options);
}

// What was changed is in the file itself, so that no other one is named.
std::optional<RepackReport> recover_file(transport::Transport& transport, const std::string& path,
                                         const RepackOptions& options) {
  io::FoundJournal found = io::find_journal(transport, *transport.open_read(path));
  if (found.state == io::FoundJournal::State::absent) return {};
  const std::uint64_t journal_bytes = found.bytes.size();
  if (!options.dry_run) {
    const transport::WriterLock lock(path);
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
      finding.message = "a journal lay beside the file that did not belong to it, and was removed";
  }
  report.findings.push_back(std::move(finding));
  return report;
}

}  // namespace lq::repack
