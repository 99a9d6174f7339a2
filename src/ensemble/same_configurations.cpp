// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ensemble/remarks.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.hpp"
#include "ensemble/ensemble.hpp"
#include "ensemble/files.hpp"
#include "ensemble/history.hpp"

namespace lq::ensemble {
namespace {

// The last digit of the shortest decimal form: a text may state few digits.
double last_digit_of(double value) {
  const std::string text = fmt::format("{}", value);
  const std::size_t end = std::min(text.find('e'), text.size()), point = std::min(text.find('.'), end - 1);
  const auto exponent = base::parse_double(std::string_view(text).substr(std::min(end + 1, text.size())));
  return std::pow(10.0, exponent.value_or(0) - static_cast<double>(end - point - 1));
}

double distance_of(double a, double b) { return std::max({std::abs(a - b), last_digit_of(a), last_digit_of(b)}); }

// How far plaquettes and link traces of independent configurations are apart.
struct Spreads {
  double plaquette = 0, link_trace = 0;
};

class Likeness {
 public:
  explicit Likeness(const std::vector<const Member*>& known);

  // True if plaquettes and link traces of two files agree within their precision, and not by chance.
  bool are_of_one_configuration(const Member& a, const Member& b) const;
  // True if their plaquettes agree to all digits.
  bool are_gauge_equivalent(const Member& a, const Member& b) const;

 private:
  Spreads spreads_of(const Member& a, const Member& b) const;

  static constexpr double most_by_chance = 1e-3;  // expected number of pairs that are as near to each other
  double pairs_;
  std::map<std::string_view, Spreads> by_series_;  // of at least fewest_numbers files
};

Likeness::Likeness(const std::vector<const Member*>& known)
    : pairs_(static_cast<double>(known.size()) * static_cast<double>(known.size()) / 2) {
  std::map<std::string_view, std::pair<std::vector<double>, std::vector<double>>> values;
  for (const Member* file : known) {
    values[file->series].first.push_back(*file->plaquette);
    if (file->link_trace) values[file->series].second.push_back(*file->link_trace);
  }
  for (auto& [series, both] : values) {
    if (both.first.size() < fewest_numbers) continue;
    by_series_[series] = {spread_of(std::move(both.first)).deviation, spread_of(std::move(both.second)).deviation};
  }
}

// Those of the series, or what is usual for the volume.
Spreads Likeness::spreads_of(const Member& a, const Member& b) const {
  double sites = 1;
  std::string extents = a.lattice;
  std::ranges::replace(extents, 'x', ' ');
  for (const std::string_view extent : base::split_words(extents)) sites *= base::parse_double(extent).value_or(1);
  Spreads spreads = {0.1 / std::sqrt(sites), 0.1 / std::sqrt(sites)};
  for (const Member* file : {&a, &b}) {
    const auto found = by_series_.find(file->series);
    if (found == by_series_.end()) continue;
    if (found->second.plaquette > 0) spreads.plaquette = found->second.plaquette;
    if (found->second.link_trace > 0) spreads.link_trace = found->second.link_trace;
  }
  return spreads;
}

bool is_single(const Member& a, const Member& b) { return a.precision != "double" || b.precision != "double"; }

bool Likeness::are_of_one_configuration(const Member& a, const Member& b) const {
  if (!a.link_trace || !b.link_trace) return false;
  const double within = is_single(a, b) ? 2e-7 : 2e-10;
  if (std::abs(*a.plaquette - *b.plaquette) > within || std::abs(*a.link_trace - *b.link_trace) > within) return false;
  const Spreads spreads = spreads_of(a, b);
  return pairs_ * (distance_of(*a.plaquette, *b.plaquette) / spreads.plaquette) *
             (distance_of(*a.link_trace, *b.link_trace) / spreads.link_trace) <
         most_by_chance;
}

bool Likeness::are_gauge_equivalent(const Member& a, const Member& b) const {
  const double within = is_single(a, b) ? 1e-8 : 1e-12;
  if (std::abs(*a.plaquette - *b.plaquette) > within) return false;
  const double distance = distance_of(*a.plaquette, *b.plaquette);
  return distance <= within && pairs_ * distance / spreads_of(a, b).plaquette < most_by_chance;
}

bool are_told_already(const Member& a, const Member& b) {
  const bool is_same_file = a.device == b.device && a.inode == b.inode;
  const bool has_same_sum = !a.checksum.empty() && a.checksum == b.checksum && a.precision == b.precision;
  return is_same_file || has_same_sum;
}

using Pair = std::pair<const Member*, const Member*>;

struct Pairs {
  std::vector<Pair> same, gauge_equivalent;
};

Pairs pairs_in(const std::vector<Member>& all) {
  std::vector<const Member*> known;
  for (const Member& file : all) {
    if (file.plaquette) known.push_back(&file);
  }
  std::ranges::sort(known, [](const Member* a, const Member* b) {
    return *a->plaquette != *b->plaquette ? *a->plaquette < *b->plaquette : a->path < b->path;
  });
  constexpr std::size_t most_pairs = 1'000'000;  // of configurations that are all alike
  const Likeness likeness(known);
  Pairs pairs;
  std::size_t compared = 0;
  for (std::size_t k = 0; k < known.size(); ++k) {
    for (std::size_t next = k + 1; next < known.size() && compared < most_pairs; ++next) {
      const Member &a = *known[k], &b = *known[next];
      if (*b.plaquette - *a.plaquette > 2e-7) break;
      if (a.kind != b.kind || a.lattice != b.lattice || are_told_already(a, b)) continue;
      ++compared;
      if (likeness.are_of_one_configuration(a, b)) {
        pairs.same.emplace_back(&a, &b);
      } else if (likeness.are_gauge_equivalent(a, b)) {
        pairs.gauge_equivalent.emplace_back(&a, &b);
      }
    }
  }
  return pairs;
}

// Files connected by pairs, in the order of their paths.
std::vector<std::vector<const Member*>> groups_of(const std::vector<Pair>& pairs) {
  std::map<const Member*, const Member*> parents;
  const auto root_of = [&](const Member* file) {
    while (parents.at(file) != file) file = parents[file] = parents.at(parents.at(file));
    return file;
  };
  for (const auto& [a, b] : pairs) {
    parents.try_emplace(a, a);
    parents.try_emplace(b, b);
    parents[root_of(a)] = root_of(b);
  }
  std::map<const Member*, std::vector<const Member*>> by_root;
  for (const auto& [file, parent] : parents) by_root[root_of(file)].push_back(file);
  std::vector<std::vector<const Member*>> groups;
  for (auto& [root, files] : by_root) {
    std::ranges::sort(files, {}, &Member::path);
    groups.push_back(std::move(files));
  }
  std::ranges::sort(groups, {}, [](const auto& files) { return files.front()->path; });
  return groups;
}

// What pairs of one kind have in common.
struct SameKind {
  const char* rule;
  const char* of_series;  // after "N configurations are in each of A, B: "
  const char* of_files;   // after "A, B have the same plaquette 0.59"
};
constexpr SameKind same_data = {"same-in-other-format",
                                "their plaquettes and link traces are the same; `lq diff` compares them",
                                "and the same link trace; `lq diff` compares them"};
constexpr SameKind same_up_to_gauge = {
    "same-up-to-gauge", "their plaquettes are the same to all digits, probably up to gauge transformations",
    "to all digits, but other links: probably one configuration, gauge-transformed"};

// One remark for all groups of the same series.
Remark remark_on_series(const SameKind& kind, const std::vector<std::vector<const Member*>>& groups) {
  Remark remark{kind.rule, groups.front().front()->series, {}, {}};
  std::vector<std::string> series;
  for (const Member* file : groups.front()) series.push_back(fmt::format("{} ({})", file->series, file->format));
  for (const auto& files : groups) {
    for (const Member* file : files) remark.paths.push_back(file->path);
  }
  remark.sentence =
      fmt::format("{} configurations are in each of {}: {}", groups.size(), fmt::join(series, ", "), kind.of_series);
  return remark;
}

Remark remark_on_files(const SameKind& kind, const std::vector<const Member*>& files) {
  Remark remark{kind.rule, files.front()->series, {}, {}};
  std::vector<std::string> texts;
  for (const Member* file : files) {
    remark.paths.push_back(file->path);
    if (texts.size() < most_names)
      texts.push_back(fmt::format("{} ({}, {})", file->path, file->format, file->precision));
  }
  remark.sentence = fmt::format("{}{} have the same plaquette {:.12g} {}", fmt::join(texts, ", "),
                                files.size() > most_names ? ", ..." : "", *files.front()->plaquette, kind.of_files);
  return remark;
}

void add_same(const SameKind& kind, const std::vector<Pair>& pairs, std::vector<Remark>& remarks) {
  // A whole ensemble in two formats is one remark.
  std::map<std::vector<std::string>, std::vector<std::vector<const Member*>>> by_series;
  for (std::vector<const Member*>& files : groups_of(pairs)) {
    std::vector<std::string> series;
    for (const Member* file : files) series.push_back(file->series);
    by_series[std::move(series)].push_back(std::move(files));
  }
  for (const auto& [series, groups] : by_series) {
    const bool are_all_different = std::set(series.begin(), series.end()).size() == series.size();
    if (groups.size() >= 3 && are_all_different) {
      remarks.push_back(remark_on_series(kind, groups));
    } else {
      for (const auto& files : groups) remarks.push_back(remark_on_files(kind, files));
    }
  }
}

}  // namespace

std::vector<Remark> same_configurations(const std::vector<Member>& all) {
  const Pairs pairs = pairs_in(all);
  std::vector<Remark> remarks;
  add_same(same_data, pairs.same, remarks);
  add_same(same_up_to_gauge, pairs.gauge_equivalent, remarks);
  return remarks;
}

}  // namespace lq::ensemble
