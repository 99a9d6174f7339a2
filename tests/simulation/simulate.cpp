// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Whole jobs on a simulated machine (machine.hpp), each drawn from its seed: files, checkpoints and sets of modes are
// written, gone on with and read by 1 to 64 ranks, while disks, memory, networks and power fail; a plain model tells
// what must be there.
//
//   lq_simulate [--minutes N] [--jobs N] [--seed S] [--plant no_sync|no_folder_sync|late_sync]
//
// Job S + k is that of seed S + k. Of a number of jobs and a time, what comes first ends the run; without both, --seed
// S runs the one job and tells its steps. Ctrl-C ends it early. A finding is printed as "seed S: ..." with the steps
// that led to it; the same program does the same again, which is tried with some of the jobs. Exit code 1: there were
// some.
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "simulation/clock.hpp"
#include "simulation/item.hpp"

namespace lq::simulation {
namespace {

struct Options {
  std::optional<double> minutes;
  std::optional<std::uint64_t> jobs, seed;
  Plant plant = Plant::none;

  bool is_one() const noexcept { return seed && !jobs && !minutes; }
};

[[noreturn]] void refuse(std::string_view word) {
  fmt::print(stderr,
             "lq_simulate [--minutes N] [--jobs N] [--seed S] [--plant no_sync|no_folder_sync|late_sync]; not \"{}\"\n",
             word);
  std::exit(2);
}

Plant parse_plant(std::string_view name) {
  if (name == "no_sync") return Plant::no_sync;
  if (name == "no_folder_sync") return Plant::no_folder_sync;
  if (name == "late_sync") return Plant::late_sync;
  refuse(name);
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; i += 2) {
    const std::string_view word = argv[i];
    if (i + 1 == argc) refuse(word);
    char* end = argv[i + 1] + std::strlen(argv[i + 1]);
    if (word == "--minutes") {
      options.minutes = std::strtod(argv[i + 1], &end);
    } else if (word == "--seed") {
      options.seed = std::strtoull(argv[i + 1], &end, 10);
    } else if (word == "--jobs") {
      options.jobs = std::strtoull(argv[i + 1], &end, 10);
    } else if (word == "--plant") {
      options.plant = parse_plant(argv[i + 1]);
    } else {
      refuse(word);
    }
    if (*end != '\0' || end == argv[i + 1]) refuse(argv[i + 1]);
  }
  return options;
}

// What the processes of jobs tell, in memory that outlives it.
struct Told {
  std::uint64_t steps, power_failures, digest;
  char text[32768];

  void add(const std::string& line) {
    const std::size_t used = std::strlen(text);
    std::snprintf(text + used, sizeof text - used, "%s\n", line.c_str());
  }
};

std::unique_ptr<Item> draw_item(Draw& draw, Machine& machine, int number) {
  const std::string name = fmt::format("{}{} with a long name", folder, number);
  switch (draw.below(7)) {
    case 0:
      return make_checkpoint(draw, machine, name + ".sion");
    case 1:
      return make_modes(draw, machine, name + ".modes");
    case 2:
      return make_treated(draw, machine, name + ".conf");
    case 3:
      return make_checkpoints(draw, machine, name + "/run");
#ifdef LQ_HAVE_HDF5
    case 4:
      return make_hdf5_file(draw, machine, name + ".h5");
#endif
    default:
      return make_field_file(draw, machine, name + ".lime");
  }
}

void run_job(std::uint64_t seed, Plant plant, Told& told) {
  start_clock(seed);
  Draw draw(seed * 0x9e3779b97f4a7c15U);
  Machine machine(draw, plant);
  std::vector<std::unique_ptr<Item>> items;
  const auto count = static_cast<int>(draw.between(1, 3));
  for (int i = 0; i < count; ++i) items.push_back(draw_item(draw, machine, i));
  const Item::Tell tell = [&](const std::string& words) { told.add("  " + words); };
  const auto check_all = [&] {
    for (const auto& item : items) item->check();
  };
  for (std::uint64_t step = draw.below(6) + 1; step > 0; --step) {
    Item& chosen = *items[draw.below(items.size())];
    const std::uint64_t before = machine.power_failures();
    chosen.step(tell);
    if (machine.power_failures() == before) continue;
    for (const auto& item : items) {
      if (item.get() != &chosen) item->after_power_failure();
    }
    check_all();
  }
  check_all();
  told.steps += machine.steps();
  told.power_failures += machine.power_failures();
  told.digest = machine.digest();
}

// Ranks take turns, so that one core is enough: the threads of others would only be further away.
void stay_on_one_core() {
  cpu_set_t here;
  CPU_ZERO(&here);
  CPU_SET(static_cast<std::size_t>(std::max(::sched_getcpu(), 0)), &here);
  ::sched_setaffinity(0, sizeof here, &here);
}

// In a process of its own: what earlier jobs have left in the memory of one would be drawn by none. Never returns.
[[noreturn]] void run_here(std::uint64_t seed, Plant plant, Told& told) {
  constexpr unsigned deadline_seconds = 60;  // none takes a hundredth of it
  std::signal(SIGINT, SIG_IGN);
  stay_on_one_core();
  ::alarm(deadline_seconds);
  try {
    run_job(seed, plant, told);
  } catch (const std::exception& found) {
    told.add(found.what());
    ::_exit(1);
  }
  ::_exit(0);
}

// Empty: nothing is wrong.
std::string finding_of(std::uint64_t seed, Plant plant, Told& told) {
  told.text[0] = '\0';
  std::fflush(stdout);
  const pid_t child = ::fork();
  if (child == 0) run_here(seed, plant, told);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  if (WIFSIGNALED(status)) {
    const int number = WTERMSIG(status);
    told.add(number == SIGALRM ? "not finished in time" : fmt::format("ended by signal {}", number));
  }
  std::string steps = told.text;
  while (!steps.empty() && steps.back() == '\n') steps.pop_back();
  const std::size_t last = steps.find_last_of('\n');
  if (last == std::string::npos) return steps + "\n";
  return steps.substr(last + 1) + "\n" + steps.substr(0, last + 1);
}

std::string finding_of_two(std::uint64_t seed, Plant plant, Told& told) {
  std::string found = finding_of(seed, plant, told);
  const std::uint64_t digest = told.digest;
  if (!found.empty()) return found;
  found = finding_of(seed, plant, told);
  if (!found.empty() || told.digest == digest) return found;
  return fmt::format("the same job went otherwise: something in it does not follow from the seed\n{}", told.text);
}

// Set by Ctrl-C: the job that runs is the last one.
volatile std::sig_atomic_t has_to_end = 0;

int simulate(const Options& options) {
  using Clock = std::chrono::steady_clock;
  constexpr std::uint64_t one_in = 16;  // jobs is done twice
  const auto end = Clock::now() + std::chrono::duration<double, std::ratio<60>>(options.minutes.value_or(1));
  const bool has_end = options.minutes || !(options.jobs || options.is_one());
  const std::uint64_t first = options.seed.value_or(std::random_device{}());
  const std::uint64_t jobs = options.is_one() ? 1 : options.jobs.value_or(~std::uint64_t{0});
  Told& told =
      *static_cast<Told*>(::mmap(nullptr, sizeof(Told), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  std::uint64_t done = 0, findings = 0;
  std::signal(SIGINT, [](int) { has_to_end = 1; });
  for (; done < jobs && has_to_end == 0 && !(has_end && Clock::now() >= end); ++done) {
    const std::uint64_t seed = first + done;
    const bool is_done_twice = seed % one_in == 0 || options.is_one();
    const std::string found = (is_done_twice ? finding_of_two : finding_of)(seed, options.plant, told);
    if (found.empty()) continue;
    ++findings;
    fmt::print("seed {}: {}", seed, found);
  }
  if (options.is_one() && findings == 0) fmt::print("{}digest {:016x}\n", told.text, told.digest);
  fmt::print("simulate: from seed {}: {} jobs, {} steps of ranks, {} power failures, {} findings\n", first, done,
             told.steps, told.power_failures, findings);
  return findings == 0 ? 0 : 1;
}

}  // namespace
}  // namespace lq::simulation

int main(int argc, char** argv) { return lq::simulation::simulate(lq::simulation::parse(argc, argv)); }
