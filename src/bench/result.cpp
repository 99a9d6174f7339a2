// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bench/result.hpp"

#include <sys/utsname.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <fstream>
#include <numeric>
#include <thread>

#include <limequat/file_system.hpp>
#include <limequat/version.hpp>

#include "base/json_writer.hpp"
#include "base/text.hpp"

namespace lq::bench {

// Facts about the machine, from the system.

namespace {

std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.starts_with("model name")) return std::string(base::trim(line.substr(line.find(':') + 1)));
  }
  return "unknown";
}

std::string compiler() {
#ifdef __clang__
  return __VERSION__;
#else
  return std::string("gcc ") + __VERSION__;
#endif
}

std::string operating_system() {
  utsname about{};
  return ::uname(&about) == 0 ? std::string(about.sysname) + " " + about.release : "unknown";
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  char text[16];
  std::strftime(text, sizeof text, "%Y-%m-%d", std::gmtime(&now));
  return text;
}

}  // namespace

std::string environment_json(const std::string& mpi, const std::string& directory, int runs) {
  base::JsonWriter json;
  json.begin_object().member("version", version()).member("compiler", compiler()).member("processor", processor());
  json.member("cores", static_cast<std::uint64_t>(std::thread::hardware_concurrency()));
  json.member("system", operating_system()).member("mpi", mpi);
  json.member("file_system", file_system_of(directory).name).member("runs", runs).member("date", today()).end_object();
  return json.take();
}

namespace {

double ratio(double above, double below) { return below > 0 ? above / below : 0; }

// "KEY": {"min", "lower_quartile", ...}, into the open object.
void write_series(base::JsonWriter& json, std::string_view key, const Series& series) {
  json.key(key).begin_object().member("min", series.at(0)).member("lower_quartile", series.at(0.25));
  json.member("median", series.median()).member("upper_quartile", series.at(0.75)).member("max", series.at(1));
  json.member("mean", series.mean()).member("error", series.error()).member("trimmed_mean", series.trimmed_mean());
  json.member("first", series.first()).end_object();
}

void write(base::JsonWriter& json, std::string_view key, const std::optional<StageSeries>& stages) {
  json.key(key).begin_object();
  for (std::size_t i = 0; i < stage_names.size(); ++i) {
    json.key(stage_names[i]);
    // A peer may not report its stages.
    if (stages) {
      json.value(stages->all[i].median());
    } else {
      json.null();
    }
  }
  json.end_object();
}

void write(base::JsonWriter& json, const Result& r) {
  json.begin_object().member("name", r.name).member("direction", r.direction);
  json.member("lattice", to_string(r.lattice)).member("grid", to_string(r.grid)).member("ranks", r.ranks);
  json.member("strategy", r.strategy).member("strategy_taken", r.strategy_taken);
  json.member("format", r.format).member("layout", r.layout).member("alignment", r.alignment);
  json.member("verify", r.verify).member("precision", r.precision);
  json.member("cache", r.cache).member("sync", r.sync).member("bytes", r.bytes);
  if (r.threads > 0) json.member("threads", r.threads);
  if (r.aggregators > 0) json.member("aggregators", r.aggregators);
  if (r.servers > 0) {
    json.member("files", r.files).member("servers", r.servers).member("stripe_bytes", r.stripe_bytes);
    json.member("split", r.split);
  }
  write_series(json, "seconds", r.seconds);
  write_series(json, "raw_seconds", r.raw);
  json.member("ratio_to_raw", r.ratio_to_raw());
  write(json, "steps", r.stages);
  if (r.skew) {
    write_series(json, "skew_seconds", *r.skew);
    write(json, "step_skews", r.stage_skews);
  }
  json.member("memory_bytes", r.memory_bytes);
  if (r.beside) {
    json.member("load", r.beside->load);
    write_series(json, "compute_seconds", r.beside->compute);
    write_series(json, "alone_seconds", r.beside->alone);
    write_series(json, "beside_raw_seconds", r.beside->raw);
    json.member("ratio_to_longer", r.ratio_to_longer()).member("raw_to_longer", r.raw_to_longer());
    json.member("hidden_share", r.hidden_share());
  }
  json.end_object();
}

void write(base::JsonWriter& json, const TaskResult& r) {
  json.begin_object().member("part", r.part).member("name", r.name).member("direction", r.direction);
  json.member("ranks", r.tasks).member("files", r.files).member("block", r.block).member("verify", r.verify);
  json.member("shift", r.shift).member("cache", r.cache).member("sync", r.sync).member("bytes", r.bytes);
  write_series(json, "seconds", r.seconds);
  write_series(json, "raw_seconds", r.raw);
  json.member("ratio_to_raw", r.ratio_to_raw()).end_object();
}

template <class Any>
std::string document(const std::string& environment, const std::vector<Any>& results) {
  base::JsonWriter json;
  json.begin_object().key("environment").raw(environment).key("results").begin_array();
  for (const Any& result : results) write(json, result);
  json.end_array().end_object();
  return json.take();
}

}  // namespace

double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const double place = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(place));
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (place - static_cast<double>(below)) * (values[above] - values[below]);
}

double Series::mean() const {
  const std::vector<double> all = counted();
  return all.empty() ? 0 : std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size());
}

double Series::error() const {
  const std::vector<double> all = counted();
  if (all.size() < 2) return 0;
  const double centre = mean();
  double squares = 0;
  for (const double seconds : all) squares += (seconds - centre) * (seconds - centre);
  const auto n = static_cast<double>(all.size());
  return std::sqrt(squares / (n * (n - 1)));
}

double Series::trimmed_mean() const {
  std::vector<double> all = counted();
  if (all.size() < 3) return mean();
  std::sort(all.begin(), all.end());
  return std::accumulate(all.begin() + 1, all.end() - 1, 0.0) / static_cast<double>(all.size() - 2);
}

void StageSeries::add(const StageSeconds& stages) {
  for (std::size_t i = 0; i < all.size(); ++i) all[i].add(stages.all()[i]);
}

double Result::ratio_to_raw() const { return ratio(raw.median(), seconds.median()); }

double Result::ratio_to_longer() const {
  return beside ? ratio(seconds.median(), std::max(beside->compute.median(), beside->alone.median())) : 0;
}

double Result::raw_to_longer() const {
  return beside ? ratio(beside->raw.median(), std::max(beside->compute.median(), raw.median())) : 0;
}

double Result::hidden_share() const {
  if (!beside) return 0;
  const double compute = beside->compute.median(), alone = beside->alone.median();
  return ratio(compute + alone - seconds.median(), std::min(compute, alone));
}

double TaskResult::ratio_to_raw() const { return ratio(raw.median(), seconds.median()); }

std::string to_json(const std::string& environment, const std::vector<Result>& results) {
  return document(environment, results);
}

std::string to_json(const std::string& environment, const std::vector<TaskResult>& results) {
  return document(environment, results);
}

}  // namespace lq::bench
