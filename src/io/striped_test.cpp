// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// New files on a file system with stripes, which is the local one except for its calls.
#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

#include <limequat/error.hpp>
#include <limequat/file_system.hpp>
#include <limequat/machine.hpp>

#include "io/transfer.hpp"
#include "storage/file_system.hpp"
#include "storage/stripes.hpp"
#include "support/error_of.hpp"
#include "support/file_contents.hpp"
#include "support/formula_field.hpp"
#include "support/recorded_storage.hpp"
#include "support/scratch_directory.hpp"
#include "support/thread_comm.hpp"

namespace lq::io {
namespace {

namespace fs = std::filesystem;
constexpr std::uint64_t stripe = 65536;

// Eight targets; a file has one stripe until it is renewed.
class Striped final : public storage::ForwardingTransport {
 public:
  Striped() : ForwardingTransport(storage::posix()) {}
  testing::RecordedStorage calls;

  storage::StorageTraits unit(const std::string& path) override {
    storage::StorageTraits unit = ForwardingTransport::unit(path);
    unit.bytes = stripe;
    const auto layout = storage::parse_lustre_layout(calls.attribute(path, "lustre.lov"));
    unit.targets = layout ? layout->stripe_count : 1;
    unit.file_system = {"lustre"};
    return unit;
  }
  storage::Striping set_stripes(const std::string& path, const std::string& spare, std::uint64_t file_bytes,
                                const StripeRequest& request) override {
    FileSystem lustre = storage::file_system_named("lustre", 8);
    lustre.stripe_count = 1;
    lustre.stripe_bytes = stripe;
    bytes_expected = file_bytes;
    const Stripes set = storage::set_stripes(lustre, path, spare, file_bytes, request, calls);
    if (set.is_set()) {
      std::ofstream(spare).close();
      fs::rename(spare, path);
    }
    return {set, unit(path)};
  }
  std::uint64_t bytes_expected = 0;
};

class OnStripes : public ::testing::Test {
 protected:
  Report write(storage::Transport& transport, const std::string& name, WriteOptions options, int ranks = 8) {
    options.format = "scidac";
    options.route.strategy = Strategy::messages;
    Report report;
    testing::run_ranks(ranks, [&](std::shared_ptr<comm::Comm> comm) {
      const Grid grid(Communicator(comm), {8, 8, 8, 8}, {.processes = Extents{ranks, 1, 1, 1}});
      const std::vector<double> values = testing::formula_sites<double>(grid, 72);
      const Field field{generic_spec(Precision::double_, 72, false), values.data(), values.size(), {}, {}};
      const Report mine = write_field(transport, directory_ / name, grid, field, options);
      if (comm->rank() == ranks - 1) report = mine;  // told by rank 0
    });
    return report;
  }
  testing::ScratchDirectory directory_;
  Striped striped_;
};

TEST_F(OnStripes, TheFileIsTheSameAndNothingElseIsLeft) {
  write(storage::posix(), "plain.lime", {});
  const Report report = write(striped_, "striped.lime", {.stripe_count = 2, .stripe_bytes = 100'000});
  EXPECT_EQ(report.storage.stripes.reason, StripeReason::asked);
  EXPECT_EQ(report.storage.stripes.count, 2u);
  EXPECT_EQ(report.storage.stripes.bytes, 131072u);
  EXPECT_EQ(report.storage.file_system, "lustre");
  EXPECT_EQ(testing::contents(directory_ / "striped.lime"), testing::contents(directory_ / "plain.lime"));
  EXPECT_EQ(std::distance(fs::directory_iterator(directory_.path()), fs::directory_iterator()), 2);
  EXPECT_EQ(striped_.bytes_expected, fs::file_size(directory_ / "striped.lime"));
  EXPECT_EQ(striped_.calls.calls.size(), 1u);
  EXPECT_NE(report.summary().find("Stored on lustre, stripes: 2 of 128 KiB, set as requested; "), std::string::npos)
      << report.summary();
}

// Four for each: 8^4 x 576 bytes are 36 domains of 64 KiB, so that there would be work for all.
TEST_F(OnStripes, RanksThatWriteFollowTheTargetsWhereTheseAreSlow) {
  WriteOptions options{.stripe_count = 1, .stripe_bytes = 131072};
  Machine slow;
  slow.write_rate = slow.write_rate_total = 20e6;
  options.route.profile = directory_ / "slow.toml";
  save_machine(options.route.profile, slow);
  try {
    load_machine(options.route.profile);
  } catch (const Error& error) {
    GTEST_SKIP() << error.what();  // built without toml++
  }
  options.route.chunk_bytes = stripe;
  EXPECT_EQ(write(striped_, "one.lime", options).storage.ranks, 4u);
  options.stripe_count = 2;
  EXPECT_EQ(write(striped_, "two.lime", options).storage.ranks, 8u);
  options.stripe_count = 1;
  options.route.aggregators = 3;  // who asks gets what he asks for
  EXPECT_EQ(write(striped_, "three.lime", options).storage.ranks, 3u);
}

TEST_F(OnStripes, TheReportSaysHowLargeCallsWereAndWhyNotAsLargeAsAskedFor) {
  constexpr std::uint64_t mib = 1 << 20;
  WriteOptions options;
  options.route.chunk_bytes = 256 * 1024;
  const Report asked = write(striped_, "asked.lime", options);
  EXPECT_EQ(asked.storage.call_bytes, 256U * 1024);
  EXPECT_TRUE(asked.warnings.empty());
  options.route.chunk_bytes = 8 * mib;
  options.route.memory_bytes = 16 * mib;
  const Report smaller = write(striped_, "smaller.lime", options);
  EXPECT_EQ(smaller.storage.call_bytes, 25 * 65536U);
  ASSERT_EQ(smaller.warnings.size(), 1U);
  EXPECT_EQ(
      smaller.warnings.front(),
      "chunks of 1600 KiB, smaller than the requested 8 MiB: 10 chunks must fit into the 16 MiB of `memory_bytes`");
}

TEST_F(OnStripes, OfASmallFileAreLeftAndRefusalIsARemark) {
  EXPECT_EQ(write(striped_, "small.lime", {}).storage.stripes.reason, StripeReason::fitting);
  EXPECT_TRUE(striped_.calls.calls.empty());
  striped_.calls.refusal = EINVAL;
  const Report report = write(striped_, "refused.lime", {.stripe_count = 4});
  EXPECT_EQ(report.storage.stripes.reason, StripeReason::refused);
  EXPECT_EQ(report.storage.stripes.system_errno, EINVAL);
  EXPECT_TRUE(fs::exists(directory_ / "refused.lime"));
}

TEST_F(OnStripes, LocalFilesHaveNoneAndSaySo) {
  const Report plain = write(storage::posix(), "plain.lime", {});
  EXPECT_EQ(plain.storage.file_system, file_system_of(directory_.path()).name);
  EXPECT_EQ(plain.storage.stripes.reason, StripeReason::no_stripes);
  EXPECT_EQ(plain.summary().find(" Stored on "), std::string::npos) << plain.summary();
  const Report asked = write(storage::posix(), "asked.lime", {.stripe_count = 4});
  EXPECT_EQ(asked.storage.stripes.system_errno, ENOTSUP);
}

}  // namespace
}  // namespace lq::io
