// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ensemble/ensemble.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

namespace lq::ensemble {
namespace {

using ensemble::Assessment;
using ensemble::Duplicates;
using ensemble::Gaps;
using ensemble::Outlier;

constexpr std::size_t listed = 1000;          // missing trajectories
constexpr double far = 6;                     // standard deviations
constexpr std::size_t fewest = 8;             // numbers that tell what is usual
constexpr double rounding = 1e-9;             // plaquettes as printed
constexpr double normal = 1.482602218505602;  // a normal distribution's standard deviation over its median distance

double median_of(std::vector<double> numbers) {
  const std::size_t middle = numbers.size() / 2;
  std::ranges::nth_element(numbers, numbers.begin() + static_cast<std::ptrdiff_t>(middle));
  const double upper = numbers[middle];
  if (numbers.size() % 2 == 1) return upper;
  return (*std::max_element(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(middle)) + upper) / 2;
}

std::int64_t usual_step(const std::vector<std::int64_t>& sorted) {
  std::map<std::int64_t, std::size_t> steps;
  for (std::size_t i = 1; i < sorted.size(); ++i) ++steps[sorted[i] - sorted[i - 1]];
  return std::ranges::max_element(steps, {}, [](const auto& step) { return step.second; })->first;
}

// Rows in the order of series and trajectory, handed over series by series.
class BySeries {
 public:
  explicit BySeries(Assessment& assessment) : assessment_(assessment) {}
  ~BySeries() = default;

  void add(const Statement& row) {
    std::string series = row.text(1);
    if (series != series_) finish();
    series_ = std::move(series);
    if (const auto trajectory = row.optional_whole(2)) trajectories_.push_back(*trajectory);
    if (const auto plaquette = row.optional_real(3); plaquette && std::isfinite(*plaquette)) {
      paths_.push_back(row.text(0));
      plaquettes_.push_back(*plaquette);
    }
  }

  void finish() {
    if (std::optional<Gaps> gaps = gaps_in(std::exchange(trajectories_, {}))) {
      gaps->series = series_;
      assessment_.gaps.push_back(std::move(*gaps));
    }
    for (const std::size_t k : outliers_of(plaquettes_)) {
      const Spread spread = spread_of(plaquettes_);
      assessment_.outliers.push_back({paths_[k], series_, plaquettes_[k], spread.median,
                                      std::abs(plaquettes_[k] - spread.median) / std::max(spread.deviation, rounding)});
    }
    paths_.clear();
    plaquettes_.clear();
  }

 private:
  Assessment& assessment_;
  std::string series_;
  std::vector<std::int64_t> trajectories_;
  std::vector<std::string> paths_;
  std::vector<double> plaquettes_;
};

// A file that has several names is no duplicate of itself.
void find_duplicates(const Database& database, Assessment& assessment) {
  Statement rows = database.prepare(
      "SELECT coalesce(checksum, computed_checksum) AS sum, full_path(path) AS full, device, inode FROM files WHERE "
      "missing_since IS NULL "
      "AND sum IN (SELECT coalesce(checksum, computed_checksum) AS same FROM files WHERE missing_since IS NULL AND "
      "same IS NOT NULL AND state IN ('indexed', 'sound', 'consistent') GROUP BY same, kind, lattice, precision HAVING "
      "count(*) > 1) "
      "AND state IN ('indexed', 'sound', 'consistent') ORDER BY kind, lattice, precision, sum, full");
  Duplicates found;
  std::set<std::pair<std::int64_t, std::int64_t>> files;
  const auto finish = [&] {
    if (files.size() > 1) assessment.duplicates.push_back(std::move(found));
    found = {};
    files.clear();
  };
  while (rows.step()) {
    if (rows.text(0) != found.checksum) finish();
    found.checksum = rows.text(0);
    found.paths.push_back(rows.text(1));
    files.emplace(rows.whole(2), rows.whole(3));
  }
  finish();
}

}  // namespace

std::optional<Gaps> gaps_in(std::vector<std::int64_t> trajectories) {
  std::ranges::sort(trajectories);
  trajectories.erase(std::unique(trajectories.begin(), trajectories.end()), trajectories.end());
  if (trajectories.size() < 3) return std::nullopt;
  Gaps gaps;
  gaps.first = trajectories.front();
  gaps.last = trajectories.back();
  gaps.step = usual_step(trajectories);
  for (std::size_t i = 1; i < trajectories.size(); ++i) {
    const std::int64_t from = trajectories[i - 1], to = trajectories[i];
    gaps.count += static_cast<std::uint64_t>((to - from - 1) / gaps.step);
    for (std::int64_t t = from; to - t > gaps.step && gaps.missing.size() < listed;)
      gaps.missing.push_back(t += gaps.step);
  }
  return gaps.count == 0 ? std::nullopt : std::optional(std::move(gaps));
}

Spread spread_of(std::vector<double> numbers) {
  if (numbers.empty()) return {};
  Spread spread;
  spread.median = median_of(numbers);
  for (double& number : numbers) number = std::abs(number - spread.median);
  spread.deviation = normal * median_of(std::move(numbers));
  return spread;
}

std::vector<std::size_t> outliers_of(const std::vector<double>& numbers) {
  std::vector<std::size_t> found;
  if (numbers.size() < fewest) return found;
  const Spread spread = spread_of(numbers);
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    if (std::abs(numbers[k] - spread.median) > far * std::max(spread.deviation, rounding)) found.push_back(k);
  }
  return found;
}

Assessment assess(const Database& database) {
  Assessment assessment;
  find_duplicates(database, assessment);
  BySeries series(assessment);
  Statement rows = database.prepare(
      "SELECT full_path(path), full_path(series), trajectory, coalesce(measured_plaquette, plaquette) FROM files WHERE "
      "missing_since IS NULL "
      "ORDER BY series, trajectory");
  while (rows.step()) series.add(rows);
  series.finish();
  return assessment;
}

}  // namespace lq::ensemble
