// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// See bench_task_result.hpp.
#include "cli/bench_task_result.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "cli/table.hpp"
#include "cli/text.hpp"

namespace lq::cli {
namespace {

void write(base::JsonWriter& json, const TaskResult& r) {
  json.begin_object().member("part", r.part).member("name", r.name).member("direction", r.direction);
  json.member("ranks", r.tasks).member("files", r.files).member("block", r.block).member("verify", r.verify);
  json.member("shift", r.shift).member("cache", r.cache).member("sync", r.sync).member("bytes", r.bytes);
  write_series(json, "seconds", r.seconds);
  write_series(json, "raw_seconds", r.raw);
  json.member("ratio_to_raw", r.ratio_to_raw()).end_object();
}

std::string ending(int runs) {
  return fmt::format("median of {} and a first one", count(static_cast<std::uint64_t>(runs), "run"));
}

std::string ms(double seconds) { return fmt::format("{:.3f}", seconds * 1e3); }

}  // namespace

double TaskResult::ratio_to_raw() const {
  const double mine = seconds.median();
  return mine > 0 ? raw.median() / mine : 0;
}

std::string to_json(const std::string& environment, const std::vector<TaskResult>& results) {
  base::JsonWriter json;
  json.begin_object().key("environment").raw(environment).key("results").begin_array();
  for (const TaskResult& result : results) write(json, result);
  json.end_array().end_object();
  return json.take();
}

std::string create_table(const std::vector<TaskResult>& results, const std::string& where, int runs) {
  Table table({{"  tasks", true},
               {"what"},
               {"verify"},
               {"ms", true},
               {"quartiles", true},
               {"mean", true},
               {"best", true},
               {"first", true},
               {"us per task", true}});
  for (const TaskResult& r : results) {
    table.row({fmt::format("{}", r.tasks), r.name, r.verify, ms(r.seconds.median()),
               ms(r.seconds.at(0.25)) + "-" + ms(r.seconds.at(0.75)),
               ms(r.seconds.mean()) + "+-" + ms(r.seconds.error()), ms(r.seconds.at(0)), ms(r.seconds.first()),
               fmt::format("{:.1f}", r.seconds.median() / r.tasks * 1e6)});
  }
  return fmt::format("streams opened and closed, nothing written, {}, {}\n{}", where, ending(runs), table.text());
}

std::string transfer_table(const std::vector<TaskResult>& results, const std::string& where, int runs) {
  const TaskResult& one = results.front();
  Table table({{"  what"},
               {"verify"},
               {"files", true},
               {"chunks at multiples of"},
               {"direction"},
               {"GB/s", true},
               {"quartiles", true},
               {"mean", true},
               {"best", true},
               {"first", true},
               {"ratio to one file per task", true}});
  for (const TaskResult& r : results) {
    const auto rate = [&](double seconds) { return static_cast<double>(r.bytes) / 1e9 / seconds; };
    table.row({"  " + r.name, r.verify, fmt::format("{}", r.files),
               r.block == 0 ? "the system's block" : base::human_bytes(r.block),
               r.cache == "cold" ? r.direction + ", cold" : r.direction,
               fmt::format("{:.2f}", rate(r.seconds.median())),
               fmt::format("{:.2f}-{:.2f}", rate(r.seconds.at(0.75)), rate(r.seconds.at(0.25))),
               fmt::format("{:.2f}+-{:.2f}", rate(r.seconds.mean()),
                           rate(r.seconds.mean()) * r.seconds.error() / r.seconds.mean()),
               fmt::format("{:.2f}", rate(r.seconds.at(0))), fmt::format("{:.2f}", rate(r.seconds.first())),
               fmt::format("{:.2f}", r.ratio_to_raw())});
  }
  const auto tasks = static_cast<std::uint64_t>(one.tasks);
  return fmt::format("{} with {} each, read {} tasks further, {}{}, {}\n{}", count(tasks, "task"),
                     base::human_bytes(one.bytes / tasks), results.back().shift, where, one.sync ? ", synced" : "",
                     ending(runs), table.text());
}

}  // namespace lq::cli
