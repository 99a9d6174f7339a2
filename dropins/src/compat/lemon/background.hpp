// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Bytes on their way between memory and the caller's file while the program computes. MPI_File_iwrite_at and
// MPI_File_iread_at do the work: Open MPI and MPICH hand them to the threads of POSIX asynchronous I/O, whatever thread
// level the program asked for, so that no thread of ours needs MPI_THREAD_MULTIPLE (measured:
// docs/guide/porting-from-lemon.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <limequat/mpi.hpp>
#include <limequat/storage.hpp>

namespace lq::compat::lemon {

// Contiguous in memory and in the file.
struct Piece {
  std::uint64_t offset = 0;
  std::span<std::byte> memory;
};

// Memory for what does not lie in the program's in one piece, as a file: what is written is kept as pieces; what is
// read comes out of pieces that were reserved.
class Staging final : public Storage {
 public:
  std::string path() const override { return "MPI file"; }
  void write_at(std::uint64_t offset, std::span<const std::byte> bytes) override;
  std::size_t read_at(std::uint64_t offset, std::span<std::byte> bytes) override;

  void reserve(std::uint64_t offset, std::uint64_t bytes);
  const std::vector<Piece>& pieces() const noexcept { return pieces_; }

 private:
  std::vector<std::unique_ptr<std::byte[]>> memory_;
  std::vector<Piece> pieces_;  // ascending, as the exchange goes through the file
};

// Local. The caller's file, whose calls are watched like those of the file system (limequat/stall.hpp); MPI does not
// tell its name.
inline const std::string name_of_callers_file = "the program's MPI file";
std::unique_ptr<Storage> watched_storage(MPI_File file);

class Background {
 public:
  Background(MPI_File file, bool writing) : file_(file), writing_(writing) {}
  ~Background();  // waits for what was started, also where start_all() threw
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  // Local. Starts all of the pieces; their memory is in use until finish(). Pieces too small to be worth a request, and
  // those that the file does not hold, are moved at once.
  void start_all(const std::vector<Piece>& pieces);
  // Local. Throws what went wrong.
  void finish();

 private:
  struct Request {
    MPI_Request handle = MPI_REQUEST_NULL;
    Piece piece;
  };
  std::uint64_t end_of_file() const;
  void start(const Piece& piece);
  void move_now(const Piece& piece);

  MPI_File file_;
  bool writing_;
  std::vector<Request> requests_;
};

}  // namespace lq::compat::lemon
