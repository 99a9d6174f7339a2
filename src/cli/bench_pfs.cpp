// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lq bench pfs.
#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>
#include <limequat/file_system.hpp>

#include "base/text.hpp"
#include "bench/raw.hpp"
#include "bench/result.hpp"
#include "cli/bench.hpp"
#include "cli/exit_code.hpp"
#include "cli/text.hpp"

namespace lq::cli {
namespace {

// What a client holds of a lattice: slices of 16^3 sites, each 2.25 MiB in double precision.
constexpr std::int64_t side = 16;
constexpr std::uint64_t slice_bytes = std::uint64_t{side} * side * side * 4 * 18 * 8;

std::string dimension_names() { return "xyzt"; }

// The process grid of the given number of clients if these dimensions are divided: prime factors are assigned to
// them round-robin, the largest first.
Extents processes_of(int clients, const std::string& split) {
  Extents grid = Extents::filled(4, 1);
  std::vector<int> factors;
  for (int factor = 2; clients > 1; ++factor) {
    for (; clients % factor == 0; clients /= factor) factors.push_back(factor);
  }
  for (std::size_t i = 0; i < factors.size(); ++i) {
    const char name = split[i % split.size()];
    grid[static_cast<int>(dimension_names().find(name))] *= factors[factors.size() - 1 - i];
  }
  return grid;
}

void require_split(const std::string& split) {
  std::string rest = dimension_names();
  for (const char name : split) {
    const auto at = rest.find(name);
    if (at == std::string::npos) {
      throw UsageError(fmt::format("--split: \"{}\" is not made of x, y, z and t, each once", printable(split)));
    }
    rest.erase(at, 1);
  }
  if (split.empty()) throw UsageError("--split: which dimensions? For example t, or xyz");
}

// Stripes of new files: "64 KiB", a time slice, all data of a client; nothing if they cannot be set.
struct StripeChoice {
  std::string name;
  std::uint64_t bytes = 0;  // 0: the file system's default
};

std::uint64_t rounded_up(std::uint64_t bytes, std::uint64_t unit) { return (bytes + unit - 1) / unit * unit; }

std::vector<StripeChoice> stripe_choices(const std::vector<std::string>& asked, std::uint64_t client_bytes) {
  constexpr std::uint64_t unit = 65536;  // a multiple that every file system with stripes accepts
  std::vector<StripeChoice> choices;
  for (const std::string& one : asked) {
    if (one == "default") {
      choices.push_back({"as the folder has them"});
    } else if (one == "slice") {
      choices.push_back({"a time slice", rounded_up(slice_bytes, unit)});
    } else if (one == "client") {
      choices.push_back({"all of a client", rounded_up(client_bytes, unit)});
    } else {
      const auto bytes = base::parse_u64(one);
      if (!bytes || *bytes == 0) {
        throw UsageError(
            fmt::format("--stripes: \"{}\" is neither a number of bytes nor slice, client or default", printable(one)));
      }
      choices.push_back({base::binary_bytes(*bytes), *bytes});
    }
  }
  return choices;
}

double rate_of(const bench::Result& r, double seconds) { return static_cast<double>(r.bytes) / 1e9 / seconds; }

// "open 2 %, exchange 20 %, write 70 %": stages that take at least a hundredth of the whole; the time of no stage
// is clients waiting for each other. Overlapping stages leave no such time.
std::string shares_text(const bench::Result& r) {
  if (!r.stages) return "-";
  const double whole = r.seconds.trimmed_mean();
  std::string text;
  double rest = whole;
  const auto add = [&](std::string_view what, double seconds) {
    if (seconds < 0.01 * whole) return;
    text += fmt::format("{}{} {:.0f} %", text.empty() ? "" : ", ", what, 100 * seconds / whole);
  };
  for (std::size_t i = 0; i < bench::stage_names.size(); ++i) {
    const double seconds = r.stages->all[i].trimmed_mean();
    rest -= seconds;
    add(r.direction == "read" && bench::stage_names[i] == "write" ? "read" : bench::stage_names[i], seconds);
  }
  add("other", rest);
  return text;
}

std::string direction_text(const bench::Result& r) {
  if (r.direction == "write") return "write";
  if (r.files == 1) return r.cache == "cold" ? "read, cold" : "read";
  return r.cache == "cold" ? "read the first" : "read the last";
}

std::string pfs_table(const std::vector<bench::Result>& results, const std::string& stripes, const std::string& where) {
  const bench::Result& one = results.front();
  Table table({"  what", "direction", ">GB/s", ">lowest", ">highest", ">per client", ">per server", ">ratio to raw",
               "where the time goes"});
  for (const bench::Result& r : results) {
    const double rate = rate_of(r, r.seconds.trimmed_mean());
    std::string what = r.name == "lattice" ? "limequat" : r.name;
    if (!r.strategy_taken.empty()) what += fmt::format(" ({})", r.strategy_taken);
    table.row({"  " + what, direction_text(r), fmt::format("{:.3f}", rate),
               fmt::format("{:.3f}", rate_of(r, r.seconds.at(1))), fmt::format("{:.3f}", rate_of(r, r.seconds.at(0))),
               fmt::format("{:.3f}", rate / r.ranks), fmt::format("{:.3f}", rate / static_cast<double>(r.servers)),
               fmt::format("{:.2f}", r.ratio_to_raw()), shares_text(r)});
  }
  const auto clients = static_cast<std::uint64_t>(one.ranks);
  std::string files;
  if (one.files > 1) {
    files = fmt::format(", {} files with {} in turn", one.files, base::human_bytes(one.files * one.bytes));
  }
  return fmt::format("{} with {} each, process grid {}, {}, stripes {}{}, {}{}, mean of {} without the extremes\n{}",
                     count(clients, "client"), base::human_bytes(one.bytes / clients), to_string(one.grid),
                     count(one.servers, "server"), stripes, files, where, one.sync ? ", synced" : "",
                     one.seconds.counted().size(), table.text());
}

}  // namespace

void BenchPfs::declare(Arguments& arguments) {
  arguments.texts("--clients", "N", clients,
                  "pfs: number of ranks that transfer (default 1, 2, 4, ... and all); may be repeated");
  arguments.number("--servers", servers,
                   "pfs: number of storage servers (default: as the file system reports, else 1)");
  arguments.number("--bytes-per-server", bytes_per_server,
                   "pfs: bytes per client and server (default 16 MiB), in whole time slices of 16^3 sites");
  arguments.texts("--split", "DIMENSIONS", splits,
                  "pfs: dimensions that are divided among clients, such as t or xyz (default: t, then xyz); may "
                  "be repeated");
  arguments.texts(
      "--stripes", "BYTES", stripes,
      "pfs: stripes of new files: bytes, slice, client (all data of a client) or default (default: default, and "
      "where they can be set 65536, slice and client); may be repeated");
  arguments.number("--fill", fill,
                   "pfs: number of files written in sequence before the last and then the first is read (default 1); "
                   "if they exceed memory, the first is read from disk");
}

int BenchPfs::run(Session& session, const BenchLattice& shared, double seconds,
                  const BenchLattice::MorePeers& more) const {
  const std::vector<int> client_numbers = numbers_of("--clients", clients, session.communicator.size());
  const std::vector<std::string> chosen_splits = splits.empty() ? std::vector<std::string>{"t", "xyz"} : splits;
  std::ranges::for_each(chosen_splits, require_split);
  if (shared.rounds.runs < 1) throw UsageError("--runs: at least 1");
  if (fill < 1) throw UsageError("--fill: at least 1");
  if (shared.gathers()) throw UsageError("--strategy gather: does not apply to pfs, which uses a subset of the ranks");
  if (shared.precision != "double") throw UsageError("--precision: pfs writes doubles unchanged");
  shared.require_targets(session);
  const std::string& folder = shared.rounds.directory;
  const FileSystem system = file_system_of(folder);
  const std::uint64_t server_count = servers > 0 ? servers : std::max<std::uint64_t>(1, system.targets);
  const auto slices = static_cast<std::int64_t>(
      std::max(1.0, std::round(static_cast<double>(bytes_per_server) * static_cast<double>(server_count) /
                               static_cast<double>(slice_bytes))));
  const std::uint64_t client_bytes = static_cast<std::uint64_t>(slices) * slice_bytes;

  std::vector<std::string> asked = stripes;
  if (asked.empty()) {
    const bench::ScratchFile probe(session.communicator, folder, "striped");
    asked = {"default"};
    if (bench::make_striped(session.communicator, probe.path(), server_count, 65536).is_set()) {
      asked.insert(asked.end(), {"65536", "slice", "client"});
    }
  }
  const std::vector<StripeChoice> choices = stripe_choices(asked, client_bytes);

  const Parts limits = measured_parts(session, folder, seconds);
  if (shared.prints_table(session)) session.out.write(parts_text(limits));
  std::vector<bench::Result> results;
  const auto measure = [&](const Grid& grid, const std::string& split, const StripeChoice& stripe) {
    BenchLattice with = shared;
    bench::Rounds& rounds = with.rounds;
    rounds.files = fill;
    rounds.tells_raw = true;
    rounds.stripe_bytes = stripe.bytes;
    rounds.stripe_count = stripe.bytes > 0 ? server_count : 0;
    std::vector<std::unique_ptr<bench::Mover>> movers = with.movers(session, grid);
    movers.push_back(bench::make_files_mover(grid, rounds.sync));
    if (more) std::ranges::move(more(grid), std::back_inserter(movers));
    bench::BenchField field(grid);
    std::vector<bench::Result> some = bench::run_rounds(field, movers, rounds, session.complainer());
    for (bench::Result& r : some) r.servers = server_count, r.split = split;
    if (shared.prints_table(session)) session.out.write(pfs_table(some, stripe.name, system.name));
    results.insert(results.end(), some.begin(), some.end());
  };
  for (const int number : client_numbers) {
    on_tasks(session, number, 0, [&](const bench::TaskGroup& group) {
      for (const std::string& split : chosen_splits) {
        const Extents processes = processes_of(number, split);
        Extents lattice = {side, side, side, slices};
        for (int d = 0; d < lattice.size(); ++d) lattice[d] *= processes[d];
        const Grid grid(group.writers, lattice, {.processes = processes});
        for (const StripeChoice& stripe : choices) measure(grid, split, stripe);
      }
    });
  }
  base::JsonWriter json;
  json.begin_object().raw_members(to_json(bench::environment_json(session.mpi, folder, shared.rounds.runs), results));
  put_parts(json, limits);
  save_json(session, shared.json, json.end_object().take());
  return fine;
}

}  // namespace lq::cli
