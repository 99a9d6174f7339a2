// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Parts of a machine measured in turns, round after round, so that a disturbance of the machine meets all of them
// alike; and the numbers of a Machine fitted to them.
#pragma once

#include <limequat/survey.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "comm/comm.hpp"
#include "diagnosis/probes.hpp"
#include "storage/transport.hpp"

namespace lq::diagnosis {

struct Measurement {
  std::string name;
  std::uint64_t bytes = 0;  // as in Part
  std::uint64_t calls = 1;
  std::uint64_t ranks = 1;
  // Collective. Does the thing; the seconds of this rank, 0 where it only looked on.
  std::function<double()> run = {};
};

// `samples` in the order they were taken, at least one.
Repetitions summarise(const std::vector<double>& samples);

// Collective. At most `rounds`, none begun after `seconds`; the first is cut short where it takes twice as long, and
// what was not reached is left out.
std::vector<Part> measure_in_rounds(comm::Comm& comm, const std::vector<Measurement>& measurements, double seconds,
                                    std::uint64_t rounds);

// Collective. What one core does with bytes in memory: copying, checksums, byte order, packing. Arrays of at most
// `bytes` on each rank; they live as long as the measurements.
std::vector<Measurement> memory_parts(comm::Comm& comm, std::uint64_t bytes);

// Collective. What ranks do with each other: messages, shared memory, the neighbour's memory. None for one rank; those
// of shared memory and the neighbour's memory only where the system permits them. Messages of two ranks are between
// nodes where there are several.
std::vector<Measurement> message_parts(comm::Comm& comm);

inline constexpr std::array<std::uint64_t, 6> piece_sizes{4096, 16384, 65536, 262144, 1048576, 4194304};

// "write, 64 KiB", "read, 4 MiB, all ranks"
std::string storage_part_name(std::string_view verb, std::uint64_t piece, bool by_all);

// Collective. What the file system does: writing new files and reading them back in pieces of several sizes, by one
// rank and by all, and the small operations around a file. Files of at most `bytes` per rank, smaller where the file
// system is so slow that the measurements would take more than `seconds` together. no_space: less is free than twice
// the largest file.
std::vector<Measurement> storage_parts(comm::Comm& comm, Scratch& scratch, std::uint64_t bytes, double seconds);

// Measured parts turned into the numbers of a Machine.
struct CallTime {
  double bytes = 0;    // of one call
  double seconds = 0;  // that it takes
};

// seconds = bytes / rate + call, by least squares of relative errors; neither is negative.
struct Line {
  double rate = 0;  // 0: not to be told from these points
  double call = 0;
};
Line fit_line(std::span<const CallTime> points);

// nullptr: not measured.
const Part* part_named(const std::vector<Part>& parts, std::string_view name);

// `machine` with everything that `parts` tell.
Machine fit_machine(const std::vector<Part>& parts, Machine machine, bool has_other_nodes);

// Collective. All of them, over any transport.
Parts measure_parts(comm::Comm& comm, storage::Transport& transport, const std::string& folder,
                    const PartsOptions& options);

}  // namespace lq::diagnosis
