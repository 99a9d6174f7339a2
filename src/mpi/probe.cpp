// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The list of MPI probes, and those that need no file.
#include "mpi/probe.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <new>
#include <system_error>
#include <utility>

#include "base/bytes.hpp"
#include "base/clock.hpp"
#include "base/random_number.hpp"
#include "mpi/calls.hpp"

namespace lq::mpi {
namespace {

constexpr int most_writers = 32;

// A separate communicator that returns errors; freed at the end.
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

// A name that no other program uses, from rank 0.
std::string file_name(MPI_Comm comm, const std::string& folder) {
  std::array<std::uint32_t, 1> number{base::random_number()};
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

// A lack of memory on one rank must not separate it from the others, which wait for its result.
Probe answer(const std::function<Probe(MPI_Comm, const std::string&)>& question, MPI_Comm comm,
             const std::string& path) {
  try {
    return question(comm, path);
  } catch (const std::bad_alloc&) {
    return {"mpi-memory", ProbeVerdict::warn, "not tried: not enough memory", "try again with more"};
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
    return {"mpi-library", ProbeVerdict::warn,
            shown + ": its collective file writer (OMPIO, fcoll vulcan) can damage data",
            "this library does not use it; for programs that do: mpirun --mca io romio321, or a newer version"};
  }
  if (mentions("MPICH") && mentions(" 4.0")) {
    return {"mpi-library", ProbeVerdict::warn, shown + ": wrong MIN and MAX of large unsigned numbers are known",
            "this library avoids them; see \"mpi-reduction\"; for other programs take a newer version"};
  }
  return {"mpi-library", ProbeVerdict::pass, shown, ""};
}

Probe judge_threads(int provided) {
  if (provided == MPI_THREAD_SINGLE) {
    return {"mpi-threads", ProbeVerdict::warn, "MPI_THREAD_SINGLE: no threads together with MPI",
            "for transfers in the background initialise MPI with MPI_Init_thread and MPI_THREAD_FUNNELED or more"};
  }
  const char* const name = provided == MPI_THREAD_FUNNELED     ? "MPI_THREAD_FUNNELED"
                           : provided == MPI_THREAD_SERIALIZED ? "MPI_THREAD_SERIALIZED"
                                                               : "MPI_THREAD_MULTIPLE";
  return {"mpi-threads", ProbeVerdict::pass, name, ""};
}

Probe worst_over_ranks(MPI_Comm comm, const Probe& mine) {
  const int size = size_of(comm);
  // The worst verdict first, then the lowest rank.
  const int place = static_cast<int>(mine.verdict) * size + (size - 1 - rank_of(comm));
  int worst = 0;
  check(MPI_Allreduce(&place, &worst, 1, MPI_INT, MPI_MAX, comm), "reduce");
  const int rank = size - 1 - worst % size;
  Probe result{mine.name, static_cast<ProbeVerdict>(worst / size), broadcast_text(comm, mine.found, rank),
               broadcast_text(comm, mine.action, rank)};
  if (result.verdict != ProbeVerdict::pass && rank != 0)
    result.found = "rank " + std::to_string(rank) + ": " + result.found;
  return result;
}

// Numbers with the highest bit set, which a signed comparison orders wrongly.
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
  Probe probe{"mpi-reduction", ProbeVerdict::pass, "MIN and MAX of 64-bit unsigned numbers are right", ""};
  if (!is_right) {
    probe = {"mpi-reduction", ProbeVerdict::warn, "MIN or MAX of 64-bit unsigned numbers above 2^63 is wrong",
             "this library avoids them; other programs should take a newer MPI"};
  }
  return worst_over_ranks(comm, probe);
}

namespace {

// The results so far, reported as they are obtained, while time remains.
class Questions {
 public:
  Questions(MPI_Comm comm, const ProbeOptions& options) : comm_(comm), options_(options) {}

  // Collective. The same result on all ranks.
  void ask(const std::string& name, const std::function<Probe()>& question) {
    if (seconds_left() > 0) {
      answers_.push_back(question());
    } else {
      answers_.push_back({name, ProbeVerdict::warn, "not tried: the previous probes took all of the time",
                          "grant more time: lq-mpi doctor --budget SECONDS"});
    }
    if (options_.on_probe) options_.on_probe(answers_.back());
  }
  // Collective. Measured by the root.
  double seconds_left() const {
    double left = options_.seconds - watch_.seconds();
    check(MPI_Bcast(&left, 1, MPI_DOUBLE, 0, comm_), "broadcast");
    return left;
  }
  std::vector<Probe> take() { return std::move(answers_); }

 private:
  MPI_Comm comm_;
  const ProbeOptions& options_;
  base::Stopwatch watch_;
  std::vector<Probe> answers_;
};

}  // namespace

std::vector<Probe> probe(MPI_Comm comm, const std::string& folder, const ProbeOptions& options) {
  require_running();
  const Group all(comm, 0);
  Questions questions(all.comm(), options);
  questions.ask("mpi-library", [&] { return worst_over_ranks(all.comm(), judge_library(library_version())); });
  questions.ask("mpi-threads", [&] { return worst_over_ranks(all.comm(), judge_threads(thread_level())); });
  questions.ask("mpi-reduction", [&] { return probe_reduction(all.comm()); });
  // Writers distributed over the machine, including rank 0.
  const int stride = (size_of(all.comm()) + most_writers - 1) / most_writers;
  const bool writes = rank_of(all.comm()) % stride == 0;
  const Group writers(all.comm(), writes ? 0 : MPI_UNDEFINED);
  const ProbeFile file(file_name(all.comm(), folder));
  const auto ask = [&](const std::string& name, const std::function<Probe(MPI_Comm, const std::string&)>& question) {
    questions.ask(name, [&] {
      Probe mine;
      if (writes) mine = answer(question, writers.comm(), file.path());
      mine.name = name;
      return worst_over_ranks(all.comm(), mine);
    });
  };
  const auto ask_writes = [&](const std::string& name, bool collective, double share) {
    const double seconds = share * questions.seconds_left();
    ask(name, [=](MPI_Comm group, const std::string& path) { return probe_writes(group, path, collective, seconds); });
  };
  ask_writes("mpi-independent-write", false, 0.4);
  ask_writes("mpi-collective-write", true, 0.7);
  ask("mpi-large-offset", probe_large_offset);
  if (options.thorough) {
    ask("mpi-large-piece", probe_large_piece);
    questions.ask("mpi-large-message", [&] { return probe_large_message(all.comm()); });
  }
  return questions.take();
}

// Pieces and messages of 2 GiB + 1 MiB in one call, by a datatype of a mebibyte, because an int cannot hold that count.

namespace {

using base::mebi;

constexpr int mebibytes = 2049;
constexpr std::uint64_t large_bytes = mebi * mebibytes;

class Mebibyte {
 public:
  Mebibyte() {
    check(MPI_Type_contiguous(static_cast<int>(mebi), MPI_BYTE, &type_), "make a type");
    check(MPI_Type_commit(&type_), "make a type");
  }
  ~Mebibyte() { MPI_Type_free(&type_); }
  Mebibyte(const Mebibyte&) = delete;
  Mebibyte& operator=(const Mebibyte&) = delete;
  MPI_Datatype type() const noexcept { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

std::uint64_t free_memory() noexcept {
  const long pages = ::sysconf(_SC_AVPHYS_PAGES);
  return pages > 0 ? static_cast<std::uint64_t>(pages) * 4096 : 0;
}

std::uint64_t free_space(const std::string& path) {
  std::error_code failure;
  const auto space = std::filesystem::space(std::filesystem::path(path).parent_path(), failure);
  return failure ? 0 : space.available;
}

// Each page begins with a unique mark.
std::uint32_t mark(std::uint64_t page) noexcept { return static_cast<std::uint32_t>(page * 2654435761u + 1); }

std::vector<std::uint32_t> marked_pages() {
  std::vector<std::uint32_t> data(large_bytes / 4, 0);
  for (std::uint64_t page = 0; page * 1024 < data.size(); ++page) data[page * 1024] = mark(page);
  return data;
}

// Empty if every page of `data`, which begins with page `first`, has its mark.
std::string missing_mark(const std::vector<std::uint32_t>& data, std::uint64_t first) {
  for (std::uint64_t page = 0; page * 1024 < data.size(); ++page) {
    if (data[page * 1024] != mark(first + page)) return "byte " + std::to_string((first + page) * 4096) + " is wrong";
  }
  return {};
}

std::string check_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<std::uint32_t> block(mebi / 4);
  for (std::uint64_t done = 0; done < large_bytes; done += mebi) {
    if (!file.read(reinterpret_cast<char*>(block.data()), static_cast<std::streamsize>(mebi))) {
      return "the file ends before byte " + std::to_string(done + mebi);
    }
    if (const std::string wrong = missing_mark(block, done / 4096); !wrong.empty()) return wrong;
  }
  return {};
}

std::string write_large(const std::string& path) {
  const Mebibyte type;
  const std::vector<std::uint32_t> data = marked_pages();
  MPI_File file = MPI_FILE_NULL;
  if (MPI_File_open(MPI_COMM_SELF, path.c_str(), MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file) !=
      MPI_SUCCESS) {
    return "the file cannot be opened";
  }
  const int code = MPI_File_write_at(file, 0, data.data(), mebibytes, type.type(), MPI_STATUS_IGNORE);
  const bool is_closed = MPI_File_close(&file) == MPI_SUCCESS;
  if (code != MPI_SUCCESS || !is_closed) return "the write is refused";
  return check_file(path);
}

// The buffer of the first rank, which sends, and of the last, which receives; false: no memory.
bool make_room(std::vector<std::uint32_t>& data, int rank, int last) {
  try {
    if (rank == 0) data = marked_pages();
    if (rank == last) data.resize(large_bytes / 4);
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

std::string send_large(MPI_Comm comm, std::vector<std::uint32_t>& data, int rank, int last) {
  const Mebibyte type;
  if (rank == 0) {
    return MPI_Send(data.data(), mebibytes, type.type(), last, 0, comm) == MPI_SUCCESS ? "" : "sending is refused";
  }
  if (rank != last) return {};
  const int code = MPI_Recv(data.data(), mebibytes, type.type(), 0, 0, comm, MPI_STATUS_IGNORE);
  return code == MPI_SUCCESS ? missing_mark(data, 0) : "receiving is refused";
}

}  // namespace

Probe probe_large_piece(MPI_Comm comm, const std::string& path) {
  const std::string name = "mpi-large-piece";
  int rank = 0;
  check(MPI_Comm_rank(comm, &rank), "find the rank");
  if (rank != 0) return {name, ProbeVerdict::pass, "", ""};
  if (free_memory() < 2 * large_bytes || free_space(path) < 3 * large_bytes / 2) {
    return {name, ProbeVerdict::warn, "not tried: less than 4.3 GB of memory or 3.2 GB of space are free",
            "try again with more"};
  }
  const std::string wrong = write_large(path);
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
  if (wrong.empty()) return {name, ProbeVerdict::pass, "2 GiB + 1 MiB in one call come back", ""};
  return {name, ProbeVerdict::fail, "of 2 GiB + 1 MiB in one call, " + wrong,
          "hand pieces below 2 GiB to MPI-IO; this library does"};
}

Probe probe_large_message(MPI_Comm comm) {
  const std::string name = "mpi-large-message";
  int rank = 0;
  int size = 1;
  check(MPI_Comm_rank(comm, &rank), "find the rank");
  check(MPI_Comm_size(comm, &size), "find the size");
  if (size == 1) return {name, ProbeVerdict::pass, "one rank sends no messages", ""};
  std::vector<std::uint32_t> data;
  const int enough_here = free_memory() >= 3 * large_bytes && make_room(data, rank, size - 1) ? 1 : 0;
  int enough = 0;
  check(MPI_Allreduce(&enough_here, &enough, 1, MPI_INT, MPI_MIN, comm), "reduce");
  if (enough == 0) {
    return {name, ProbeVerdict::warn, "not tried: less than 6.4 GB of memory are free", "try again with more"};
  }
  const std::string wrong = send_large(comm, data, rank, size - 1);
  Probe probe{name, ProbeVerdict::pass, "2 GiB + 1 MiB in one message arrive", ""};
  if (!wrong.empty()) {
    probe = {name, ProbeVerdict::fail, "of 2 GiB + 1 MiB in one message, " + wrong,
             "send messages below 2 GiB; this library does"};
  }
  return worst_over_ranks(comm, probe);
}

}  // namespace lq::mpi
