// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "programs/partest/benchmark.hpp"

#include <mpi.h>
#include <sion.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <ctime>

#include <fmt/format.h>

#include "programs/partest/phase.hpp"

namespace lq::partest {
namespace {

std::string now() {
  const std::time_t time = std::time(nullptr);
  std::array<char, 64> text{};
  std::strftime(text.data(), text.size(), "%a %b %e %H:%M:%S %Y", std::localtime(&time));
  return text.data();
}

std::string kind_of(const Settings& s, bool has_threads) {
  constexpr std::array kinds = {"sion, collective read", "sion, independant read", "mpi-io", "single files"};
  constexpr std::array kinds_of_threads = {"sion OMPI, collective read", "sion OMPI, independant read",
                                           "sion OMP, collective read", "sion OMP, independant read"};
  return fmt::format("{} ({})", s.kind_number, (has_threads ? kinds_of_threads : kinds)[s.kind_number]);
}

void print_settings(const Settings& s, const Tasks& tasks, const Program& program) {
  const auto line = [](std::string_view option, std::string_view label, const std::string& value) {
    fmt::print("partest parameter:   {:<7} {:<24} = {}\n", option, label, value);
  };
  const auto size = [&](std::string_view option, std::string_view label, std::int64_t bytes) {
    line(option, label, fmt::format("{:15} bytes {:10.3f} MB", bytes, static_cast<double>(bytes) / 1048576));
  };
  const auto number = [&](std::string_view option, std::string_view label, std::int64_t value) {
    line(option, label, fmt::format("{}", value));
  };
  fmt::print("{:-<90}\nSION parallel file I/O benchmark '{}': start at {}\n", "", program.name, now());
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
  line("(-T)", "test type", kind_of(s, program.threads > 0));
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
  if (program.threads > 0) number("(  )", "OpenMP number of threads", program.threads);
  fmt::print("partest versioninfo:         SION_VERSION                = {}.{}.{}\n{:-<90}\n", SION_MAIN_VERSION,
             SION_SUB_VERSION, SION_VERSION_PATCHLEVEL, "");
  std::fflush(stdout);
}

// What goes wrong is said by rank 0; the same on all tasks.
bool run(const Settings& settings, const Tasks& tasks, Target& target, const char* program) {
  const auto phase = [&](bool writes) {
    const Outcome outcome = run_phase(settings, tasks, target, writes);
    if (outcome.failure.empty()) {
      report(settings, tasks, outcome.times, writes);
    } else if (tasks.rank == 0) {
      fmt::print(stderr, "{}: {}\n", program, outcome.failure);
    }
    return outcome.failure.empty();
  };
  bool is_sound = true;
  for (int time = 0; time < settings.writes && is_sound; ++time) is_sound = phase(true);
  if (settings.reads && is_sound) is_sound = phase(false);
  tasks.all->barrier();
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

// The part of one task.
bool run_task(const Settings& settings, Tasks& tasks, const Program& program) {
  if (tasks.rank == 0) print_settings(settings, tasks, program);
  const bool is_sound = run(settings, tasks, *make_target(settings, tasks), program.name);
  if (tasks.rank == 0 && is_sound) {
    fmt::print("SION parallel file I/O benchmark '{}': end at {}\n\n", program.name, now());
  }
  return is_sound;
}

// As many threads on each rank as on any other, or a message.
bool are_equal(const Program& program, int rank) {
  const std::array<int, 2> mine{program.threads, -program.threads};
  std::array<int, 2> most{};
  MPI_Allreduce(mine.data(), most.data(), 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (most[0] != -most[1] && rank == 0) {
    fmt::print(stderr, "{}: {} threads on a rank, {} on another; set OMP_NUM_THREADS to the same everywhere\n",
               program.name, -most[1], most[0]);
  }
  return most[0] == -most[1];
}

bool run_ranks(const Settings& settings, const Program& program, int rank, int ranks) {
  const int file = std::min(rank / (ranks / settings.files), settings.files - 1);
  MPI_Comm of_file = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, file, rank, &of_file);
  const int threads = std::max(program.threads, 1);
  ThreadTeam all_threads(threads, MPI_COMM_WORLD), file_threads(threads, of_file);
  bool is_sound = false;
  program.on_threads([&](int thread) {
    const auto all = program.threads > 0 ? make_threads(all_threads, thread) : make_ranks(MPI_COMM_WORLD);
    const auto same_file = program.threads > 0 ? make_threads(file_threads, thread) : make_ranks(of_file);
    Tasks tasks{all.get(), same_file.get(), MPI_COMM_WORLD, all->rank(), all->size(), file, program.threads};
    const bool is_mine = run_task(settings, tasks, program);
    if (thread == 0) is_sound = is_mine;  // the same on all
  });
  MPI_Comm_free(&of_file);
  return is_sound;
}

}  // namespace

int run_benchmark(int argc, char** argv, const Program& program) {
  int given = 0, rank = 0, ranks = 1;
  MPI_Init_thread(&argc, &argv, program.threads > 0 ? MPI_THREAD_FUNNELED : MPI_THREAD_SINGLE, &given);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  bool is_sound = false;
  const auto settings = parse_settings(argc, argv, {program.name, rank, ranks, program.threads});
  if (are_equal(program, rank) && settings) is_sound = run_ranks(*settings, program, rank, ranks);
  MPI_Finalize();
  return is_sound ? 0 : 1;
}

}  // namespace lq::partest
