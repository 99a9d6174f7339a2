// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "diagnosis/parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/text.hpp"

namespace lq::diagnosis {
namespace {

// The best slope of a line through the origin.
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

// More digits than these were not measured.
double rounded(double value) { return base::parse_double(fmt::format("{:.4g}", value)).value_or(value); }

void set_rate(const std::vector<Part>& parts, std::string_view name, double& rate, double share = 1) {
  const Part* part = part_named(parts, name);
  if (part != nullptr && part->bytes_per_second > 0) rate = rounded(part->bytes_per_second * share);
}

// Rate of one of the ranks that worked side by side.
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
  // Of a x + b y = 1 with x = bytes/seconds, y = 1/seconds for all points.
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
  for (const bool by_all : {false, true}) {  // one rank is all ranks where there is but one
    set_rate(parts, storage_part_name("write", piece_sizes.back(), by_all), machine.write_rate_total);
    set_rate(parts, storage_part_name("read", piece_sizes.back(), by_all), machine.read_rate_total);
  }
  set_time(parts, "create, close, rename", machine.open_time);
  set_time(parts, "sync", machine.sync_time);
  return machine;
}

}  // namespace lq::diagnosis
