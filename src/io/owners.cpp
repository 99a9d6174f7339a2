// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/owners.hpp"

#include <array>

#include <limequat/error.hpp>

#include "base/path.hpp"
#include "comm/agree.hpp"
#include "comm/node.hpp"

namespace lq::io {

std::uint64_t client_of(transport::Transport& transport, const std::string& folder, const transport::Unit& seen) {
  if (seen.device != 0) return seen.device;
  try {
    return transport.identity(folder).device;
  } catch (const Error& error) {
    if (error.code() != Code::not_found) throw;
    return 0;  // of a folder that is not there opening the file tells more
  }
}

transport::Unit strictest_of(comm::Comm& comm, transport::Unit seen) {
  std::array<std::uint64_t, 2> strictest{seen.bytes, seen.single_owner ? 1U : 0U};
  comm.all_reduce(strictest, comm::Reduce::max);
  seen.bytes = strictest[0];
  seen.single_owner = strictest[1] == 1;
  return seen;
}

bool are_one_client(comm::Comm& comm, std::uint64_t client) {
  std::array<std::uint64_t, 2> least{client, ~client};
  comm.all_reduce(least, comm::Reduce::min);
  return comm.node().is_only() && least[0] == ~least[1];
}

std::uint64_t Owners::writers(int ranks, std::uint64_t multiple) const noexcept {
  const bool may_meet = have_strange_caches() && multiple % unit.bytes != 0;
  return may_meet ? 1 : static_cast<std::uint64_t>(ranks);
}

Owners owners_of(comm::Comm& comm, const transport::Unit& seen, std::uint64_t client) {
  Owners owners{strictest_of(comm, seen)};
  if (owners.unit.single_owner) owners.are_one_client = are_one_client(comm, client);
  return owners;
}

Owners owners_beside(comm::Comm& comm, transport::Transport& transport, const std::string& path) {
  struct Seen {
    transport::Unit unit;
    std::uint64_t client = 0;
  };
  const Seen seen = comm::agree(comm, [&] {
    const std::string folder = base::directory_of(path);
    const transport::Unit unit = transport.unit(folder);
    return Seen{unit, client_of(transport, folder, unit)};
  });
  return owners_of(comm, seen.unit, seen.client);
}

void tell_size(transport::File& file, std::uint64_t bytes) {
  if (file.size() < bytes) file.resize(bytes);
}

}  // namespace lq::io
