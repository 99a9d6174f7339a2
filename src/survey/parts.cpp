// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "survey/parts.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <thread>

#include "comm/agree.hpp"
#include "comm/node.hpp"
#include "kernels/dispatch.hpp"
#include "machine/file_system.hpp"
#include "survey/fit.hpp"
#include "survey/memory_parts.hpp"
#include "survey/message_parts.hpp"
#include "survey/storage_parts.hpp"

namespace lq {
namespace survey {
namespace {

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

void require_possible(comm::Comm& comm, const std::string& folder, const PartsOptions& options) {
  comm::require_same(comm, [&] {
    return std::vector<comm::Stated>{{"the folder to measure in", folder},
                                     {"seconds", fmt::format("{}", options.seconds)},
                                     {"file_bytes", fmt::format("{}", options.file_bytes)},
                                     {"memory_bytes", fmt::format("{}", options.memory_bytes)},
                                     {"rounds", fmt::format("{}", options.rounds)}};
  });
  if (!(options.seconds > 0) || !std::isfinite(options.seconds) || options.rounds == 0) {
    throw Error(Code::invalid_argument, fmt::format("measure_parts: {} seconds and {} rounds; both must be positive",
                                                    options.seconds, options.rounds));
  }
}

// What is known without measuring.
Machine describe_machine(comm::Comm& comm, const std::string& folder) {
  Machine machine;
  comm::Node& node = comm.node();
  std::array<std::uint64_t, 1> nodes{node.index() == 0 ? std::uint64_t{1} : 0};
  comm.all_reduce(nodes, comm::Reduce::sum);
  const machine::FileSystem fs = comm::agree(comm, [&] { return machine::examine_file_system(folder); });
  const std::uint64_t numbers[] = {std::max(std::thread::hardware_concurrency(), 1u), fs.block_bytes, fs.stripe_count};
  std::array<std::uint64_t, 3> largest{numbers[0], numbers[1], numbers[2]};
  comm.all_reduce(largest, comm::Reduce::max);
  machine.name = comm::broadcast_text(comm, host_name());
  machine.nodes = nodes[0];
  machine.ranks_per_node = static_cast<std::uint64_t>(node.largest());
  machine.cores_per_node = largest[0];
  machine.file_system = comm::broadcast_text(comm, fs.name);
  machine.block_bytes = largest[1];
  machine.servers = std::max<std::uint64_t>(largest[2], 1);
  machine.pull_permitted = node.can_pull();
  machine.shared_memory_permitted = node.lease(4096) != nullptr;
  return machine;
}

}  // namespace

Parts measure_parts(comm::Comm& comm, transport::Transport& transport, const std::string& folder,
                    const PartsOptions& options) {
  require_possible(comm, folder, options);
  const Machine machine = describe_machine(comm, folder);
  Scratch scratch(comm, transport, folder);
  std::vector<Measurement> all = memory_parts(comm, options.memory_bytes);
  for (auto& part : message_parts(comm)) all.push_back(std::move(part));
  for (auto& part : storage_parts(comm, scratch, options.file_bytes, options.seconds)) all.push_back(std::move(part));
  Parts result;
  result.kernels = kernels::instruction_set_name();
  result.parts = measure_in_rounds(comm, all, options.seconds, options.rounds);
  result.machine = fit_machine(result.parts, machine, !comm.node().is_only());
  return result;
}

}  // namespace survey

Parts measure_parts(const Communicator& communicator, const std::string& folder, const PartsOptions& options) {
  return survey::measure_parts(communicator.engine(), transport::posix(), folder, options);
}

}  // namespace lq
