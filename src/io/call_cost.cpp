// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/call_cost.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <vector>

#include <limequat/error.hpp>
#include <limequat/file_system.hpp>
#include <limequat/plan.hpp>

#include "base/bytes.hpp"
#include "base/clock.hpp"
#include "base/path.hpp"
#include "base/random_number.hpp"

namespace lq {
namespace io {
namespace {

using base::kibi;
using base::mebi;

constexpr double seconds_of_small = 0.02, seconds_of_large = 0.03;
constexpr std::size_t most_calls = 64;  // of a size: local disks need no more

// Seconds of a call with the given number of bytes, the least of several: others only ever make it slower.
double time_of(storage::File& file, const std::vector<std::byte>& bytes, std::uint64_t& end, double seconds) {
  double least = 0;
  const base::Stopwatch all;
  for (std::size_t calls = 0; calls < most_calls && (calls == 0 || all.seconds() < seconds); ++calls) {
    const base::Stopwatch one;
    file.write_at(end, bytes);
    const double taken = one.seconds();
    least = calls == 0 ? taken : std::min(least, taken);
    end += bytes.size();
  }
  return least;
}

// A name that is removed whatever happens.
class Trial {
 public:
  Trial(storage::Transport& transport, std::string path)
      : transport_(transport), path_(std::move(path)), file_(transport.create(path_)) {}
  ~Trial() {
    file_.reset();
    try {
      transport_.remove(path_);
    } catch (...) {
      // Its name says what it is.
    }
  }
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;
  storage::File& file() const noexcept { return *file_; }

 private:
  storage::Transport& transport_;
  std::string path_;
  std::unique_ptr<storage::File> file_;
};

}  // namespace

std::optional<CallCost> measure_calls(storage::Transport& transport, const std::string& path) {
  try {
    const Trial trial(transport, base::temporary_name(path + ".trial", base::random_number()));
    const std::vector<std::byte> small(4 * kibi, std::byte{0x5a}), large(mebi, std::byte{0x5a});
    std::uint64_t end = 0;
    const double of_small = time_of(trial.file(), small, end, seconds_of_small);
    const double of_large = time_of(trial.file(), large, end, seconds_of_large);
    if (of_small <= 0 || of_large <= of_small) return std::nullopt;
    // Of two points a line.
    const double rate = static_cast<double>(large.size() - small.size()) / (of_large - of_small);
    return CallCost{std::max(of_small - static_cast<double>(small.size()) / rate, 0.0), rate};
  } catch (const Error&) {
    return std::nullopt;  // the operations that follow have the better words for it
  }
}

void take_measured_calls(Machine& machine, storage::Transport& transport, const std::string& path,
                         const MountFacts& mount) {
  if (!mount.is_shared || mount.file_system.empty() || machine.file_system == mount.file_system) return;
  static std::mutex mutex;
  static std::map<std::uint64_t, std::optional<CallCost>> known;
  const std::lock_guard lock(mutex);
  const auto [found, is_new] = known.try_emplace(mount.device);
  if (is_new) found->second = measure_calls(transport, path);
  const std::optional<CallCost>& cost = found->second;
  if (!cost) return;
  machine.write_call = cost->seconds;
  machine.write_rate = cost->rate;
  machine.write_rate_total = std::max(cost->rate, std::min(machine.write_rate_total, 2 * cost->rate));
}

}  // namespace io

// What lq::write() finds out about a place, too.
Machine with_file_system_of(const std::string& folder, Machine machine) {
  const FileSystem found = file_system_of(folder);
  io::take_measured_calls(machine, storage::resolve(folder), folder + "/plan",
                          {found.name, found.is_shared, found.device});
  machine.file_system = found.name;
  machine.block_bytes = found.block_bytes;
  if (const std::uint64_t servers = std::max(found.targets, found.stripe_count); servers > 0) machine.servers = servers;
  return machine;
}

}  // namespace lq
