// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ensemble/history.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace lq::ensemble {
namespace {

constexpr double safety = 1.5;  // Wolff's S: decay time of the autocorrelation over the integrated time

double mean_of(const std::vector<double>& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0.0) / static_cast<double>(numbers.size());
}

double autocorrelation(const std::vector<double>& deviations, std::size_t distance) {
  double sum = 0;
  for (std::size_t i = 0; i + distance < deviations.size(); ++i) sum += deviations[i] * deviations[i + distance];
  return sum / static_cast<double>(deviations.size() - distance);
}

// True if the sum of both errors grows from this window on.
bool is_window(double tau, std::size_t window, std::size_t count) {
  const auto w = static_cast<double>(window), n = static_cast<double>(count);
  const double decay = tau <= 0.5 ? 1e-12 : safety / std::log((2 * tau + 1) / (2 * tau - 1));
  return std::exp(-w / decay) - decay / std::sqrt(w * n) < 0;
}

}  // namespace

ChainMean mean_of_chain(const std::vector<double>& numbers) {
  ChainMean result;
  const std::size_t count = numbers.size();
  if (count == 0) return result;
  result.mean = mean_of(numbers);
  if (count == 1) return result;
  std::vector<double> deviations(numbers);
  for (double& number : deviations) number -= result.mean;
  const double variance = autocorrelation(deviations, 0);
  if (!(variance > 0)) return result;
  double sum = variance / 2;
  for (std::size_t window = 1; window <= count / 2; ++window) {
    sum += autocorrelation(deviations, window);
    result.window = window;
    if (is_window(sum / variance, window, count)) break;
  }
  // Subtracting the mean of the same numbers makes every value too small by about the error squared.
  const auto n = static_cast<double>(count);
  const double bias = 2 * sum / n;
  const auto w = static_cast<double>(result.window);
  const double corrected_variance = variance + bias;
  const double corrected_sum = std::max(sum + bias * (w + 0.5), 0.0);
  result.tau = corrected_sum / corrected_variance;
  result.error = std::sqrt(2 * corrected_sum / n);
  result.tau_error = result.tau * 2 * std::sqrt(std::max(w + 0.5 - result.tau, 0.0) / n);
  return result;
}

std::vector<ChainStretch> stretches_of(const std::vector<std::int64_t>& trajectories,
                                       const std::vector<double>& numbers, double tau, std::size_t most) {
  constexpr std::size_t fewest = 4;
  const std::size_t count = std::min(numbers.size() / fewest, most);
  if (count < 2) return {};
  std::vector<ChainStretch> stretches(count);
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t begin = numbers.size() * k / count, end = numbers.size() * (k + 1) / count;
    ChainStretch& one = stretches[k];
    one.first = trajectories[begin];
    one.last = trajectories[end - 1];
    one.count = end - begin;
    const auto n = static_cast<double>(one.count);
    for (std::size_t i = begin; i < end; ++i) one.mean += numbers[i] / n;
    double squares = 0;
    for (std::size_t i = begin; i < end; ++i) squares += (numbers[i] - one.mean) * (numbers[i] - one.mean);
    one.error = std::sqrt(squares / (n * (n - 1)) * std::max(2 * tau, 1.0));
  }
  return stretches;
}

}  // namespace lq::ensemble
