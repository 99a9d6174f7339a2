// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// See phase.hpp: lines with the labels of SIONlib's partest.
#include <array>
#include <bit>

#include <fmt/format.h>

#include "compat/programs/sion/partest/phase.hpp"

namespace lq::partest {
namespace {

constexpr int seconds = 10;  // of the numbers of Times: all but the last two, which are sums
constexpr int sums = 2;
static_assert(sizeof(Times) == (seconds + sums) * sizeof(double));

// The slowest of the tasks, and their sum of bytes and calls; on rank 0 of the communicator.
Times together(const Times& mine, MPI_Comm comm) {
  const auto given = std::bit_cast<std::array<double, seconds + sums>>(mine);
  std::array<double, seconds + sums> result{};
  MPI_Reduce(given.data(), result.data(), seconds, MPI_DOUBLE, MPI_MAX, 0, comm);
  MPI_Reduce(given.data() + seconds, result.data() + seconds, sums, MPI_DOUBLE, MPI_SUM, 0, comm);
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

// Rank 0 prints what the tasks with a text have, in their order, line by line of each.
void print_gathered(const Tasks& tasks, const std::array<std::string, 4>& lines) {
  for (const std::string& line : lines) {
    if (tasks.rank > 0) {
      MPI_Send(line.data(), static_cast<int>(line.size()), MPI_CHAR, 0, 0, tasks.all);
      continue;
    }
    fmt::print("{}", line);
    for (int task = 1; task < tasks.count; ++task) {
      MPI_Status status;
      int length = 0;
      MPI_Probe(task, 0, tasks.all, &status);
      MPI_Get_count(&status, MPI_CHAR, &length);
      std::string text(static_cast<std::size_t>(length), ' ');
      MPI_Recv(text.data(), length, MPI_CHAR, task, 0, tasks.all, MPI_STATUS_IGNORE);
      fmt::print("{}", text);
    }
  }
}

}  // namespace

void report(const Settings& settings, const Tasks& tasks, const Times& times, bool writes) {
  if (settings.verbose) print_gathered(tasks, lines_of(settings, times, tasks.rank, tasks.file, "TASK", writes));
  if (settings.files > 1) {
    int rank = 0;
    MPI_Comm_rank(tasks.of_file, &rank);
    const Times of_file = together(times, tasks.of_file);
    std::array<std::string, 4> lines;
    if (rank == 0) lines = lines_of(settings, of_file, tasks.file, tasks.file, "FILE", writes);
    print_gathered(tasks, lines);
  }
  const Times of_all = together(times, tasks.all);
  if (tasks.rank > 0) return;
  fmt::print("{:-<90}\n", "");
  for (const std::string& line : lines_of(settings, of_all, 0, 0, "TOTAL", writes)) fmt::print("{}", line);
  fmt::print("{:-<90}\n", "");
  std::fflush(stdout);
}

}  // namespace lq::partest
