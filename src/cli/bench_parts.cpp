// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lq bench parts.
#include "cli/bench.hpp"

#include <fmt/format.h>
#include <limequat/survey.hpp>

#include "base/json_writer.hpp"
#include "bench/result.hpp"
#include "cli/exit_code.hpp"
#include "cli/text.hpp"

namespace lq::cli {
namespace {

std::string table_of(const Parts& measured) {
  Table table({{"PART"},
               {"RANKS", true},
               {"BYTES", true},
               {"RATE", true},
               {"CALL", true},
               {"FASTEST", true},
               {"SLOWEST", true},
               {"FIRST", true}});
  for (const Part& part : measured.parts) {
    const auto calls = static_cast<double>(part.calls);
    const auto call = [&](double seconds) { return human_seconds(seconds / calls); };
    table.row({part.name, std::to_string(part.ranks), part.bytes > 0 ? base::human_bytes(part.bytes) : "-",
               part.bytes > 0 ? fmt::format("{:.2f} GB/s", part.bytes_per_second * 1e-9) : "-",
               call(part.seconds.median), call(part.seconds.min), call(part.seconds.max), call(part.seconds.first)});
  }
  return table.text();
}

// What the fit says, in a sentence that can be compared with the table.
std::string fit_of(const Machine& m) {
  return fmt::format(
      "fitted: writing {:.2f} GB/s and {} per call, reading {:.2f} GB/s and {} per call; all ranks {:.2f} and {:.2f} "
      "GB/s",
      m.write_rate * 1e-9, human_seconds(m.write_call), m.read_rate * 1e-9, human_seconds(m.read_call),
      m.write_rate_total * 1e-9, m.read_rate_total * 1e-9);
}

std::string json_of(const Session& session, const std::string& path, const Parts& measured) {
  const std::uint64_t runs = measured.parts.empty() ? 0 : measured.parts.front().seconds.count;
  base::JsonWriter json;
  json.begin_object().key("environment").raw(bench::environment_json(session.mpi, path, static_cast<int>(runs)));
  put_parts(json, measured);
  return json.end_object().take();
}

}  // namespace

Parts measured_parts(Session& session, const std::string& folder, double seconds) {
  if (!(seconds > 0)) throw UsageError("--seconds: a positive number is expected");
  PartsOptions limits;
  limits.seconds = seconds;
  return measure_parts(session.communicator, folder, limits);
}

std::string parts_text(const Parts& measured) { return table_of(measured) + fit_of(measured.machine) + "\n"; }

void put_parts(base::JsonWriter& json, const Parts& measured) {
  // Results are shown to others, who need not know whose machine it was.
  Machine machine = measured.machine;
  machine.name = "measured";
  json.member("kernels", measured.kernels).key("parts").begin_array();
  for (const Part& part : measured.parts) {
    json.begin_object().member("name", part.name).member("ranks", part.ranks).member("bytes", part.bytes);
    json.member("calls", part.calls).key("seconds").begin_object();
    json.member("min", part.seconds.min).member("median", part.seconds.median).member("max", part.seconds.max);
    json.member("first", part.seconds.first).member("count", part.seconds.count).end_object();
    json.member("bytes_per_second", part.bytes_per_second).end_object();
  }
  json.end_array().key("machine").raw(to_json(machine));
}

int bench_parts(Session& session, const BenchLattice& shared, double seconds) {
  const std::string& folder = shared.rounds.directory;
  const Parts measured = measured_parts(session, folder, seconds);
  save_json(session, shared.json, json_of(session, folder, measured));
  if (shared.json == "-") return fine;
  session.out.write(parts_text(measured));
  return fine;
}

}  // namespace lq::cli
