// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Measures parts of a machine alternately, round by round, so that a disturbance of the machine affects all of them
// equally; and fits the numbers of a Machine to them.
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
  // Collective. Runs the operation; returns the seconds of this rank, 0 if it did not take part.
  std::function<double()> run = {};
};

// `samples` in the order they were taken, at least one.
Repetitions summarise(const std::vector<double>& samples);

// Collective. At most `rounds`, none begun after `seconds`; the first is cut short if it takes twice as long, and
// parts that were not reached are omitted.
std::vector<Part> measure_in_rounds(comm::Comm& comm, const std::vector<Measurement>& measurements, double seconds,
                                    std::uint64_t rounds);

// Collective. What one core does with bytes in memory: copying, checksums, byte order, packing. Arrays of at most
// `bytes` on each rank, allocated as long as the measurements exist.
std::vector<Measurement> memory_parts(comm::Comm& comm, std::uint64_t bytes);

// Collective. Operations between ranks: messages, shared memory, the neighbour's memory. None for one rank; shared
// memory and the neighbour's memory only if the system permits them. Messages of two ranks are between
// nodes if there are several.
std::vector<Measurement> message_parts(comm::Comm& comm);
// Collective. TCP between rank 0 and `partner`; none if no connection can be made.
std::vector<Measurement> tcp_parts(comm::Comm& comm, int partner);

inline constexpr std::array<std::uint64_t, 6> piece_sizes{4096, 16384, 65536, 262144, 1048576, 4194304};

// "write, 64 KiB", "read, 4 MiB, all ranks"
std::string storage_part_name(std::string_view verb, std::uint64_t piece, bool by_all);

// Collective. Operations of the file system: writing new files and reading them back in pieces of several sizes, by one
// rank and by all, and the small operations around a file. Files of at most `bytes` per rank, smaller if the file
// system is so slow that the measurements would exceed `seconds` in total. no_space: less is free than twice
// the largest file.
std::vector<Measurement> storage_parts(comm::Comm& comm, Scratch& scratch, std::uint64_t bytes, double seconds);

// Converts measured parts to the numbers of a Machine.
struct CallTime {
  double bytes = 0;    // of one call
  double seconds = 0;  // of the call
};

// seconds = bytes / rate + call, by least squares of relative errors; neither is negative.
struct Line {
  double rate = 0;  // 0: cannot be determined from these points
  double call = 0;
};
Line fit_line(std::span<const CallTime> points);

// nullptr: not measured.
const Part* part_named(const std::vector<Part>& parts, std::string_view name);

// `machine` with all numbers that `parts` determine.
Machine fit_machine(const std::vector<Part>& parts, Machine machine, bool has_other_nodes);

// Collective. All parts, over any transport.
Parts measure_parts(comm::Comm& comm, storage::Transport& transport, const std::string& folder,
                    const PartsOptions& options);

}  // namespace lq::diagnosis
