// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The sides that need no MPI: one file per task, and our checkpoints.
#include <fmt/format.h>
#include <limequat/error.hpp>
#include <limequat/multifile.hpp>

#include "bench/raw.hpp"
#include "bench/tasks.hpp"

namespace lq::bench {
namespace {

// Nothing but open, pwrite (pread), close.
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

}  // namespace lq::bench
