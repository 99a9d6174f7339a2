// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// partest: how fast the tasks of a communicator write and read, in a multifile or as its users did before.
#include <mpi.h>
#include <sion.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <ctime>

#include <fmt/format.h>

#include "compat/programs/sion/partest/phase.hpp"

namespace {

using namespace lq::partest;

std::string now() {
  const std::time_t time = std::time(nullptr);
  std::array<char, 64> text{};
  std::strftime(text.data(), text.size(), "%a %b %e %H:%M:%S %Y", std::localtime(&time));
  return text.data();
}

void print_settings(const Settings& s, const Tasks& tasks) {
  constexpr std::array kinds = {"sion, collective read", "sion, independant read", "mpi-io", "single files"};
  const auto line = [](std::string_view option, std::string_view label, const std::string& value) {
    fmt::print("partest parameter:   {:<7} {:<24} = {}\n", option, label, value);
  };
  const auto size = [&](std::string_view option, std::string_view label, std::int64_t bytes) {
    line(option, label, fmt::format("{:15} bytes {:10.3f} MB", bytes, static_cast<double>(bytes) / 1048576));
  };
  const auto number = [&](std::string_view option, std::string_view label, std::int64_t value) {
    line(option, label, fmt::format("{}", value));
  };
  fmt::print("{:-<90}\nSION parallel file I/O benchmark 'partest': start at {}\n", "", now());
  fmt::print("partest Number of tasks that will use the file tasks:       running on {} tasks\n{:-<90}\n", tasks.count,
             "");
  line("(-f)", "datafile", s.file);
  number("(-n)", "number of files", s.files);
  line("(-F)", "random factor", fmt::format("{:13.4f}", s.random_factor));
  number("(-X)", "remove files after test", s.removes);
  size("(-b/-B)", "local buffer size / task", s.piece_bytes);
  size("(-g/-G)", "global total data size", s.total_bytes);
  size("(-s/-S)", "total data size / task", s.task_bytes);
  size("(-r/-R)", "sion chunk size", s.chunk_bytes);
  size("(-Q)", "fs block size", s.block_bytes);
  line("(-T)", "test type", fmt::format("{} ({})", static_cast<int>(s.kind), kinds[static_cast<std::size_t>(s.kind)]));
  number("(-j)", "serialize_blocknum", s.at_once);
  number("(-Z)", "read task offset", s.shift);
  number("(-o)", "start offset bytes", s.first_bytes);
  number("(-v)", "verbose", s.verbose);
  number("(-M)", "collective write", s.collective_write);
  number("(-m)", "collective read", s.collective_read);
  number("(-c)", "MSA-aware collective I/O", s.modular);
  number("(-C)", "suppress_checksum", !s.checks);
  number("(-O)", "do_write", s.writes);
  number("(-I)", "do_read", s.reads);
  number("(-L)", "use_posix", s.descriptors);
  fmt::print("partest versioninfo:         SION_VERSION                = {}.{}.{}\n{:-<90}\n", SION_MAIN_VERSION,
             SION_SUB_VERSION, SION_VERSION_PATCHLEVEL, "");
  std::fflush(stdout);
}

// What goes wrong is said by rank 0; the same on all tasks.
bool run(const Settings& settings, const Tasks& tasks, Target& target) {
  const auto phase = [&](bool writes) {
    const Outcome outcome = run_phase(settings, tasks, target, writes);
    if (outcome.failure.empty()) {
      report(settings, tasks, outcome.times, writes);
    } else if (tasks.rank == 0) {
      fmt::print(stderr, "partest: {}\n", outcome.failure);
    }
    return outcome.failure.empty();
  };
  bool is_sound = true;
  for (int time = 0; time < settings.writes && is_sound; ++time) is_sound = phase(true);
  if (settings.reads && is_sound) is_sound = phase(false);
  MPI_Barrier(tasks.all);
  if (settings.removes && settings.writes > 0) {
    const std::string name = target.own_file();
    if (!name.empty()) unlink(name.c_str());
  }
  return is_sound;
}

std::unique_ptr<Target> make_target(const Settings& settings, const Tasks& tasks) {
  switch (settings.kind) {
    case Kind::mpi_io:
      return make_mpi_io(settings, tasks);
    case Kind::file_per_task:
      return make_file_per_task(settings, tasks);
    default:
      return make_multifile(settings, tasks);
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Tasks tasks;
  tasks.all = MPI_COMM_WORLD;
  MPI_Comm_rank(tasks.all, &tasks.rank);
  MPI_Comm_size(tasks.all, &tasks.count);
  bool is_sound = false;
  if (const auto settings = parse_settings(argc, argv, tasks.rank, tasks.count)) {
    tasks.file = std::min(tasks.rank / (tasks.count / settings->files), settings->files - 1);
    MPI_Comm_split(tasks.all, tasks.file, tasks.rank, &tasks.of_file);
    if (tasks.rank == 0) print_settings(*settings, tasks);
    is_sound = run(*settings, tasks, *make_target(*settings, tasks));
    if (tasks.rank == 0 && is_sound) fmt::print("SION parallel file I/O benchmark 'partest': end at {}\n\n", now());
    MPI_Comm_free(&tasks.of_file);
  }
  MPI_Finalize();
  return is_sound ? 0 : 1;
}
