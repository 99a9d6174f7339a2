// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "storage/owners.hpp"

#include <unistd.h>

#include <array>
#include <fstream>
#include <functional>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/path.hpp"
#include "comm/agree.hpp"
#include "comm/node.hpp"

namespace lq::storage {

std::uint64_t client_of(storage::Transport& transport, const std::string& folder, const storage::StorageTraits& seen) {
  if (seen.device != 0) return seen.device;
  try {
    return transport.identity(folder).device;
  } catch (const Error& error) {
    if (error.code() != Code::not_found) throw;
    return 0;  // of a folder that is not there opening the file tells more
  }
}

void SeenByAll::tell(Terms all, const storage::StorageTraits& seen, std::uint64_t client) noexcept {
  all[0] = {seen.bytes, comm::Reduce::max};
  all[1] = {seen.single_owner ? 1U : 0U, comm::Reduce::max};
  all[2] = {~client, comm::Reduce::max};  // the least of them
  all[3] = {client, comm::Reduce::max};
}

storage::StorageTraits SeenByAll::strictest(std::span<const comm::Term, terms> all,
                                            storage::StorageTraits seen) noexcept {
  seen.bytes = all[0].value;
  seen.single_owner = all[1].value == 1;
  return seen;
}

bool SeenByAll::have_one_client(std::span<const comm::Term, terms> all) noexcept {
  return ~all[2].value == all[3].value;
}

std::uint64_t on_this_host(std::uint64_t client) {
  std::string host;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> host;
  if (host.empty()) {
    std::array<char, 256> name{};
    if (::gethostname(name.data(), name.size() - 1) == 0) host = name.data();
  }
  return std::hash<std::string>()(fmt::format("{} {}", host, client));
}

std::uint64_t Owners::writers(int ranks, std::uint64_t multiple) const noexcept {
  const bool may_meet = have_incoherent_caches() && multiple % unit.bytes != 0;
  return may_meet ? 1 : static_cast<std::uint64_t>(ranks);
}

Owners owners_of(comm::Comm& comm, base::FunctionRef<Seen()> look) {
  std::array<comm::Term, 1 + SeenByAll::terms> terms{};
  const auto all = std::span(terms).subspan<1>();
  const Seen seen = comm::agree(comm, terms, [&] {
    const Seen mine = look();
    SeenByAll::tell(all, mine.unit, mine.client);
    return mine;
  });
  Owners owners{SeenByAll::strictest(all, seen.unit)};
  if (owners.unit.single_owner) owners.are_one_client = comm.node().is_only() && SeenByAll::have_one_client(all);
  return owners;
}

Owners owners_beside(comm::Comm& comm, storage::Transport& transport, const std::string& path) {
  return owners_of(comm, [&] {
    const std::string folder = base::directory_of(path);
    const storage::StorageTraits unit = transport.unit(folder);
    return Seen{unit, client_of(transport, folder, unit)};
  });
}

void tell_size(storage::File& file, std::uint64_t bytes) {
  if (file.size() < bytes) file.resize(bytes);
}

}  // namespace lq::storage
