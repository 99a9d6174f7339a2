// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a power failure may leave. A RecordingTransport keeps what is done to the files of a folder; PowerFailures makes
// of it every state that a journaling file system may be in afterwards:
//
// - Names are as they were when their folder was synced last; each later change of one (created, given, removed) is
//   there or not, whatever became of the others. A folder gets another name with all that is in it. The sync of a file
//   brings no name to the disk.
// - Of a file there is what was written before it was synced last; of each later change (write, new size) all, nothing
//   or half, or the file has grown by it and has zeros there.
//
// Or one such state is drawn, in which a change may also be there in some of its sectors alone.
//
// Few changes are combined in all ways, of many one differs from the others, or from those before or behind it. Real
// file systems keep more than that.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/function_ref.hpp"
#include "storage/forwarding.hpp"

namespace lq::testing {

// Whoever has caches of its own: a thread, or what it names as its machine.
inline thread_local std::uint64_t client_of_thread = 0;  // 0: the thread
inline std::uint64_t this_client() {
  return client_of_thread != 0 ? client_of_thread : std::hash<std::thread::id>()(std::this_thread::get_id());
}
// Of operations whose bytes have left the caches of those who did them.
inline constexpr std::uint64_t every_client = ~std::uint64_t{0};

struct RecordedOperation {
  enum class Kind { create, rename, rename_folder, remove, sync_folder, write, resize, sync };
  Kind kind = Kind::sync;
  std::string path = {}, to = {};
  std::uint64_t offset = 0;  // of a write; the new size
  std::string bytes = {};
  std::uint64_t client = this_client();
};

// The names of files, as they are after that.
void follow(std::set<std::string>& names, const RecordedOperation& operation);

// What the sync of a file brings to the disk: all that was written to it, or what this client wrote: where it names
// none, this thread, as if ranks ran on machines of their own.
enum class Caches { of_the_machine, of_each_thread };

class RecordingTransport final : public storage::ForwardingTransport {
 public:
  explicit RecordingTransport(storage::Transport& inner) : ForwardingTransport(inner) {}
  // Nobody writes any more.
  const std::vector<RecordedOperation>& operations() const noexcept { return diary_->operations; }
  // The caches of all clients are written back: not to the disk, but to where every client syncs them.
  void write_back() noexcept {
    for (RecordedOperation& operation : diary_->operations) operation.client = every_client;
  }

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

  // Of a folder as it is now, or of files that are in none.
  explicit PowerFailures(std::string folder);
  explicit PowerFailures(Files files) : before_(std::move(files)) {}
  // `is_done`: all of `operations` had returned. In the folder lies one state after the other; how many there were.
  std::uint64_t for_each(const std::vector<RecordedOperation>& operations, Caches caches,
                         base::FunctionRef<void(const std::string& which, bool is_done)> look) const;

  // One state behind `operations`, drawn: of a change that was not synced there may also be any sectors of it.
  Files drawn(const std::vector<RecordedOperation>& operations, Caches caches, std::mt19937_64& random) const;

 private:
  void put(const Files& files) const;

  std::string folder_;
  Files before_;
};

}  // namespace lq::testing
