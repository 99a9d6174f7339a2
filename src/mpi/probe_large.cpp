// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Pieces and messages of 2 GiB + 1 MiB, in one call by a datatype of a mebibyte: what a count of int cannot say.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <new>
#include <system_error>

#include "base/bytes.hpp"
#include "mpi/mpi_error.hpp"
#include "mpi/probe.hpp"

namespace lq::mpi {
namespace {

using base::mebi;

constexpr int mebibytes = 2049;
constexpr std::uint64_t large_bytes = mebi * mebibytes;

class Mebibyte {
 public:
  Mebibyte() {
    check(MPI_Type_contiguous(static_cast<int>(mebi), MPI_BYTE, &type_), "make a type");
    check(MPI_Type_commit(&type_), "make a type");
  }
  ~Mebibyte() { MPI_Type_free(&type_); }
  Mebibyte(const Mebibyte&) = delete;
  Mebibyte& operator=(const Mebibyte&) = delete;
  MPI_Datatype type() const noexcept { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

std::uint64_t free_memory() noexcept {
  const long pages = ::sysconf(_SC_AVPHYS_PAGES);
  return pages > 0 ? static_cast<std::uint64_t>(pages) * 4096 : 0;
}

std::uint64_t free_space(const std::string& path) {
  std::error_code failure;
  const auto space = std::filesystem::space(std::filesystem::path(path).parent_path(), failure);
  return failure ? 0 : space.available;
}

// Each page begins with a mark of its own.
std::uint32_t mark(std::uint64_t page) noexcept { return static_cast<std::uint32_t>(page * 2654435761u + 1); }

std::vector<std::uint32_t> marked_pages() {
  std::vector<std::uint32_t> data(large_bytes / 4, 0);
  for (std::uint64_t page = 0; page * 1024 < data.size(); ++page) data[page * 1024] = mark(page);
  return data;
}

// Nothing when every page of `data`, which begins with page `first`, has its mark.
std::string missing_mark(const std::vector<std::uint32_t>& data, std::uint64_t first) {
  for (std::uint64_t page = 0; page * 1024 < data.size(); ++page) {
    if (data[page * 1024] != mark(first + page)) return "byte " + std::to_string((first + page) * 4096) + " is wrong";
  }
  return {};
}

std::string check_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<std::uint32_t> block(mebi / 4);
  for (std::uint64_t done = 0; done < large_bytes; done += mebi) {
    if (!file.read(reinterpret_cast<char*>(block.data()), static_cast<std::streamsize>(mebi))) {
      return "the file ends before byte " + std::to_string(done + mebi);
    }
    if (const std::string wrong = missing_mark(block, done / 4096); !wrong.empty()) return wrong;
  }
  return {};
}

std::string write_large(const std::string& path) {
  const Mebibyte type;
  const std::vector<std::uint32_t> data = marked_pages();
  MPI_File file = MPI_FILE_NULL;
  if (MPI_File_open(MPI_COMM_SELF, path.c_str(), MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file) !=
      MPI_SUCCESS) {
    return "the file cannot be opened";
  }
  const int code = MPI_File_write_at(file, 0, data.data(), mebibytes, type.type(), MPI_STATUS_IGNORE);
  const bool is_closed = MPI_File_close(&file) == MPI_SUCCESS;
  if (code != MPI_SUCCESS || !is_closed) return "the write is refused";
  return check_file(path);
}

// What the first rank sends and the last one receives; false: there is no memory.
bool make_room(std::vector<std::uint32_t>& data, int rank, int last) {
  try {
    if (rank == 0) data = marked_pages();
    if (rank == last) data.resize(large_bytes / 4);
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

std::string send_large(MPI_Comm comm, std::vector<std::uint32_t>& data, int rank, int last) {
  const Mebibyte type;
  if (rank == 0) {
    return MPI_Send(data.data(), mebibytes, type.type(), last, 0, comm) == MPI_SUCCESS ? "" : "sending is refused";
  }
  if (rank != last) return {};
  const int code = MPI_Recv(data.data(), mebibytes, type.type(), 0, 0, comm, MPI_STATUS_IGNORE);
  return code == MPI_SUCCESS ? missing_mark(data, 0) : "receiving is refused";
}

}  // namespace

Probe probe_large_piece(MPI_Comm comm, const std::string& path) {
  const std::string name = "mpi-large-piece";
  int rank = 0;
  check(MPI_Comm_rank(comm, &rank), "find the rank");
  if (rank != 0) return {name, ProbeVerdict::pass, "", ""};
  if (free_memory() < 2 * large_bytes || free_space(path) < 3 * large_bytes / 2) {
    return {name, ProbeVerdict::warn, "not tried: less than 4.3 GB of memory or 3.2 GB of space are free",
            "try again with more"};
  }
  const std::string wrong = write_large(path);
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
  if (wrong.empty()) return {name, ProbeVerdict::pass, "2 GiB + 1 MiB in one call come back", ""};
  return {name, ProbeVerdict::fail, "of 2 GiB + 1 MiB in one call, " + wrong,
          "hand pieces below 2 GiB to MPI-IO; this library does"};
}

Probe probe_large_message(MPI_Comm comm) {
  const std::string name = "mpi-large-message";
  int rank = 0;
  int size = 1;
  check(MPI_Comm_rank(comm, &rank), "find the rank");
  check(MPI_Comm_size(comm, &size), "find the size");
  if (size == 1) return {name, ProbeVerdict::pass, "one rank sends no messages", ""};
  std::vector<std::uint32_t> data;
  const int enough_here = free_memory() >= 3 * large_bytes && make_room(data, rank, size - 1) ? 1 : 0;
  int enough = 0;
  check(MPI_Allreduce(&enough_here, &enough, 1, MPI_INT, MPI_MIN, comm), "reduce");
  if (enough == 0) {
    return {name, ProbeVerdict::warn, "not tried: less than 6.4 GB of memory are free", "try again with more"};
  }
  const std::string wrong = send_large(comm, data, rank, size - 1);
  Probe probe{name, ProbeVerdict::pass, "2 GiB + 1 MiB in one message arrive", ""};
  if (!wrong.empty()) {
    probe = {name, ProbeVerdict::fail, "of 2 GiB + 1 MiB in one message, " + wrong,
             "send messages below 2 GiB; this library does"};
  }
  return worst_over_ranks(comm, probe);
}

}  // namespace lq::mpi
