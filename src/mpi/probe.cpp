// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Which questions MPI is asked, and those that need no file.
#include "mpi/probe.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <new>
#include <random>

#include "mpi/mpi_error.hpp"

namespace lq::mpi {
namespace {

constexpr int most_writers = 32;

// A communicator of our own, which reports errors and goes away.
class Group {
 public:
  Group(MPI_Comm parent, int colour) {
    check(MPI_Comm_split(parent, colour, 0, &comm_), "split the communicator");
    if (comm_ != MPI_COMM_NULL) check(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "set its error handler");
  }
  ~Group() {
    if (comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
  }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
  MPI_Comm comm() const noexcept { return comm_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

std::string library_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  check(MPI_Get_library_version(text.data(), &length), "ask for the version");
  return {text.data(), static_cast<std::size_t>(length)};
}

int thread_level() {
  int provided = MPI_THREAD_SINGLE;
  check(MPI_Query_thread(&provided), "ask for the thread level");
  return provided;
}

// A name that nobody else has, from rank 0.
std::string file_name(MPI_Comm comm, const std::string& folder) {
  std::array<unsigned, 1> number{std::random_device()()};
  check(MPI_Bcast(number.data(), 1, MPI_UNSIGNED, 0, comm), "broadcast");
  return (folder.empty() ? "." : folder) + "/lq-probe.mpi." + std::to_string(number[0]);
}

std::string broadcast_text(MPI_Comm comm, std::string text, int root) {
  auto length = static_cast<std::uint64_t>(text.size());
  check(MPI_Bcast(&length, 1, MPI_UINT64_T, root, comm), "broadcast");
  text.resize(length);
  check(MPI_Bcast(text.data(), static_cast<int>(length), MPI_CHAR, root, comm), "broadcast");
  return text;
}

// Memory that cannot be had on one rank must not part it from the others, which wait for its answer.
Probe answer(Probe (*question)(MPI_Comm, const std::string&), MPI_Comm comm, const std::string& path) {
  try {
    return question(comm, path);
  } catch (const std::bad_alloc&) {
    return {"mpi-memory", Verdict::warn, "not tried: not enough memory", "try it where there is more"};
  }
}

}  // namespace

int rank_of(MPI_Comm comm) {
  int rank = 0;
  check(MPI_Comm_rank(comm, &rank), "find the rank");
  return rank;
}

int size_of(MPI_Comm comm) {
  int size = 1;
  check(MPI_Comm_size(comm, &size), "find the size");
  return size;
}

Probe judge_library(const std::string& version) {
  std::string shown = version.substr(0, version.find_first_of(",\n"));
  std::replace_if(
      shown.begin(), shown.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  const auto mentions = [&](const char* words) { return shown.find(words) != std::string::npos; };
  if (mentions("Open MPI v4.0.") || mentions("Open MPI v4.1.")) {
    return {"mpi-library", Verdict::warn, shown + ": its collective file writer (OMPIO, fcoll vulcan) can damage data",
            "this library does not use it; for programs that do: mpirun --mca io romio321, or a newer version"};
  }
  if (mentions("MPICH") && mentions(" 4.0")) {
    return {"mpi-library", Verdict::warn, shown + ": wrong MIN and MAX of large unsigned numbers are known",
            "this library avoids them; see \"mpi-reduction\"; for other programs take a newer version"};
  }
  return {"mpi-library", Verdict::pass, shown, ""};
}

Probe judge_threads(int provided) {
  if (provided == MPI_THREAD_SINGLE) {
    return {"mpi-threads", Verdict::warn, "MPI_THREAD_SINGLE: no threads beside MPI",
            "for transfers in the background initialise MPI with MPI_Init_thread and MPI_THREAD_FUNNELED or more"};
  }
  const char* const name = provided == MPI_THREAD_FUNNELED     ? "MPI_THREAD_FUNNELED"
                           : provided == MPI_THREAD_SERIALIZED ? "MPI_THREAD_SERIALIZED"
                                                               : "MPI_THREAD_MULTIPLE";
  return {"mpi-threads", Verdict::pass, name, ""};
}

Probe worst_over_ranks(MPI_Comm comm, const Probe& mine) {
  const int size = size_of(comm);
  // The worst verdict first, then the lowest rank.
  const int place = static_cast<int>(mine.verdict) * size + (size - 1 - rank_of(comm));
  int worst = 0;
  check(MPI_Allreduce(&place, &worst, 1, MPI_INT, MPI_MAX, comm), "reduce");
  const int rank = size - 1 - worst % size;
  Probe result{mine.name, static_cast<Verdict>(worst / size), broadcast_text(comm, mine.found, rank),
               broadcast_text(comm, mine.action, rank)};
  if (result.verdict != Verdict::pass && rank != 0) result.found = "rank " + std::to_string(rank) + ": " + result.found;
  return result;
}

// Numbers with the highest bit set, which a signed comparison puts in the wrong order.
Probe probe_reduction(MPI_Comm comm) {
  constexpr std::uint64_t high = std::uint64_t{1} << 63;
  const auto rank = static_cast<std::uint64_t>(rank_of(comm));
  const auto last = static_cast<std::uint64_t>(size_of(comm) - 1);
  const std::array<std::uint64_t, 2> mine{rank == 0 ? 1 : high + rank, high + rank};
  std::array<std::uint64_t, 2> least{};
  std::array<std::uint64_t, 2> most{};
  check(MPI_Allreduce(mine.data(), least.data(), 2, MPI_UINT64_T, MPI_MIN, comm), "reduce");
  check(MPI_Allreduce(mine.data(), most.data(), 2, MPI_UINT64_T, MPI_MAX, comm), "reduce");
  const bool is_right = least[0] == 1 && least[1] == high && most[1] == high + last;
  Probe probe{"mpi-reduction", Verdict::pass, "MIN and MAX of 64-bit unsigned numbers are right", ""};
  if (!is_right) {
    probe = {"mpi-reduction", Verdict::warn, "MIN or MAX of 64-bit unsigned numbers above 2^63 is wrong",
             "this library avoids them; other programs should take a newer MPI"};
  }
  return worst_over_ranks(comm, probe);
}

std::vector<Probe> probe(MPI_Comm comm, const std::string& folder, const ProbeOptions& options) {
  require_running();
  const Group all(comm, 0);
  std::vector<Probe> probes;
  probes.push_back(worst_over_ranks(all.comm(), judge_library(library_version())));
  probes.push_back(worst_over_ranks(all.comm(), judge_threads(thread_level())));
  probes.push_back(probe_reduction(all.comm()));
  // Writers from all over the machine, rank 0 among them.
  const int stride = (size_of(all.comm()) + most_writers - 1) / most_writers;
  const bool writes = rank_of(all.comm()) % stride == 0;
  const Group writers(all.comm(), writes ? 0 : MPI_UNDEFINED);
  const std::string path = file_name(all.comm(), folder);
  const auto ask = [&](Probe (*question)(MPI_Comm, const std::string&)) {
    Probe mine;
    if (writes) mine = answer(question, writers.comm(), path);
    mine.name = broadcast_text(all.comm(), mine.name, 0);
    probes.push_back(worst_over_ranks(all.comm(), mine));
  };
  ask([](MPI_Comm group, const std::string& file) { return probe_writes(group, file, false); });
  ask([](MPI_Comm group, const std::string& file) { return probe_writes(group, file, true); });
  ask(probe_large_offset);
  if (options.thorough) {
    ask(probe_large_piece);
    probes.push_back(probe_large_message(all.comm()));
  }
  return probes;
}

}  // namespace lq::mpi
