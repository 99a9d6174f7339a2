// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What squeezing and unsqueezing have in common: a file that was scanned, another one that is made of it, and pieces
// dealt out over the ranks.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <limequat/squeeze.hpp>

#include "base/clock.hpp"
#include "base/function_ref.hpp"
#include "comm/comm.hpp"
#include "io/new_file.hpp"
#include "io/scan.hpp"
#include "squeezed/archive.hpp"
#include "threads/team.hpp"
#include "transport/transport.hpp"

namespace lq::archive {

// Collective, but for what says otherwise.
class Errand {
 public:
  // Local.
  Errand(const std::string& from, const std::string& to, const Communicator& communicator,
         const SqueezeOptions& options);
  // Scans the source and checks what can be checked before a byte is written.
  void start();

  const Catalog& catalog() const noexcept { return source_->catalog(); }
  comm::Comm& comm() const noexcept { return comm_; }
  bool is_root() const noexcept { return communicator_.is_root(); }
  // Local.
  transport::File& source() const noexcept { return *file_; }
  io::NewFile& target() noexcept { return target_; }
  // Local. Whether this rank has the new file open.
  bool writes() const noexcept { return static_cast<std::uint64_t>(comm_.rank()) < writers_; }

  // Makes the new file, of so many bytes where that is known, and opens it on all ranks that write.
  void begin(std::uint64_t bytes);
  // Local. How many threads this rank has from begin() on.
  int threads() const noexcept { return team_->size(); }
  // Each of `count` pieces on one rank, neighbours together, in one of its threads.
  void deal_out(std::uint64_t count, base::FunctionRef<void(int thread, std::uint64_t piece)> work);
  // Local. So many bytes more of `total` are done, by this thread; the caller's progress is told.
  void advance(int thread, std::uint64_t bytes);
  void expect(std::uint64_t total) noexcept { total_ = total; }
  // io: the source was written to meanwhile. The new file has reached the disk as asked; is checked by `check`, which
  // gets it open for reading, with read_back; and gets its name.
  void end(base::FunctionRef<void(transport::File& written)> check);

  SqueezeReport report(const squeezed::Archive& archive, std::uint64_t archive_bytes);

 private:
  std::string from_, to_;
  const SqueezeOptions& options_;
  Communicator communicator_;
  comm::Comm& comm_;
  base::Stopwatch watch_;
  transport::Transport& place_;
  std::shared_ptr<io::ScannedFile> source_;
  std::unique_ptr<transport::File> file_;
  transport::Identity identity_;  // of the source, before it was read
  io::NewFile target_;
  std::uint64_t writers_ = 1;
  std::uint64_t total_ = 0;
  std::atomic<std::uint64_t> done_{0};
  std::optional<threads::Team> team_;
};

// Local. All of the bytes; io: the file became shorter while it was read.
void read_all(transport::File& file, std::uint64_t offset, base::MutableBytes bytes);

}  // namespace lq::archive
