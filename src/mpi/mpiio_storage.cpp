// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A Storage that uses the caller's MPI_File. Only independent calls with explicit offsets: collective MPI-IO has no
// notion of lattices, and some versions of it lose bytes.
#include <algorithm>
#include <limits>
#include <memory>
#include <string>

#include <limequat/mpi.hpp>

#include "base/error.hpp"
#include "mpi/calls.hpp"

namespace lq::mpi {
namespace {

constexpr std::uint64_t largest_piece = std::uint64_t{1} << 30;  // counts are int
constexpr std::uint64_t largest_position = std::numeric_limits<std::int64_t>::max();
static_assert(sizeof(MPI_Offset) == 8);

class MpiStorage final : public Storage {
 public:
  MpiStorage(MPI_File file, std::string path) : file_(file), path_(path.empty() ? "MPI file" : std::move(path)) {}

  std::string path() const override { return path_; }

  void write_at(std::uint64_t offset, std::span<const std::byte> bytes) override {
    begin("write", offset, bytes.size());
    const ErrorsReturn returned(file_);
    while (!bytes.empty()) {
      const int piece = static_cast<int>(std::min<std::uint64_t>(bytes.size(), largest_piece));
      MPI_Status status;
      check_file(MPI_File_write_at(file_, static_cast<MPI_Offset>(offset), bytes.data(), piece, MPI_BYTE, &status),
                 path_, "write", offset, bytes.size());
      const std::uint64_t put = bytes_of(status);
      // A write that stops without an error would loop indefinitely; full file systems behave like that.
      if (put == 0) fail(Code::no_space, "write", offset, bytes.size(), "nothing was written, and MPI gives no reason");
      offset += put;
      bytes = bytes.subspan(put);
    }
  }

  std::size_t read_at(std::uint64_t offset, std::span<std::byte> bytes) override {
    begin("read", offset, bytes.size());
    const ErrorsReturn returned(file_);
    std::size_t done = 0;
    while (done < bytes.size()) {
      const int piece = static_cast<int>(std::min<std::uint64_t>(bytes.size() - done, largest_piece));
      const std::uint64_t from = offset + done;
      MPI_Status status;
      check_file(MPI_File_read_at(file_, static_cast<MPI_Offset>(from), bytes.data() + done, piece, MPI_BYTE, &status),
                 path_, "read", from, bytes.size() - done);
      const std::uint64_t got = bytes_of(status);
      if (got == 0) break;
      done += got;
    }
    return done;
  }

 private:
  static std::uint64_t bytes_of(MPI_Status& status) {
    int count = 0;
    check(MPI_Get_count(&status, MPI_BYTE, &count), "count the bytes of a file that moved");
    return count > 0 ? static_cast<std::uint64_t>(count) : 0;
  }

  [[noreturn]] void fail(Code code, const char* verb, std::uint64_t offset, std::uint64_t bytes,
                         const std::string& reason) const {
    throw Error(code,
                path_ + ": cannot " + verb + " " + std::to_string(bytes) + " bytes at byte " + std::to_string(offset) +
                    ": " + reason,
                {.path = path_, .offset = offset});
  }

  void begin(const char* verb, std::uint64_t offset, std::uint64_t bytes) const {
    if (offset > largest_position || bytes > largest_position - offset) {
      fail(Code::too_large, verb, offset, bytes, "files end below 2^63 bytes");
    }
    require_running();
    int level = MPI_THREAD_SINGLE;
    int is_main = 0;
    check(MPI_Query_thread(&level), "find the thread level");
    check(MPI_Is_thread_main(&is_main), "find the main thread");
    if (level < MPI_THREAD_SERIALIZED && is_main == 0) {
      fail(Code::wrong_state, verb, offset, bytes,
           "only the thread that initialised MPI may call it; request MPI_THREAD_MULTIPLE, or use the storage "
           "on that thread");
    }
  }

  MPI_File file_;
  std::string path_;
};

void require_byte_view(MPI_File file, const std::string& path) {
  if (is_byte_view(file)) return;
  base::fail(Code::wrong_state, {.path = path},
             "the file has a view, but sites go to bytes of the whole file; set the view back, on all ranks, by "
             "MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, \"native\", MPI_INFO_NULL)");
}

}  // namespace

std::unique_ptr<Storage> storage(MPI_File file, std::string path) {
  require_running();
  if (file == MPI_FILE_NULL) {
    throw Error(Code::invalid_argument, "MPI: the file is MPI_FILE_NULL; open it with MPI_File_open first",
                {.path = path});
  }
  auto result = std::make_unique<MpiStorage>(file, std::move(path));
  require_byte_view(file, result->path());
  return result;
}

}  // namespace lq::mpi
