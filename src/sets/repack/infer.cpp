// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a damaged file still shows: the findings of an examination, and the fill of chunks that was not recorded.
#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/error.hpp"
#include "format/sion/stream.hpp"
#include "io/journal.hpp"
#include "io/verdict.hpp"
#include "sets/checkpoint/repair.hpp"
#include "sets/repack/repair.hpp"
#include "sets/repack/set_writer.hpp"
#include "storage/forwarding.hpp"

namespace lq::sets {
namespace {

// Bytes that appear as a file.
class UnwrittenFile final : public storage::File {
 public:
  UnwrittenFile(base::ByteSource& bytes, const std::string& path, const storage::Identity& identity)
      : bytes_(bytes), path_(path), identity_(identity) {}
  const std::string& path() const noexcept override { return path_; }
  storage::Identity identity() const override { return identity_; }
  std::uint64_t size() const override { return bytes_.size(); }
  std::size_t read_at(std::uint64_t offset, base::MutableBytes buffer) override {
    return bytes_.read_at(offset, buffer);
  }
  std::unique_ptr<base::ByteSource> open_other(const std::string& path) const override {
    return bytes_.open_other(path);
  }
  void write_at(std::uint64_t, base::Bytes) override { refuse(); }
  void resize(std::uint64_t) override { refuse(); }
  void reserve(std::uint64_t, std::uint64_t) override { refuse(); }
  void sync() override {}
  void close() override {}

 private:
  [[noreturn]] void refuse() const { base::fail(Code::internal, path_, "an examination writes nothing"); }

  base::ByteSource& bytes_;
  const std::string path_;
  const storage::Identity identity_;
};

// The files of `inner`, and one that is not written yet and has no journal.
class WithUnwrittenFile final : public storage::ForwardingTransport {
 public:
  WithUnwrittenFile(storage::Transport& inner, base::ByteSource& bytes, std::string path)
      : ForwardingTransport(inner), bytes_(bytes), path_(std::move(path)), journals_(io::journal_paths(path_)) {}

  std::unique_ptr<storage::File> open_read(const std::string& path) override {
    if (path != path_) return ForwardingTransport::open_read(path);
    return std::make_unique<UnwrittenFile>(bytes_, path_, own_identity());
  }
  storage::PathKind kind(const std::string& path) override {
    if (path == path_) return storage::PathKind::file;
    const bool is_journal = std::ranges::find(journals_, path) != journals_.end();
    return is_journal ? storage::PathKind::absent : ForwardingTransport::kind(path);
  }
  storage::Identity identity(const std::string& path) override {
    return path == path_ ? own_identity() : ForwardingTransport::identity(path);
  }

 private:
  storage::Identity own_identity() const {
    return {.inode = reinterpret_cast<std::uintptr_t>(this), .bytes = bytes_.size()};
  }

  base::ByteSource& bytes_;
  const std::string path_;
  const std::vector<std::string> journals_;
};

Finding finding_of(const Error& error) {
  return {.severity = Severity::error,
          .code = error.code(),
          .rule = "unreadable",
          .message = error.what(),
          .record = error.facts().record,
          .offset = error.facts().offset};
}

}  // namespace

Verification examine(storage::Transport& transport, const std::string& path, const RepackOptions& options) {
  const VerifyOptions how{.limits = options.limits, .threads = options.threads};
  try {
    return verify_own(transport, path, {}, how);
  } catch (const Error& error) {
    switch (error.code()) {
      case Code::unknown_format:
      case Code::malformed:
      case Code::truncated:
      case Code::unsupported:
      case Code::checksum_mismatch:
      case Code::too_large:
        break;
      default:
        throw;
    }
    Verification failed;
    failed.path = path;
    failed.verdict = io::verdict_of(error);
    failed.ok = false;
    failed.findings.push_back(finding_of(error));
    return failed;
  }
}

Verification examine(storage::Transport& transport, base::ByteSource& bytes, const std::string& path,
                     const RepackOptions& options) {
  WithUnwrittenFile files(transport, bytes, path);
  return examine(files, path, options);
}

void conclude(RepackReport& report, const Verification& examined) {
  report.verdict = examined.verdict;
  io::add_new_errors(report.findings, examined);
  io::require_error(report.findings, examined,
                    {.severity = Severity::error,
                     .code = Code::checksum_mismatch,
                     .rule = "repair-verdict",
                     .message = fmt::format("the repaired file is {}; `lq verify` shows why", name(examined.verdict))});
}

RepackReport nothing_to_repair(const Verification& examined) {
  RepackReport report;
  report.format = examined.format;
  report.needed = false;
  report.verdict = examined.verdict;
  return report;
}

void refuse_to_repair(const Verification& examined) {
  if (const auto error = io::all_errors(examined, "nothing of it can be repaired: ")) throw *error;
  base::fail(Code::checksum_mismatch, examined.path,
             "nothing of it can be repaired, and it is {}; `lq verify` shows why. Use a good copy",
             name(examined.verdict));
}

namespace {

namespace sion = format::sion;

class Inference {
 public:
  Inference(const sion::PhysicalFile& file, base::ByteSource& source, std::uint64_t unit, format::Findings& findings)
      : file_(file), source_(source), unit_(unit), findings_(findings), blocks_(blocks_in_file()) {}

  sion::ChunkTable table();

 private:
  std::uint64_t end_of_data() const;
  std::uint64_t blocks_in_file() const;
  std::uint64_t room(std::int32_t task, std::uint64_t chunk) const;
  std::vector<std::int64_t> chunks_of(std::int32_t task);
  std::vector<std::int64_t> cut_at_last_record(const sion::PhysicalFile& full, std::int32_t task);
  sion::ChunkTable collect(const std::function<std::vector<std::int64_t>(std::int32_t task)>& chunks_of);
  void say_what_was_guessed(const sion::ChunkTable& table);
  std::uint64_t whole_units(std::uint64_t used, std::uint64_t reached) const;
  void say(Severity severity, const char* rule, std::int32_t task, std::uint64_t chunk, const std::string& message);

  const sion::PhysicalFile& file_;
  base::ByteSource& source_;
  std::uint64_t unit_;
  format::Findings& findings_;
  std::uint64_t blocks_;
  bool has_records_ = file_.head.key_value_mode() == sion::KeyValueMode::inline_records;
};

// The end of the file, or of the chunks if known, without trailing holes.
std::uint64_t Inference::end_of_data() const {
  std::uint64_t end = file_.tail_offset > 0 ? std::min(file_.bytes, file_.tail_offset) : file_.bytes;
  // Bisects for the smallest offset after which there is nothing.
  for (std::uint64_t begin = 0; begin < end;) {
    const std::uint64_t middle = begin + (end - begin) / 2;
    const std::uint64_t data = source_.next_data(middle);
    if (data >= end) {
      end = middle;
    } else {
      begin = data + 1;
    }
  }
  return end;
}

std::uint64_t Inference::blocks_in_file() const {
  const sion::Geometry& geometry = file_.geometry;
  const std::uint64_t end = end_of_data();
  if (end <= geometry.start(0) || geometry.skip() == 0) return 1;
  const std::uint64_t blocks = (end - geometry.start(0) - 1) / geometry.skip() + 1;
  // The last of them has data, so its task has this many chunks.
  if (blocks <= most_chunks) return blocks;
  base::fail(Code::too_large, file_.path, "its data reach into block {} of chunks, but a task may have {} of them",
             blocks, most_chunks);
}

// Bytes of a chunk within the file.
std::uint64_t Inference::room(std::int32_t task, std::uint64_t chunk) const {
  const std::uint64_t offset = file_.geometry.chunk_offset(task, chunk);
  const std::uint64_t end = file_.tail_offset > 0 ? std::min(file_.bytes, file_.tail_offset) : file_.bytes;
  return offset < end ? std::min(file_.geometry.width(task), end - offset) : 0;
}

std::uint64_t Inference::whole_units(std::uint64_t used, std::uint64_t reached) const {
  const std::uint64_t rest = used % unit_;
  const std::uint64_t missing = rest == 0 ? 0 : unit_ - rest;
  return missing > reached - used ? reached : used + missing;
}

void Inference::say(Severity severity, const char* rule, std::int32_t task, std::uint64_t chunk,
                    const std::string& message) {
  findings_.add({.severity = severity,
                 .rule = rule,
                 .message = fmt::format("\"{}\": chunk {} of local task {}: {}", file_.path, chunk, task, message),
                 .offset = file_.geometry.chunk_offset(task, chunk)});
}

std::vector<std::int64_t> Inference::chunks_of(std::int32_t task) {
  std::vector<std::int64_t> chunks;
  // From the last block to the first: chunks after the last one with data do not count.
  for (std::uint64_t chunk = blocks_; chunk-- > 0;) {
    const std::uint64_t reached = room(task, chunk);
    std::uint64_t used = reached == 0 ? 0 : filled_bytes(source_, file_.geometry.chunk_offset(task, chunk), reached);
    if (used == 0 && chunks.empty() && chunk > 0) continue;
    // Records are split over chunks: all but the last are full, and the last ends with a record.
    used = has_records_ ? reached : whole_units(used, reached);
    if (used == 0 && !chunks.empty()) {
      say(Severity::warning, "repair-empty-chunk", task, chunk,
          "holds only zeros, although later ones hold data; it is assumed to be empty, so real zeros are missing in "
          "the stream");
    }
    chunks.push_back(static_cast<std::int64_t>(used));
  }
  std::ranges::reverse(chunks);
  return chunks;
}

// `full` has the table of all chunks as if they were full.
std::vector<std::int64_t> Inference::cut_at_last_record(const sion::PhysicalFile& full, std::int32_t task) {
  const std::span<const std::int64_t> filled = full.table.used(task);
  std::vector<std::int64_t> chunks(filled.begin(), filled.end());
  const auto last_bytes = static_cast<std::uint64_t>(chunks.back());
  const std::uint64_t last = chunks.size() - 1;
  const std::uint64_t data_end =
      full.table.bytes(task) - last_bytes + filled_bytes(source_, file_.geometry.chunk_offset(task, last), last_bytes);
  sion::KeyWalker walker = walk_records(full, task, source_);
  std::uint64_t end = 0;
  try {
    while (walker.position() < data_end && walker.next()) end = walker.position();
  } catch (const Error& error) {
    if (error.code() != Code::malformed && error.code() != Code::truncated) throw;
    say(Severity::warning, "repair-cut-record", task, last,
        fmt::format("the record at byte {} of the stream is incomplete; it is omitted", end));
  }
  for (std::int64_t& used : chunks) {
    const std::uint64_t kept = std::min(end, static_cast<std::uint64_t>(used));
    used = static_cast<std::int64_t>(kept);
    end -= kept;
  }
  while (chunks.size() > 1 && chunks.back() == 0) chunks.pop_back();
  return chunks;
}

sion::ChunkTable Inference::collect(const std::function<std::vector<std::int64_t>(std::int32_t task)>& chunks_of) {
  std::vector<std::uint64_t> counts;
  std::vector<std::int64_t> all;
  for (std::int32_t task = 0; task < file_.geometry.tasks(); ++task) {
    const std::vector<std::int64_t> chunks = chunks_of(task);
    counts.push_back(chunks.size());
    all.insert(all.end(), chunks.begin(), chunks.end());
    if (all.size() > most_chunks) {
      base::fail(Code::too_large, file_.path, "more than {} chunks contain data", most_chunks);
    }
  }
  sion::ChunkTable table(counts);
  auto next = all.begin();
  for (std::int32_t task = 0; task < file_.geometry.tasks(); ++task) {
    for (std::int64_t& used : table.used(task)) used = *next++;
  }
  return table;
}

void Inference::say_what_was_guessed(const sion::ChunkTable& table) {
  std::uint64_t bytes = 0;
  for (std::int32_t task = 0; task < table.tasks(); ++task) bytes += table.bytes(task);
  const std::string unit = unit_ > 1 ? fmt::format(", rounded up to a multiple of {}", unit_) : "";
  findings_.add(
      {.severity = Severity::error,  // nothing proves it
       .rule = "repair-guessed",
       .message = fmt::format(
           "\"{}\": how far {} chunks of {} tasks are filled ({} bytes in all) is guessed: {}", file_.path,
           table.chunks(), table.tasks(), bytes,
           has_records_ ? "each stream ends with the last complete key-value record"
                        : fmt::format("each ends with its last byte that is not zero{}; zeros that were written at the "
                                      "end of a chunk are missing",
                                      unit))});
}

sion::ChunkTable Inference::table() {
  sion::ChunkTable table = collect([this](std::int32_t task) { return chunks_of(task); });
  if (has_records_) {
    sion::PhysicalFile full = file_;
    full.table = std::move(table);
    table = collect([&](std::int32_t task) { return cut_at_last_record(full, task); });
  }
  say_what_was_guessed(table);
  return table;
}

}  // namespace

sion::ChunkTable infer_table(const sion::PhysicalFile& file, base::ByteSource& source, std::uint64_t unit,
                             format::Findings& findings) {
  return Inference(file, source, unit, findings).table();
}

}  // namespace lq::sets
