// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "programs/partest/target.hpp"

#include <getopt.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <limits>

#include <fmt/format.h>

namespace lq::partest {
namespace {

constexpr std::string_view usage =
    "Usage: {} options\n\n"
    "Measures how fast the tasks of a communicator write and read.\n\n"
    "  -f, --filename=NAME      file\n"
    "  -n, --numfiles=N         physical files (1)\n"
    "  -r, --chunksize=SIZE     of a chunk (20M)\n"
    "  -q, --fsblksize=SIZE     of a block of the file system (2M; -1: ask it)\n"
    "  -T, --testtype=TYPE      0 multifile, 1 the same read rank by rank, {}\n"
    "  -b, --bufsize=SIZE       per call (10M)\n"
    "  -g, --totalsize=SIZE     of the data of all tasks\n"
    "  -s, --localsize=SIZE     of the data of each task (a chunk)\n"
    "  -F, --factor=F           tasks write up to this share of it less, at random (0)\n"
    "  -R, --read=0|1           reads (1)\n"
    "  -W, --write=0|1|2        writes so often (1)\n"
    "  -v, --verbose            lines for each task\n"
    "  -C, --nochecksum         does not compare what it reads\n"
    "  -L, --posix              descriptors instead of stdio\n"
    "  -M, --collwrite          collective writes\n"
    "  -m, --collread           collective reads\n"
    "  -c, --collmsa            collectors for modular machines\n"
    "  -Z, --taskoffset=N       reads what the task so many ranks further wrote (0)\n"
    "  -O, --byteoffset=BYTES   writes so many bytes first (0)\n"
    "  -j, --serialized=N       so many tasks at once (-1: all, -2: one after the other)\n"
    "  -X, --unlinkfiles        removes the files\n"
    "  -w, -Q KIB, -x           hints for MPI-IO: large blocks, buffer, sparse access\n"
    "  -d, -D, -P, -Y, -p       accepted, without effect\n"
    "Sizes: 4096, 64k, 2M, 1G, 1T; with a B behind, as in 64kB, powers of 1000\n";

constexpr const char* short_options = "f:n:r:q:T:b:g:s:F:R:W:vCdDLMmcZ:O:j:XP:Y:p:wQ:x";

const option long_options[] = {
    {"filename", required_argument, nullptr, 'f'},        {"numfiles", required_argument, nullptr, 'n'},
    {"chunksize", required_argument, nullptr, 'r'},       {"fsblksize", required_argument, nullptr, 'q'},
    {"testtype", required_argument, nullptr, 'T'},        {"bufsize", required_argument, nullptr, 'b'},
    {"totalsize", required_argument, nullptr, 'g'},       {"localsize", required_argument, nullptr, 's'},
    {"factor", required_argument, nullptr, 'F'},          {"read", required_argument, nullptr, 'R'},
    {"write", required_argument, nullptr, 'W'},           {"verbose", optional_argument, nullptr, 'v'},
    {"nochecksum", optional_argument, nullptr, 'C'},      {"debugtask", optional_argument, nullptr, 'd'},
    {"Debugtask", optional_argument, nullptr, 'D'},       {"posix", optional_argument, nullptr, 'L'},
    {"collwrite", optional_argument, nullptr, 'M'},       {"collread", optional_argument, nullptr, 'm'},
    {"collmsa", optional_argument, nullptr, 'c'},         {"taskoffset", required_argument, nullptr, 'Z'},
    {"byteoffset", required_argument, nullptr, 'O'},      {"serialized", required_argument, nullptr, 'j'},
    {"unlinkfiles", optional_argument, nullptr, 'X'},     {"bgionode", required_argument, nullptr, 'P'},
    {"bgtaskperionode", required_argument, nullptr, 'Y'}, {"bgtasksort", required_argument, nullptr, 'p'},
    {"hintlargeblock", optional_argument, nullptr, 'w'},  {"hintiobufsize", required_argument, nullptr, 'Q'},
    {"hintsparseacess", optional_argument, nullptr, 'x'}, {nullptr, 0, nullptr, 0}};

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max() / 2;

bool is_on(const char* value) { return value == nullptr || std::string_view(value) != "0"; }

bool take_size(const char* text, std::int64_t smallest, std::int64_t& target) {
  const std::optional<std::int64_t> size = parse_size(text);
  if (size) target = *size;
  return size && *size >= smallest;
}

bool take_number(const char* text, int smallest, int biggest, int& target) {
  char* end = nullptr;
  errno = 0;
  const long number = std::strtol(text, &end, 10);
  if (errno != 0 || end == text || *end != '\0' || number < smallest || number > biggest) return false;
  target = static_cast<int>(number);
  return true;
}

bool take_block(const char* text, std::int64_t& target) {
  if (std::string_view(text) == "-1") {
    target = -1;
    return true;
  }
  return take_size(text, 1, target) && target <= std::numeric_limits<int>::max();
}

bool take_factor(const char* text, double& target) {
  char* end = nullptr;
  target = std::strtod(text, &end);
  return end != text && *end == '\0' && target >= 0 && target <= 1;
}

bool take_kind(const char* text, Settings& s) {
  int number = 0;
  if (!take_number(text, 0, 3, number)) return false;
  s.kind_number = static_cast<std::size_t>(number);
  return true;
}

// Whether the value is one.
bool take(int letter, const char* value, Settings& s) {
  constexpr int most = std::numeric_limits<int>::max();
  int buffer = 0;
  switch (letter) {
    case 'f':
      s.file = value;
      return !s.file.empty();
    case 'n':
      return take_number(value, 1, most, s.files);
    case 'r':
      return take_size(value, 1, s.chunk_bytes);
    case 'q':
      return take_block(value, s.block_bytes);
    case 'T':
      return take_kind(value, s);
    case 'b':
      return take_size(value, 1, s.piece_bytes);
    case 'g':
      return take_size(value, 1, s.total_bytes);
    case 's':
      return take_size(value, 1, s.task_bytes);
    case 'F':
      return take_factor(value, s.random_factor);
    case 'R':
      s.reads = is_on(value);
      return true;
    case 'W':
      return take_number(value, 0, 2, s.writes);
    case 'v':
      s.verbose = is_on(value);
      return true;
    case 'C':
      s.checks = !is_on(value);
      return true;
    case 'L':
      s.descriptors = is_on(value);
      return true;
    case 'M':
      s.collective_write = is_on(value);
      return true;
    case 'm':
      s.collective_read = is_on(value);
      return true;
    case 'c':
      s.modular = is_on(value);
      return true;
    case 'Z':
      return take_number(value, -most, most, s.shift);
    case 'O':
      return take_size(value, 0, s.first_bytes);
    case 'j':
      return take_number(value, -2, most, s.at_once) && s.at_once != 0;
    case 'X':
      s.removes = is_on(value);
      return true;
    case 'w':
      s.mpi_io_large_blocks = is_on(value);
      return true;
    case 'x':
      s.mpi_io_sparse = is_on(value);
      return true;
    case 'Q':
      if (!take_number(value, 1, most, buffer)) return false;
      s.mpi_io_buffer_kib = buffer;
      return true;
    default:
      return letter != '?';
  }
}

// What follows from the rest.
void complete(Settings& s, const Caller& caller) {
  const int tasks = caller.ranks * std::max(caller.threads, 1);
  const std::size_t others = caller.threads > 0 && s.kind_number >= 2 ? 2 : 0;
  s.kind = static_cast<Kind>(s.kind_number + others);
  if (s.task_bytes == 0)
    s.task_bytes = s.total_bytes > 0 ? std::max<std::int64_t>(s.total_bytes / tasks, 1) : s.chunk_bytes;
  const bool in_chunks = s.kind != Kind::mpi_io && s.kind != Kind::file_per_task;
  if (in_chunks) {  // a call never crosses the end of a chunk
    s.piece_bytes = std::min(s.piece_bytes, s.chunk_bytes);
    s.first_bytes = std::min(s.first_bytes, s.chunk_bytes);
  }
  if (s.kind == Kind::mpi_io) {  // which counts in int
    s.piece_bytes = std::min<std::int64_t>(s.piece_bytes, 1 << 30);
    s.first_bytes = std::min<std::int64_t>(s.first_bytes, 1 << 30);
  }
  s.piece_bytes = std::min(s.piece_bytes, s.task_bytes);
  s.first_bytes = std::min(s.first_bytes, s.task_bytes);
  s.total_bytes = 0;
  for (int task = 0; task < tasks; ++task) s.total_bytes += s.bytes_of(task);
}

}  // namespace

std::int64_t Settings::bytes_of(int task) const noexcept {
  // A number in [0, 1) that every task knows of every other.
  const std::uint32_t mixed = (static_cast<std::uint32_t>(task) + 1) * 2654435761U;
  const double less = random_factor * (static_cast<double>(mixed) / 4294967296.0);
  return std::max<std::int64_t>(std::llround(static_cast<double>(task_bytes) * (1.0 - less)), 1);
}

std::int64_t Settings::pieces_of(int task) const noexcept {
  const std::int64_t bytes = bytes_of(task);
  const std::int64_t first = std::min(first_bytes, bytes);
  return (first > 0 ? 1 : 0) + (bytes - first + piece_bytes - 1) / piece_bytes;
}

std::int64_t Settings::piece_of(int task, std::int64_t piece) const noexcept {
  const std::int64_t bytes = bytes_of(task);
  const std::int64_t first = std::min(first_bytes, bytes);
  if (first > 0 && piece-- == 0) return first;
  return std::clamp<std::int64_t>(bytes - first - piece * piece_bytes, 0, piece_bytes);
}

std::optional<std::int64_t> parse_size(const std::string& text) {
  char* end = nullptr;
  errno = 0;
  const long long number = std::strtoll(text.c_str(), &end, 10);
  if (errno != 0 || end == text.c_str() || number < 0) return std::nullopt;
  std::string_view unit(end);
  if (unit.empty()) return number <= largest ? std::optional<std::int64_t>(number) : std::nullopt;
  const std::size_t power = std::string_view("kmgt").find(static_cast<char>(std::tolower(unit.front()))) + 1;
  unit.remove_prefix(1);
  const bool of_1000 = unit == "b" || unit == "B";
  if (power == 0 || (!unit.empty() && !of_1000 && unit != "ib" && unit != "iB")) return std::nullopt;
  std::int64_t bytes = number;
  for (std::size_t k = 0; k < power; ++k) {
    if (bytes > largest / 1024) return std::nullopt;
    bytes *= of_1000 ? 1000 : 1024;
  }
  return bytes;
}

std::optional<Settings> parse_settings(int argc, char** argv, const Caller& caller) {
  Settings settings;
  opterr = caller.rank == 0 ? 1 : 0;
  bool is_sound = true;
  for (int letter = getopt_long(argc, argv, short_options, long_options, nullptr); letter != -1 && is_sound;
       letter = getopt_long(argc, argv, short_options, long_options, nullptr)) {
    is_sound = take(letter, optarg, settings);
    if (!is_sound && caller.rank == 0 && letter != '?') {
      fmt::print(stderr, "{}: -{}: \"{}\" is not possible\n", caller.program, static_cast<char>(letter), optarg);
    }
  }
  if (is_sound && settings.files > caller.ranks) {
    is_sound = false;
    if (caller.rank == 0)
      fmt::print(stderr, "{}: {} files for {} tasks\n", caller.program, settings.files, caller.ranks);
  }
  if (!is_sound || optind < argc) {
    const char* const others = caller.threads > 0 ? "2 and 3 with a multifile for the threads of each rank"
                                                  : "2 MPI-IO, 3 a file for each task";
    if (caller.rank == 0) fmt::print(stderr, fmt::runtime(usage), argv[0], others);
    return std::nullopt;
  }
  complete(settings, caller);
  return settings;
}

}  // namespace lq::partest
