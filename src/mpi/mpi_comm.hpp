// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// comm::Comm over an MPI communicator.
#pragma once

#include <limequat/mpi.hpp>

#include <memory>

#include "comm/comm.hpp"

namespace lq::mpi {

// Bytes per MPI message: counts are int, and 1 GiB leaves space for what a library adds.
inline constexpr std::size_t default_chunk_bytes = std::size_t{1} << 30;

class MpiComm final : public comm::Comm {
 public:
  // Takes ownership of the communicator, makes it return errors, and frees it at the end unless MPI is finalised by
  // then. `chunk_bytes` (a multiple of 8) is the same on all ranks; tests lower it.
  explicit MpiComm(MPI_Comm owned, std::size_t chunk_bytes = default_chunk_bytes);
  ~MpiComm() override;
  MpiComm(const MpiComm&) = delete;
  MpiComm& operator=(const MpiComm&) = delete;

  MPI_Comm handle() const noexcept { return comm_; }
  int rank() const noexcept override { return rank_; }
  int size() const noexcept override { return size_; }
  void barrier() override;
  void broadcast(std::span<std::byte> data, int root) override;
  void all_reduce(std::span<std::uint64_t> values, comm::Reduce operation) override;
  void combine(std::span<comm::Term> terms) override;
  std::vector<comm::Message> all_to_all(std::vector<comm::Message> outgoing) override;
  std::unique_ptr<comm::Comm> split(int colour, int key) override;
  std::unique_ptr<comm::Comm> split_by_node() override;
  comm::Flight start_send(std::span<const std::byte> bytes, int to, int channel) override;
  comm::Flight start_receive(std::span<std::byte> bytes, int from, int channel) override;

 private:
  std::size_t pieces_of(std::size_t bytes) const noexcept { return (bytes + chunk_bytes_ - 1) / chunk_bytes_; }
  std::unique_ptr<comm::Comm> hold(MPI_Comm part) const;
  // Called first by every operation, because MPI ends programs that call it after it is finalised.
  MPI_Comm running() const;

  MPI_Comm comm_;
  std::size_t chunk_bytes_;
  int rank_ = 0;
  int size_ = 1;
  int exchanges_ = 0;  // calls of all_to_all, modulo 2
};

// Collective. Uses a duplicate of the communicator. out_of_memory on all ranks if one cannot allocate it.
std::shared_ptr<MpiComm> duplicate_of(MPI_Comm theirs);

}  // namespace lq::mpi
