// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Files of tests/golden, which a plain script wrote, are damaged and repaired: what must come back are their bytes.
#include "io/mend.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>

#include <limequat/error.hpp>
#include <limequat/file.hpp>

#include "support/contents.hpp"
#include "support/scratch_directory.hpp"

namespace lq::io {
namespace {

std::string golden(const std::string& name) { return testing::golden_contents("good/lime/" + name); }

std::string contents(base::ByteSource& file) {
  std::string bytes(static_cast<std::size_t>(file.size()), '\0');
  EXPECT_EQ(file.read_at(0, std::as_writable_bytes(std::span(bytes))), bytes.size());
  return bytes;
}

struct Mended {
  std::string bytes;
  Catalog catalog;
  std::vector<Finding> findings;

  std::size_t count(std::string_view rule) const {
    return static_cast<std::size_t>(std::ranges::count(findings, rule, &Finding::rule));
  }
  bool has_errors() const { return std::ranges::count(findings, Severity::error, &Finding::severity) > 0; }
  std::string told() const {
    std::string text;
    for (const Finding& finding : findings) text += finding.rule + ": " + finding.message + "\n";
    return text;
  }
};

Mended mended(const std::string& bytes) {
  base::MemorySource file(base::as_bytes(bytes), "damaged");
  const MendedFile result = mend_file(file, {}, 3);
  return {contents(result.to_write()), result.catalog, result.findings};
}

Catalog scan(const std::string& bytes) {
  base::MemorySource file(base::as_bytes(bytes), "file");
  return format::scan(file, {});
}

std::string changed(std::string bytes, std::size_t at, int mask) {
  bytes[at] = static_cast<char>(bytes[at] ^ mask);
  return bytes;
}

const Record& record_of(const Catalog& catalog, std::string_view type) { return catalog.record(type); }

class MendedGauge : public ::testing::TestWithParam<const char*> {
 protected:
  std::string whole_ = golden(GetParam());
  Catalog catalog_ = scan(whole_);
};

TEST_P(MendedGauge, StaysAsItIsWhenItIsSound) {
  const Mended result = mended(whole_);
  EXPECT_TRUE(result.bytes == whole_);
  EXPECT_TRUE(result.findings.empty()) << result.told();
}

// Flags, magic, version, reserved bytes, lengths and types: every byte of every header.
TEST_P(MendedGauge, GetsBackEveryByteOfItsHeaders) {
  for (const Record& record : catalog_.records) {
    for (std::size_t i = 0; i < 144; ++i) {
      for (const int mask : {0x01, 0x40, 0x80, 0xff}) {
        // A length that only adds zeros to the record, or takes its NUL, is as good as the right one.
        const std::uint64_t length = record.data_length ^ static_cast<unsigned>(mask);
        const bool same_end = (length + 7) / 8 == (record.data_length + 7) / 8 && length + 1 >= record.data_length;
        if (i == 15 && same_end) continue;
        SCOPED_TRACE(record.type + ", byte " + std::to_string(i) + ", mask " + std::to_string(mask));
        const Mended result = mended(changed(whole_, record.header_offset + i, mask));
        ASSERT_TRUE(result.bytes == whole_) << result.told();
        ASSERT_FALSE(result.has_errors()) << result.told();
      }
    }
  }
}

TEST_P(MendedGauge, GetsBackItsPadding) {
  for (const Record& record : catalog_.records) {
    for (std::uint64_t at = record.offset + record.data_length; at % 8 != 0; ++at) {
      const Mended result = mended(changed(whole_, at, 0x20));
      ASSERT_TRUE(result.bytes == whole_);
      EXPECT_EQ(result.count("repair-padding"), 1U);
    }
  }
}

// Random numbers are no links, so that not every byte is singled out; but no other than the right one ever is.
TEST_P(MendedGauge, GetsBackBytesOfItsDataOrNone) {
  const FieldEntry& field = catalog_.field();
  int restored = 0, left = 0;
  for (std::uint64_t at = field.payload.offset; at < field.payload.offset + field.payload.length; at += 37) {
    const std::string damaged = changed(whole_, at, 0x08);
    const Mended result = [&] {
      try {
        return mended(damaged);
      } catch (const Error& error) {
        ADD_FAILURE() << error.what();
        return Mended{};
      }
    }();
    const bool is_whole = result.bytes == whole_;
    ASSERT_TRUE(is_whole || (result.bytes == damaged && result.has_errors())) << at << result.told();
    ++(is_whole ? restored : left);
  }
  EXPECT_GT(restored, left / 4);
}

// Documents that no longer can be read say the same again; those that still can be are left alone.
TEST_P(MendedGauge, GetsBackWhatItsDescriptionsSay) {
  for (const std::string_view type : {"scidac-private-file-xml", "scidac-private-record-xml", "ildg-format"}) {
    const Record& record = record_of(catalog_, type);
    for (std::uint64_t at = record.offset; at + 1 < record.offset + record.data_length; ++at) {
      const Mended result = mended(changed(whole_, at, 0x12));
      ASSERT_FALSE(result.has_errors()) << type << ", byte " << at - record.offset << "\n" << result.told();
      const FieldEntry& field = result.catalog.field();
      ASSERT_EQ(field.payload.extents, catalog_.field().payload.extents);
      ASSERT_EQ(field.payload.spec.numbers, catalog_.field().payload.spec.numbers);
      ASSERT_EQ(field.sums.checksum(), catalog_.field().sums.checksum());
    }
  }
}

TEST_P(MendedGauge, GetsItsChecksumAgainWhenItIsCutOff) {
  const Record& checksum = record_of(catalog_, "scidac-checksum");
  for (std::uint64_t end = checksum.header_offset; end < checksum.offset + checksum.data_length; ++end) {
    const Mended result = mended(whole_.substr(0, static_cast<std::size_t>(end)));
    ASSERT_FALSE(result.has_errors()) << end << result.told();
    ASSERT_EQ(result.catalog.field().sums.checksum(), catalog_.field().sums.checksum()) << end;
    // Without its NUL alone the document is whole, only shorter.
    ASSERT_EQ(result.count("repair-checksum") + result.count("repair-length"), 1U) << end << result.told();
    ASSERT_TRUE(result.catalog.complete);
    const auto before = static_cast<std::size_t>(checksum.header_offset);
    ASSERT_TRUE(result.bytes.substr(0, before) == whole_.substr(0, before)) << end;
  }
}

// Whatever is cut off the data: the whole slices are there, at their places of the lattice, bit for bit.
TEST_P(MendedGauge, CutInItsDataKeepsItsWholeSlices) {
  const Payload& payload = catalog_.field().payload;
  const std::uint64_t slice = payload.length / static_cast<std::uint64_t>(payload.extents[3]);
  for (std::uint64_t kept = slice; kept < payload.length; kept += 50) {
    const auto end = static_cast<std::size_t>(payload.offset + kept);
    const Mended result = mended(whole_.substr(0, end));
    ASSERT_FALSE(result.has_errors()) << kept << result.told();
    const FieldEntry& field = result.catalog.field();
    ASSERT_EQ(field.payload.extents, payload.extents);
    ASSERT_EQ(field.payload.stored.extents[3], static_cast<std::int64_t>(kept / slice));
    ASSERT_TRUE(result.bytes.substr(field.payload.offset, field.payload.length) ==
                whole_.substr(payload.offset, kept / slice * slice));
    ASSERT_NE(result.told().find("time slices 0 to"), std::string::npos);
    ASSERT_TRUE(field.sums.checksum());
  }
}

TEST_P(MendedGauge, WithoutAWholeSliceIsRefused) {
  const Payload& payload = catalog_.field().payload;
  try {
    mended(whole_.substr(0, static_cast<std::size_t>(payload.offset + 100)));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::truncated);
  }
}

INSTANTIATE_TEST_SUITE_P(Golden, MendedGauge,
                         ::testing::Values("qio_gauge_double.lime", "qio_gauge_single_with_lfn.lime"),
                         [](const auto& which) { return which.index == 0 ? "Double" : "SingleWithLfn"; });

// Links that are unitary tell which of the places it is that fit the checksum, unless the byte hardly matters.
TEST(MendedFiles, GetBackBytesOfLinks) {
  const testing::ScratchDirectory directory;
  const Grid grid(Extents{4, 4, 2, 4});
  std::vector<double> links(static_cast<std::size_t>(grid.volume()) * 72, 0.0);
  for (std::size_t link = 0; link < links.size() / 18; ++link) {
    const double angle = 0.01 * static_cast<double>(link);
    double* u = links.data() + 18 * link;
    u[0] = u[8] = std::cos(angle);
    u[1] = std::sin(angle);
    u[9] = -std::sin(angle);
    u[16] = 1;
  }
  for (const bool slices : {true, false}) {
    const std::string path = directory / (slices ? "slices.ildg" : "whole.ildg");
    write(path, grid, gauge(links), {.slice_checksums = slices});
    const std::string whole = testing::contents(path);
    const Payload payload = scan(whole).field().payload;
    for (std::uint64_t at = payload.offset; at < payload.offset + payload.length; at += 1000) {
      const std::uint64_t exponent = at / 8 * 8;  // payloads begin at multiples of 8
      const Mended result = mended(changed(whole, exponent, 0x40));
      ASSERT_TRUE(result.bytes == whole) << exponent << result.told();
      ASSERT_EQ(result.count("repair-byte"), 1U);
    }
  }
}

TEST(MendedFiles, HaveTheirSlicesToProveThem) {
  const std::string whole = golden("slices_with_weights.lime");
  const Catalog catalog = scan(whole);
  const Record& slices = record_of(catalog, "limequat-slices");
  for (const std::uint64_t at : {30U, 50U}) {  // a digit of a checksum, and of a weighted sum
    const Mended result = mended(changed(whole, slices.offset + at, 0x03));
    EXPECT_TRUE(result.bytes == whole) << result.told();
    EXPECT_EQ(result.count("repair-checksum"), 1U);
  }
}

TEST(MendedFiles, WithSlicesOfVersion10GetTheirWeightsWithTheirChecksums) {
  const std::string whole = golden("slices.lime");
  const Catalog catalog = scan(whole);
  const Mended result = mended(changed(whole, record_of(catalog, "limequat-slices").offset + 30, 0x03));
  EXPECT_TRUE(result.bytes == golden("slices_with_weights.lime")) << result.told();
}

TEST(MendedFiles, WithoutChecksumGetOneAndSaySo) {
  std::string bytes = golden("qio_gauge_double.lime");
  const Catalog whole = scan(bytes);
  bytes.resize(record_of(whole, "scidac-checksum").header_offset);
  const Record& data = record_of(whole, "ildg-binary-data");
  bytes[data.header_offset + 6] = '\x40';  // ends the message: a file that never had one
  ASSERT_NO_THROW(scan(bytes).require_sound());
  const Mended result = mended(bytes);
  EXPECT_EQ(result.catalog.field().sums.checksum(), whole.field().sums.checksum());
  EXPECT_NE(result.told().find("computed from the data as they are"), std::string::npos) << result.told();
}

// Two damaged bytes in one slice cannot be told apart; then nothing is invented.
TEST(MendedFiles, WithMoreDamageThanTheSumsLocateAreLeftAndSaySo) {
  const std::string whole = golden("qio_gauge_double.lime");
  const std::uint64_t at = scan(whole).field().payload.offset;
  const std::string damaged = changed(changed(changed(whole, at + 5, 0x11), at + 1700, 0x22), at + 3001, 0x33);
  const Mended result = mended(changed(damaged, 0, 0x01));
  EXPECT_EQ(result.count("repair-header"), 1U);
  EXPECT_EQ(result.count("repair-byte"), 0U);
  EXPECT_TRUE(result.has_errors());
  EXPECT_TRUE(result.bytes == damaged);
}

TEST(MendedFiles, OfAFormatThatNobodyKnowsHowToMendAreRefused) { EXPECT_THROW(mended("plain text"), Error); }

}  // namespace
}  // namespace lq::io
