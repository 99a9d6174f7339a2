// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Lines with the labels of SIONlib's partest.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include <fmt/format.h>

#include "programs/partest/phase.hpp"

namespace lq::partest {
namespace {

constexpr std::size_t seconds = 10;  // of the numbers of Times: all but the last two, which are sums
constexpr std::size_t sums = 2;
static_assert(sizeof(Times) == (seconds + sums) * sizeof(double));

// The slowest of the tasks, and their sum of bytes and calls; on task 0 of the group.
Times together(const Times& mine, Group& group) {
  using Numbers = std::array<double, seconds + sums>;
  Numbers result{};
  for (const std::string& text : group.gather(std::string(reinterpret_cast<const char*>(&mine), sizeof mine))) {
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

// Rank 0 prints what the tasks with a text have, in their order, line by line of each.
void print_gathered(const Tasks& tasks, const std::array<std::string, 4>& lines) {
  for (const std::string& line : lines) {
    for (const std::string& text : tasks.all->gather(line)) fmt::print("{}", text);
  }
}

}  // namespace

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

}  // namespace lq::partest
