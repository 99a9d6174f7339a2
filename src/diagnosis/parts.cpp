// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Measures parts of a machine alternately, and fits the numbers of a Machine to them.
#include "diagnosis/parts.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <string>
#include <thread>

#include <fmt/format.h>

#include "base/clock.hpp"
#include "base/text.hpp"
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
    return std::vector<comm::StatedArgument>{{"the folder to measure in", folder},
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

// Facts known without measuring.
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
      // Non-negative floating-point numbers are ordered like their bits. All ranks stop together.
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

namespace lq::diagnosis {
namespace {

// The best-fitting slope of a line through the origin.
double slope_alone(std::span<const CallTime> points) {
  double pt = 0;
  double pp = 0;
  for (const CallTime& point : points) {
    const double p = point.bytes / point.seconds;
    pt += p;
    pp += p * p;
  }
  return pp > 0 ? pt / pp : 0;
}

// More digits were not measured.
double rounded(double value) { return base::parse_double(fmt::format("{:.4g}", value)).value_or(value); }

void set_rate(const std::vector<Part>& parts, std::string_view name, double& rate, double share = 1) {
  const Part* part = part_named(parts, name);
  if (part != nullptr && part->bytes_per_second > 0) rate = rounded(part->bytes_per_second * share);
}

// Rate of one of several ranks that worked concurrently.
void set_rate_of_one(const std::vector<Part>& parts, std::string_view name, double& rate) {
  const Part* part = part_named(parts, name);
  if (part != nullptr) set_rate(parts, name, rate, 1.0 / static_cast<double>(std::max<std::uint64_t>(part->ranks, 1)));
}

void set_time(const std::vector<Part>& parts, std::string_view name, double& seconds) {
  const Part* part = part_named(parts, name);
  if (part == nullptr) return;
  seconds = rounded(part->seconds.median / static_cast<double>(std::max<std::uint64_t>(part->calls, 1)));
}

void set_line(const std::vector<Part>& parts, std::string_view verb, double& rate, double& call) {
  std::vector<CallTime> points;
  for (const std::uint64_t piece : piece_sizes) {
    const Part* part = part_named(parts, storage_part_name(verb, piece, false));
    if (part == nullptr || part->calls == 0 || part->seconds.median <= 0) continue;
    const auto calls = static_cast<double>(part->calls);
    points.push_back({static_cast<double>(part->bytes) / calls, part->seconds.median / calls});
  }
  const Line line = fit_line(points);
  if (line.rate <= 0) return;
  rate = rounded(line.rate);
  call = rounded(line.call);
}

}  // namespace

Line fit_line(std::span<const CallTime> points) {
  if (points.empty()) return {};
  // Fits a x + b y = 1 with x = bytes/seconds, y = 1/seconds to all points.
  double xx = 0;
  double xy = 0;
  double yy = 0;
  double x1 = 0;
  double y1 = 0;
  for (const CallTime& point : points) {
    const double x = point.bytes / point.seconds;
    const double y = 1 / point.seconds;
    xx += x * x;
    xy += x * y;
    yy += y * y;
    x1 += x;
    y1 += y;
  }
  const double determinant = xx * yy - xy * xy;
  double slope = 0;
  double call = 0;
  if (determinant > 1e-12 * xx * yy) {
    slope = (x1 * yy - y1 * xy) / determinant;
    call = (y1 * xx - x1 * xy) / determinant;
  }
  if (slope <= 0 || call < 0) {
    slope = slope_alone(points);
    call = 0;
  }
  return slope > 0 ? Line{1 / slope, call} : Line{};
}

const Part* part_named(const std::vector<Part>& parts, std::string_view name) {
  const auto found = std::find_if(parts.begin(), parts.end(), [&](const Part& part) { return part.name == name; });
  return found == parts.end() ? nullptr : &*found;
}

Machine fit_machine(const std::vector<Part>& parts, Machine machine, bool has_other_nodes) {
  set_rate(parts, "memcpy, large", machine.copy_rate);
  set_rate(parts, "memcpy, large, all ranks", machine.copy_rate_node,
           1.0 / static_cast<double>(std::max<std::uint64_t>(machine.nodes, 1)));
  set_rate(parts, "pack with checksum", machine.pack_rate);
  set_rate_of_one(parts, "shared memory", machine.shared_rate);
  if (!machine.pull_permitted) machine.pull_rate = 0;
  set_rate_of_one(parts, "neighbour's memory", machine.pull_rate);
  set_time(parts, "handover", machine.handover_time);
  if (has_other_nodes) {
    set_time(parts, "message, 8 B", machine.latency);
    set_rate(parts, "message, 1 MiB", machine.message_rate);
    set_rate(parts, "messages, all ranks", machine.link_rate, 1.0 / static_cast<double>(machine.nodes));
  }
  set_line(parts, "write", machine.write_rate, machine.write_call);
  set_line(parts, "read", machine.read_rate, machine.read_call);
  for (const bool by_all : {false, true}) {  // a single rank is also all ranks
    set_rate(parts, storage_part_name("write", piece_sizes.back(), by_all), machine.write_rate_total);
    set_rate(parts, storage_part_name("read", piece_sizes.back(), by_all), machine.read_rate_total);
  }
  set_time(parts, "create, close, rename", machine.open_time);
  set_time(parts, "sync", machine.sync_time);
  return machine;
}

}  // namespace lq::diagnosis
