// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a power failure may leave. A RecordingTransport keeps what is done to the files of a folder; PowerFailures makes
// of it every state that a journaling file system may be in afterwards:
//
// - Names are as they were when their folder was synced last; each later change of one (created, given, removed) is
//   there or not, whatever became of the others. The sync of a file brings no name to the disk.
// - Of a file there is what was written before it was synced last; of each later change (write, new size) all, nothing
//   or half, or the file has grown by it and has zeros there.
//
// Few changes are combined in all ways, of many one differs from the others, or from those before or behind it. Real
// file systems keep more than that.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/function_ref.hpp"
#include "storage/forwarding.hpp"

namespace lq::testing {

struct RecordedOperation {
  enum class Kind { create, rename, remove, sync_folder, write, resize, sync };
  Kind kind = Kind::sync;
  std::string path = {}, to = {};
  std::uint64_t offset = 0;  // of a write; the new size
  std::string bytes = {};
  std::thread::id thread = std::this_thread::get_id();
};

// What the sync of a file brings to the disk: all that was written to it, or what this thread wrote, as if ranks ran on
// machines of their own.
enum class Caches { of_the_machine, of_each_thread };

class RecordingTransport final : public storage::ForwardingTransport {
 public:
  explicit RecordingTransport(storage::Transport& inner) : ForwardingTransport(inner) {}
  // Nobody writes any more.
  const std::vector<RecordedOperation>& operations() const noexcept { return diary_->operations; }

  std::unique_ptr<storage::File> open_write(const std::string& path) override;
  std::unique_ptr<storage::File> create(const std::string& path, const storage::Creation& creation = {}) override;
  void rename(const std::string& from, const std::string& to) override;
  void publish(const std::string& from, const std::string& to) override;
  void remove(const std::string& path) override;
  void sync_directory(const std::string& path_of_file) override;

  struct Diary {
    std::mutex mutex;
    std::vector<RecordedOperation> operations;
  };

 private:
  std::shared_ptr<Diary> diary_ = std::make_shared<Diary>();
};

class PowerFailures {
 public:
  using Files = std::map<std::string, std::string>;  // names in the folder, and what is in the files

  // Of a folder as it is now.
  explicit PowerFailures(std::string folder);
  // `is_done`: all of `operations` had returned. In the folder lies one state after the other; how many there were.
  std::uint64_t for_each(const std::vector<RecordedOperation>& operations, Caches caches,
                         base::FunctionRef<void(const std::string& which, bool is_done)> look) const;

 private:
  void put(const Files& files) const;

  std::string folder_;
  Files before_;
};

}  // namespace lq::testing
