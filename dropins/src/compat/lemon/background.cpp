// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "compat/lemon/state.hpp"

#include <algorithm>
#include <iterator>

#include <limequat/error.hpp>

#include "mpi/calls.hpp"
#include "storage/posix_file.hpp"

namespace lq::compat::lemon {
namespace {

constexpr std::size_t largest_request = std::size_t{1} << 30;  // counts are int
constexpr std::size_t smallest_request = 16 * 1024;

}  // namespace

Storage& CallersFile::open() {
  if (!storage_) storage_ = mpi::storage(file_);
  return *storage_;
}

void CallersFile::write_at(std::uint64_t offset, std::span<const std::byte> bytes) {
  Storage& storage = open();
  const storage::WatchedCall call("write", name_of_callers_file, offset, bytes.size());
  storage.write_at(offset, bytes);
}

std::size_t CallersFile::read_at(std::uint64_t offset, std::span<std::byte> bytes) {
  Storage& storage = open();
  const storage::WatchedCall call("read", name_of_callers_file, offset, bytes.size());
  return storage.read_at(offset, bytes);
}

void Staging::write_at(std::uint64_t offset, std::span<const std::byte> bytes) {
  reserve(offset, bytes.size());
  std::ranges::copy(bytes, pieces_.back().memory.begin());
}

std::size_t Staging::read_at(std::uint64_t offset, std::span<std::byte> bytes) {
  const auto behind = std::ranges::upper_bound(pieces_, offset, {}, &Piece::offset);
  if (behind == pieces_.begin()) return 0;
  const Piece& piece = *std::prev(behind);
  const std::uint64_t skip = offset - piece.offset;
  if (skip >= piece.memory.size()) return 0;
  const std::size_t count = std::min<std::size_t>(bytes.size(), piece.memory.size() - static_cast<std::size_t>(skip));
  std::copy_n(piece.memory.begin() + static_cast<std::ptrdiff_t>(skip), count, bytes.begin());
  return count;
}

void Staging::reserve(std::uint64_t offset, std::uint64_t bytes) {
  const auto size = static_cast<std::size_t>(bytes);
  memory_.push_back(std::make_unique_for_overwrite<std::byte[]>(size));
  pieces_.push_back({offset, {memory_.back().get(), size}});
}

void Background::start_all(const std::vector<Piece>& pieces) {
  const std::uint64_t end = writing_ ? 0 : end_of_file();
  for (const Piece& whole : pieces) {
    Piece rest = whole;
    while (!rest.memory.empty()) {
      const std::size_t bytes = std::min(rest.memory.size(), largest_request);
      const Piece piece{rest.offset, rest.memory.first(bytes)};
      // Requests of Open MPI after the end of the file try indefinitely.
      const bool is_cut = !writing_ && (piece.offset > end || bytes > end - piece.offset);
      if (bytes < smallest_request || is_cut) {
        move_now(piece);
      } else {
        start(piece);
      }
      rest = {rest.offset + bytes, rest.memory.subspan(bytes)};
    }
  }
}

Background::~Background() {
  try {
    finish();
  } catch (...) {
    // Errors are reported by calls made before.
  }
}

std::uint64_t Background::end_of_file() const {
  MPI_Offset size = 0;
  const mpi::ErrorsReturn returned(file_);
  mpi::check(MPI_File_get_size(file_, &size), "find the size of a file");
  return static_cast<std::uint64_t>(size);
}

void Background::start(const Piece& piece) {
  Request& request = requests_.emplace_back(Request{MPI_REQUEST_NULL, piece});
  const auto offset = static_cast<MPI_Offset>(piece.offset);
  const int count = static_cast<int>(piece.memory.size());
  const mpi::ErrorsReturn returned(file_);
  const int code = writing_ ? MPI_File_iwrite_at(file_, offset, piece.memory.data(), count, MPI_BYTE, &request.handle)
                            : MPI_File_iread_at(file_, offset, piece.memory.data(), count, MPI_BYTE, &request.handle);
  if (code == MPI_SUCCESS) return;
  // If it cannot be done in the background, it is done now.
  requests_.pop_back();
  move_now(piece);
}

void Background::move_now(const Piece& piece) {
  CallersFile file(file_);
  if (writing_) return file.write_at(piece.offset, piece.memory);
  if (file.read_at(piece.offset, piece.memory) == piece.memory.size()) return;
  throw Error(Code::truncated, "MPI file: it ends before the data that its records announce", {.offset = piece.offset});
}

void Background::finish() {
  std::exception_ptr failure;
  for (Request& request : requests_) {
    try {
      MPI_Status status;
      int count = 0;
      const storage::WatchedCall call(writing_ ? "write" : "read", name_of_callers_file, request.piece.offset,
                                      request.piece.memory.size());
      mpi::wait(request.handle, "wait for a file", &status);
      mpi::check(MPI_Get_count(&status, MPI_BYTE, &count), "count the transferred bytes");
      const auto done = static_cast<std::size_t>(std::max(count, 0));
      if (done < request.piece.memory.size())
        move_now({request.piece.offset + done, request.piece.memory.subspan(done)});
    } catch (...) {
      if (!failure) failure = std::current_exception();
    }
  }
  requests_.clear();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace lq::compat::lemon
