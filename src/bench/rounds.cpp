// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bench/rounds.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <future>
#include <ostream>
#include <string>

#include <fmt/format.h>
#include <limequat/error.hpp>
#include <limequat/file_system.hpp>

#include "base/clock.hpp"
#include "base/text.hpp"
#include "bench/raw.hpp"
#include "bench/result.hpp"

namespace lq::bench {
namespace {

// "VmHWM:      1234 kB" of this process, in bytes.
std::optional<std::uint64_t> status_bytes(std::string_view key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with(key)) continue;
    const auto words = base::split_words(line);
    const auto kilobytes = words.size() > 1 ? base::parse_u64(words[1]) : std::nullopt;
    return kilobytes ? std::optional(*kilobytes * 1024) : std::nullopt;
  }
  return {};
}

// Resets the peak to the present value.
bool reset_peak() {
  std::ofstream file("/proc/self/clear_refs");
  file << "5" << std::flush;
  return file.good();
}

}  // namespace

MemoryPeak::MemoryPeak() {
  if (reset_peak()) before_ = status_bytes("VmRSS:");
}

std::optional<std::uint64_t> MemoryPeak::bytes() const {
  const auto peak = status_bytes("VmHWM:");
  if (!before_ || !peak) return {};
  return *peak > *before_ ? *peak - *before_ : 0;
}

namespace {

class RawMover : public Mover {
 public:
  RawMover(const Grid& grid, std::uint64_t bytes_per_number, bool sync, int threads)
      : bytes_per_number_(bytes_per_number), sync_(sync), threads_(threads) {
    // Shares are stored in sequence; a rank with a smaller share leaves a gap.
    largest_sites_ = static_cast<std::uint64_t>(grid.communicator().max(static_cast<double>(grid.local_volume())));
  }
  Result label() const override { return plain_label("raw", "raw", bytes_per_number_ == 4 ? "single" : "double"); }
  Account write(const std::string& path, const BenchField& field) override {
    return by_threads(field, [&](std::uint64_t from, std::size_t at, std::size_t count) {
      return raw_write(path, from, std::as_bytes(field.source()).subspan(at, count), sync_);
    });
  }
  Account read(const std::string& path, BenchField& field) override {
    return by_threads(field, [&](std::uint64_t from, std::size_t at, std::size_t count) {
      return raw_read(path, from, std::as_writable_bytes(field.target()).subspan(at, count));
    });
  }

 private:
  std::size_t bytes(const BenchField& field) const { return field.source().size() * bytes_per_number_; }
  std::uint64_t offset(const BenchField& field) const {
    const std::uint64_t share = largest_sites_ * field.site_numbers() * bytes_per_number_;
    return share * static_cast<std::uint64_t>(field.grid().rank());
  }

  // Calls work(offset in the file, first byte of this rank, count) for the part of each thread, in whole pages; returns
  // the first result.
  template <class Work>
  Account by_threads(const BenchField& field, const Work& work) const {
    constexpr std::size_t page = 4096;
    const std::size_t all = bytes(field), pages = all / page, threads = static_cast<std::size_t>(threads_);
    std::vector<std::future<StageSeconds>> parts;
    for (std::size_t i = 0; i < threads; ++i) {
      const std::size_t from = pages * i / threads * page;
      const std::size_t end = i + 1 == threads ? all : pages * (i + 1) / threads * page;
      const auto part = [&work, begin = offset(field) + from, from, end] { return work(begin, from, end - from); };
      parts.push_back(std::async(i == 0 ? std::launch::deferred : std::launch::async, part));
    }
    const StageSeconds first = parts.front().get();
    for (std::size_t i = 1; i < threads; ++i) static_cast<void>(parts[i].get());
    return {first};
  }

  std::uint64_t bytes_per_number_;
  bool sync_;
  int threads_;
  std::uint64_t largest_sites_ = 0;
};

struct Lane {
  Mover* mover;
  Result write, read;
  Result first = {};     // reading the first of several files
  Result verified = {};  // without a field
  bool failed = false;
};

void require_same(const BenchField& field, const Lane& lane) {
  // The raw transfer moves as many bytes as the file has, in single precision half of those in memory.
  const bool is_half = lane.write.name == "raw" && lane.write.precision == "single";
  together(field.grid().communicator(), [&] {
    if (field.target_is_source(field.source().size_bytes() / (is_half ? 2 : 1))) return;
    throw Error(Code::internal, fmt::format("{}: the data read differ from the data written", lane.write.name));
  });
}

// Collective. The maximum over all ranks and rounds; unknown if one of them does not know it.
std::optional<std::uint64_t> worse_peak(const Communicator& ranks, const MemoryPeak& peak,
                                        const std::optional<std::uint64_t>& before) {
  const auto mine = peak.bytes();
  const bool is_known = ranks.max(mine ? 0 : 1) == 0;
  const double largest = ranks.max(static_cast<double>(mine.value_or(0)));
  if (!is_known) return {};
  return std::max(before.value_or(0), static_cast<std::uint64_t>(largest));
}

// The files of one measurement, with any a mover made next to them; all removed at the end.
class LaneFiles {
 public:
  LaneFiles(const Communicator& ranks, const Rounds& rounds, Mover& mover, const std::string& suffix) : mover_(mover) {
    for (int k = 0; k < rounds.files; ++k) {
      const std::string name = k == 0 ? suffix : fmt::format("{}.{}", k, suffix);
      files_.push_back(std::make_unique<ScratchFile>(ranks, rounds.directory, name));
    }
  }
  ~LaneFiles() {
    for (const auto& file : files_) mover_.remove_others(file->path());
  }
  LaneFiles(const LaneFiles&) = delete;
  LaneFiles& operator=(const LaneFiles&) = delete;
  const std::vector<std::unique_ptr<ScratchFile>>& all() const noexcept { return files_; }

 private:
  Mover& mover_;
  std::vector<std::unique_ptr<ScratchFile>> files_;
};

void note(const Communicator& ranks, Result& result, const Account& account, const MemoryPeak& peak, double seconds) {
  add(ranks, result, account, seconds);
  result.memory_bytes = worse_peak(ranks, peak, result.memory_bytes);
}

void write_once(const BenchField& field, const Rounds& rounds, const std::string& path, Lane& lane) {
  const Communicator& ranks = field.grid().communicator();
  if (rounds.stripe_bytes > 0 && !lane.mover->sets_stripes()) {
    make_striped(ranks, path, rounds.stripe_count, rounds.stripe_bytes);
  }
  Account account;
  const MemoryPeak peak;
  const double seconds = timed(ranks, [&] { account = lane.mover->write(path, field); });
  note(ranks, lane.write, account, peak, seconds);
}

void read_once(BenchField& field, const std::string& path, const Lane& lane, Result& result) {
  const Communicator& ranks = field.grid().communicator();
  field.clear_target();
  Account account;
  const MemoryPeak peak;
  const double seconds = timed(ranks, [&] { account = lane.mover->read(path, field); });
  note(ranks, result, account, peak, seconds);
  require_same(field, lane);
}

void verify_once(const Communicator& ranks, const std::string& path, Lane& lane) {
  const MemoryPeak peak;
  const double seconds = timed(ranks, [&] { lane.mover->verify(path, ranks); });
  note(ranks, lane.verified, {}, peak, seconds);
}

void move_once(BenchField& field, const Rounds& rounds, Lane& lane) {
  const Communicator& ranks = field.grid().communicator();
  const LaneFiles files(ranks, rounds, *lane.mover, lane.write.format);
  for (const auto& file : files.all()) write_once(field, rounds, file->path(), lane);
  const std::string& last = files.all().back()->path();
  if (rounds.cold) together(ranks, [&] { drop_from_cache(last); });
  read_once(field, last, lane, lane.read);
  if (rounds.files > 1) read_once(field, files.all().front()->path(), lane, lane.first);
  if (lane.mover->verifies()) verify_once(ranks, last, lane);
}

// Collective. Errors of movers are the same on all ranks, so all omit the same peer.
void take_turn(BenchField& field, const Rounds& rounds, Lane& lane,
               const std::function<void(const std::string& sentence)>& tell) {
  try {
    move_once(field, rounds, lane);
  } catch (const Error& error) {
    if (!lane.mover->is_peer()) throw;
    lane.failed = true;
    tell(fmt::format("{} is omitted: {}", lane.write.name, error.what()));
  }
}

std::vector<Lane> make_lanes(const BenchField& field, const std::vector<std::unique_ptr<Mover>>& movers,
                             const Rounds& rounds) {
  std::vector<Lane> lanes;
  for (const auto& mover : movers) {
    Result result = of_field(mover->label(), field);
    result.direction = "read";
    result.files = static_cast<std::uint64_t>(rounds.files);
    result.stripe_bytes = rounds.stripe_bytes;
    Lane lane{mover.get(), result, result, result, result};
    lane.write.direction = "write";
    lane.write.sync = rounds.sync;
    lane.first.cache = "cold";
    lane.verified.direction = "verify";
    if (rounds.cold) lane.read.cache = "cold";
    lanes.push_back(lane);
  }
  return lanes;
}

}  // namespace

BenchField::BenchField(Grid grid)
    : grid_(std::move(grid)), site_numbers_(static_cast<std::uint64_t>(grid_.extents().size()) * 18) {
  together(grid_.communicator(), [&] {
    source_.resize(static_cast<std::size_t>(grid_.local_volume() * site_numbers_));
    target_.resize(source_.size());
  });
  std::uint64_t state = 0x9e3779b97f4a7c15ULL * static_cast<std::uint64_t>(grid_.rank() + 1);
  for (double& number : source_) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    // 24 bits: exact in single precision.
    number = (static_cast<double>(state >> 40) - 0x1p23) * 0x1p-24;
  }
}

void BenchField::clear_target() { std::memset(target_.data(), 0, target_.size() * sizeof(double)); }

bool BenchField::target_is_source(std::size_t bytes) const {
  return std::memcmp(source_.data(), target_.data(), bytes) == 0;
}

std::unique_ptr<Mover> make_raw_mover(const Grid& grid, std::uint64_t bytes_per_number, bool sync, int threads) {
  return std::make_unique<RawMover>(grid, bytes_per_number, sync, threads);
}

Result of_field(Result label, const BenchField& field) {
  const Grid& grid = field.grid();
  label.lattice = grid.extents();
  label.grid = grid.processes();
  label.ranks = grid.size();
  label.bytes = grid.volume() * field.site_numbers() * (label.precision == "single" ? 4 : 8);
  return label;
}

void add(const Communicator& ranks, Result& result, const Account& account, double seconds) {
  result.seconds.add(seconds);
  if (!account.strategy_taken.empty()) result.strategy_taken = account.strategy_taken;
  if (!account.stages) return;
  StageSeconds slowest = *account.stages;
  for (double& stage : slowest.all()) stage = ranks.max(stage);
  if (!result.stages) result.stages.emplace();
  result.stages->add(slowest);
}

Result plain_label(const std::string& name, const std::string& format, const std::string& precision) {
  Result label;
  label.name = label.strategy = name;
  label.format = format;
  label.verify = "none";
  label.precision = precision;
  return label;
}

void together(const Communicator& ranks, const std::function<void()>& work) {
  std::exception_ptr failure;
  try {
    work();
  } catch (...) {
    failure = std::current_exception();
  }
  ranks.agree(failure);
}

double timed(const Communicator& ranks, const std::function<void()>& work) {
  ranks.barrier();
  const base::Stopwatch watch;
  together(ranks, work);  // no rank returns before all have finished
  return ranks.max(watch.seconds());
}

std::string scratch_name(const Communicator& ranks, const std::string& directory) {
  const double process = ranks.max(ranks.is_root() ? static_cast<double>(::getpid()) : 0);
  return (std::filesystem::path(directory) / fmt::format("limequat-bench-{:.0f}", process)).string();
}

ScratchFile::ScratchFile(const Communicator& ranks, const std::string& directory, const std::string& suffix)
    : ranks_(ranks), path_(scratch_name(ranks, directory) + "." + suffix) {}

ScratchFile::~ScratchFile() {
  std::error_code failure;
  if (ranks_.is_root()) std::filesystem::remove(path_, failure);
}

void require_directory(const Communicator& ranks, const std::string& directory, bool cold) {
  together(ranks, [&] {
    if (!ranks.is_root()) return;
    if (::access(directory.c_str(), W_OK | X_OK) != 0 || !std::filesystem::is_directory(directory)) {
      const int reason = errno;
      throw Error(reason == EACCES || reason == EROFS ? Code::no_permission : Code::not_found,
                  fmt::format("{}: cannot create files in this directory: {}", directory, std::strerror(reason)),
                  {.path = directory, .system_errno = reason});
    }
    const std::string system = file_system_of(directory).name;
    if (cold && system == "tmpfs") {
      throw Error(Code::unsupported,
                  fmt::format("{}: a {} is in memory and never cold; name a directory on a disk with --path", directory,
                              system),
                  {.path = directory});
    }
  });
}

std::vector<Result> run_rounds(BenchField& field, const std::vector<std::unique_ptr<Mover>>& movers,
                               const Rounds& rounds, const std::function<void(const std::string& sentence)>& tell) {
  std::vector<Lane> lanes = make_lanes(field, movers, rounds);
  const std::size_t count = lanes.size();
  take_turns(count, rounds.runs, [&](std::size_t who) {
    if (!lanes[who].failed) take_turn(field, rounds, lanes[who], tell);
  });
  std::vector<Result> results;
  for (std::size_t i = rounds.tells_raw ? 0 : 1; i < count; ++i) {
    if (lanes[i].failed) continue;
    lanes[i].write.raw = lanes[0].write.seconds;
    lanes[i].read.raw = lanes[0].read.seconds;
    results.push_back(lanes[i].write);
    results.push_back(lanes[i].read);
    if (rounds.files > 1) {
      lanes[i].first.raw = lanes[0].first.seconds;
      results.push_back(lanes[i].first);
    }
    if (lanes[i].mover->verifies()) {
      lanes[i].verified.raw = lanes[0].read.seconds;
      results.push_back(lanes[i].verified);
    }
  }
  return results;
}

}  // namespace lq::bench
