// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Random lattices, grids, formats, strategies, options and ranks, random faults, compared with a plain model, for as
// long as asked. Each trial is a process of its own and follows from its seed; which of several ranks is first does
// not:
//
//   lq_torture [--minutes N]
//   lq_torture --seed S [--trials N]
//
// A finding is printed with its seed and what was drawn; --seed S runs that trial again. Exit code 1: there were some.
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <optional>
#include <random>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "support/file_contents.hpp"
#include "support/scratch_directory.hpp"
#include "torture/draw.hpp"
#include "torture/trials.hpp"

namespace lq::torture {
namespace {

using Clock = std::chrono::steady_clock;

// No trial takes a tenth of it on a machine that does nothing else.
constexpr std::chrono::seconds deadline{120};

struct Options {
  double minutes = 1;
  std::optional<std::uint64_t> seed;    // of the first trial
  std::optional<std::uint64_t> trials;  // at most; without it a seed is one trial
};

[[noreturn]] void refuse(std::string_view word) {
  fmt::print(stderr, "lq_torture [--minutes N] | --seed S [--trials N]; not \"{}\"\n", word);
  std::exit(2);
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; i += 2) {
    const std::string_view word = argv[i];
    if (i + 1 == argc) refuse(word);
    char* end = nullptr;
    if (word == "--minutes") {
      options.minutes = std::strtod(argv[i + 1], &end);
    } else if (word == "--seed") {
      options.seed = std::strtoull(argv[i + 1], &end, 10);
    } else if (word == "--trials") {
      options.trials = std::strtoull(argv[i + 1], &end, 10);
    }
    if (end == nullptr || *end != '\0') refuse(word);
  }
  if (options.seed && !options.trials) options.trials = 1;
  return options;
}

// In a process of its own: what was drawn, and what was found, goes to files.
struct Notes {
  std::string drawn, found;
};

[[noreturn]] void run(std::uint64_t seed, const std::string& directory, const Notes& notes) {
  Draw draw(seed);
  const Tell tell = [&](const std::string& words) { testing::put_contents(notes.drawn, words); };
  try {
    if (draw.once_in(2)) {
      torture_fields(draw, directory, tell);
    } else {
      torture_sets(draw, directory, tell);
    }
  } catch (const std::exception& found) {
    testing::put_contents(notes.found, found.what());
    ::_exit(1);
  }
  ::_exit(0);
}

// Empty where nothing was noted.
std::string noted(const std::string& path) { return std::filesystem::exists(path) ? testing::contents(path) : ""; }

struct Verdict {
  std::string drawn;
  std::string found;  // empty: nothing is wrong
};

Verdict verdict_on(std::uint64_t seed) {
  const testing::ScratchDirectory directory, aside;
  const Notes notes{aside / "drawn", aside / "found"};
  const pid_t child = ::fork();
  if (child == 0) {
    ::setpgid(0, 0);  // it may have children of its own
    run(seed, directory.path(), notes);
  }
  const auto end = Clock::now() + deadline;
  int status = 0;
  while (::waitpid(child, &status, WNOHANG) == 0) {
    if (Clock::now() > end) {
      ::kill(-child, SIGKILL);
      ::waitpid(child, &status, 0);
      return {noted(notes.drawn), fmt::format("not finished after {} s", deadline.count())};
    }
    ::usleep(500);
  }
  Verdict verdict{noted(notes.drawn), noted(notes.found)};
  if (WIFSIGNALED(status)) verdict.found = fmt::format("ended by signal {}", WTERMSIG(status));
  if (WIFEXITED(status) && WEXITSTATUS(status) != 0 && verdict.found.empty()) verdict.found = "ended without a word";
  return verdict;
}

int torture(const Options& options) {
  const auto end = Clock::now() + std::chrono::duration<double, std::ratio<60>>(options.minutes);
  const std::uint64_t first = options.seed.value_or(std::random_device{}());
  std::uint64_t trials = 0, findings = 0;
  fmt::print("torture: from seed {}\n", first);
  while (options.trials ? trials < *options.trials : Clock::now() < end) {
    const std::uint64_t seed = first + trials++;
    const Verdict verdict = verdict_on(seed);
    if (!verdict.found.empty()) {
      ++findings;
      fmt::print("FINDING, --seed {}: {}\n{}\n", seed, verdict.found, verdict.drawn);
    } else if (options.trials == 1) {
      fmt::print("{}\n", verdict.drawn);
    }
    if (trials % 1000 == 0) fmt::print("torture: {} trials\n", trials);
    std::fflush(stdout);
  }
  fmt::print("torture: {} trials, {} findings\n", trials, findings);
  return findings == 0 ? 0 : 1;
}

}  // namespace
}  // namespace lq::torture

int main(int argc, char** argv) { return lq::torture::torture(lq::torture::parse(argc, argv)); }
