// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// partest and ompi_partest: all tasks write, or read; prints times with the labels of SIONlib's.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

#include <mpi.h>
#include <sion.h>

#include <fmt/format.h>

#include "base/bytes.hpp"
#include "comm/agree.hpp"
#include "mpi/mpi_comm.hpp"
#include "multifile/threads.hpp"
#include "programs/partest/target.hpp"

namespace lq::partest {
namespace {

// All tasks write, or read; returns the times.

// Seconds, of a task or of the slowest of several.
struct Times {
  double total = 0;
  double open = 0, io = 0, close = 0;
  double file_open = 0, file_io = 0, file_close = 0;  // waiting for the tasks of the file
  double all_open = 0, all_io = 0, all_close = 0;     // ... for all others
  double bytes = 0;                                   // summed
  double calls = 0;
};

struct Outcome {
  std::string failure;  // empty, or an error of any task; the same on all tasks
  Times times;
};

class Clock {
 public:
  // Seconds since the last call.
  double lap() {
    const double now = MPI_Wtime();
    const double passed = now - last_;
    last_ = now;
    return passed;
  }

 private:
  double last_ = MPI_Wtime();
};

// Collective. The text of each task, on task 0.
std::vector<std::string> gather(comm::Comm& comm, std::string_view mine) {
  std::vector<std::string> texts;
  for (const auto& bytes : comm.gather(base::as_bytes(mine), 0)) texts.emplace_back(base::as_text(bytes));
  return texts;
}

// The message of the first task that has one.
std::string agreed(const Tasks& tasks, const std::string& failure) {
  const std::vector<std::string> all = gather(*tasks.all, failure);
  const auto first = std::ranges::find_if(all, [](const std::string& text) { return !text.empty(); });
  return comm::broadcast_text(*tasks.all,
                              first == all.end() ? "" : fmt::format("task {}: {}", first - all.begin(), *first));
}

void wait(const Tasks& tasks, Clock& clock, double& for_file, double& for_all) {
  clock.lap();
  tasks.of_file->barrier();
  for_file = clock.lap();
  tasks.all->barrier();
  for_all = clock.lap();
}

// Byte i of each call of a task.
std::vector<std::byte> pattern(int task, std::int64_t bytes) {
  std::vector<std::byte> data(static_cast<std::size_t>(bytes));
  for (std::size_t i = 0; i < data.size(); ++i) {
    data[i] = static_cast<std::byte>((31 * i + 57 * static_cast<std::size_t>(task) + 7 * (i / 256)) & 255);
  }
  return data;
}

// The calls of one task, or of all if they are collective. Only these count as I/O, not the comparison.
class Mover {
 public:
  Mover(const Settings& settings, const Tasks& tasks, Target& target, bool writes, int source)
      : settings_(settings),
        target_(target),
        writes_(writes),
        source_(source),
        expected_(pattern(source, std::max(settings.piece_bytes, settings.first_bytes))) {
    if (!writes) buffer_.resize(expected_.size());
    const bool is_collective = writes ? settings.collective_write : settings.collective_read;
    calls_ = settings.pieces_of(source);
    if (is_collective) {
      for (int task = 0; task < tasks.count; ++task) calls_ = std::max(calls_, settings.pieces_of(task));
    }
  }

  // The error, or an empty text.
  std::string run() {
    std::string failure;
    for (std::int64_t call = 0; call < calls_; ++call) {
      const auto size = static_cast<std::size_t>(settings_.piece_of(source_, call));
      Clock clock;
      const bool moved =
          writes_ ? target_.write(std::span(expected_).first(size)) : target_.read(std::span(buffer_).first(size));
      moving_ += clock.lap();
      if (!moved && failure.empty()) failure = fmt::format("{} number {} failed", writes_ ? "write" : "read", call);
      if (moved && !writes_ && settings_.checks && failure.empty() && !is_as_written(size)) {
        failure = fmt::format("read number {} gave other data than were written", call);
      }
      checking_ += clock.lap();
    }
    return failure;
  }

  // Seconds.
  double moving() const noexcept { return moving_; }
  double checking() const noexcept { return checking_; }

 private:
  bool is_as_written(std::size_t size) const {
    return std::equal(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(size), expected_.begin());
  }

  const Settings& settings_;
  Target& target_;
  bool writes_;
  int source_;
  std::int64_t calls_ = 0;
  std::vector<std::byte> expected_;
  std::vector<std::byte> buffer_;
  double moving_ = 0;
  double checking_ = 0;
};

// At most the allowed number of tasks at a time.
std::string move(const Settings& settings, const Tasks& tasks, bool is_collective, Mover& mover) {
  const int at_once = settings.at_once == -2 ? 1 : settings.at_once;
  if (at_once < 0 || is_collective) return mover.run();
  std::string failure;
  for (int first = 0; first < tasks.count; first += std::min(at_once, tasks.count - first)) {
    if (tasks.rank >= first && tasks.rank - first < at_once) failure = mover.run();
    tasks.all->barrier();
  }
  return failure;
}

// Collective over tasks.all.
Outcome run_phase(const Settings& settings, const Tasks& tasks, Target& target, bool writes) {
  Outcome outcome;
  Times& times = outcome.times;
  const int threads = std::max(tasks.threads, 1);
  const int shift = settings.shift % (tasks.count / threads) * threads;
  const int source = writes ? tasks.rank : (tasks.rank + shift + tasks.count) % tasks.count;
  Mover mover(settings, tasks, target, writes, source);
  tasks.all->barrier();
  Clock clock;
  Clock whole;
  const bool is_open = target.open(writes, source);
  times.open = clock.lap();
  wait(tasks, clock, times.file_open, times.all_open);
  const std::string no_file = fmt::format("cannot open {} for {}", settings.file, writes ? "writing" : "reading");
  outcome.failure = agreed(tasks, is_open ? "" : no_file);
  if (!outcome.failure.empty()) {
    if (is_open) target.close();
    return outcome;
  }
  const bool is_collective = writes ? settings.collective_write : settings.collective_read;
  const std::string failure = move(settings, tasks, is_collective, mover);
  times.io = mover.moving();
  wait(tasks, clock, times.file_io, times.all_io);
  clock.lap();
  const bool is_closed = target.close();
  times.close = clock.lap();
  wait(tasks, clock, times.file_close, times.all_close);
  times.total = whole.lap() - mover.checking();
  times.bytes = static_cast<double>(settings.bytes_of(source));
  times.calls = static_cast<double>(settings.pieces_of(source));
  outcome.failure = agreed(tasks, !failure.empty() ? failure : is_closed ? "" : "the close failed");
  return outcome;
}

// Lines with the labels of SIONlib's partest.

constexpr std::size_t seconds = 10;  // members of Times in seconds: all but the last two, which are sums
constexpr std::size_t sums = 2;
static_assert(sizeof(Times) == (seconds + sums) * sizeof(double));

// The slowest of the tasks, and their sum of bytes and calls; on task 0 of the group.
Times together(const Times& mine, comm::Comm& group) {
  using Numbers = std::array<double, seconds + sums>;
  Numbers result{};
  for (const std::string& text : gather(group, {reinterpret_cast<const char*>(&mine), sizeof mine})) {
    Numbers theirs{};
    std::memcpy(theirs.data(), text.data(), sizeof theirs);
    for (std::size_t i = 0; i < result.size(); ++i) {
      result[i] = i < seconds ? std::max(result[i], theirs[i]) : result[i] + theirs[i];
    }
  }
  return std::bit_cast<Times>(result);
}

// Four lines, T_STAT to T_GLOBAL_BARRIER, for one task, one file or all.
std::array<std::string, 4> lines_of(const Settings& settings, const Times& t, int number, int file,
                                    const std::string& whose, bool writes) {
  const double rate = t.total > 0 ? t.bytes / t.total : 0;
  const std::string io = writes ? "write" : "read";
  const std::string what = whose + (writes ? " WRITE" : " READ");
  const auto line = [&](std::string_view label, const std::string& text) {
    return fmt::format("timings[{:06}] {:<16} {}  {}\n", number, label, what, text);
  };
  const std::string none = writes ? "create=0.00000s, create_cls=0.00000s, " : "";
  const std::string none_to_wait = writes ? "create=0.0000s, create_cls=0.0000s, " : "";
  return {line("T_STAT",
               fmt::format("b={:10.2f} MiB t={:10.6f}s #chunks={:.0f} bw={:10.4f} MB/s ({:10.4f} MiB/s) "
                           "ion={} nf={}",
                           t.bytes / 1048576, t.total, t.calls, rate / 1e6, rate / 1048576, file, settings.files)),
          line("T_PHASE", fmt::format("{}open={:.5f}s, {}={:.5f}s, close={:.5f}s, tlog={:.4f}s", none, t.open, io, t.io,
                                      t.close, 0.0)),
          line("T_FILE_BARRIER",
               fmt::format("open={:.4f}s, {}={:.4f}s, close={:.4f}s", t.file_open, io, t.file_io, t.file_close)),
          line("T_GLOBAL_BARRIER", fmt::format("{}open={:.4f}s, {}={:.4f}s, close={:.4f}s", none_to_wait, t.all_open,
                                               io, t.all_io, t.all_close))};
}

// Rank 0 prints the texts of the tasks, in their order, line by line of each.
void print_gathered(const Tasks& tasks, const std::array<std::string, 4>& lines) {
  for (const std::string& line : lines) {
    for (const std::string& text : gather(*tasks.all, line)) fmt::print("{}", text);
  }
}

// Collective. Lines of tasks with -v, of files if there are several, and of all, on rank 0.
void report(const Settings& settings, const Tasks& tasks, const Times& times, bool writes) {
  if (settings.verbose) print_gathered(tasks, lines_of(settings, times, tasks.rank, tasks.file, "TASK", writes));
  if (settings.files > 1) {
    const Times of_file = together(times, *tasks.of_file);
    std::array<std::string, 4> lines;
    if (tasks.of_file->rank() == 0) lines = lines_of(settings, of_file, tasks.file, tasks.file, "FILE", writes);
    print_gathered(tasks, lines);
  }
  const Times of_all = together(times, *tasks.all);
  if (tasks.rank > 0) return;
  fmt::print("{:-<90}\n", "");
  for (const std::string& line : lines_of(settings, of_all, 0, 0, "TOTAL", writes)) fmt::print("{}", line);
  fmt::print("{:-<90}\n", "");
  std::fflush(stdout);
}

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

// Errors are printed by rank 0; the same on all tasks.
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

// True if all ranks have equally many threads; otherwise prints a message.
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
  MPI_Comm same_file = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, file, rank, &same_file);
  const int threads = std::max(program.threads, 1);
  using multifile::ThreadsComm;
  const auto all_tasks = std::make_shared<ThreadsComm::Shared>(threads, mpi::duplicate_of(MPI_COMM_WORLD));
  const auto of_file_tasks = std::make_shared<ThreadsComm::Shared>(threads, mpi::duplicate_of(same_file));
  bool is_sound = false;
  program.on_threads([&](int thread) {
    ThreadsComm all(all_tasks, thread), of_file(of_file_tasks, thread);
    Tasks tasks{&all, &of_file, MPI_COMM_WORLD, all.rank(), all.size(), file, program.threads};
    const bool is_mine = run_task(settings, tasks, program);
    if (thread == 0) is_sound = is_mine;  // the same on all
  });
  MPI_Comm_free(&same_file);
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
