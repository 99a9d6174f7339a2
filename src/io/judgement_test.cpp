// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Which sums see which damage. Sites are exchanged where the SciDAC checksum, whose rotations repeat after 29 x 31 =
// 899 sites, cannot see it.
#include "io/judgement.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <optional>

#include <limequat/limequat.hpp>

#include "io/repair_file.hpp"
#include "io/verify.hpp"
#include "storage/transport.hpp"
#include "support/contents.hpp"
#include "support/scratch_directory.hpp"

namespace lq::io {
namespace {

using Site = std::array<double, 3>;

constexpr std::uint64_t slice_sites = 1024;
const SumName field_checksum{SumKind::scidac, SumOf::field}, slice_checksums{SumKind::scidac, SumOf::slices},
    slice_weights{SumKind::weighted, SumOf::slices};

class ExchangedSites : public ::testing::Test {
 protected:
  void write(bool with_slices = true) {
    for (std::size_t i = 0; i < numbers_.size(); ++i) numbers_[i] = {1.0 / static_cast<double>(i + 1), 2.0, 3.0};
    lq::write(path_, grid_, sites(numbers_), {.slice_checksums = with_slices});
    site_bytes_ = inspect(path_).field().payload.site_bytes();
  }
  void change(const std::function<void(std::string& bytes)>& change) {
    std::string bytes = testing::contents(path_);
    change(bytes);
    std::ofstream(path_, std::ios::binary) << bytes;
  }
  void exchange(std::uint64_t one, std::uint64_t other) {
    const std::uint64_t data = inspect(path_).field().payload.offset;
    change([&](std::string& bytes) {
      const auto at = [&](std::uint64_t site) {
        return bytes.begin() + static_cast<std::ptrdiff_t>(data + site * site_bytes_);
      };
      std::swap_ranges(at(one), at(one + 1), at(other));
    });
  }
  std::optional<Error> error_of_reading(const std::optional<Box>& region = {}) {
    const Grid grid(region ? region->extents : grid_.extents());
    std::vector<Site> numbers(static_cast<std::size_t>(grid.volume()));
    try {
      lq::read(path_, grid, sites(numbers), {.region = region});
    } catch (const Error& error) {
      return error;
    }
    return std::nullopt;
  }
  FieldVerdict verdict() { return io::verify(path_).fields.at(0); }

  testing::ScratchDirectory directory_;
  std::string path_ = directory_ / "field.scidac";
  Grid grid_{Extents{16, 8, 8, 4}};
  std::vector<Site> numbers_ = std::vector<Site>(4 * slice_sites);
  std::uint64_t site_bytes_ = 0;
};

TEST_F(ExchangedSites, OfASliceAreSeenByItsWeightedSum) {
  write();
  EXPECT_FALSE(error_of_reading());
  exchange(slice_sites + 5, slice_sites + 5 + 899);
  const auto error = error_of_reading();
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), Code::checksum_mismatch);
  EXPECT_NE(error->facts().expected.find("weighted"), std::string::npos) << error->what();
  const FieldVerdict found = verdict();
  EXPECT_EQ(found.status, ChecksumStatus::mismatch);
  EXPECT_EQ(found.computed, found.stored);
  EXPECT_EQ(found.damaged_slices, std::vector<std::int64_t>{1});
  EXPECT_EQ(found.compared, (std::vector<SumName>{field_checksum, slice_checksums, slice_weights}));
}

TEST_F(ExchangedSites, AreSeenWhereASliceIsReadByItself) {
  write();
  exchange(slice_sites + 5, slice_sites + 5 + 899);
  const auto slice = [](std::int64_t t) { return Box{{0, 0, 0, t}, {16, 8, 8, 1}}; };
  EXPECT_TRUE(error_of_reading(slice(1)));
  for (const std::int64_t t : {0, 2, 3}) EXPECT_FALSE(error_of_reading(slice(t))) << t;
}

TEST_F(ExchangedSites, OfTwoSlicesAreSeenByTheirChecksums) {
  write();
  exchange(700, 700 + 899);
  EXPECT_TRUE(error_of_reading());
  EXPECT_EQ(verdict().damaged_slices, (std::vector<std::int64_t>{0, 1}));
}

TEST_F(ExchangedSites, AreNotSeenByTheChecksumAloneAndItIsSaidThatItWasAlone) {
  write(false);
  exchange(5, 5 + 899);
  EXPECT_FALSE(error_of_reading());
  EXPECT_EQ(verdict().compared, std::vector<SumName>{field_checksum});
}

TEST_F(ExchangedSites, AreNotRepairedIntoTheirSums) {
  write();
  exchange(5, 5 + 899);
  const auto file = storage::posix().open_read(path_);
  const RepairedFile mended = repair_records(*file, {}, 1);
  EXPECT_FALSE(mended.to_write().is_changed()) << "nothing is written anew";
  EXPECT_TRUE(mended.findings.empty());
}

// The record of sums is not what the data are judged by once it contradicts itself.
TEST_F(ExchangedSites, AreNotClaimedWhereTheRecordOfSlicesIsDamaged) {
  write();
  change([](std::string& bytes) {
    const std::size_t line = bytes.find('\n', bytes.find("limequat-slices 1.1")) + 1;
    char& digit = bytes[bytes.find('\n', line) - 1];
    digit = digit == '0' ? '1' : '0';
  });
  EXPECT_FALSE(error_of_reading());
  const Verification result = io::verify(path_);
  EXPECT_EQ(result.verdict, Verdict::damaged) << "one of the sums";
  EXPECT_EQ(result.fields.at(0).compared, std::vector<SumName>{field_checksum});
  EXPECT_EQ(std::ranges::count(result.findings, "limequat-slices-malformed", &Finding::rule), 1);
}

TEST(JudgedFiles, OfVersion10AreJudgedByTheChecksumsOfTheirSlices) {
  const auto golden = std::filesystem::path(LQ_SOURCE_DIR) / "tests" / "golden" / "good" / "lime";
  const Verification old = io::verify((golden / "slices.lime").string());
  EXPECT_EQ(old.fields.at(0).status, ChecksumStatus::ok);
  EXPECT_EQ(old.fields.at(0).compared, (std::vector<SumName>{field_checksum, slice_checksums}));
  const Verification contradicts = io::verify((golden / "slices_contradict_the_checksum.lime").string());
  EXPECT_EQ(contradicts.fields.at(0).status, ChecksumStatus::ok);
  EXPECT_EQ(contradicts.fields.at(0).compared, std::vector<SumName>{field_checksum});
  const Verification weighted = io::verify((golden / "slices_with_weights.lime").string());
  EXPECT_EQ(weighted.fields.at(0).status, ChecksumStatus::ok);
  EXPECT_EQ(weighted.fields.at(0).compared, (std::vector<SumName>{field_checksum, slice_checksums, slice_weights}));
}

// Which of the two a program took is not written in its files.
TEST(JudgedFiles, MayHaveTheirShaOfSinglePrecisionTakenWithPaddingOrWithout) {
  FieldEntry entry;
  entry.payload.spec = generic_spec(Precision::single, 2, false);
  entry.payload.extents = {2, 2};
  entry.payload.stored = whole(entry.payload.extents);
  entry.payload.length = 32;
  const std::vector<SumName> wanted{{SumKind::sha256, SumOf::field}, {SumKind::sha256_padded, SumOf::field}};
  std::array<std::byte, 32> data{};
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::byte>(i);
  engine::TransferStats stats(entry.payload, wanted);
  stats.sums.add_others(data, {0, 4, 0, 1});
  const Sums found = stats.sums.values();
  ASSERT_NE(found.find(wanted[0])->words, found.find(wanted[1])->words);
  for (const SumName& name : wanted) {
    std::vector<std::uint32_t> words = found.find(name)->words;
    entry.sums = {};
    entry.sums.set({{SumKind::sha256, SumOf::field}, words});
    EXPECT_EQ(judge(entry, stats, entry.payload.stored).status, ChecksumStatus::ok) << to_string(name);
    words[3] ^= 1;
    entry.sums.set({{SumKind::sha256, SumOf::field}, words});
    EXPECT_EQ(judge(entry, stats, entry.payload.stored).status, ChecksumStatus::mismatch) << to_string(name);
  }
}

// A norm that is no number is stated by the file, and found: that says nothing, and verify says so.
TEST(Norms, ThatAreNoNumbersAgreeWithNothing) {
  const testing::ScratchDirectory directory;
  const std::string path = directory / "spinor.openqcd";
  const Grid grid(Extents{4, 4, 4, 4});
  std::vector<double> numbers(static_cast<std::size_t>(grid.volume()) * 24, 0.5);
  const auto write = [&] { lq::write(path, grid, spinor(numbers), {.format = "openqcd", .overwrite = true}); };
  write();
  EXPECT_EQ(io::verify(path).verdict, Verdict::consistent);
  numbers[77] = -std::numeric_limits<double>::quiet_NaN();
  write();
  const Verification found = io::verify(path);
  EXPECT_EQ(found.verdict, Verdict::unproven);
  EXPECT_EQ(found.fields.at(0).status, ChecksumStatus::unchecked);
  EXPECT_EQ(std::ranges::count(found.findings, "not-finite", &Finding::rule), 1);
  const Sum none{{SumKind::norm, SumOf::field}, {0x7ff80000, 0}},
      infinite{{SumKind::norm, SumOf::field}, {0x7ff00000, 0}};
  const Sum one{{SumKind::norm, SumOf::field}, {0x3ff00000, 0}};
  EXPECT_TRUE(agree(one, one));
  for (const Sum& odd : {none, infinite}) EXPECT_FALSE(agree(odd, odd) || agree(odd, one) || agree(one, odd));
}

}  // namespace
}  // namespace lq::io
