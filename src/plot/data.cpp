// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Reading the JSON of benchmarks with nlohmann's library.
#include "plot/data.hpp"

#include <cmath>

#include <fmt/format.h>
#include <limequat/error.hpp>
#include <nlohmann/json.hpp>

#include "base/text.hpp"

namespace lq::plot {
namespace {

// An object of the file, and where it is: "results[3].seconds".
class Object {
 public:
  Object(const nlohmann::json& value, std::string place, const std::string& path)
      : value_(value), place_(std::move(place)), path_(path) {
    if (!value.is_object()) refuse(place_, "an object");
  }

  bool has(const char* key) const { return value_.contains(key); }
  bool is_null(const char* key) const { return !has(key) || value_[key].is_null(); }
  Object object(const char* key) const { return {get(key), place_of(key), path_}; }
  const nlohmann::json& array(const char* key) const {
    if (!get(key).is_array()) refuse(place_of(key), "an array");
    return value_[key];
  }
  std::string place_of(const std::string& key) const { return place_.empty() ? key : place_ + "." + key; }

  std::string text(const char* key) const {
    if (!get(key).is_string()) refuse(place_of(key), "a text");
    return base::printable(value_[key].get_ref<const std::string&>(), 80);
  }
  std::string text_or(const char* key, const char* otherwise) const { return has(key) ? text(key) : otherwise; }
  std::uint64_t whole(const char* key) const {
    if (!get(key).is_number_unsigned()) refuse(place_of(key), "a whole number from 0");
    return value_[key].get<std::uint64_t>();
  }
  // Finite and not negative, as times and ratios are.
  double number(const char* key) const {
    if (!get(key).is_number()) refuse(place_of(key), "a number");
    const double number = value_[key].get<double>();
    if (!std::isfinite(number) || number < 0) refuse(place_of(key), "a number from 0");
    return number;
  }
  [[noreturn]] void refuse(const std::string& place, const char* expected) const {
    throw Error(
        Code::malformed,
        fmt::format("{}: {} is not {}; \"lq plot\" reads what \"lq bench --json\" writes", path_,
                    place.empty() ? "the document" : fmt::format("\"{}\"", base::printable(place, 80)), expected),
        {.path = path_, .expected = expected});
  }

 private:
  const nlohmann::json& get(const char* key) const {
    if (!has(key)) {
      throw Error(Code::malformed,
                  fmt::format("{}: \"{}\" is missing; \"lq plot\" reads what \"lq bench --json\" writes", path_,
                              base::printable(place_of(key), 80)),
                  {.path = path_});
    }
    return value_[key];
  }

  const nlohmann::json& value_;
  std::string place_;
  const std::string& path_;
};

Seconds seconds_of(const Object& seconds) {
  Seconds result;
  result.median = seconds.number("median");
  result.low = seconds.number(seconds.has("lower_quartile") ? "lower_quartile" : "min");
  result.high = seconds.number(seconds.has("upper_quartile") ? "upper_quartile" : "max");
  if (result.median <= 0 || result.low <= 0) seconds.refuse(seconds.place_of("median"), "a time above 0");
  return result;
}

// What results of a lattice have beside the others.
void take_lattice(const Object& one, Result& result) {
  result.lattice = one.text("lattice");
  result.grid = one.text("grid");
  result.strategy = one.text("strategy");
  result.precision = one.text_or("precision", "double");
  result.format = one.text_or("format", "");
  result.layout = one.text_or("layout", "");
  if (one.has("alignment")) result.alignment = one.whole("alignment");
  if (one.has("threads")) {
    result.threads = one.whole("threads");
    if (result.threads == 0) one.refuse(one.place_of("threads"), "a number of threads");
  }
  if (one.has("servers")) {
    result.servers = one.whole("servers");
    result.stripe_bytes = one.whole("stripe_bytes");
    result.split = one.text("split");
    if (result.servers == 0) one.refuse(one.place_of("servers"), "a number of servers");
  }
  const Object steps = one.object("steps");
  if (steps.is_null("pack")) return;
  result.steps = Steps{steps.number("pack"), steps.number("exchange"), steps.number("write"), steps.number("sync")};
}

Result result_of(const Object& one, const Object& environment) {
  Result result;
  result.name = one.text("name");
  result.direction = one.text("direction");
  result.ranks = one.whole("ranks");
  result.verify = one.text("verify");
  result.cache = one.text_or("cache", "warm");
  result.bytes = one.whole("bytes");
  if (result.ranks == 0) one.refuse(one.place_of("ranks"), "a number of ranks");
  if (result.bytes == 0 && result.direction != "create") one.refuse(one.place_of("bytes"), "a number of bytes");
  if (one.has("part")) {
    result.files = one.whole("files");
    result.block = one.whole("block");
    if (result.files == 0) one.refuse(one.place_of("files"), "a number of files");
  } else {
    take_lattice(one, result);
  }
  result.seconds = seconds_of(one.object("seconds"));
  result.raw = seconds_of(one.object("raw_seconds"));
  result.ratio_to_raw = one.number("ratio_to_raw");
  result.file_system = environment.text_or("file_system", "unknown");
  result.processor = environment.text_or("processor", "unknown");
  result.mpi = environment.text_or("mpi", "unknown");
  result.cores = environment.has("cores") ? environment.whole("cores") : 0;
  return result;
}

void add_run(const nlohmann::json& document, const std::string& place, const std::string& path,
             std::vector<Result>& results) {
  const Object run(document, place, path);
  const Object environment = run.object("environment");
  const nlohmann::json& all = run.array("results");
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Object one(all[i], run.place_of(fmt::format("results[{}]", i)), path);
    if (one.has("direction")) results.push_back(result_of(one, environment));
  }
}

}  // namespace

std::vector<Result> read_results(std::string_view text, const std::string& path) {
  nlohmann::json document;
  try {
    document = nlohmann::json::parse(text);
  } catch (const nlohmann::json::parse_error& error) {
    throw Error(Code::malformed,
                fmt::format("{}: no valid JSON, at byte {}{}", path, error.byte,
                            error.byte > text.size() ? ": the file ends early" : ""),
                {.path = path, .offset = error.byte});
  }
  std::vector<Result> results;
  if (document.is_array()) {
    for (std::size_t i = 0; i < document.size(); ++i) add_run(document[i], fmt::format("[{}]", i), path, results);
  } else {
    add_run(document, "", path, results);
  }
  return results;
}

}  // namespace lq::plot
