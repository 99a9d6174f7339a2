// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The history of a number along a Markov chain: its mean with an error that takes autocorrelation into account, and
// means of stretches with errors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lq::ensemble {

// By the Gamma method: the autocorrelation function is summed up to a window at which the estimated sum of statistical
// and systematic error is smallest (U. Wolff, hep-lat/0306017, with S = 1.5), with the correction of its bias.
struct ChainMean {
  double mean = 0;
  double error = 0;        // of the mean
  double tau = 0.5;        // integrated autocorrelation time in steps of the chain; 1/2: none
  double tau_error = 0;    // of tau
  std::size_t window = 0;  // where the sum ends
};

// Of numbers in the order of the chain, taken as equally far from each other. Fewer than two: no error.
ChainMean mean_of_chain(const std::vector<double>& numbers);

// A stretch of the chain.
struct ChainStretch {
  std::int64_t first = 0, last = 0;  // trajectories
  std::size_t count = 0;
  double mean = 0;
  double error = 0;  // of the mean: from the scatter in the stretch, times the square root of 2 tau
};

// At most `most` stretches of about equally many numbers, at least four in each; empty for fewer than eight numbers.
// `trajectories` and `numbers` are equally long.
std::vector<ChainStretch> stretches_of(const std::vector<std::int64_t>& trajectories,
                                       const std::vector<double>& numbers, double tau, std::size_t most);

}  // namespace lq::ensemble
