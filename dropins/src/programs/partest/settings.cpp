// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "programs/partest/target.hpp"

#include <getopt.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string_view>

#include <fmt/format.h>

namespace lq::partest {
namespace {

constexpr std::string_view usage =
    "Usage: {} options\n\n"
    "Measures how fast the tasks of a communicator write and read.\n\n"
    "  -f, --filename=NAME      file\n"
    "  -n, --numfiles=N         number of physical files (1)\n"
    "  -r, --chunksize=SIZE     size of a chunk (20M)\n"
    "  -q, --fsblksize=SIZE     block size of the file system (2M; -1: query it)\n"
    "  -T, --testtype=TYPE      0 multifile, 1 multifile read rank by rank, {}\n"
    "  -b, --bufsize=SIZE       bytes per call (10M)\n"
    "  -g, --totalsize=SIZE     size of the data of all tasks\n"
    "  -s, --localsize=SIZE     size of the data of each task (a chunk)\n"
    "  -F, --factor=F           tasks write less, at random by up to this fraction (0)\n"
    "  -R, --read=0|1           number of reads (1)\n"
    "  -W, --write=0|1|2        number of writes (1)\n"
    "  -v, --verbose            lines for each task\n"
    "  -C, --nochecksum         does not compare the data read\n"
    "  -L, --posix              descriptors instead of stdio\n"
    "  -M, --collwrite          collective writes\n"
    "  -m, --collread           collective reads\n"
    "  -c, --collmsa            collectors for modular machines\n"
    "  -Z, --taskoffset=N       each task reads the data of the task N ranks above it (0)\n"
    "  -O, --byteoffset=BYTES   writes this many bytes in a first call (0)\n"
    "  -j, --serialized=N       number of concurrent tasks (-1: all, -2: one at a time)\n"
    "  -X, --unlinkfiles        removes the files\n"
    "  -w, -Q KIB, -x           hints for MPI-IO: large blocks, buffer, sparse access\n"
    "  -d, -D, -P, -Y, -p       accepted, without effect\n"
    "Sizes: 4096, 64k, 2M, 1G, 1T; with a B after it, as in 64kB, powers of 1000\n";

constexpr int most = std::numeric_limits<int>::max();
constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max() / 2;

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
  return take_size(text, 1, target) && target <= most;
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

bool take_buffer(const char* text, Settings& s) {
  int kib = 0;
  if (!take_number(text, 1, most, kib)) return false;
  s.mpi_io_buffer_kib = kib;
  return true;
}

// An option that is on or off.
template <bool Settings::*member>
bool take_switch(const char* text, Settings& s) {
  s.*member = text == nullptr || std::string_view(text) != "0";
  return true;
}

bool ignore(const char*, Settings&) { return true; }

struct Option {
  char letter;
  const char* name;
  int argument;                            // required_argument, or optional_argument (long form only)
  bool (*take)(const char*, Settings& s);  // returns false for an invalid value
};

const Option options[] = {
    {'f', "filename", required_argument,
     [](const char* text, Settings& s) {
       s.file = text;
       return !s.file.empty();
     }},
    {'n', "numfiles", required_argument, [](auto* text, Settings& s) { return take_number(text, 1, most, s.files); }},
    {'r', "chunksize", required_argument, [](auto* text, Settings& s) { return take_size(text, 1, s.chunk_bytes); }},
    {'q', "fsblksize", required_argument, [](auto* text, Settings& s) { return take_block(text, s.block_bytes); }},
    {'T', "testtype", required_argument, take_kind},
    {'b', "bufsize", required_argument, [](auto* text, Settings& s) { return take_size(text, 1, s.piece_bytes); }},
    {'g', "totalsize", required_argument, [](auto* text, Settings& s) { return take_size(text, 1, s.total_bytes); }},
    {'s', "localsize", required_argument, [](auto* text, Settings& s) { return take_size(text, 1, s.task_bytes); }},
    {'F', "factor", required_argument, [](auto* text, Settings& s) { return take_factor(text, s.random_factor); }},
    {'R', "read", required_argument, take_switch<&Settings::reads>},
    {'W', "write", required_argument, [](auto* text, Settings& s) { return take_number(text, 0, 2, s.writes); }},
    {'v', "verbose", optional_argument, take_switch<&Settings::verbose>},
    {'C', "nochecksum", optional_argument,
     [](const char* text, Settings& s) {
       take_switch<&Settings::checks>(text, s);
       s.checks = !s.checks;
       return true;
     }},
    {'d', "debugtask", optional_argument, ignore},
    {'D', "Debugtask", optional_argument, ignore},
    {'L', "posix", optional_argument, take_switch<&Settings::descriptors>},
    {'M', "collwrite", optional_argument, take_switch<&Settings::collective_write>},
    {'m', "collread", optional_argument, take_switch<&Settings::collective_read>},
    {'c', "collmsa", optional_argument, take_switch<&Settings::modular>},
    {'Z', "taskoffset", required_argument,
     [](auto* text, Settings& s) { return take_number(text, -most, most, s.shift); }},
    {'O', "byteoffset", required_argument, [](auto* text, Settings& s) { return take_size(text, 0, s.first_bytes); }},
    {'j', "serialized", required_argument,
     [](auto* text, Settings& s) { return take_number(text, -2, most, s.at_once) && s.at_once != 0; }},
    {'X', "unlinkfiles", optional_argument, take_switch<&Settings::removes>},
    {'P', "bgionode", required_argument, ignore},
    {'Y', "bgtaskperionode", required_argument, ignore},
    {'p', "bgtasksort", required_argument, ignore},
    {'w', "hintlargeblock", optional_argument, take_switch<&Settings::mpi_io_large_blocks>},
    {'Q', "hintiobufsize", required_argument, take_buffer},
    {'x', "hintsparseacess", optional_argument, take_switch<&Settings::mpi_io_sparse>},
};

// Computes values that follow from the others.
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
  if (s.kind == Kind::mpi_io) {  // its counts are int
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
  // A number in [0, 1) that every task can compute for every other.
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
  std::string letters;
  std::vector<option> names;
  for (const Option& one : options) {
    letters += one.letter;
    if (one.argument == required_argument) letters += ':';
    names.push_back({one.name, one.argument, nullptr, one.letter});
  }
  names.push_back({});
  bool is_sound = true;
  while (is_sound) {
    const int letter = getopt_long(argc, argv, letters.c_str(), names.data(), nullptr);
    if (letter == -1) break;
    const auto* const found = std::ranges::find(options, static_cast<char>(letter), &Option::letter);
    is_sound = found != std::end(options) && found->take(optarg, settings);
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
