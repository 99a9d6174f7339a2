// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A damaged file is found damaged, and where.
#include <gtest/gtest.h>

#include <fstream>

#include <limequat/limequat.hpp>

#include "io/damage.hpp"
#include "io/verify.hpp"
#include "support/contents.hpp"
#include "support/scratch_directory.hpp"

namespace lq::io {
namespace {

// A thermalised field in a file on disk, which tests damage.
class DamagedFile : public ::testing::Test {
 protected:
  void write(const WriteOptions& options = {}) {
    std::vector<double> links(static_cast<std::size_t>(grid_.volume() * 72));
    generate(grid_, gauge(links), {.beta = 6.0, .sweeps = 2, .seed = 5});
    lq::write(path_, grid_, gauge(links), options);
    payload_ = inspect(path_).field().payload;
  }
  void change_byte(std::uint64_t offset, unsigned change) {
    std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(offset));
    const int byte = file.get();
    file.seekp(static_cast<std::streamoff>(offset));
    file.put(static_cast<char>(static_cast<unsigned>(byte) ^ change));
  }
  void fill(std::uint64_t offset, std::uint64_t length, char value) {
    std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(offset));
    for (std::uint64_t i = 0; i < length; ++i) file.put(value);
  }
  const Finding* finding(const Verification& result, std::string_view rule) const {
    for (const Finding& f : result.findings) {
      if (f.rule == rule) return &f;
    }
    return nullptr;
  }

  testing::ScratchDirectory directory_;
  std::string path_ = directory_ / "conf.ildg";
  Grid grid_{Extents{4, 4, 4, 8}};
  Payload payload_;
};

TEST_F(DamagedFile, ThatIsNotDamagedIsOk) {
  write({.measure = true});
  const Verification result = io::verify(path_);
  EXPECT_TRUE(result.ok);
  EXPECT_EQ(result.fields.at(0).status, ChecksumStatus::ok);
  EXPECT_TRUE(result.fields.at(0).physics.has_value());
}

TEST_F(DamagedFile, FieldsAreMeasuredThoughOtherPartsOfTheFileAreBroken) {
  write();
  const std::string header = testing::contents(path_).substr(0, 144);  // of a record that is not there
  std::ofstream(path_, std::ios::app | std::ios::binary) << header;
  const Verification result = io::verify(path_);
  EXPECT_FALSE(result.ok);
  EXPECT_EQ(result.findings.at(0).code, Code::truncated);
  EXPECT_EQ(result.fields.at(0).status, ChecksumStatus::ok);
  EXPECT_TRUE(result.fields.at(0).physics.has_value());
}

TEST_F(DamagedFile, OneByteIsNamedWithItsRightValue) {
  write();
  const std::uint64_t offset = payload_.offset + 300 * 576 + 123;
  change_byte(offset, 0x10);
  const Verification result = io::verify(path_);
  EXPECT_FALSE(result.ok);
  EXPECT_EQ(result.fields.at(0).status, ChecksumStatus::mismatch);
  EXPECT_EQ(result.fields.at(0).damaged_slices, (std::vector<std::int64_t>{300 / 64}));
  const Finding* byte = finding(result, "damaged-byte");
  ASSERT_NE(byte, nullptr);
  EXPECT_EQ(byte->offset, offset);
  EXPECT_EQ(byte->length, 1U);
}

TEST_F(DamagedFile, OneByteIsNamedWithoutChecksumsOfSlicesToo) {
  write({.slice_checksums = false});
  const std::uint64_t offset = payload_.offset + 300 * 576 + 121;
  change_byte(offset, 0x7f);
  const Verification result = io::verify(path_);
  const Finding* byte = finding(result, "damaged-byte");
  ASSERT_NE(byte, nullptr);
  EXPECT_EQ(byte->offset, offset);
}

TEST_F(DamagedFile, AScatteredDamageIsBoundedByItsSitesAndSlices) {
  write();
  for (std::uint64_t site : {70U, 75U, 450U}) fill(payload_.offset + site * 576 + 100, 200, '\x55');
  const Verification result = io::verify(path_);
  EXPECT_EQ(result.fields.at(0).damaged_slices, (std::vector<std::int64_t>{1, 7}));
  const Finding* links = finding(result, "damaged-links");
  ASSERT_NE(links, nullptr);
  EXPECT_EQ(links->offset, payload_.offset + 70 * 576);
  EXPECT_EQ(links->length, 6U * 576);
}

TEST_F(DamagedFile, TwoBytesAreNotTakenForOneElsewhere) {
  write();
  for (std::uint64_t site = 0; site < 16; ++site) {
    const std::uint64_t offset = payload_.offset + site * 576 + 16 * site;  // sign and exponent of a number
    change_byte(offset, 0x40);
    change_byte(offset + 1, static_cast<unsigned>(1 + 2 * site));
    const Verification result = io::verify(path_, {}, {.physics = Measure::never});
    const Finding* links = finding(result, "damaged-links");
    ASSERT_NE(links, nullptr) << site;
    EXPECT_EQ(links->offset, payload_.offset + site * 576);
    change_byte(offset, 0x40);
    change_byte(offset + 1, static_cast<unsigned>(1 + 2 * site));
  }
}

TEST_F(DamagedFile, ZerosWhereLinksShouldBeAreReportedAsSuch) {
  write();
  fill(payload_.offset + 128 * 576, 64 * 576, '\0');
  const Verification result = io::verify(path_, {}, {.physics = Measure::never});
  const Finding* zeros = finding(result, "zero-links");
  ASSERT_NE(zeros, nullptr);
  EXPECT_EQ(zeros->offset, payload_.offset + 128 * 576);
  EXPECT_EQ(zeros->length, 64U * 576);
  EXPECT_EQ(result.fields.at(0).zeros.sites, 64U);
  EXPECT_EQ(result.fields.at(0).zeros.first_offset, payload_.offset + 128 * 576);
  EXPECT_EQ(result.fields.at(0).zeros.last_offset, payload_.offset + 192 * 576);
}

TEST_F(DamagedFile, WithoutChecksumABrokenLinkIsFoundByUnitarity) {
  write({.verify = Verify::none});
  change_byte(payload_.offset + 99 * 576 + 1, 0x40);
  const Verification result = io::verify(path_);
  EXPECT_EQ(result.fields.at(0).status, ChecksumStatus::absent);
  EXPECT_FALSE(result.ok);
  EXPECT_NE(finding(result, "damaged-links"), nullptr);
}

TEST_F(DamagedFile, AWrongPlaquetteInTheTextIsAnError) {
  write({.metadata = {{"xlf-info", "plaquette = 0.123456789012\n trajectory nr = 1\n"}}});
  const Verification result = io::verify(path_);
  EXPECT_NE(finding(result, "plaquette"), nullptr);
}

TEST_F(DamagedFile, ReadingItFailsAndNamesTheSums) {
  write();
  change_byte(payload_.offset + 17, 1);
  std::vector<double> links(static_cast<std::size_t>(grid_.volume() * 72));
  try {
    read(path_, grid_, gauge(links));
    FAIL() << "a damaged file was read";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::checksum_mismatch);
    EXPECT_EQ(error.facts().record, "ildg-binary-data");
    EXPECT_EQ(error.facts().offset, payload_.offset);
  }
}

TEST_F(DamagedFile, IsNotConverted) {
  write();
  change_byte(payload_.offset + 17, 1);
  const std::string to = directory_ / "copy.ildg";
  EXPECT_THROW(convert(path_, to), Error);
  EXPECT_FALSE(std::filesystem::exists(to));
}

TEST(DescribeByte, NamesLinkRowColumnAndPart) {
  Payload payload;
  payload.spec = gauge_spec(Precision::double_, 3, 4);
  payload.spec.numbers = 72;
  EXPECT_EQ(describe_byte(payload, 0), "link x, row 0, column 0, real part");
  EXPECT_EQ(describe_byte(payload, 8 * 71 + 7), "link t, row 2, column 2, imaginary part");
  payload.codec.order = {71, 18};
  EXPECT_EQ(describe_byte(payload, 0), "link t, row 2, column 2, imaginary part");
  EXPECT_EQ(describe_byte(payload, 8), "link y, row 0, column 0, real part");
  Payload spinors;
  spinors.spec = spinor_spec(Precision::single);
  EXPECT_EQ(describe_byte(spinors, 4 * 7), "spin 1, color 0, imaginary part");
}

}  // namespace
}  // namespace lq::io
