// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Common parts of squeezing and unsqueezing: scans a file or a set of files, creates others from it, and distributes
// the pieces over the ranks.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <limequat/squeeze.hpp>

#include "archive/archive.hpp"
#include "base/byte_source.hpp"
#include "base/clock.hpp"
#include "base/function_ref.hpp"
#include "comm/comm.hpp"
#include "comm/team.hpp"
#include "io/new_file.hpp"
#include "io/scan.hpp"
#include "storage/owners.hpp"
#include "storage/transport.hpp"

namespace lq::archive {

// The physical files of a scanned file as one sequence of bytes, concatenated.
// Thread-safe.
class JoinedFiles final : public base::ByteSource {
 public:
  // Local. Opens all of them.
  JoinedFiles(storage::Transport& transport, const std::vector<std::string>& paths);

  const std::string& path() const noexcept override { return files_.front().file->path(); }
  std::uint64_t size() const override { return size_; }
  // io: a file has become shorter.
  std::size_t read_at(std::uint64_t offset, base::MutableBytes buffer) override;
  std::vector<std::uint64_t> sizes() const;
  // The beginning of a file in the sequence.
  std::uint64_t begin_of(int file) const { return files_.at(static_cast<std::size_t>(file)).begin; }
  // Local. True if an open file is one of them.
  bool has(const storage::Identity& file) const;
  // Local. io: one of them was written to since it was opened.
  void require_unchanged() const;

 private:
  struct One {
    std::unique_ptr<storage::File> file;
    storage::Identity identity;  // identity when it was opened
    std::uint64_t begin = 0;     // in the sequence
  };
  std::vector<One> files_;
  std::uint64_t size_ = 0;
};

// Collective, unless stated otherwise.
class ArchiveJob {
 public:
  // Local.
  ArchiveJob(const std::string& from, const std::string& to, const Communicator& communicator,
             const SqueezeOptions& options);
  // Scans the source and opens its files.
  void start();

  const Catalog& catalog() const noexcept { return source_->catalog(); }
  comm::Comm& comm() const noexcept { return comm_; }
  const Communicator& communicator() const noexcept { return communicator_; }
  bool is_root() const noexcept { return communicator_.is_root(); }
  const std::shared_ptr<io::ScannedFile>& scanned() const noexcept { return source_; }
  // Local. For a set, its concatenated files.
  JoinedFiles& source() const noexcept { return *joined_; }
  io::NewFile& target(std::size_t k = 0) noexcept { return *targets_[k]; }
  // Local. True if this rank has the new files open.
  bool writes() const noexcept { return static_cast<std::uint64_t>(comm_.rank()) < writers_; }

  // A file to be created: the end of its name after that of the target, and its size if known.
  struct Target {
    std::string suffix = {};
    std::uint64_t bytes = 0;
  };
  // Creates the new files and opens them on all ranks that write.
  void begin(std::span<const Target> targets);
  // Local. Number of threads of this rank, valid after begin().
  int threads() const noexcept { return team_->size(); }
  // Runs each of `count` pieces on one rank, neighbours together, in one of its threads.
  void parallel_for(std::uint64_t count, base::FunctionRef<void(int thread, std::uint64_t piece)> work);
  // Local. This thread has completed that many more bytes of `total`; reports progress to the caller.
  void advance(int thread, std::uint64_t bytes);
  void expect(std::uint64_t total) noexcept { total_ = total; }
  // io: the source was written to in the meantime. Syncs the new files as requested; with read_back, and if one of them
  // replaces the source, opens them for reading and checks them with `check`; then gives them their names.
  void end(base::FunctionRef<void(JoinedFiles& written)> check);

  SqueezeReport report(const Archive& archive, std::uint64_t archive_bytes);

 private:
  std::string from_, to_;
  const SqueezeOptions& options_;
  Communicator communicator_;
  comm::Comm& comm_;
  base::Stopwatch watch_;
  storage::Transport& place_;
  std::shared_ptr<io::ScannedFile> source_;
  std::unique_ptr<JoinedFiles> joined_;
  std::vector<std::unique_ptr<io::NewFile>> targets_;
  bool replaces_source_ = false;
  storage::Owners owners_;
  std::uint64_t writers_ = 1;
  std::uint64_t total_ = 0;
  std::atomic<std::uint64_t> done_{0};
  std::optional<comm::Team> team_;
};

// Local. Reads all of the bytes; io: the file became shorter while it was read.
void read_all(base::ByteSource& file, std::uint64_t offset, base::MutableBytes bytes);

}  // namespace lq::archive
