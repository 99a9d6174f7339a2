// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "sets/repack/examine.hpp"

#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "io/journal.hpp"
#include "io/verdict.hpp"
#include "sets/checkpoint/repair.hpp"
#include "storage/forwarding.hpp"

namespace lq::sets {
namespace {

// Bytes that have the name of a file.
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
  [[noreturn]] void refuse() const {
    throw Error(Code::internal, path_ + ": an examination writes nothing", {.path = path_});
  }

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
  VerifyOptions how;
  how.limits = options.limits;
  how.threads = options.threads;
  try {
    return sets::verify_file(transport, path, {}, how);
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
  io::add_untold_errors(report.findings, examined);
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
  if (const auto error = io::first_error(examined, "nothing of it can be repaired: ")) throw *error;
  throw Error(Code::checksum_mismatch,
              fmt::format("{}: nothing of it can be repaired, and it is {}; `lq verify` shows why. Use a good copy",
                          examined.path, name(examined.verdict)),
              {.path = examined.path});
}

}  // namespace lq::sets
