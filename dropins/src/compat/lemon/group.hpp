// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The ranks of a reader or writer, and how they come to one answer: one reduction per question.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include <limequat/grid.hpp>
#include <limequat/mpi.hpp>

#include "mpi/mpi_comm.hpp"

namespace lq::compat::lemon {

// Of what must be the same on all ranks: the call, its arguments, the state of the object.
class Fingerprint {
 public:
  explicit Fingerprint(std::string_view call) { add(call); }
  Fingerprint& add(std::uint64_t number) noexcept;
  Fingerprint& add(std::string_view text) noexcept;
  std::uint64_t value() const noexcept { return hash_; }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325;
};

struct Verdict {
  int code = 0;         // the gravest of all ranks; LEMON_ERR_PARAM where fingerprints differ
  bool raised = false;  // by any rank
};

class Group {
 public:
  // Collective. Over a duplicate of the communicator, which returns its errors.
  static std::shared_ptr<const Group> of(MPI_Comm theirs);

  MPI_Comm handle() const noexcept { return handle_; }
  const Communicator& communicator() const noexcept { return communicator_; }
  int rank() const noexcept { return communicator_.rank(); }
  bool is_root() const noexcept { return communicator_.is_root(); }

  // Collective. What a rank found wrong, what must be the same, and whether this rank raises its hand.
  Verdict vote(int code, const Fingerprint& same, bool raised = false) const;
  // Collective. The gravest code of all ranks.
  int gravest(int code) const;
  // Collective. Rank 0's bytes on all ranks.
  void broadcast(std::span<std::byte> bytes) const;

 private:
  explicit Group(std::shared_ptr<mpi::MpiComm> engine);

  MPI_Comm handle_ = MPI_COMM_NULL;
  Communicator communicator_;  // frees the handle
};

}  // namespace lq::compat::lemon
