// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Contents of checkpoints that follow from the step alone, whatever ranks save or load them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <limequat/checkpoints.hpp>
#include <limequat/error.hpp>

#include "support/formula_field.hpp"

namespace lq::testing {

inline constexpr std::uint64_t checkpoint_numbers = 6;  // of a site
inline constexpr std::int64_t checkpoint_streams = 7;   // of all ranks

inline std::vector<std::byte> stream_of_step(std::uint64_t step, std::int64_t task) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(100 * task + static_cast<std::int64_t>(step % 50)));
  for (std::size_t k = 0; k < bytes.size(); ++k) {
    bytes[k] = static_cast<std::byte>(k * 31 + step * 7 + static_cast<std::uint64_t>(task));
  }
  return bytes;
}

inline std::map<std::string, std::vector<std::byte>> state_of_step(std::uint64_t step) {
  std::vector<std::byte> rng;
  for (std::uint64_t k = 0; k < 40; ++k) rng.push_back(static_cast<std::byte>(step * 11 + k));
  return {{"rng", rng}, {"empty", {}}};
}

// The contents of a step on this rank, and the memory that they borrow.
class StepContents {
 public:
  StepContents(const Communicator& ranks, const Extents& lattice, std::uint64_t step)
      : grid(ranks, lattice), sites(formula_sites<double>(grid, checkpoint_numbers)) {
    for (double& number : sites) number += static_cast<double>(step);
    for (std::int64_t task = 0; task < checkpoint_streams; ++task) {
      if (task * ranks.size() / checkpoint_streams == ranks.rank()) streams.push_back(stream_of_step(step, task));
    }
    for (const std::vector<std::byte>& stream : streams) contents.streams.emplace_back(stream);
    contents.fields.push_back(
        {"u", grid, field_in(sites, generic_spec(Precision::double_, checkpoint_numbers, false))});
    contents.state = state_of_step(step);
  }

  Grid grid;
  std::vector<double> sites;
  std::vector<std::vector<std::byte>> streams;
  CheckpointContents contents;
};

// Collective. Whether a checkpoint has the contents of its step.
inline bool has_contents_of_its_step(const Checkpoint& checkpoint, const Communicator& ranks, const Extents& lattice) {
  const std::uint64_t step = checkpoint.step();
  const StepContents expected(ranks, lattice, step);
  std::vector<double> sites(expected.sites.size());
  checkpoint.read_field("u", expected.grid,
                        field_in(sites, generic_spec(Precision::double_, checkpoint_numbers, false)));
  bool is_right = sites == expected.sites && checkpoint.state() == state_of_step(step);
  const MultifileReader& streams = checkpoint.streams();
  is_right = is_right && streams.tasks() == checkpoint_streams;
  for (std::int64_t task = streams.first_task(); task < streams.first_task() + streams.local_tasks(); ++task) {
    is_right = is_right && streams.task(task).read_all() == stream_of_step(step, task);
  }
  return ranks.max(is_right ? 0 : 1) == 0;
}

}  // namespace lq::testing
