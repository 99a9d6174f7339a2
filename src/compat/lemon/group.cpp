// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "compat/lemon/group.hpp"

#include <array>
#include <memory>
#include <utility>

#include <limequat/error.hpp>

#include "base/keep_failure.hpp"
#include "comm/error_wire.hpp"
#include "compat/lemon/codes.hpp"
#include "mpi/mpi_comm.hpp"
#include "mpi/mpi_error.hpp"

namespace lq::compat::lemon {
namespace {

MPI_Comm duplicate_of(MPI_Comm theirs) {
  mpi::require_running();
  if (theirs == MPI_COMM_NULL) throw Error(Code::invalid_argument, "lemon: the communicator is MPI_COMM_NULL");
  MPI_Comm duplicate = MPI_COMM_NULL;
  mpi::check(MPI_Comm_dup(theirs, &duplicate), "duplicate the communicator");
  return duplicate;
}

}  // namespace

// FNV-1a.
Fingerprint& Fingerprint::add(std::string_view text) noexcept {
  add(text.size());
  for (const char c : text) hash_ = (hash_ ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return *this;
}

Fingerprint& Fingerprint::add(std::uint64_t number) noexcept {
  for (int byte = 0; byte < 8; ++byte) hash_ = (hash_ ^ (number >> (8 * byte) & 0xff)) * 0x100000001b3;
  return *this;
}

Group::Group(MPI_Comm handle, std::shared_ptr<comm::Comm> engine) : handle_(handle), communicator_(std::move(engine)) {}

std::shared_ptr<const Group> Group::of(MPI_Comm theirs) {
  MPI_Comm handle = duplicate_of(theirs);
  std::shared_ptr<mpi::MpiComm> engine;  // frees the handle
  std::shared_ptr<const Group> group;
  std::exception_ptr failure;
  base::keep_failure(failure, [&] {
    engine = std::make_shared<mpi::MpiComm>(handle);
    group.reset(new Group(handle, engine));
  });
  // There is nothing yet over which ranks could agree.
  int is_well = failure ? 0 : 1;
  MPI_Allreduce(MPI_IN_PLACE, &is_well, 1, MPI_INT, MPI_MIN, handle);
  if (is_well == 1) return group;
  if (!engine) MPI_Comm_free(&handle);
  std::rethrow_exception(failure ? failure : comm::no_memory_for_words);
}

Verdict Group::vote(int code, const Fingerprint& same, bool raised) const {
  // Codes are 0 and below; the maximum of the complements is the minimum.
  std::array<std::uint64_t, 4> ballot{static_cast<std::uint64_t>(-code), same.value(), ~same.value(), raised ? 1U : 0U};
  communicator_.engine().all_reduce(ballot, comm::Reduce::max);
  const int gravest = -static_cast<int>(ballot[0]);
  if (gravest == LEMON_SUCCESS && ballot[1] != ~ballot[2]) return {LEMON_ERR_PARAM, ballot[3] != 0};
  return {gravest, ballot[3] != 0};
}

int Group::gravest(int code) const {
  std::array<std::uint64_t, 1> worst{static_cast<std::uint64_t>(-code)};
  communicator_.engine().all_reduce(worst, comm::Reduce::max);
  return -static_cast<int>(worst[0]);
}

void Group::broadcast(std::span<std::byte> bytes) const { communicator_.engine().broadcast(bytes, 0); }

}  // namespace lq::compat::lemon
