// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "compat/lemon/group.hpp"

#include <array>
#include <memory>
#include <utility>

#include <limequat/error.hpp>

#include "comm/agree.hpp"
#include "compat/lemon/codes.hpp"
#include "mpi/mpi_error.hpp"

namespace lq::compat::lemon {
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

Group::Group(std::shared_ptr<mpi::MpiComm> engine) : handle_(engine->handle()), communicator_(std::move(engine)) {}

std::shared_ptr<const Group> Group::of(MPI_Comm theirs) {
  mpi::require_running();
  if (theirs == MPI_COMM_NULL) throw Error(Code::invalid_argument, "lemon: the communicator is MPI_COMM_NULL");
  const auto engine = mpi::duplicate_of(theirs);
  return comm::agree(*engine, [&] { return std::shared_ptr<const Group>(new Group(engine)); });
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
