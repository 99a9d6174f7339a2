// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Things measured in turns, round after round, so that a disturbance of the machine meets all of them alike.
#pragma once

#include <limequat/survey.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "comm/comm.hpp"

namespace lq::survey {

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

}  // namespace lq::survey
