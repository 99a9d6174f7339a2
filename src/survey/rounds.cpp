// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "survey/rounds.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "base/clock.hpp"

namespace lq::survey {

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

}  // namespace lq::survey
