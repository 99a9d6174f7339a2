// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lq bench tasklocal.
#include "cli/bench.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <limequat/file_system.hpp>

#include "base/text.hpp"
#include "bench/result.hpp"
#include "bench/tasks.hpp"
#include "cli/exit_code.hpp"
#include "cli/text.hpp"

namespace lq::cli {
namespace {

std::string ending(int runs) {
  return fmt::format("median of {} and a first one", count(static_cast<std::uint64_t>(runs), "run"));
}

std::string ms(double seconds) { return fmt::format("{:.3f}", seconds * 1e3); }

std::string create_table(const std::vector<bench::TaskResult>& results, const std::string& where, int runs) {
  Table table({">  tasks", "what", "verify", ">ms", ">quartiles", ">mean", ">best", ">first", ">us per task"});
  for (const bench::TaskResult& r : results) {
    table.row({fmt::format("{}", r.tasks), r.name, r.verify, ms(r.seconds.median()),
               ms(r.seconds.at(0.25)) + "-" + ms(r.seconds.at(0.75)),
               ms(r.seconds.mean()) + "+-" + ms(r.seconds.error()), ms(r.seconds.at(0)), ms(r.seconds.first()),
               fmt::format("{:.1f}", r.seconds.median() / r.tasks * 1e6)});
  }
  return fmt::format("streams opened and closed, nothing written, {}, {}\n{}", where, ending(runs), table.text());
}

std::string transfer_table(const std::vector<bench::TaskResult>& results, const std::string& where, int runs) {
  const bench::TaskResult& one = results.front();
  Table table({"  what", "verify", ">files", "chunks at multiples of", "direction", ">GB/s", ">quartiles", ">mean",
               ">best", ">first", ">ratio to one file per task"});
  for (const bench::TaskResult& r : results) {
    const RateCells rates = rates_of(r.bytes, r.seconds);
    table.row({"  " + r.name, r.verify, fmt::format("{}", r.files),
               r.block == 0 ? "the system's block" : base::human_bytes(r.block),
               r.cache == "cold" ? r.direction + ", cold" : r.direction, rates.median, rates.quartiles, rates.mean,
               rates.best, rates.first, fmt::format("{:.2f}", r.ratio_to_raw())});
  }
  const auto tasks = static_cast<std::uint64_t>(one.tasks);
  return fmt::format("{} with {} each, read {} tasks further, {}{}, {}\n{}", count(tasks, "task"),
                     base::human_bytes(one.bytes / tasks), results.back().shift, where, one.sync ? ", synced" : "",
                     ending(runs), table.text());
}

}  // namespace

std::vector<int> powers_of_two_up_to(int all) {
  std::vector<int> numbers;
  for (int number = 1; number < all; number *= 2) numbers.push_back(number);
  numbers.push_back(all);
  return numbers;
}

std::vector<int> numbers_asked_for(const std::string& option, const std::vector<std::string>& texts, int most,
                                   std::string_view why) {
  std::vector<int> numbers;
  for (const std::string& text : texts) {
    const auto number = base::parse_u64(text);
    if (!number || *number < 1 || *number > static_cast<std::uint64_t>(most)) {
      throw UsageError(fmt::format("{}: \"{}\" is not a number from 1 to {}{}", option, printable(text), most, why));
    }
    numbers.push_back(static_cast<int>(*number));
  }
  return numbers;
}

std::vector<int> numbers_of(const std::string& option, const std::vector<std::string>& texts, int ranks) {
  const std::vector<int> numbers =
      numbers_asked_for(option, texts, ranks, ", the number of ranks; start more with lq-mpi");
  return numbers.empty() ? powers_of_two_up_to(ranks) : numbers;
}

void on_tasks(const Session& session, int tasks, int shift,
              const std::function<void(const bench::TaskGroup& group)>& work) {
  if (session.with_tasks) return session.with_tasks(tasks, shift, work);
  work({session.communicator, session.communicator});
}

void BenchTasklocal::declare(Arguments& arguments) {
  arguments.texts("--part", "PART", parts,
                  "tasklocal: create (the time to open and close) or transfer (rates) (default both); may be repeated",
                  {"create", "transfer"});
  arguments.texts("--tasks", "N", tasks, "number of streams (default 1, 2, 4, ... and all ranks); may be repeated");
  arguments.texts("--files", "N", files,
                  "physical files (default 1, 2, 4, ... up to the number of ranks); may be repeated");
  arguments.number("--bytes", bytes, "bytes of each task's stream (default 16 MiB)");
  arguments.number("--shift", shift,
                   "each stream is read by the rank N above the one that wrote it (default: half the number of ranks)");
}

int BenchTasklocal::run(Session& session, const BenchLattice& shared) const {
  const int ranks = session.communicator.size();
  const std::vector<int> task_numbers = numbers_of("--tasks", tasks, ranks);
  const std::vector<int> file_numbers = numbers_of("--files", files, ranks);
  if (shared.rounds.runs < 1) throw UsageError("--runs: at least 1");
  if (bytes < 1 || bytes > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max() / ranks)) {
    throw UsageError("--bytes: at least 1, and less than 2^63 for all tasks together");
  }
  shared.require_targets(session);
  const auto wants = [&](const char* part) { return parts.empty() || std::ranges::find(parts, part) != parts.end(); };
  const std::string where = file_system_of(shared.rounds.directory).name;
  bench::TaskRounds what{shared.rounds, bench::scratch_name(session.communicator, shared.rounds.directory), 0, {1}, 0};
  std::vector<bench::TaskResult> results;
  const auto take = [&](const std::vector<bench::TaskResult>& some, auto* table) {
    if (some.empty()) return;  // this rank was not one of the tasks
    if (shared.prints_table(session)) session.out.write(table(some, where, shared.rounds.runs));
    results.insert(results.end(), some.begin(), some.end());
  };
  if (wants("create")) {
    std::vector<bench::TaskResult> found;
    for (const int number : task_numbers) {
      on_tasks(session, number, 0, [&](const bench::TaskGroup& group) {
        const std::vector<bench::TaskResult> some = measure_create(group, what);
        found.insert(found.end(), some.begin(), some.end());
      });
    }
    take(found, create_table);
  }
  if (wants("transfer")) {
    what.bytes = bytes;
    what.files = file_numbers;
    what.shift = (shift < 0 ? ranks / 2 : shift) % ranks;
    std::vector<bench::TaskResult> found;
    on_tasks(session, ranks, what.shift, [&](const bench::TaskGroup& group) { found = measure_transfer(group, what); });
    take(found, transfer_table);
  }
  save_json(session, shared.json,
            to_json(bench::environment_json(session.mpi, shared.rounds.directory, shared.rounds.runs), results));
  return fine;
}

}  // namespace lq::cli
