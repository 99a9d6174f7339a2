// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The cost of a call as it is measured, of a storage whose calls and bytes take known times.
#include "io/call_cost.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include <limequat/error.hpp>

#include "support/file_contents.hpp"
#include "transport/forwarding.hpp"

namespace lq::io {
namespace {

constexpr double call_seconds = 2e-3, rate = 200e6;

class SlowTransport final : public transport::ForwardingTransport {
 public:
  using ForwardingTransport::ForwardingTransport;
  int created = 0;
  std::unique_ptr<transport::File> create(const std::string& path, const transport::Creation& creation) override {
    ++created;
    return ForwardingTransport::create(path, creation);
  }

 private:
  class File final : public transport::ForwardingFile {
   public:
    using ForwardingFile::ForwardingFile;
    void write_at(std::uint64_t offset, base::Bytes bytes) override {
      const double seconds = call_seconds + static_cast<double>(bytes.size()) / rate;
      std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
      ForwardingFile::write_at(offset, bytes);
    }
  };
  std::unique_ptr<transport::File> wrap(std::unique_ptr<transport::File> file) override {
    return std::make_unique<File>(std::move(file));
  }
};

TEST(CallCost, IsThatOfTheStorage) {
  const auto memory = transport::make_memory();
  SlowTransport slow(*memory);
  const auto begin = std::chrono::steady_clock::now();
  const auto cost = measure_calls(slow, "d/conf.ildg");
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  ASSERT_TRUE(cost);
  // Sleeping takes longer than asked for, never shorter.
  EXPECT_GT(cost->seconds, 0.8 * call_seconds);
  EXPECT_LT(cost->seconds, 5 * call_seconds);
  EXPECT_GT(cost->rate, 0.2 * rate);
  EXPECT_LT(cost->rate, 1.5 * rate);
  EXPECT_LT(taken.count(), 1);
  EXPECT_EQ(slow.created, 1);
}

TEST(CallCost, IsMeasuredOncePerMountAndOnlyWhereTheProfileDoesNotKnowIt) {
  const auto memory = transport::make_memory();
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
  for (int i = 0; i < 3; ++i) {
    EXPECT_GT(after({.file_system = "nfs", .is_shared = true, .device = 101}), 0.8 * call_seconds);
  }
  EXPECT_EQ(slow.created, 1);
  after({.file_system = "nfs", .is_shared = true, .device = 102});
  EXPECT_EQ(slow.created, 2);
}

TEST(CallCost, IsUnknownWhereNothingCanBeWritten) {
  const auto memory = transport::make_memory();
  class Refusing final : public transport::ForwardingTransport {
   public:
    using ForwardingTransport::ForwardingTransport;
    std::unique_ptr<transport::File> create(const std::string& path, const transport::Creation&) override {
      throw Error(Code::no_permission, path);
    }
  } refusing(*memory);
  EXPECT_FALSE(measure_calls(refusing, "conf.ildg"));
}

}  // namespace
}  // namespace lq::io
