// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The history of a number along a Markov chain: its mean with an error that takes autocorrelation into account, and
// means of sections with errors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lq::ensemble {

// By the Gamma method: the autocorrelation function is summed up to the window that minimises the estimated sum of
// statistical and systematic error (U. Wolff, hep-lat/0306017, with S = 1.5), with bias correction.
struct ChainMean {
  double mean = 0;
  double error = 0;        // of the mean
  double tau = 0.5;        // integrated autocorrelation time in steps of the chain; 1/2: no autocorrelation
  double tau_error = 0;    // of tau
  std::size_t window = 0;  // upper limit of the sum
};

// For numbers in the order of the chain, assumed equidistant. Fewer than two: no error.
ChainMean mean_of_chain(const std::vector<double>& numbers);

// A section of the chain.
struct ChainStretch {
  std::int64_t first = 0, last = 0;  // trajectories
  std::size_t count = 0;
  double mean = 0;
  double error = 0;  // of the mean: from the scatter in the stretch, times the square root of 2 tau
};

// At most `most` sections of about equal size, with at least four numbers each; empty for fewer than eight numbers.
// `trajectories` and `numbers` have the same length.
std::vector<ChainStretch> stretches_of(const std::vector<std::int64_t>& trajectories,
                                       const std::vector<double>& numbers, double tau, std::size_t most);

}  // namespace lq::ensemble
