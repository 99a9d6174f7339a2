// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ensemble/ensemble.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "base/clock.hpp"
#include "base/text.hpp"
#include "ensemble/files.hpp"
#include "ensemble/remarks.hpp"

namespace lq::ensemble {
namespace {

// What equal data have in common: their sums, or the sum of all bytes for formats with other sums.
constexpr const char* sum_of_data =
    "coalesce(nullif(coalesce(checksum, computed_checksum), '00000000/00000000'), 'cksum ' || cksum || ' ' || "
    "measured_plaquette)";

using ensemble::Assessment;
using ensemble::Duplicates;
using ensemble::Gaps;

constexpr std::size_t listed = 1000;          // missing trajectories
constexpr double far_away = 6;                // standard deviations
constexpr double rounding = 1e-9;             // precision of printed plaquettes
constexpr double normal = 1.482602218505602;  // standard deviation over median distance, for a normal distribution

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

std::string in_small_letters(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return text;
}

// Parameters and charges, by file id.
struct Facts {
  std::map<std::string, std::string> parameters;
  std::optional<double> charge;
  std::string logical_name;
};

std::unordered_map<std::int64_t, Facts> facts_of(const Database& database) {
  std::unordered_map<std::int64_t, Facts> facts;
  Statement names = database.prepare("SELECT DISTINCT name FROM properties");
  Statement rows = database.prepare("SELECT file_id, value, number FROM properties WHERE name = ?");
  while (names.step()) {
    const std::string name = names.text(0), key = in_small_letters(name);
    const bool is_logical_name = key == "ildg-data-lfn";
    if (!is_parameter(key) && !is_charge(key) && !is_logical_name) continue;
    rows.bind(name);
    while (rows.step()) {
      Facts& file = facts[rows.whole(0)];
      if (is_logical_name) {
        file.logical_name = rows.text(1);
      } else if (is_charge(key)) {
        file.charge = rows.optional_real(2);
      } else {
        // "6.0" becomes "6".
        file.parameters.emplace(key, rows.is_null(2) ? rows.text(1) : fmt::format("{}", rows.real(2)));
      }
    }
  }
  // Measured values replace stated ones; charges after the flow replace those without it.
  Statement measured = database.prepare(
      "SELECT file_id, value FROM observables JOIN files ON files.id = file_id AND observables.size = files.size AND "
      "observables.modified_ns = files.modified_ns WHERE observables.name = ?");
  for (const char* name : {"charge", "flow_charge"}) {
    measured.bind(name);
    while (measured.step()) facts[measured.whole(0)].charge = measured.optional_real(1);
  }
  return facts;
}

using Warnings = std::map<std::string, std::string>;

// The texts of one field state two values of a parameter, or two trajectories.
void add_contradictions(const Database& database, std::unordered_map<std::int64_t, Warnings>& warnings) {
  Statement names = database.prepare("SELECT DISTINCT name FROM properties");
  Statement rows = database.prepare(
      "SELECT file_id, min(value), max(value) FROM properties WHERE name = ? GROUP BY file_id, field HAVING "
      "count(DISTINCT coalesce(number, value)) > 1");
  while (names.step()) {
    const std::string name = names.text(0), key = in_small_letters(name);
    if (!is_parameter(key) && key != "trajectory") continue;
    rows.bind(name);
    while (rows.step()) {
      warnings[rows.whole(0)].emplace(
          "texts-contradict " + name,
          fmt::format("its texts state {} {} and {}", base::printable(name, 60), base::printable(rows.text(1), 60),
                      base::printable(rows.text(2), 60)));
    }
  }
}

std::unordered_map<std::int64_t, Warnings> warnings_of(const Database& database) {
  std::unordered_map<std::int64_t, Warnings> warnings;
  Statement rows = database.prepare(
      fmt::format("SELECT file_id, rule, message FROM findings WHERE severity = 'warning' OR rule IN ('{}')",
                  fmt::join(notes_on_links, "', '")));
  while (rows.step()) warnings[rows.whole(0)].emplace(rows.text(1), rows.text(2));
  add_contradictions(database, warnings);
  return warnings;
}

std::vector<Member> members_of(const Database& database) {
  const bool has_traces =
      database.whole("SELECT count(*) FROM pragma_table_info('files') WHERE name = 'measured_link_trace'") > 0;
  std::unordered_map<std::int64_t, Facts> facts = facts_of(database);
  std::unordered_map<std::int64_t, Warnings> warnings = warnings_of(database);
  std::vector<Member> members;
  Statement rows = database.prepare(
      fmt::format("SELECT id, full_path(path) AS full, full_path(series) AS whole_series, trajectory, trajectory_from, "
                  "coalesce(measured_plaquette, plaquette), {}, state, format, kind, lattice, precision, gauge_group, "
                  "{}, fields, device, inode, "
                  "modified_ns, checksum IS NOT NULL FROM files "
                  "WHERE "
                  "missing_since IS NULL ORDER "
                  "BY whole_series, "
                  "trajectory, full",
                  has_traces ? "coalesce(measured_link_trace, link_trace)" : "link_trace", sum_of_data));
  while (rows.step()) {
    Member member;
    member.path = rows.text(1);
    member.series = rows.text(2);
    if (rows.text(4) == "metadata") member.in_text = rows.optional_whole(3);
    member.in_name = parts_of(member.path).number;
    if (!member.in_text && !member.in_name) member.in_text = rows.optional_whole(3);
    // Damaged files are reported elsewhere; their numbers mean nothing.
    const std::string state = rows.text(7);
    const bool is_whole = state != "damaged" && state != "incomplete" && state != "unreadable";
    if (is_whole) {
      member.plaquette = rows.optional_real(5);
      member.link_trace = rows.optional_real(6);
    }
    int column = 8;
    for (std::string Member::*text : {&Member::format, &Member::kind, &Member::lattice, &Member::precision,
                                      &Member::group, &Member::checksum, &Member::fields}) {
      member.*text = rows.text(column++);
    }
    member.is_whole = is_whole;
    if (!is_whole) member.fields.clear();
    member.device = rows.whole(column++);
    member.inode = rows.whole(column++);
    member.modified = rows.whole(column++);
    member.has_stated_sum = rows.whole(column) != 0;
    if (const auto known = facts.find(rows.whole(0)); known != facts.end()) {
      member.parameters = std::move(known->second.parameters);
      member.logical_name = std::move(known->second.logical_name);
      if (is_whole) member.charge = known->second.charge;
    }
    if (const auto known = warnings.find(rows.whole(0)); is_whole && known != warnings.end()) {
      member.warnings = std::move(known->second);
    }
    members.push_back(std::move(member));
  }
  return members;
}

void assess_series(const std::vector<Member>& series, std::int64_t now, Assessment& assessment) {
  if (std::optional<Gaps> gaps = gaps_in(numbers_of(series))) {
    gaps->series = series.front().series;
    assessment.gaps.push_back(std::move(*gaps));
  }
  std::vector<bool> alike;
  std::ranges::move(remarks_on(series, now, alike), std::back_inserter(assessment.remarks));
  add_outliers(series, alike, assessment);
}

// Several names of one file are not duplicates.
void find_duplicates(const Database& database, Assessment& assessment) {
  Statement rows = database.prepare(fmt::format(
      "SELECT {0} AS sum, full_path(path) AS full, device, inode FROM files WHERE missing_since IS NULL AND sum IN "
      "(SELECT {0} AS same FROM files WHERE missing_since IS NULL AND same IS NOT NULL AND state IN ('indexed', "
      "'sound', 'consistent') GROUP BY same, kind, lattice, precision HAVING count(*) > 1) AND state IN ('indexed', "
      "'sound', 'consistent') ORDER BY kind, lattice, precision, sum, full",
      sum_of_data));
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

namespace {

constexpr std::size_t several = 5;

// True if the distance before `k` is one of several equal ones: the series then continues in other steps.
bool is_in_other_steps(const std::vector<std::int64_t>& sorted, std::size_t k) {
  const std::int64_t distance = sorted[k] - sorted[k - 1];
  std::size_t first = k, last = k;
  while (first > 1 && sorted[first - 1] - sorted[first - 2] == distance) --first;
  while (last + 1 < sorted.size() && sorted[last + 1] - sorted[last] == distance) ++last;
  return last - first + 1 >= several;
}

// The distance that most of several in a row have, those before `end`; 0 if there is none.
std::int64_t step_before(const std::vector<std::int64_t>& sorted, std::size_t end) {
  if (end <= several) return 0;
  const std::vector<std::int64_t> last(sorted.begin() + static_cast<std::ptrdiff_t>(end - several - 1),
                                       sorted.begin() + static_cast<std::ptrdiff_t>(end));
  const std::int64_t step = usual_step(last);
  std::size_t count = 0;
  for (std::size_t i = 1; i < last.size(); ++i) count += last[i] - last[i - 1] == step ? 1 : 0;
  return 2 * count > several ? step : 0;
}

// The step of the series around the distance before `k`, if it is the same on both sides; else that of the whole
// series.
std::int64_t step_around(const std::vector<std::int64_t>& sorted, std::size_t k, std::int64_t usual) {
  const std::int64_t before = step_before(sorted, k);
  const bool is_same = before > 0 && k + several < sorted.size() && step_before(sorted, k + several + 1) == before;
  return is_same ? before : usual;
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
    const std::int64_t step = step_around(trajectories, i, gaps.step);
    if (to - from > step && is_in_other_steps(trajectories, i)) continue;
    gaps.count += static_cast<std::uint64_t>((to - from - 1) / step);
    for (std::int64_t t = from; to - t > step && gaps.missing.size() < listed;) gaps.missing.push_back(t += step);
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
  if (numbers.size() < fewest_numbers) return found;
  const Spread spread = spread_of(numbers);
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    if (std::abs(numbers[k] - spread.median) > far_away * std::max(spread.deviation, rounding)) found.push_back(k);
  }
  return found;
}

Assessment assess(const Database& database) {
  Assessment assessment;
  find_duplicates(database, assessment);
  const std::int64_t now = base::seconds_now() * 1'000'000'000;
  std::vector<Member> members = members_of(database);
  std::ranges::move(set_old_versions_apart(members), std::back_inserter(assessment.remarks));
  std::ranges::move(join_similar_series(members), std::back_inserter(assessment.remarks));
  for (auto begin = members.begin(); begin != members.end();) {
    const auto end =
        std::find_if(begin, members.end(), [&](const Member& file) { return file.series != begin->series; });
    assess_series(std::vector<Member>(begin, end), now, assessment);
    begin = end;
  }
  std::ranges::move(same_configurations(members), std::back_inserter(assessment.remarks));
  return assessment;
}

}  // namespace lq::ensemble
