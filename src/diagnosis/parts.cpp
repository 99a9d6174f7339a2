// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "diagnosis/parts.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <thread>

#include "base/clock.hpp"
#include "comm/agree.hpp"
#include "comm/node.hpp"
#include "kernels/dispatch.hpp"
#include "storage/file_system.hpp"

namespace lq {
namespace diagnosis {
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
  const FileSystem fs = comm::agree(comm, [&] { return file_system_of(folder); });
  const std::uint64_t numbers[] = {std::max(std::thread::hardware_concurrency(), 1u), fs.block_bytes,
                                   std::max(fs.targets, fs.stripe_count)};
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

Repetitions summarise(const std::vector<double>& samples) {
  std::vector<double> sorted = samples;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t n = sorted.size();
  Repetitions result;
  result.first = samples.front();
  result.min = sorted.front();
  result.median = (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
  result.max = sorted.back();
  result.count = n;
  return result;
}

std::vector<Part> measure_in_rounds(comm::Comm& comm, const std::vector<Measurement>& measurements, double seconds,
                                    std::uint64_t rounds) {
  const base::Stopwatch watch;
  std::vector<std::vector<double>> samples(measurements.size());
  bool is_late = false;
  bool is_too_late = false;
  for (std::uint64_t round = 0; round < rounds && !is_late; ++round) {
    for (std::size_t i = 0; i < measurements.size() && !is_too_late; ++i) {
      comm.barrier();
      const double mine = measurements[i].run();
      // Times are not negative, and such numbers are ordered as their bits. All ranks stop together.
      std::array<std::uint64_t, 2> values{std::bit_cast<std::uint64_t>(std::max(mine, 0.0)),
                                          std::bit_cast<std::uint64_t>(watch.seconds())};
      comm.all_reduce(values, comm::Reduce::max);
      samples[i].push_back(std::bit_cast<double>(values[0]));
      is_late = std::bit_cast<double>(values[1]) > seconds;
      is_too_late = std::bit_cast<double>(values[1]) > 2 * seconds;
    }
  }
  std::vector<Part> parts;
  for (std::size_t i = 0; i < measurements.size(); ++i) {
    if (samples[i].empty()) continue;
    const Measurement& m = measurements[i];
    Part part{m.name, m.bytes, m.calls, m.ranks, summarise(samples[i]), 0};
    if (part.seconds.median > 0) part.bytes_per_second = static_cast<double>(m.bytes) / part.seconds.median;
    parts.push_back(std::move(part));
  }
  return parts;
}

Parts measure_parts(comm::Comm& comm, storage::Transport& transport, const std::string& folder,
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

}  // namespace diagnosis

Parts measure_parts(const Communicator& communicator, const std::string& folder, const PartsOptions& options) {
  return diagnosis::measure_parts(communicator.engine(), storage::posix(), folder, options);
}

}  // namespace lq
