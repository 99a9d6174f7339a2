// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bench/grid_protocol.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <filesystem>
#include <optional>
#include <span>

#include <fmt/format.h>
#include <limequat/error.hpp>
#include <limequat/file.hpp>
#include <limequat/file_system.hpp>

#include "base/clock.hpp"
#include "bench/raw.hpp"

namespace lq::bench {
namespace {

namespace fs = std::filesystem;

struct Path {
  const ProtocolPath* of;
  std::string file;
  Result create, overwrite, read;
  bool failed = false;
};

// Where the numbers of a file are: at its beginning, unless it is a file of a format.
struct Place {
  std::uint64_t offset = 0, bytes = 0;
  bool big_endian = false;
};

double spread(const Communicator& ranks, double number) { return ranks.max(number) + ranks.max(-number); }

// Collective. One transfer: the time of the slowest rank, and how much longer than the fastest one it took.
template <class Work>
void measure(const Communicator& ranks, Result& result, const Work& work) {
  Account account;
  double mine = 0;
  ranks.barrier();
  together(ranks, [&] {
    const base::Stopwatch watch;
    account = work();
    mine = watch.seconds();
  });
  add(ranks, result, account, ranks.max(mine));
  if (!result.skew) result.skew.emplace();
  result.skew->add(spread(ranks, mine));
  if (!account.stages || account.is_reduced) return;
  StageSeconds skews = *account.stages;
  for (double& stage : skews.all()) stage = spread(ranks, stage);
  if (!result.stage_skews) result.stage_skews.emplace();
  result.stage_skews->add(skews);
}

void require_source(const BenchField& field, const Path& path, bool is_other_job) {
  together(field.grid().communicator(), [&] {
    if (field.target_is_source(field.source().size_bytes())) return;
    throw Error(
        Code::internal,
        fmt::format("{}: the data read differ from the data written{}", path.file,
                    is_other_job ? "; the job that wrote them must have the same lattice and process grid" : ""),
        {.path = path.file});
  });
}

// Local.
Place place_of(const std::string& file, bool is_plain) {
  if (is_plain) return {0, fs::file_size(file), std::endian::native == std::endian::big};
  const Catalog catalog = inspect(file);
  catalog.require_sound();
  const Payload& payload = catalog.fields.front().payload;
  return {payload.offset, payload.length, payload.byte_order == ByteOrder::big};
}

void swap_numbers(std::span<std::byte> bytes) noexcept {
  for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8) {
    std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(at), bytes.begin() + static_cast<std::ptrdiff_t>(at + 8));
  }
}

// Collective. Each rank compares its share of the bytes.
void require_same_bytes(const Communicator& ranks, const Path& reference, const Path& other, std::uint64_t bytes) {
  together(ranks, [&] {
    const Place a = place_of(reference.file, reference.create.format == "raw");
    const Place b = place_of(other.file, other.create.format == "raw");
    for (const auto& [place, path] : {std::pair(a, &reference), std::pair(b, &other)}) {
      if (place.bytes == bytes) continue;
      throw Error(Code::internal, fmt::format("{}: {} bytes of numbers, expected {}", path->file, place.bytes, bytes),
                  {.path = path->file});
    }
    constexpr std::uint64_t piece = std::uint64_t{1} << 20;
    std::vector<std::byte> theirs(piece), ours(piece);
    const auto size = static_cast<std::uint64_t>(ranks.size());
    for (std::uint64_t at = static_cast<std::uint64_t>(ranks.rank()) * piece; at < bytes; at += size * piece) {
      const auto count = static_cast<std::size_t>(std::min(piece, bytes - at));
      const std::span<std::byte> first = std::span(theirs).first(count), second = std::span(ours).first(count);
      raw_read(reference.file, a.offset + at, first);
      raw_read(other.file, b.offset + at, second);
      if (a.big_endian != b.big_endian) swap_numbers(second);
      const auto differing = std::ranges::mismatch(first, second);
      if (differing.in1 == first.end()) continue;
      throw Error(Code::internal,
                  fmt::format("{}: it differs from {} in byte {} of the numbers", other.file, reference.file,
                              at + static_cast<std::uint64_t>(differing.in1 - first.begin())),
                  {.path = other.file});
    }
  });
}

std::vector<Path> make_paths(const BenchField& field, const std::vector<ProtocolPath>& all,
                             const GridProtocol& protocol) {
  const bool is_in_memory = file_system_of(protocol.directory).name == "tmpfs";
  std::vector<Path> paths;
  for (const ProtocolPath& one : all) {
    const Result result = of_field(one.mover->label(), field);
    Path path{&one, protocol_file(protocol.directory, one.file), result, result, result};
    path.create.direction = "create";
    path.overwrite.direction = "overwrite";
    path.read.direction = "read";
    path.read.cache = is_in_memory ? "warm" : protocol.read_only ? "other job" : "dropped";
    paths.push_back(path);
  }
  return paths;
}

// Checked before anything is measured, so that no file of another job is lost.
void require_no_files(const Communicator& ranks, const std::vector<Path>& paths) {
  together(ranks, [&] {
    for (const Path& path : paths) {
      if (!ranks.is_root() || !fs::exists(path.file)) continue;
      throw Error(Code::exists,
                  path.file + ": the file exists. Read it with --read-only, replace it with --overwrite, or remove it",
                  {.path = path.file});
    }
  });
}

void require_files(const Communicator& ranks, const std::vector<Path>& paths) {
  together(ranks, [&] {
    for (const Path& path : paths) {
      if (!fs::is_regular_file(path.file)) {
        throw Error(Code::not_found,
                    path.file + ": no such file. Run the protocol with --keep-files first, in another job",
                    {.path = path.file});
      }
      const bool is_plain = path.create.format == "raw";
      const std::uint64_t found = place_of(path.file, is_plain).bytes;
      // Segments of ranks with fewer sites leave gaps.
      if (found == path.create.bytes || !path.of->is_lexicographic) continue;
      throw Error(Code::malformed,
                  fmt::format("{}: {} bytes of numbers, expected {}: it was written for another lattice", path.file,
                              found, path.create.bytes),
                  {.path = path.file});
    }
  });
}

class Protocol {
 public:
  Protocol(BenchField& field, const std::vector<ProtocolPath>& paths, const GridProtocol& how,
           const std::function<void(const std::string& sentence)>& tell)
      : field_(field),
        ranks_(field.grid().communicator()),
        how_(how),
        tell_(tell),
        paths_(make_paths(field, paths, how)) {}

  std::vector<Result> run() {
    if (how_.read_only) {
      require_files(ranks_, paths_);
    } else if (!how_.replace) {
      require_no_files(ranks_, paths_);
    }
    try {
      take_turns(paths_.size(), how_.runs, [&](std::size_t who) { take_turn(paths_[who]); });
      compare_files();
    } catch (...) {
      remove_files();
      throw;
    }
    remove_files();
    return results();
  }

 private:
  void take_turn(Path& path) {
    if (path.failed) return;
    try {
      if (!how_.read_only) {
        together(ranks_, [&] {
          if (ranks_.is_root()) fs::remove(path.file);
        });
        write(path, path.create);
        write(path, path.overwrite);
      }
      read(path);
    } catch (const Error& error) {
      // Paths that are compared are never omitted.
      if (!path.of->mover->is_peer() || error.code() == Code::internal) throw;
      path.failed = true;
      tell_(fmt::format("{} is omitted: {}", path.create.name, error.what()));
    }
  }
  void write(const Path& path, Result& result) {
    measure(ranks_, result, [&] { return path.of->mover->write(path.file, field_); });
  }
  void read(Path& path) {
    // In another job nothing of it is cached in the first round; after that it is, unless it is dropped.
    // Each client has its own cache; in-memory file systems cannot drop theirs, and the results say so.
    if (path.read.cache != "warm") together(ranks_, [&] { drop_from_cache(path.file); });
    field_.clear_target();
    measure(ranks_, path.read, [&] { return path.of->mover->read(path.file, field_); });
    require_source(field_, path, how_.read_only);
  }

  void compare_files() {
    const Path* reference = nullptr;
    for (const Path& path : paths_) {
      if (!path.of->is_lexicographic || path.failed) continue;
      if (reference != nullptr) require_same_bytes(ranks_, *reference, path, path.create.bytes);
      if (reference == nullptr) reference = &path;
    }
  }

  void remove_files() {
    if (how_.read_only || how_.keep_files) return;
    std::error_code failure;
    for (const Path& path : paths_) {
      if (ranks_.is_root()) fs::remove(path.file, failure);
    }
  }

  std::vector<Result> results() {
    std::vector<Result> results;
    const Path& bound = paths_.back();
    for (Path& path : paths_) {
      if (path.failed) continue;
      path.create.raw = bound.create.seconds;
      path.overwrite.raw = bound.overwrite.seconds;
      path.read.raw = bound.read.seconds;
      if (!how_.read_only) {
        results.push_back(path.create);
        results.push_back(path.overwrite);
      }
      results.push_back(path.read);
    }
    return results;
  }

  BenchField& field_;
  Communicator ranks_;
  const GridProtocol& how_;
  const std::function<void(const std::string& sentence)>& tell_;
  std::vector<Path> paths_;
};

}  // namespace

std::string protocol_file(const std::string& directory, const std::string& file) {
  return (fs::path(directory) / ("limequat-grid." + file)).string();
}

std::vector<Result> run_grid_protocol(BenchField& field, const std::vector<ProtocolPath>& paths,
                                      const GridProtocol& protocol,
                                      const std::function<void(const std::string& sentence)>& tell) {
  return Protocol(field, paths, protocol, tell).run();
}

}  // namespace lq::bench
