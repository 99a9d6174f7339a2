// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The sides that need no MPI: one file per task, and checkpoints of this library.
#include "bench/tasks.hpp"

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>
#include <limequat/error.hpp>
#include <limequat/multifile.hpp>

#include "bench/raw.hpp"
#include "bench/rounds.hpp"

namespace lq::bench {
namespace {

// Only open, pwrite (pread), close.
class SeparateFiles final : public TaskSide {
 public:
  explicit SeparateFiles(const TaskGroup& group) : group_(group) {}
  std::string name() const override { return "one file per task"; }
  bool has_files() const override { return false; }
  void write(const TaskFiles& to, std::span<const std::byte> bytes) override {
    raw_write(path_of(to, group_.writers), 0, bytes, to.sync);
  }
  void read(const TaskFiles& from, std::span<std::byte> bytes) override {
    raw_read(path_of(from, group_.readers), 0, bytes);
  }

 private:
  static std::string path_of(const TaskFiles& files, const Communicator& tasks) {
    return fmt::format("{}.{:06}", files.path, tasks.rank());
  }
  TaskGroup group_;
};

class CheckpointSide final : public TaskSide {
 public:
  CheckpointSide(const TaskGroup& group, bool checksums) : group_(group), checksums_(checksums) {}
  std::string name() const override { return "checkpoint"; }
  bool has_checksums() const override { return checksums_; }
  void write(const TaskFiles& to, std::span<const std::byte> bytes) override {
    MultifileOptions options;
    options.expected_bytes = to.bytes;
    options.files = to.files;
    options.checksums = checksums_;
    options.sync = to.sync ? Sync::full : Sync::none;
    MultifileWriter writer(to.path, group_.writers, options);
    if (!bytes.empty()) writer.write(bytes);
    writer.close();
  }
  void read(const TaskFiles& from, std::span<std::byte> bytes) override {
    MultifileReadOptions options;
    options.verify = checksums_ ? Verify::checksum : Verify::none;
    const MultifileReader reader(from.path, group_.readers, options);
    if (!reader.task(reader.first_task()).read_whole(bytes)) {
      throw Error(Code::truncated, from.path + ": holds less than was written", {.path = from.path});
    }
  }

 private:
  TaskGroup group_;
  bool checksums_;
};

}  // namespace

std::unique_ptr<TaskSide> make_separate_files(const TaskGroup& group) { return std::make_unique<SeparateFiles>(group); }
std::unique_ptr<TaskSide> make_checkpoint(const TaskGroup& group, bool checksums) {
  return std::make_unique<CheckpointSide>(group, checksums);
}

namespace {

// Collective. A new folder for the files of one turn.
class ScratchFolder {
 public:
  ScratchFolder(const Communicator& tasks, std::string path) : tasks_(tasks), path_(std::move(path)) {
    together(tasks_, [&] {
      if (tasks_.is_root()) std::filesystem::create_directory(path_);
    });
  }
  ~ScratchFolder() {
    tasks_.barrier();
    if (tasks_.is_root()) {
      std::error_code failure;
      std::filesystem::remove_all(path_, failure);
      settle();
    }
    tasks_.barrier();
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  std::string set() const { return (std::filesystem::path(path_) / "tasks.sion").string(); }
  void drop_from_cache() const {
    together(tasks_, [&] {
      if (!tasks_.is_root()) return;
      for (const auto& file : std::filesystem::directory_iterator(path_)) bench::drop_from_cache(file.path().string());
    });
  }

 private:
  // A journal that records these removals later would slow down the next measurement.
  void settle() const noexcept {
    const int folder = ::open(std::filesystem::path(path_).parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return;
#ifdef __linux__
    ::syncfs(folder);
#else
    ::sync();
#endif
    ::close(folder);
  }

  Communicator tasks_;
  std::string path_;
};

// A side with its settings.
struct TaskLane {
  std::unique_ptr<TaskSide> side;
  TaskFiles to;
  TaskResult write, read;
};

TaskLane make_lane(const TaskGroup& group, const TaskRounds& what, std::unique_ptr<TaskSide> side, int files,
                   std::uint64_t block, const std::string& part) {
  TaskResult result;
  result.part = part;
  result.direction = part == "create" ? "create" : "write";
  result.name = side->name();
  result.verify = side->has_checksums() ? "checksum" : "none";
  result.tasks = group.writers.size();
  result.files = side->has_files() ? files : result.tasks;
  result.block = block;
  result.bytes = what.bytes * static_cast<std::uint64_t>(result.tasks);
  result.sync = what.rounds.sync;
  TaskLane lane{std::move(side), {}, result, result};
  lane.to.files = files;
  lane.to.block = block;
  lane.to.sync = what.rounds.sync;
  if (what.bytes > 0) lane.to.bytes = what.bytes;
  lane.read.direction = "read";
  lane.read.shift = what.shift;
  lane.read.sync = false;
  if (what.rounds.cold) lane.read.cache = "cold";
  return lane;
}

// Three quarters of a file system block: chunks of two tasks then share a block.
std::uint64_t awkward_block(const std::string& directory) {
  struct statvfs about {};
  const bool is_known = ::statvfs(directory.c_str(), &about) == 0 && about.f_bsize >= 512 && about.f_bsize <= 1U << 25;
  return (is_known ? about.f_bsize : 4096) / 4 * 3;
}

std::vector<TaskLane> transfer_lanes(const TaskGroup& group, const TaskRounds& what) {
  std::vector<TaskLane> lanes;
  const auto add = [&](std::unique_ptr<TaskSide> side, int files, std::uint64_t block) {
    lanes.push_back(make_lane(group, what, std::move(side), files, block, "transfer"));
  };
  add(make_separate_files(group), 1, 0);
  for (const int files : what.files) {
    if (group.make_multifile) add(group.make_multifile(), files, 0);
    add(make_checkpoint(group, false), files, 0);
    add(make_checkpoint(group, true), files, 0);
  }
  if (group.make_multifile) add(group.make_multifile(), what.files.front(), awkward_block(what.rounds.directory));
  return lanes;
}

}  // namespace

void fill_stream(std::span<std::byte> bytes, int task) {
  std::uint64_t state = 0x9e3779b97f4a7c15ULL * static_cast<std::uint64_t>(task + 1);
  for (std::size_t done = 0; done < bytes.size(); done += sizeof state) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    std::memcpy(bytes.data() + done, &state, std::min(sizeof state, bytes.size() - done));
  }
}

bool is_stream_of(std::span<const std::byte> bytes, int task) {
  PageVector<std::byte> expected(bytes.size());
  fill_stream(expected, task);
  return std::memcmp(expected.data(), bytes.data(), bytes.size()) == 0;
}

std::vector<TaskResult> measure_create(const TaskGroup& group, const TaskRounds& what) {
  std::vector<TaskLane> lanes;
  const auto add = [&](std::unique_ptr<TaskSide> side) {
    lanes.push_back(make_lane(group, what, std::move(side), 1, 0, "create"));
  };
  add(make_separate_files(group));
  if (group.make_multifile) add(group.make_multifile());
  add(make_checkpoint(group, true));
  take_turns(lanes.size(), what.rounds.runs, [&](std::size_t who) {
    TaskLane& lane = lanes[who];
    const ScratchFolder folder(group.writers, what.folder);
    lane.to.path = folder.set();
    lane.write.seconds.add(timed(group.writers, [&] { lane.side->write(lane.to, {}); }));
  });
  std::vector<TaskResult> results;
  for (TaskLane& lane : lanes) {
    lane.write.raw = lanes.front().write.seconds;
    results.push_back(lane.write);
  }
  return results;
}

std::vector<TaskResult> measure_transfer(const TaskGroup& group, const TaskRounds& what) {
  PageVector<std::byte> source, target;
  together(group.writers, [&] {
    source.resize(what.bytes);
    target.resize(what.bytes);
    fill_stream(source, group.writers.rank());
  });
  std::vector<TaskLane> lanes = transfer_lanes(group, what);
  take_turns(lanes.size(), what.rounds.runs, [&](std::size_t who) {
    TaskLane& lane = lanes[who];
    const ScratchFolder folder(group.writers, what.folder);
    lane.to.path = folder.set();
    lane.write.seconds.add(timed(group.writers, [&] { lane.side->write(lane.to, source); }));
    if (what.rounds.cold) folder.drop_from_cache();
    std::ranges::fill(target, std::byte{0});
    lane.read.seconds.add(timed(group.readers, [&] { lane.side->read(lane.to, target); }));
    together(group.readers, [&] {
      if (is_stream_of(target, group.readers.rank())) return;
      throw Error(Code::internal, fmt::format("{}: the data read differ from the data written", lane.write.name));
    });
  });
  std::vector<TaskResult> results;
  for (TaskLane& lane : lanes) {
    lane.write.raw = lanes.front().write.seconds;
    lane.read.raw = lanes.front().read.seconds;
    results.push_back(lane.write);
    results.push_back(lane.read);
  }
  return results;
}

}  // namespace lq::bench
