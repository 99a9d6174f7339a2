// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Every file is new: overwriting old data is a different, faster operation.
#include "diagnosis/parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/clock.hpp"
#include "base/text.hpp"
#include "comm/agree.hpp"

namespace lq::diagnosis {
namespace {

constexpr std::uint64_t most_calls = 1024;                      // in one measurement
constexpr std::uint64_t largest_file = std::uint64_t{1} << 30;  // unless the largest piece per rank needs more
constexpr std::uint64_t measurements_of_files = piece_sizes.size() * 4;
constexpr std::uint64_t rounds_wanted = 4;
constexpr std::uint64_t small_file = 65536;

// Page-aligned memory, as in the transfer engine.
using Pages = std::unique_ptr<std::byte, decltype(&std::free)>;
Pages make_pages(std::uint64_t bytes) {
  Pages pages(static_cast<std::byte*>(std::aligned_alloc(4096, bytes)), &std::free);
  if (!pages) throw std::bad_alloc();
  std::fill_n(pages.get(), bytes, std::byte{0x5a});
  return pages;
}

class Files {
 public:
  Files(comm::Comm& comm, Scratch& scratch)
      : comm_(comm),
        transport_(scratch.transport()),
        path_(scratch.file("parts")),
        small_path_(scratch.file("small")),
        renamed_path_(scratch.file("renamed")),
        buffer_(comm::agree(comm, [] { return make_pages(piece_sizes.back()); })) {}

  // Collective. Writes a new file with `bytes` from each rank that takes part.
  double write(std::uint64_t piece, std::uint64_t bytes, bool by_all) {
    remove_old();
    comm::agree_at_root(comm_, [&] { transport_.create(path_)->close(); });
    const bool takes_part = by_all || comm_.rank() == 0;
    const auto file = comm::agree(comm_, [&] { return takes_part ? transport_.open_write(path_) : nullptr; });
    double seconds = 0;
    comm::agree(comm_, [&] {
      if (!takes_part) return;
      const base::Stopwatch watch;
      for (std::uint64_t done = 0; done < bytes; done += piece) {
        file->write_at(start(bytes) + done, {buffer_.get(), piece});
      }
      seconds = watch.seconds();
      file->close();
    });
    return seconds;
  }

  // Collective. Reads the file that write() left, with the same arguments.
  double read(std::uint64_t piece, std::uint64_t bytes, bool by_all) {
    const bool takes_part = by_all || comm_.rank() == 0;
    const auto file = comm::agree(comm_, [&] { return takes_part ? transport_.open_read(path_) : nullptr; });
    return comm::agree(comm_, [&] {
      if (!takes_part) return 0.0;
      const base::Stopwatch watch;
      for (std::uint64_t done = 0; done < bytes; done += piece) {
        if (file->read_at(start(bytes) + done, {buffer_.get(), piece}) == piece) continue;
        throw Error(Code::io, fmt::format("{}: ends at {} bytes, which were just written", path_, file->size()));
      }
      return watch.seconds();
    });
  }

  // Collective; the root alone works.
  double sync() {
    return by_root([&] {
      const auto file = transport_.create(small_path_);
      file->write_at(0, {buffer_.get(), small_file});
      const base::Stopwatch watch;
      file->sync();
      const double seconds = watch.seconds();
      file->close();
      transport_.remove(small_path_);
      return seconds;
    });
  }

  double open_and_rename() {
    return by_root([&] {
      const base::Stopwatch watch;
      transport_.create(small_path_)->close();
      transport_.rename(small_path_, renamed_path_);
      const double seconds = watch.seconds();
      transport_.remove(renamed_path_);
      return seconds;
    });
  }

  // Collective.
  void remove_old() {
    comm::agree_at_root(comm_, [&] {
      if (transport_.kind(path_) == storage::PathKind::file) transport_.remove(path_);
    });
  }

 private:
  std::uint64_t start(std::uint64_t bytes) const noexcept { return static_cast<std::uint64_t>(comm_.rank()) * bytes; }

  template <class Work>
  double by_root(Work work) {
    double seconds = 0;
    comm::agree_at_root(comm_, [&] { seconds = work(); });
    return seconds;
  }

  comm::Comm& comm_;
  storage::Transport& transport_;
  std::string path_;
  std::string small_path_;
  std::string renamed_path_;
  Pages buffer_;
};

// Bytes per rank of a file that can be written in the time of one measurement.
std::uint64_t affordable_bytes(comm::Comm& comm, Files& files, std::uint64_t bytes, double seconds) {
  constexpr std::uint64_t piece = piece_sizes.back();
  const double taken = comm::max_over_ranks(comm, files.write(piece, piece, true));
  const double time = seconds / static_cast<double>(measurements_of_files * rounds_wanted);
  const double pieces = std::clamp(taken > 0 ? time / taken : 1e9, 1.0, 1e9);
  const auto ranks = static_cast<std::uint64_t>(comm.size());
  const std::uint64_t most = std::min(bytes, std::max(largest_file / ranks, piece));
  return std::max(std::min(static_cast<std::uint64_t>(pieces) * piece, most / piece * piece), piece);
}

void require_space(comm::Comm& comm, Scratch& scratch, std::uint64_t bytes) {
  const std::string path = scratch.file("space");
  comm::agree_at_root(comm, [&] {
    const std::optional<std::uint64_t> free = scratch.transport().free_space(path);
    if (!free || *free / 2 >= bytes) return;
    ErrorFacts facts;
    facts.path = path;
    throw Error(
        Code::no_space,
        fmt::format("{}: the measurement needs twice {}, and {} are free (choose another folder or smaller files)",
                    path, base::human_bytes(bytes), base::human_bytes(*free)),
        facts);
  });
}

}  // namespace

std::string storage_part_name(std::string_view verb, std::uint64_t piece, bool by_all) {
  return fmt::format("{}, {}{}", verb, base::binary_bytes(piece), by_all ? ", all ranks" : "");
}

std::vector<Measurement> storage_parts(comm::Comm& comm, Scratch& scratch, std::uint64_t bytes, double seconds) {
  const auto ranks = static_cast<std::uint64_t>(comm.size());
  const auto files = std::make_shared<Files>(comm, scratch);
  require_space(comm, scratch, piece_sizes.back() * ranks);
  const std::uint64_t most = affordable_bytes(comm, *files, bytes, seconds);
  files->remove_old();
  require_space(comm, scratch, most * ranks);
  std::vector<Measurement> parts;
  for (const bool by_all : {false, true}) {
    if (by_all && ranks == 1) continue;
    const std::uint64_t workers = by_all ? ranks : 1;
    for (const std::uint64_t piece : piece_sizes) {
      const std::uint64_t mine = std::min(most, piece * most_calls);
      parts.push_back({storage_part_name("write", piece, by_all), mine * workers, mine / piece, workers,
                       [=] { return files->write(piece, mine, by_all); }});
      parts.push_back({storage_part_name("read", piece, by_all), mine * workers, mine / piece, workers,
                       [=] { return files->read(piece, mine, by_all); }});
    }
  }
  parts.push_back({"sync", 0, 1, 1, [=] { return files->sync(); }});
  parts.push_back({"create, close, rename", 0, 1, 1, [=] { return files->open_and_rename(); }});
  return parts;
}

}  // namespace lq::diagnosis
