// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// See bench_tasklocal.hpp.
#include "cli/bench_tasklocal.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include <fmt/format.h>

#include "base/text.hpp"
#include "cli/bench_environment.hpp"
#include "cli/bench_task_rounds.hpp"
#include "cli/exit_code.hpp"
#include "cli/text.hpp"

namespace lq::cli {
namespace {

// As asked for, or 1, 2, 4, ... and all ranks.
std::vector<int> numbers_of(const std::string& option, const std::vector<std::string>& texts, int ranks) {
  std::vector<int> numbers;
  for (const std::string& text : texts) {
    const auto number = base::parse_u64(text);
    if (!number || *number < 1 || *number > static_cast<std::uint64_t>(ranks)) {
      throw UsageError(fmt::format("{}: \"{}\" is no number from 1 to {}, that of the ranks; start more with lq-mpi",
                                   option, printable(text), ranks));
    }
    numbers.push_back(static_cast<int>(*number));
  }
  if (!numbers.empty()) return numbers;
  for (int number = 1; number < ranks; number *= 2) numbers.push_back(number);
  numbers.push_back(ranks);
  return numbers;
}

// Collective. Without MPI there is one task, this process.
void on_tasks(const Session& session, int tasks, int shift, const std::function<void(const TaskGroup& group)>& work) {
  if (session.with_tasks) return session.with_tasks(tasks, shift, work);
  work({session.communicator, session.communicator});
}

}  // namespace

void BenchTasklocal::declare(Arguments& arguments) {
  arguments.texts(
      "--part", "PART", parts,
      "of tasklocal: create, the time to open and close, or transfer, rates (default both); may be repeated",
      {"create", "transfer"});
  arguments.texts("--tasks", "N", tasks, "how many are opened (default 1, 2, 4, ... and all ranks); may be repeated");
  arguments.texts("--files", "N", files, "physical files (default 1, 2, 4, ... and as many as ranks); may be repeated");
  arguments.number("--bytes", bytes, "bytes of each task's stream (default 16 MiB)");
  arguments.number("--shift", shift, "who reads: the rank so much further (default half of the ranks)");
}

int BenchTasklocal::run(Session& session, const BenchLattice& shared) const {
  const int ranks = session.communicator.size();
  const std::vector<int> task_numbers = numbers_of("--tasks", tasks, ranks);
  const std::vector<int> file_numbers = numbers_of("--files", files, ranks);
  if (shared.rounds.runs < 1) throw UsageError("--runs: at least 1");
  if (bytes < 1 || bytes > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max() / ranks)) {
    throw UsageError("--bytes: at least 1, and of all tasks less than 2^63");
  }
  shared.require_targets(session);
  const auto wants = [&](const char* part) { return parts.empty() || std::ranges::find(parts, part) != parts.end(); };
  const std::string where = file_system_of(shared.rounds.directory);
  const int process = session.from_root(static_cast<int>(::getpid()));
  const auto folder = std::filesystem::path(shared.rounds.directory) / fmt::format("limequat-bench-{}", process);
  TaskRounds what{shared.rounds, folder.string(), 0, {1}, 0};
  std::vector<TaskResult> results;
  const auto take = [&](const std::vector<TaskResult>& some, auto* table) {
    if (some.empty()) return;  // this rank was none of the tasks
    if (shared.prints_table(session)) session.out.write(table(some, where, shared.rounds.runs));
    results.insert(results.end(), some.begin(), some.end());
  };
  if (wants("create")) {
    std::vector<TaskResult> found;
    for (const int number : task_numbers) {
      on_tasks(session, number, 0, [&](const TaskGroup& group) {
        const std::vector<TaskResult> some = measure_create(group, what);
        found.insert(found.end(), some.begin(), some.end());
      });
    }
    take(found, create_table);
  }
  if (wants("transfer")) {
    what.bytes = bytes;
    what.files = file_numbers;
    what.shift = (shift < 0 ? ranks / 2 : shift) % ranks;
    std::vector<TaskResult> found;
    on_tasks(session, ranks, what.shift, [&](const TaskGroup& group) { found = measure_transfer(group, what); });
    take(found, transfer_table);
  }
  save_json(session, shared, to_json(environment_json(session, shared.rounds.directory, shared.rounds.runs), results));
  return fine;
}

}  // namespace lq::cli
