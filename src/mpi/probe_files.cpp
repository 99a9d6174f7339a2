// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Files written through MPI-IO and read back without it. A step that fails on one rank ends the probe on all, so that
// no rank waits in a collective call that others do not make.
#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "base/bytes.hpp"
#include "base/clock.hpp"
#include "mpi/calls.hpp"
#include "mpi/probe.hpp"

namespace lq::mpi {
namespace {

using base::mebi;

constexpr std::size_t repetitions = 3;  // such faults depend on timing

// Short and long blocks, odd numbers, gaps that a writer of whole ranges would overwrite.
constexpr std::array<AwkwardView, 5> views{
    {{13, 4001, 0, 0}, {1000, 500, 0, 3}, {1000, 500, 7, 3}, {6912, 160, 0, 1024}, {100, 3000, 4096, 17}}};

std::byte byte_at(std::uint64_t position) noexcept {
  return static_cast<std::byte>((position * 2654435761u >> 11) & 0x7f);  // never gap_byte
}

std::string text_of(int code) {
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  if (MPI_Error_string(code, text.data(), &length) != MPI_SUCCESS) return "error " + std::to_string(code);
  return {text.data(), static_cast<std::size_t>(length)};
}

// The failure of this rank; the first one is kept.
class Attempt {
 public:
  explicit Attempt(MPI_Comm comm) : comm_(comm) {}
  void step(int code, const char* what) {
    if (code != MPI_SUCCESS && wrong_.empty()) wrong_ = std::string(what) + ": " + text_of(code);
  }
  void record_failure(const std::string& wrong) {
    if (wrong_.empty()) wrong_ = wrong;
  }
  // Collective. True if no rank has failed.
  bool all_succeeded() const {
    const int bad = wrong_.empty() ? 0 : 1;
    int any = 0;
    check(MPI_Allreduce(&bad, &any, 1, MPI_INT, MPI_MAX, comm_), "reduce");
    return any == 0;
  }
  const std::string& wrong() const noexcept { return wrong_; }

 private:
  MPI_Comm comm_;
  std::string wrong_;
};

void remove_file(const std::string& path) {
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
}

// The root fills the file with gap_byte.
void fill_file(MPI_Comm comm, Attempt& attempt, const std::string& path, std::uint64_t bytes) {
  if (rank_of(comm) != 0) return;
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  const std::vector<char> block(mebi, static_cast<char>(gap_byte));
  for (std::uint64_t done = 0; done < bytes && file; done += mebi) {
    file.write(block.data(), static_cast<std::streamsize>(std::min(mebi, bytes - done)));
  }
  file.close();
  if (!file) attempt.record_failure(path + ": cannot be made; choose a folder that can be written to");
}

std::vector<std::byte> read_file(const std::string& path, std::uint64_t bytes) {
  std::vector<std::byte> data(bytes, std::byte{0});
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(data.data()), static_cast<std::streamsize>(bytes));
  data.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  return data;
}

// Two aggregators and no data sieving, as programs commonly request.
class Hints {
 public:
  Hints() {
    check(MPI_Info_create(&info_), "make hints");
    for (const auto& [key, value] :
         {std::pair{"cb_nodes", "2"}, {"romio_cb_write", "enable"}, {"cb_config_list", "*:2"}}) {
      check(MPI_Info_set(info_, key, value), "set a hint");
    }
  }
  ~Hints() { MPI_Info_free(&info_); }
  Hints(const Hints&) = delete;
  Hints& operator=(const Hints&) = delete;
  MPI_Info info() const noexcept { return info_; }

 private:
  MPI_Info info_ = MPI_INFO_NULL;
};

class FileType {
 public:
  FileType(const AwkwardView& view, int ranks) {
    const auto stride = static_cast<MPI_Aint>(view.block * static_cast<std::uint64_t>(ranks) + view.gap);
    check(MPI_Type_create_hvector(static_cast<int>(view.count), static_cast<int>(view.block), stride, MPI_BYTE, &type_),
          "describe a view");
    check(MPI_Type_commit(&type_), "describe a view");
  }
  ~FileType() { MPI_Type_free(&type_); }
  FileType(const FileType&) = delete;
  FileType& operator=(const FileType&) = delete;
  MPI_Datatype type() const noexcept { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

// Collective. All ranks write the file through their views.
void write_views(MPI_Comm comm, Attempt& attempt, const std::string& path, const AwkwardView& view, bool collective) {
  const int rank = rank_of(comm);
  const int ranks = size_of(comm);
  const Hints hints;
  const FileType type(view, ranks);
  const std::vector<std::byte> data = view.data_of(rank, ranks);
  MPI_File file = MPI_FILE_NULL;
  attempt.step(MPI_File_open(comm, path.c_str(), MPI_MODE_WRONLY, hints.info(), &file), "open");
  // A file that is open on only some ranks cannot be closed, because that is collective; it stays open.
  if (!attempt.all_succeeded()) return;
  const auto start = static_cast<MPI_Offset>(view.start + static_cast<std::uint64_t>(rank) * view.block);
  attempt.step(MPI_File_set_view(file, start, MPI_BYTE, type.type(), "native", hints.info()), "set the view");
  if (!attempt.all_succeeded()) return;
  const int bytes = static_cast<int>(data.size());
  MPI_Status status;
  attempt.step(collective ? MPI_File_write_at_all(file, 0, data.data(), bytes, MPI_BYTE, &status)
                          : MPI_File_write_at(file, 0, data.data(), bytes, MPI_BYTE, &status),
               "write");
  attempt.step(MPI_File_close(&file), "close");
}

Probe verdict_of(const Attempt& attempt, const Probe& failure, const std::string& success) {
  if (attempt.wrong().empty()) return {failure.name, ProbeVerdict::pass, success, ""};
  return {failure.name, failure.verdict, attempt.wrong(), failure.action};
}

// Collective. The time of the slowest rank.
double slowest(MPI_Comm comm, double seconds) {
  double result = 0;
  check(MPI_Allreduce(&seconds, &result, 1, MPI_DOUBLE, MPI_MAX, comm), "reduce");
  return result;
}

// Views written in turn, each several times, while time remains.
class Rounds {
 public:
  Rounds(MPI_Comm comm, double seconds) : comm_(comm), seconds_(seconds) {}

  // Collective. The next view, reduced to the remaining time; false: all are done, or the time is over.
  bool next(AwkwardView& view) {
    if (done_ == all) return false;
    const double left = seconds_ - slowest(comm_, watch_.seconds());
    if (done_ > 0 && left <= 0) return false;
    view = views[done_ / repetitions];
    const AwkwardView whole = view;
    if (done_ == 0) {
      view.count = first_blocks;
    } else {
      view = affordable(view, left / static_cast<double>(all - done_), taken_, count_);
    }
    is_cut_ = is_cut_ || (done_ > 0 && view.count < whole.count);
    count_ = view.count;
    begun_ = watch_.seconds();
    return true;
  }
  // Collective.
  void finish() {
    taken_ = slowest(comm_, watch_.seconds() - begun_);
    ++done_;
  }
  std::string left_out() const {
    if (done_ < all) return "; " + std::to_string(all - done_) + " of " + std::to_string(all) + " trials had no time";
    return is_cut_ ? "; fewer blocks than usual, for lack of time" : "";
  }

 private:
  static constexpr std::size_t all = views.size() * repetitions;
  static constexpr std::uint64_t first_blocks = 64;  // to measure the cost of a block

  MPI_Comm comm_;
  double seconds_;
  base::Stopwatch watch_;
  std::size_t done_ = 0;
  double begun_ = 0, taken_ = 0;
  std::uint64_t count_ = 1;
  bool is_cut_ = false;
};

}  // namespace

AwkwardView affordable(const AwkwardView& view, double seconds, double taken, std::uint64_t count) {
  constexpr double fewest = 16;
  AwkwardView result = view;
  if (taken <= 0) return result;
  const double blocks = std::max(seconds / taken * static_cast<double>(count), fewest);
  if (blocks < static_cast<double>(view.count)) result.count = static_cast<std::uint64_t>(blocks);
  return result;
}

std::uint64_t AwkwardView::file_bytes(int ranks) const noexcept {
  return start + count * (block * static_cast<std::uint64_t>(ranks) + gap);
}

std::byte AwkwardView::expected(int ranks, std::uint64_t position) const noexcept {
  if (position < start || position >= file_bytes(ranks)) return gap_byte;
  const std::uint64_t owned = block * static_cast<std::uint64_t>(ranks);
  return (position - start) % (owned + gap) < owned ? byte_at(position) : gap_byte;
}

std::vector<std::byte> AwkwardView::data_of(int rank, int ranks) const {
  std::vector<std::byte> data;
  data.reserve(block * count);
  const std::uint64_t stride = block * static_cast<std::uint64_t>(ranks) + gap;
  for (std::uint64_t k = 0; k < count; ++k) {
    const std::uint64_t from = start + static_cast<std::uint64_t>(rank) * block + k * stride;
    for (std::uint64_t i = 0; i < block; ++i) data.push_back(byte_at(from + i));
  }
  return data;
}

std::string first_difference(const AwkwardView& view, int ranks, const std::vector<std::byte>& file) {
  const std::uint64_t bytes = view.file_bytes(ranks);
  if (file.size() < bytes - view.gap) return "the file ends at byte " + std::to_string(file.size());
  std::uint64_t wrong = 0;
  std::uint64_t first = 0;
  for (std::uint64_t position = 0; position < std::min<std::uint64_t>(bytes, file.size()); ++position) {
    if (file[position] == view.expected(ranks, position)) continue;
    if (wrong++ == 0) first = position;
  }
  if (wrong == 0) return {};
  return std::to_string(wrong) + " of " + std::to_string(bytes) + " bytes are wrong, the first at " +
         std::to_string(first) + " (blocks of " + std::to_string(view.block) + " bytes, gaps of " +
         std::to_string(view.gap) + ")";
}

Probe probe_writes(MPI_Comm comm, const std::string& path, bool collective, double seconds) {
  const Probe failure =
      collective ? Probe{"mpi-collective-write", ProbeVerdict::fail, "",
                         "this library does not use it; other programs (HDF5, PnetCDF) should choose another MPI-IO: "
                         "with Open MPI mpirun --mca io romio321"}
                 : Probe{"mpi-independent-write", ProbeVerdict::fail, "",
                         "do not hand MPI files with views to any library; choose another MPI-IO or version"};
  const int ranks = size_of(comm);
  Attempt attempt(comm);
  Rounds rounds(comm, seconds);
  for (AwkwardView view; attempt.all_succeeded() && rounds.next(view); rounds.finish()) {
    fill_file(comm, attempt, path, view.file_bytes(ranks));
    if (!attempt.all_succeeded()) break;
    write_views(comm, attempt, path, view, collective);
    if (attempt.all_succeeded() && rank_of(comm) == 0) {
      attempt.record_failure(first_difference(view, ranks, read_file(path, view.file_bytes(ranks))));
    }
  }
  if (rank_of(comm) == 0) remove_file(path);
  return verdict_of(attempt, failure,
                    "strided views of " + std::to_string(ranks) + " ranks come back bit for bit" + rounds.left_out());
}

// By the root only: a few bytes beyond 4 GiB, sparse.
Probe probe_large_offset(MPI_Comm comm, const std::string& path) {
  constexpr std::uint64_t place = (std::uint64_t{1} << 32) + 12345;
  const Probe failure{"mpi-large-offset", ProbeVerdict::fail, "", "do not write files above 4 GiB by this MPI-IO"};
  Attempt attempt(comm);
  if (rank_of(comm) == 0) {
    const std::array<char, 16> data{"beyond 4 GiB"};
    MPI_File file = MPI_FILE_NULL;
    const int code =
        MPI_File_open(MPI_COMM_SELF, path.c_str(), MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    attempt.step(code, "open");
    if (code == MPI_SUCCESS) {
      attempt.step(
          MPI_File_write_at(file, static_cast<MPI_Offset>(place), data.data(), 16, MPI_CHAR, MPI_STATUS_IGNORE),
          "write");
      attempt.step(MPI_File_close(&file), "close");
      std::array<char, 16> found{};
      std::ifstream in(path, std::ios::binary);
      in.seekg(static_cast<std::streamoff>(place));
      in.read(found.data(), 16);
      if (found != data) attempt.record_failure("16 bytes at " + std::to_string(place) + " come back changed");
    }
    remove_file(path);
  }
  return verdict_of(attempt, failure, "bytes beyond 4 GiB come back");
}

}  // namespace lq::mpi
