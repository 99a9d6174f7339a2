// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A file of MPI-IO for each group of tasks, and a file for each task.
#include <fcntl.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <limits>

#include <fmt/format.h>

#include "programs/partest/target.hpp"

namespace lq::partest {
namespace {

std::string numbered(const std::string& name, int number) { return fmt::format("{}.{:06}", name, number); }

class MpiIo final : public Target {
 public:
  MpiIo(const Settings& settings, const Tasks& tasks) : settings_(settings), tasks_(tasks) {}

  bool open(bool writes, int source) override {
    is_collective_ = writes ? settings_.collective_write : settings_.collective_read;
    // Tasks are contiguous in the file of their group.
    const int each = tasks_.count / settings_.files;
    const int file = std::min(source / each, settings_.files - 1);
    offset_ = 0;
    for (int task = file * each; task < source; ++task) offset_ += settings_.bytes_of(task);
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    if (settings_.mpi_io_large_blocks) MPI_Info_set(info, "IBM_largeblock_io", "true");
    if (settings_.mpi_io_sparse) MPI_Info_set(info, "IBM_sparse_access", "true");
    if (settings_.mpi_io_buffer_kib > 0) {
      MPI_Info_set(info, "IBM_io_buffer_size", fmt::format("{}KB", settings_.mpi_io_buffer_kib).c_str());
    }
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_split(tasks_.ranks, file, source, &comm);
    const std::string name = numbered(settings_.file, file);
    const int mode = writes ? MPI_MODE_CREATE | MPI_MODE_WRONLY : MPI_MODE_RDONLY;
    const int code = MPI_File_open(comm, name.c_str(), mode, info, &handle_);
    MPI_Comm_free(&comm);
    MPI_Info_free(&info);
    if (writes) name_ = name;
    return code == MPI_SUCCESS;
  }

  bool write(std::span<const std::byte> bytes) override {
    const int count = static_cast<int>(bytes.size());
    MPI_Status status;
    const auto call = is_collective_ ? MPI_File_write_at_all : MPI_File_write_at;
    const int code = call(handle_, offset_, bytes.data(), count, MPI_BYTE, &status);
    return moved(code, status, count);
  }

  bool read(std::span<std::byte> bytes) override {
    const int count = static_cast<int>(bytes.size());
    MPI_Status status;
    const auto call = is_collective_ ? MPI_File_read_at_all : MPI_File_read_at;
    const int code = call(handle_, offset_, bytes.data(), count, MPI_BYTE, &status);
    return moved(code, status, count);
  }

  bool close() override { return MPI_File_close(&handle_) == MPI_SUCCESS; }

  std::string own_file() const override { return tasks_.of_file->rank() == 0 ? name_ : ""; }

 private:
  bool moved(int code, const MPI_Status& status, int count) {
    int done = 0;
    if (code != MPI_SUCCESS || MPI_Get_count(&status, MPI_BYTE, &done) != MPI_SUCCESS || done != count) return false;
    offset_ += count;
    return true;
  }

  const Settings& settings_;
  const Tasks& tasks_;
  bool is_collective_ = false;
  MPI_Offset offset_ = 0;
  MPI_File handle_ = MPI_FILE_NULL;
  std::string name_;
};

class FilePerTask final : public Target {
 public:
  FilePerTask(const Settings& settings, const Tasks& tasks) : settings_(settings), tasks_(tasks) {}

  bool open(bool writes, int source) override {
    const std::string name = numbered(settings_.file, source);
    if (settings_.descriptors) {
      descriptor_ = ::open(name.c_str(), writes ? O_CREAT | O_TRUNC | O_WRONLY : O_RDONLY, 0666);
      return descriptor_ >= 0;
    }
    stream_ = std::fopen(name.c_str(), writes ? "wb" : "rb");
    return stream_ != nullptr;
  }

  bool write(std::span<const std::byte> bytes) override {
    if (stream_ != nullptr) return std::fwrite(bytes.data(), 1, bytes.size(), stream_) == bytes.size();
    while (!bytes.empty()) {
      const ssize_t done = ::write(descriptor_, bytes.data(), bytes.size());
      if (done <= 0) return false;
      bytes = bytes.subspan(static_cast<std::size_t>(done));
    }
    return true;
  }

  bool read(std::span<std::byte> bytes) override {
    if (stream_ != nullptr) return std::fread(bytes.data(), 1, bytes.size(), stream_) == bytes.size();
    while (!bytes.empty()) {
      const ssize_t done = ::read(descriptor_, bytes.data(), bytes.size());
      if (done <= 0) return false;
      bytes = bytes.subspan(static_cast<std::size_t>(done));
    }
    return true;
  }

  bool close() override {
    const bool is_closed = stream_ != nullptr ? std::fclose(stream_) == 0 : ::close(descriptor_) == 0;
    stream_ = nullptr;
    descriptor_ = -1;
    return is_closed;
  }

  std::string own_file() const override { return numbered(settings_.file, tasks_.rank); }

 private:
  const Settings& settings_;
  const Tasks& tasks_;
  std::FILE* stream_ = nullptr;
  int descriptor_ = -1;
};

}  // namespace

std::unique_ptr<Target> make_mpi_io(const Settings& settings, const Tasks& tasks) {
  return std::make_unique<MpiIo>(settings, tasks);
}

std::unique_ptr<Target> make_file_per_task(const Settings& settings, const Tasks& tasks) {
  return std::make_unique<FilePerTask>(settings, tasks);
}

}  // namespace lq::partest
