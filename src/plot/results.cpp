// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "plot/results.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/text.hpp"
#include "plot/frame.hpp"

namespace lq::plot {
namespace {

// Facts by which results may differ, in the order in which they are named.
enum Fact {
  direction,
  who,
  checksum,
  precision,
  format,
  layout,
  alignment,
  lattice,
  split,
  stripes,
  servers,
  grid,
  ranks,
  threads,
  files,
  block,
  cache,
  file_system,
  processor,
  mpi
};
constexpr std::array all_facts = {direction, who,   checksum, precision,   format,    layout, alignment,
                                  lattice,   split, stripes,  servers,     grid,      ranks,  threads,
                                  files,     block, cache,    file_system, processor, mpi};

std::string text_of(const Result& r, Fact fact) {
  switch (fact) {
    case direction:
      return r.direction;
    case who:
      return r.name == "lattice" ? (r.strategy == "auto" ? "limequat" : "limequat " + r.strategy) : r.name;
    case checksum:
      return r.verify == "none" ? "no checksum" : r.verify;
    case precision:
      return r.precision;
    case format:
      return r.format;
    case layout:
      return r.layout;
    case alignment:
      return r.alignment > 0 ? "at multiples of " + base::human_bytes(r.alignment) : "";
    case lattice:
      return r.lattice;
    case split:
      return r.split.empty() ? "" : r.split + " split";
    case stripes:
      return r.stripe_bytes > 0 ? "stripes of " + base::binary_bytes(r.stripe_bytes) : "";
    case servers:
      return r.is_of_servers() ? fmt::format("{} server{}", r.servers, r.servers == 1 ? "" : "s") : "";
    case grid:
      return r.grid.empty() ? "" : "grid " + r.grid;
    case files:
      return r.is_of_tasks() ? fmt::format("{} file{}", r.files, r.files == 1 ? "" : "s") : "";
    case block:
      return r.block > 0 ? "not at blocks" : "";
    case ranks:
      return fmt::format("{} {}{}", r.ranks, r.is_of_tasks() ? "task" : "rank", r.ranks == 1 ? "" : "s");
    case threads:
      return r.threads > 0 ? fmt::format("{} thread{}", r.threads, r.threads == 1 ? "" : "s") : "";
    case cache:
      return r.cache;
    case file_system:
      return r.file_system;
    case processor:
      return r.cores > 0 ? fmt::format("{}, {} cores", r.processor, r.cores) : r.processor;
    case mpi:
      return r.mpi == "none" ? "without MPI" : r.mpi;
  }
  return {};
}

using Facts = std::set<Fact>;

Facts varying(const std::vector<Result>& results) {
  Facts facts;
  for (const Fact fact : all_facts) {
    for (const Result& r : results) {
      if (text_of(r, fact) != text_of(results.front(), fact)) facts.insert(fact);
    }
  }
  return facts;
}

std::string words_of(const Result& r, const Facts& facts) {
  std::vector<std::string> words;
  for (const Fact fact : all_facts) {
    if (facts.contains(fact) && !text_of(r, fact).empty()) words.push_back(text_of(r, fact));
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

Facts without(Facts facts, std::initializer_list<Fact> left_out) {
  for (const Fact fact : left_out) facts.erase(fact);
  return facts;
}

// What all have in common.
std::string common(const std::vector<Result>& results) {
  Facts facts(all_facts.begin(), all_facts.end());
  for (const Fact fact : varying(results)) facts.erase(fact);
  return words_of(results.front(), facts);
}

bool is_by_ranks(Kind kind) { return kind == Kind::rate_by_ranks || kind == Kind::rate_per_server; }

double x_of(const Result& r, Kind kind) {
  if (kind == Kind::rate_by_files) return static_cast<double>(r.files);
  if (kind == Kind::rate_by_threads) return static_cast<double>(r.threads);
  return static_cast<double>(is_by_ranks(kind) ? r.ranks : r.bytes);
}

// Points of one name in order; of several at one place (process grids, say) the highest.
class Lines {
 public:
  void add(const std::string& name, const ChartPoint& point) {
    if (!points_.contains(name)) names_.push_back(name);
    auto [at, is_new] = points_[name].try_emplace(point.x, point);
    if (is_new) return;
    is_choice_ = true;
    if (at->second.y < point.y) at->second = point;
  }
  void move_to(std::vector<ChartLine>& lines, bool are_limits) const {
    for (const std::string& name : names_) {
      ChartLine line{name, {}, are_limits};
      for (const auto& [x, point] : points_.at(name)) line.points.push_back(point);
      lines.push_back(line);
    }
  }
  bool is_choice() const noexcept { return is_choice_; }

 private:
  std::vector<std::string> names_;
  std::map<std::string, std::map<double, ChartPoint>> points_;
  bool is_choice_ = false;
};

ChartPoint point_of(const Result& r, const Seconds& seconds, Kind kind) {
  double gigabytes = static_cast<double>(r.bytes) / 1e9;
  if (kind == Kind::rate_per_server) gigabytes /= static_cast<double>(r.servers);
  return {x_of(r, kind), gigabytes / seconds.median, gigabytes / seconds.high, gigabytes / seconds.low};
}

std::string milliseconds(double seconds) { return fmt::format("{:.4g} ms", seconds * 1e3); }

ChartBar steps_bar(const Result& r, const std::string& label) {
  const Steps& s = *r.steps;
  ChartBar bar{label, {}, milliseconds(r.seconds.median), r.raw.median * 1e3};
  // What no step accounts for: ranks waiting for each other. Steps that overlap leave nothing.
  const double rest = std::max(0.0, r.seconds.median - s.pack - s.exchange - s.write - s.sync);
  for (const double seconds : {s.pack, s.exchange, s.write, s.sync, rest}) bar.parts.push_back(seconds * 1e3);
  return bar;
}

// Writing and reading in colours of their own.
ChartBar ratio_bar(const Result& r, const std::string& label) {
  ChartBar bar{label, {r.ratio_to_raw}, fmt::format("{:.2f}", r.ratio_to_raw)};
  if (r.direction == "read") bar.parts.insert(bar.parts.begin(), 0);
  return bar;
}

// Titles and axes.
LineChart rate_frame(Kind kind) {
  LineChart chart;
  const auto name = [&](const char* x_title, const char* title) { chart.x_title = x_title, chart.title = title; };
  if (kind == Kind::rate_by_ranks) name("ranks", "Rate against the number of ranks");
  if (kind == Kind::rate_per_server) name("clients", "Rate of each server against the number of clients");
  if (kind == Kind::rate_by_threads) name("threads of a rank", "Rate against the number of threads");
  if (kind == Kind::rate_by_size) name("size of the file", "Rate against the size of the file");
  if (kind == Kind::rate_by_files) name("physical files", "Rate against the number of physical files");
  chart.y_title = "GB/s, median with quartiles";
  chart.ticks_at_points = kind != Kind::rate_by_size;
  chart.x_text = tick_text;
  if (kind == Kind::rate_by_size) {
    chart.x_text = [](double x) { return base::human_bytes(static_cast<std::uint64_t>(x + 0.5)); };
  }
  return chart;
}

bool is_creation(const Result& r) { return r.direction == "create"; }
// The limit of multifiles, which is no line of its own among them.
bool is_limit(const Result& r) { return r.is_of_tasks() && r.name == "one file per task"; }

// Those that a picture of this kind shows.
std::vector<Result> fitting(const std::vector<Result>& results, Kind kind) {
  std::vector<Result> some;
  std::ranges::copy_if(results, std::back_inserter(some), [&](const Result& r) {
    if (kind == Kind::create_by_tasks) return is_creation(r);
    if (kind == Kind::rate_per_server) return r.is_of_servers();
    if (kind == Kind::rate_by_threads) return r.threads > 0;
    if (kind == Kind::rate_by_files) return r.is_of_tasks() && !is_creation(r) && !is_limit(r) && r.block == 0;
    return !is_creation(r);
  });
  return some;
}

}  // namespace

Kind kind_for(const std::vector<Result>& results) {
  if (std::ranges::any_of(results, is_creation)) return Kind::create_by_tasks;
  if (std::ranges::any_of(results, &Result::is_of_tasks)) return Kind::rate_by_files;
  std::set<std::uint64_t> ranks, sizes, threads;
  for (const Result& r : results) ranks.insert(r.ranks), sizes.insert(r.bytes), threads.insert(r.threads);
  if (threads.size() > 1) return Kind::rate_by_threads;
  if (sizes.size() > ranks.size() && sizes.size() > 2) return Kind::rate_by_size;
  if (ranks.size() > 1) return Kind::rate_by_ranks;
  return Kind::ratio;
}

LineChart create_chart(const std::vector<Result>& results) {
  LineChart chart;
  chart.title = "Time to open and close against the number of tasks";
  chart.subtitle = common(results);
  chart.x_title = "tasks";
  chart.y_title = "ms, median with quartiles";
  chart.ticks_at_points = true;
  chart.x_text = tick_text;
  const Facts facts = without(varying(results), {ranks, files, checksum});
  Lines lines;
  for (const Result& r : results) {
    const double tasks = static_cast<double>(r.ranks);
    lines.add(words_of(r, facts), {tasks, r.seconds.median * 1e3, r.seconds.low * 1e3, r.seconds.high * 1e3});
  }
  lines.move_to(chart.lines, false);
  return chart;
}

LineChart rate_chart(const std::vector<Result>& results, Kind kind) {
  LineChart chart = rate_frame(kind);
  chart.subtitle = common(results);
  Facts facts = varying(results);
  if (is_by_ranks(kind)) facts = without(facts, {ranks, grid});
  // The lattice grows with its clients.
  if (std::ranges::all_of(results, &Result::is_of_servers)) facts = without(facts, {lattice});
  if (kind == Kind::rate_by_size) facts = without(facts, {lattice});
  if (kind == Kind::rate_by_files) facts = without(facts, {files});
  if (kind == Kind::rate_by_threads) facts = without(facts, {threads});
  const Facts raw_facts = without(facts, {who, checksum});
  const std::string limit = kind == Kind::rate_by_files ? "one file per task" : "raw limit";
  Lines ours, raw;
  for (const Result& r : results) {
    const std::string words = words_of(r, facts), raw_words = words_of(r, raw_facts);
    if (r.name != "raw") ours.add(words.empty() ? "limequat" : words, point_of(r, r.seconds, kind));
    if (r.direction == "verify") continue;  // its limit is that of reading
    raw.add(raw_words.empty() ? limit : fmt::format("{}, {}", limit, raw_words), point_of(r, r.raw, kind));
  }
  ours.move_to(chart.lines, false);
  raw.move_to(chart.lines, true);
  if (ours.is_choice()) chart.subtitle += "; of several results at one place the fastest";
  return chart;
}

BarChart bar_chart(const std::vector<Result>& results, Kind kind) {
  BarChart chart;
  chart.subtitle = common(results);
  const bool of_steps = kind == Kind::steps;
  chart.title = of_steps ? "Time per step" : "Rate as a fraction of the raw limit";
  chart.value_title = of_steps ? "ms, each step's slowest rank; behind the bar the whole" : "raw time / our time";
  chart.limit_name = "raw limit";
  if (of_steps) {
    chart.part_names = {"pack", "exchange", "storage", "sync", "rest"};
  } else {
    chart.part_names = {"write", "read"};
    chart.limit = 1;
  }
  // Each grid has its number of ranks.
  Facts facts = varying(results);
  if (facts.contains(grid)) facts.erase(ranks);
  for (const Result& r : results) {
    const std::string label = words_of(r, facts);
    if (!of_steps) chart.bars.push_back(ratio_bar(r, label));
    if (of_steps && r.steps) chart.bars.push_back(steps_bar(r, label));
  }
  return chart;
}

Picture draw_results(const std::vector<Result>& all, Kind kind) {
  const std::vector<Result> results = fitting(all, kind);
  if (results.empty()) {
    throw Error(Code::invalid_argument, all.empty()
                                            ? "there is no result of a transfer in these files: nothing to plot"
                                            : "none of these results is one of this kind; choose another --kind");
  }
  if (kind == Kind::create_by_tasks) return draw(create_chart(results));
  if (kind != Kind::steps && kind != Kind::ratio) return draw(rate_chart(results, kind));
  const BarChart chart = bar_chart(results, kind);
  if (chart.bars.empty()) {
    throw Error(Code::invalid_argument, "none of these results tells its steps; choose another --kind");
  }
  return draw(chart);
}

}  // namespace lq::plot
