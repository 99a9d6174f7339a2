// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The cost of a call as it is measured, of a storage whose calls and bytes take known times.
#include "io/sites.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <thread>

#include <limequat/error.hpp>

#include "storage/forwarding.hpp"
#include "support/file_contents.hpp"

namespace lq::io {
namespace {

constexpr double call_seconds = 2e-3, rate = 200e6;

class SlowTransport final : public storage::ForwardingTransport {
 public:
  using ForwardingTransport::ForwardingTransport;
  int created = 0;
  std::unique_ptr<storage::File> create(const std::string& path, const storage::Creation& creation) override {
    ++created;
    return ForwardingTransport::create(path, creation);
  }

 private:
  class File final : public storage::ForwardingFile {
   public:
    using ForwardingFile::ForwardingFile;
    void write_at(std::uint64_t offset, base::Bytes bytes) override {
      const double seconds = call_seconds + static_cast<double>(bytes.size()) / rate;
      std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
      ForwardingFile::write_at(offset, bytes);
    }
  };
  std::unique_ptr<storage::File> wrap(std::unique_ptr<storage::File> file) override {
    return std::make_unique<File>(std::move(file));
  }
};

// A machine that has other things to do spoils one trial, or several.
constexpr int most_trials = 50;

bool is_right(const std::optional<CallCost>& cost) {
  return cost && cost->seconds > 0.8 * call_seconds && cost->seconds < 5 * call_seconds && cost->rate > 0.2 * rate &&
         cost->rate < 1.5 * rate;
}

TEST(CallCost, IsThatOfTheStorage) {
  const auto memory = storage::make_memory();
  SlowTransport slow(*memory);
  int trials = 0;
  bool is_found = false;
  for (; trials < most_trials && !is_found; ++trials) is_found = is_right(measure_calls(slow, "d/conf.ildg"));
  EXPECT_TRUE(is_found);
  EXPECT_EQ(slow.created, trials);
}

TEST(CallCost, IsMeasuredOncePerMountAndOnlyWhereTheProfileDoesNotKnowIt) {
  const auto memory = storage::make_memory();
  SlowTransport slow(*memory);
  const auto after = [&](const MountFacts& mount, const std::string& profiled = "tmpfs") {
    Machine machine;
    machine.file_system = profiled;
    take_measured_calls(machine, slow, "conf.ildg", mount);
    return machine.write_call;
  };
  EXPECT_EQ(after({.file_system = "ext4", .is_shared = false, .device = 101}), Machine{}.write_call);
  EXPECT_EQ(after({.file_system = "nfs", .is_shared = true, .device = 101}, "nfs"), Machine{}.write_call);
  EXPECT_EQ(after({.file_system = "", .is_shared = true, .device = 101}), Machine{}.write_call);
  EXPECT_EQ(slow.created, 0);
  // A mount of which a trial tells something.
  MountFacts mount{.file_system = "nfs", .is_shared = true, .device = 101};
  while (after(mount) < 0.8 * call_seconds && slow.created < most_trials) ++mount.device;
  const int trials = slow.created;
  const double measured = after(mount);
  EXPECT_GT(measured, 0.8 * call_seconds);
  EXPECT_EQ(after(mount), measured);
  EXPECT_EQ(slow.created, trials);
  ++mount.device;
  after(mount);
  EXPECT_EQ(slow.created, trials + 1);
}

TEST(CallCost, IsUnknownWhereNothingCanBeWritten) {
  const auto memory = storage::make_memory();
  class Refusing final : public storage::ForwardingTransport {
   public:
    using ForwardingTransport::ForwardingTransport;
    std::unique_ptr<storage::File> create(const std::string& path, const storage::Creation&) override {
      throw Error(Code::no_permission, path);
    }
  } refusing(*memory);
  EXPECT_FALSE(measure_calls(refusing, "conf.ildg"));
}

}  // namespace
}  // namespace lq::io
