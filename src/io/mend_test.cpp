// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Files of tests/golden, which a plain script wrote, are damaged and repaired: what must come back are their bytes.
#include "io/repair_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <string>

#include <limequat/error.hpp>
#include <limequat/file.hpp>

#include "io/verify.hpp"
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
  Verdict verdict = Verdict::sound;

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

// With what an examination of the result finds out.
Mended mended(const std::string& bytes) {
  base::MemorySource file(base::as_bytes(bytes), "damaged");
  const RepairedFile result = repair_records(file, {}, 3);
  Mended told{contents(result.to_write()), result.catalog, result.findings};
  const auto files = storage::make_memory();
  const auto written = files->create("mended");
  written->write_at(0, base::as_bytes(told.bytes));
  written->close();
  const Verification examined = io::verify(*files, "mended", Communicator(), {.physics = Measure::never, .threads = 1});
  told.verdict = examined.verdict;
  for (const Finding& finding : examined.findings) {
    if (finding.severity == Severity::error) told.findings.push_back(finding);
  }
  return told;
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
        // Damage at an end of the header may go on in a text, a text has any length, and a record may be lost.
        if (result.count("repair-doubtful") > 0) {
          ASSERT_TRUE(i == 0 || i == 6 || i == 143 || (i >= 8 && i < 16)) << result.told();
          ASSERT_TRUE(result.bytes.starts_with(whole_)) << result.told();
          ASSERT_EQ(result.verdict, Verdict::unproven) << result.told();
          continue;
        }
        ASSERT_TRUE(result.bytes == whole_) << result.told();
        // A length of the last record may be that of a record that was cut.
        if (&record == &catalog_.records.back() && result.count("repair-lost") == 1) continue;
        ASSERT_FALSE(result.has_errors()) << result.told();
      }
    }
  }
}

TEST_P(MendedGauge, GetsBackItsPadding) {
  for (const Record& record : catalog_.records) {
    for (std::uint64_t at = record.offset + record.data_length; at % 8 != 0; ++at) {
      const Mended result = mended(changed(whole_, at, 0x20));
      ASSERT_TRUE(result.bytes.starts_with(whole_));
      EXPECT_EQ(result.count("repair-padding"), 1U);
      ASSERT_EQ(result.bytes == whole_, result.count("repair-doubtful") == 0) << result.told();
    }
  }
}

// Random numbers are no links, and both words of the checksum of so few sites are one: larger damage elsewhere could
// look the same, so that nothing is proven.
TEST_P(MendedGauge, LeavesBytesOfItsDataThatNothingProves) {
  const FieldEntry& field = catalog_.field();
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
    ASSERT_TRUE(result.bytes == damaged && result.has_errors()) << at << result.told();
  }
}

// Documents that no longer can be read say the same again; those that still can be are left alone.
TEST_P(MendedGauge, GetsBackWhatItsDescriptionsSay) {
  for (const std::string_view type : {"scidac-private-file-xml", "scidac-private-record-xml", "ildg-format"}) {
    const Record& record = record_of(catalog_, type);
    for (std::uint64_t at = record.offset; at + 1 < record.offset + record.data_length; ++at) {
      const Mended result = mended(changed(whole_, at, 0x12));
      // What is nearly a known word is told.
      if (result.count("field-unknown") > 0) continue;
      ASSERT_EQ(result.has_errors(), result.count("scidac-datatype") > 0)
          << type << ", byte " << at - record.offset << "\n"
          << result.told();
      const FieldEntry& field = result.catalog.field();
      ASSERT_EQ(field.payload.extents, catalog_.field().payload.extents);
      ASSERT_EQ(field.payload.spec.numbers, catalog_.field().payload.spec.numbers);
      ASSERT_EQ(field.sums.checksum(), catalog_.field().sums.checksum());
    }
  }
}

// Nothing else proves the data, and the file says so from then on.
TEST_P(MendedGauge, IsUnprovenWhenItsChecksumIsCutOff) {
  const Record& checksum = record_of(catalog_, "scidac-checksum");
  for (std::uint64_t end = checksum.header_offset; end < checksum.offset + checksum.data_length; ++end) {
    const Mended result = mended(whole_.substr(0, static_cast<std::size_t>(end)));
    ASSERT_TRUE(result.catalog.complete);
    const auto before = static_cast<std::size_t>(checksum.header_offset);
    ASSERT_TRUE(result.bytes.substr(0, 6) == whole_.substr(0, 6)) << end;
    const Payload& data = result.catalog.field().payload;
    ASSERT_TRUE(result.bytes.substr(data.offset, data.length) == whole_.substr(data.offset, data.length)) << end;
    ASSERT_LE(data.offset + data.length, before);
    // Without its NUL alone the document is whole, only shorter.
    if (result.count("repair-length") == 1) {
      ASSERT_GE(result.count("repair-doubtful"), 1U) << end << result.told();
      ASSERT_EQ(result.verdict, Verdict::unproven) << end << result.told();
      ASSERT_EQ(result.catalog.field().sums.checksum(), catalog_.field().sums.checksum()) << end;
      continue;
    }
    ASSERT_EQ(result.count("repair-unproven"), 1U) << end << result.told();
    ASSERT_EQ(result.verdict, Verdict::unproven) << end << result.told();
    ASSERT_FALSE(result.catalog.field().sums.checksum()) << end;
    // A repair of the repaired file finds nothing more, and does not make it sound.
    ASSERT_TRUE(mended(result.bytes).bytes == result.bytes);
  }
}

// A checksum that cannot be read, in whatever letter: no new one is made of the data.
TEST_P(MendedGauge, IsUnprovenWhenItsChecksumCannotBeRead) {
  const Record& checksum = record_of(catalog_, "scidac-checksum");
  const std::size_t digits = whole_.find("<suma>", checksum.offset) + 6;
  std::string damaged = whole_;
  damaged.replace(digits, 4, "zzzz");
  for (const bool flips : {false, true}) {
    if (flips) damaged = changed(damaged, catalog_.field().payload.offset + 100, 0x10);
    const Mended result = mended(damaged);
    EXPECT_EQ(result.count("repair-unproven"), 1U) << result.told();
    EXPECT_EQ(result.verdict, Verdict::unproven) << result.told();
    EXPECT_FALSE(result.catalog.field().sums.checksum());
  }
}

// Whatever is cut off the data: the whole slices are there, at their places of the lattice, bit for bit.
TEST_P(MendedGauge, CutInItsDataKeepsItsWholeSlices) {
  const Payload& payload = catalog_.field().payload;
  const std::uint64_t slice = payload.length / static_cast<std::uint64_t>(payload.extents[3]);
  for (std::uint64_t kept = slice; kept < payload.length; kept += 50) {
    const auto end = static_cast<std::size_t>(payload.offset + kept);
    const Mended result = mended(whole_.substr(0, end));
    ASSERT_EQ(result.count("repair-rescued"), 1U) << kept << result.told();
    ASSERT_TRUE(result.has_errors());
    const FieldEntry& field = result.catalog.field();
    ASSERT_EQ(field.payload.extents, payload.extents);
    ASSERT_EQ(field.payload.stored.extents[3], static_cast<std::int64_t>(kept / slice));
    ASSERT_TRUE(result.bytes.substr(field.payload.offset, field.payload.length) ==
                whole_.substr(payload.offset, kept / slice * slice));
    ASSERT_NE(result.told().find("time slices 0 to"), std::string::npos);
    // The file has no checksums of slices that would prove them.
    ASSERT_FALSE(field.sums.checksum());
    ASSERT_EQ(result.verdict, Verdict::unproven) << result.told();
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

// A changed byte has the sum of another one of a neighbouring site, or of two that it crosses into: bits 7 and 8 to 14
// of a site are bits 8 to 15 of the next one.
TEST(MendedFiles, OfRandomNumbersAreLeftWhereOnlyTheSciDacSumCouldTellTheByte) {
  const testing::ScratchDirectory directory;
  const Grid grid(Extents{4, 4, 4, 4});
  std::vector<double> numbers(static_cast<std::size_t>(grid.volume()) * 24);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = std::sin(static_cast<double>(i));
  for (const bool slices : {true, false}) {
    const std::string path = directory / (slices ? "slices.scidac" : "spinor.scidac");
    write(path, grid, spinor(numbers), {.slice_checksums = slices});
    const std::string whole = testing::contents(path);
    const Payload payload = scan(whole).field().payload;
    for (std::uint64_t at = payload.offset; at + 1 < payload.offset + payload.length; at += 1009) {
      const std::string wide = changed(changed(whole, at, 0x80), at + 1, 0x41);
      for (const std::string& damaged : {changed(whole, at, 0x08), changed(whole, at, 0x81), wide}) {
        const Mended result = mended(damaged);
        const bool is_whole = result.bytes == whole;
        ASSERT_TRUE(is_whole || (result.bytes == damaged && result.has_errors())) << at << result.told();
        ASSERT_FALSE(is_whole && !slices) << at;
      }
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

// They never had one: nothing is to be repaired.
TEST(MendedFiles, WithoutChecksumStayWithout) {
  std::string bytes = golden("qio_gauge_double.lime");
  const Catalog whole = scan(bytes);
  bytes.resize(record_of(whole, "scidac-checksum").header_offset);
  const Record& data = record_of(whole, "ildg-binary-data");
  bytes[data.header_offset + 6] = '\x40';  // ends the message: a file that never had one
  ASSERT_NO_THROW(scan(bytes).require_sound());
  const Mended result = mended(bytes);
  EXPECT_TRUE(result.bytes == bytes);
  EXPECT_TRUE(result.findings.empty()) << result.told();
}

// Sums of slices are as good as the one that is lost: they prove the data, mend them, or say where they are damaged.
TEST(MendedFiles, KeepSumsOfSlicesThatTheDataContradict) {
  const std::string whole = golden("slices_with_weights.lime");
  const Catalog catalog = scan(whole);
  const Payload& payload = catalog.field().payload;
  const std::size_t digits = whole.find("<suma>", record_of(catalog, "scidac-checksum").offset) + 6;
  std::string garbled = whole;
  garbled.replace(digits, 4, "zzzz");
  const std::string cut = whole.substr(0, record_of(catalog, "scidac-checksum").header_offset);
  for (const std::string& lost : {garbled, cut}) {
    const Mended proven = mended(lost);
    EXPECT_TRUE(proven.bytes == whole) << proven.told();
    EXPECT_FALSE(proven.has_errors()) << proven.told();
    int mended_bytes = 0;
    for (std::uint64_t at = payload.offset; at < payload.offset + payload.length; at += 41) {
      const Mended result = mended(changed(lost, at, 0x10));
      if (result.bytes == whole) {
        ++mended_bytes;
        continue;
      }
      ASSERT_EQ(result.verdict, Verdict::damaged) << at << result.told();
      ASSERT_TRUE(result.has_errors());
      ASSERT_EQ(result.catalog.field().sums.slices(), catalog.field().sums.slices());
      ASSERT_EQ(result.count("repair-checksum"), 0U) << result.told();
    }
    EXPECT_GT(mended_bytes, 0);
    // More than a byte, as lost writes leave it.
    std::string zeros = lost;
    zeros.replace(payload.offset + payload.length / 2, payload.length / 4, payload.length / 4, '\0');
    const Mended result = mended(zeros);
    EXPECT_EQ(result.verdict, Verdict::damaged) << result.told();
    EXPECT_EQ(result.catalog.field().sums.slices(), catalog.field().sums.slices());
  }
}

// What of the rescued slices is damaged is damaged in the part as well, and its texts are not those of the whole.
TEST(MendedFiles, CutInTheirDataKeepTheSumsOfTheirSlices) {
  const std::string whole = golden("slices_with_weights.lime");
  const FieldEntry field = scan(whole).field();
  const Payload& payload = field.payload;
  const std::uint64_t slices = field.sums.slices().size(), slice = payload.length / slices;
  ASSERT_GT(slices, 1U);
  const std::string cut = whole.substr(0, payload.offset + (slices - 1) * slice + 5);
  const Mended part = mended(cut);
  EXPECT_EQ(part.verdict, Verdict::consistent) << part.told();
  EXPECT_EQ(part.count("repair-rescued"), 1U) << part.told();
  EXPECT_TRUE(part.has_errors());
  EXPECT_EQ(part.told().find("plaq"), std::string::npos);
  for (const auto& [name, text] : part.catalog.field().metadata) {
    EXPECT_EQ(text.find("plaq"), std::string::npos) << name;
  }
  const Mended damaged = mended(changed(changed(cut, payload.offset + 3, 0x10), payload.offset + slice / 2, 0x01));
  EXPECT_EQ(damaged.verdict, Verdict::damaged) << damaged.told();
  EXPECT_NE(damaged.told().find("differ from their checksums"), std::string::npos) << damaged.told();
}

TEST(MendedFiles, CutInTheirDataKeepTextsThatHoldForAPart) {
  const testing::ScratchDirectory scratch;
  const std::string path = scratch / "noted.lime";
  const Grid grid(Extents{4, 2, 2, 8});
  std::vector<double> links(static_cast<std::size_t>(grid.volume()) * 72);
  std::iota(links.begin(), links.end(), 0.25);
  lq::write(path, grid, gauge(links), {.format = "scidac", .metadata = {{"note", "of any part"}}});
  const std::string whole = testing::contents(path);
  const Payload payload = scan(whole).field().payload;
  const Mended part = mended(whole.substr(0, payload.offset + payload.length / 2));
  ASSERT_EQ(part.count("repair-rescued"), 1U) << part.told();
  Metadata texts = part.catalog.field().metadata;
  texts.insert(texts.end(), part.catalog.metadata.begin(), part.catalog.metadata.end());
  EXPECT_EQ(std::ranges::count(texts, std::string("of any part"), &Metadata::value_type::second), 1);
}

// The texts of a generic field have a sum, which proves what any one of their bytes was.
TEST(MendedFiles, GetBackEveryByteOfTheDescriptionOfAGenericField) {
  const testing::ScratchDirectory scratch;
  const std::string path = scratch / "generic.scidac";
  const Grid grid(Extents{4, 2, 2, 8});
  std::vector<double> numbers(static_cast<std::size_t>(grid.volume()) * 6);
  std::iota(numbers.begin(), numbers.end(), 0.25);
  const FieldSpec spec = generic_spec(Precision::double_, 6, false);
  lq::write(path, grid, {spec, numbers.data(), numbers.size(), {}, {}},
            {.format = "scidac", .name = "my field", .metadata = {{"limequat-site-shape", "2 3"}}});
  const std::string whole = testing::contents(path);
  const Catalog catalog = scan(whole);
  std::size_t corrected = 0;
  for (const char* type :
       {"scidac-private-record-xml", "limequat-description", "limequat-name", "limequat-site-shape"}) {
    const Record& record = record_of(catalog, type);
    for (std::uint64_t at = record.offset; at < record.offset + record.data_length; ++at) {
      for (const int mask : {0x01, 0x20, 0xff, static_cast<int>(whole[at])}) {
        if ((mask & 0xff) == 0) continue;
        SCOPED_TRACE(std::string(type) + ", byte " + std::to_string(at - record.offset));
        const Mended result = mended(changed(whole, at, mask));
        ASSERT_TRUE(result.bytes == whole) << result.told();
        ASSERT_FALSE(result.has_errors()) << result.told();
        ++corrected;
      }
    }
  }
  EXPECT_GT(corrected, 1000U);
  // The lattice has the sum, too, wherever its document is damaged but for both ends of the numbers.
  const Record& file = record_of(catalog, "scidac-private-file-xml");
  for (std::uint64_t at = file.offset; at < file.offset + file.data_length; ++at) {
    const Mended result = mended(changed(whole, at, 0x02));
    const bool is_same = result.bytes == whole || result.bytes == changed(whole, at, 0x02);
    EXPECT_TRUE(is_same || result.has_errors()) << at - file.offset << result.told();
  }
  const std::uint64_t dims = whole.find("<dims>") + 6;
  for (const std::uint64_t at : {dims, dims + 2, dims + 6, dims - 5, dims + 10, file.offset + 40}) {
    const Mended result = mended(changed(whole, at, 0x02));
    EXPECT_TRUE(result.bytes == whole) << at - dims << result.told();
  }
  // Two damaged bytes prove nothing.
  const Record& record = record_of(catalog, "scidac-private-record-xml");
  const std::string twice = changed(changed(whole, record.offset + 60, 0x01), record.offset + 90, 0x01);
  EXPECT_TRUE(mended(twice).has_errors());
}

// The fields that follow are gone: what is left must not look like a whole file.
TEST(MendedFiles, NameTheRecordsWhoseHeadersAreGone) {
  for (const char* const name : {"checksum_absent.lime", "three_spinors.lime"}) {
    const std::string whole = golden(name);
    const Catalog catalog = scan(whole);
    for (std::size_t k = 1; k < catalog.records.size(); ++k) {
      if (catalog.records[k - 1].me_flag) continue;
      std::string damaged = whole;
      for (std::size_t j = k; j < catalog.records.size(); ++j) {
        std::fill_n(damaged.begin() + static_cast<std::ptrdiff_t>(catalog.records[j].header_offset), 144, '\0');
      }
      SCOPED_TRACE(std::string(name) + ", from record " + std::to_string(k) + " on");
      const Mended result = mended(damaged);
      EXPECT_TRUE(result.has_errors()) << result.told();
      EXPECT_GT(result.verdict, Verdict::unproven) << result.told();
    }
  }
}

// Fewer fields than there were are not a sound file, even if each of them agrees with its sums.
TEST(MendedFiles, ThatLostRecordsSayItThemselves) {
  const std::string whole = golden("three_spinors.lime");
  const Catalog catalog = scan(whole);
  const std::uint64_t message = catalog.records.at(static_cast<std::size_t>(catalog.fields.at(2).record)).message;
  const auto third = std::ranges::find(catalog.records, message, &Record::message);
  ASSERT_NE(third, catalog.records.end());
  const Mended result = mended(whole.substr(0, third->header_offset + 100));
  EXPECT_TRUE(result.has_errors()) << result.told();
  EXPECT_EQ(result.catalog.fields.size(), 2U) << result.told();
  EXPECT_EQ(result.verdict, Verdict::unproven) << result.told();
}

TEST(MendedFiles, CutInATextInFrontOfDataNameTheLoss) {
  const std::string whole = golden("three_spinors.lime");
  const Catalog catalog = scan(whole);
  for (const Record& record : catalog.records) {
    if (record.type == "scidac-binary-data" || record.type == "scidac-checksum" || record.header_offset == 0) continue;
    SCOPED_TRACE(record.type + " at " + std::to_string(record.header_offset));
    const Mended result = mended(whole.substr(0, record.offset + record.data_length / 2));
    EXPECT_TRUE(result.has_errors()) << result.told();
  }
}

// Zeros behind the end are no header, and the last record does not take them.
TEST(MendedFiles, LoseTheZerosBehindTheirEnd) {
  const std::string whole = golden("qio_gauge_double.lime");
  for (const std::size_t zeros : {8U, 144U, 145U, 512U, 4096U, 100000U}) {
    const Mended result = mended(whole + std::string(zeros, '\0'));
    EXPECT_TRUE(result.bytes == whole) << zeros << result.told();
    EXPECT_EQ(result.count("repair-length"), 0U) << zeros << result.told();
  }
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

// Of records without a checksum between them nobody knows whether one is missing, and the file says so.
TEST(MendedFiles, ThatMayHaveLostARecordSayItThemselves) {
  const std::string whole = golden("qio_gauge_single_with_lfn.lime");
  const Catalog catalog = scan(whole);
  for (const char* const type : {"scidac-file-xml", "ildg-data-lfn"}) {
    const Record& record = record_of(catalog, type);
    std::string damaged = whole;
    damaged.erase(record.header_offset, (record.offset - record.header_offset + record.data_length + 7) / 8 * 8);
    const Catalog left = scan(damaged);
    if (left.findings.empty()) continue;  // it was within its message, where no flag tells
    const Mended result = mended(damaged);
    EXPECT_EQ(result.count("repair-doubtful"), 1U) << type << result.told();
    EXPECT_EQ(result.verdict, Verdict::unproven) << type << result.told();
  }
  const Record& first = record_of(catalog, "scidac-private-file-xml");
  const Mended flag = mended(changed(whole, first.header_offset + 6, 0x80));
  EXPECT_TRUE(flag.bytes == whole && !flag.has_errors()) << flag.told();
}

// The file is cut in the description of its only field, behind data of another kind.
TEST(MendedFiles, ThatLostTheirOnlyFieldSayItThemselves) {
  const Mended result = mended(golden("global_record_then_field.lime").substr(0, 1787));
  EXPECT_EQ(result.count("repair-left-out"), 1U) << result.told();
  EXPECT_EQ(result.verdict, Verdict::unproven) << result.told();
}

// Nor whether a checksum is missing for a message that is begun and not ended.
TEST(MendedFiles, WithoutTheEndOfAMessageLackItsChecksum) {
  const std::string whole = golden("three_spinors.lime");
  const Catalog catalog = scan(whole);
  const Record& record = record_of(catalog, "scidac-checksum");
  std::string damaged = whole;
  damaged.erase(record.header_offset, record.offset - record.header_offset + record.data_length);
  const Catalog left = scan(damaged);
  ASSERT_FALSE(left.findings.empty());
  EXPECT_EQ(std::ranges::count(left.findings, "scidac-checksum-lost", &Finding::rule), 1);
  const Mended result = mended(damaged);
  EXPECT_EQ(result.count("repair-unproven"), 1U) << result.told();
  EXPECT_EQ(result.verdict, Verdict::unproven) << result.told();
}

// Two bytes are lost in the record of the last mode, and the index has them.
TEST(MendedFiles, WithoutTwoBytesOfTheirLastModeAreWhole) {
  const std::string whole = testing::golden_contents("good/modes/three_modes.modes");
  std::string damaged = whole;
  damaged.erase(whole.size() - 30, 2);
  const Mended result = mended(damaged);
  EXPECT_TRUE(result.bytes == whole && !result.has_errors()) << result.told();
}

// Whatever its first bytes were taken for, the index knows of every record.
TEST(MendedFiles, OfModesWhoseFirstBytesAreZerosAreWhole) {
  const std::string whole = testing::golden_contents("good/modes/three_modes.modes");
  std::string damaged = whole;
  damaged.replace(2, 6, 6, '\0');
  const Mended result = mended(damaged);
  EXPECT_TRUE(result.bytes == whole && !result.has_errors()) << result.told();
}

// Data and checksum of one field, sums of slices of another: nothing tells which of them belong to the field.
TEST(MendedFiles, WithSlicesOfOtherDataKeepThem) {
  const testing::ScratchDirectory folder;
  const Grid grid({4, 4, 4, 4});
  std::vector<double> one(static_cast<std::size_t>(grid.volume()) * 24, 0.5), other(one.size(), 0.25);
  const auto written = [&](std::vector<double>& numbers) {
    write(folder / "field.scidac", grid, spinor(numbers), {.overwrite = true, .time_stamps = false});
    return testing::contents(folder / "field.scidac");
  };
  std::string mixed = written(one);
  const std::string second = written(other);
  const Catalog catalog = scan(mixed);
  const Record& slices = record_of(catalog, "limequat-slices");
  mixed.replace(slices.offset, slices.data_length, second, slices.offset, slices.data_length);
  const Mended result = mended(mixed);
  EXPECT_TRUE(result.bytes == mixed) << result.told();
  EXPECT_EQ(result.verdict, Verdict::damaged);
}

TEST(MendedFiles, OfAFormatThatNobodyKnowsHowToMendAreRefused) { EXPECT_THROW(mended("plain text"), Error); }

}  // namespace
}  // namespace lq::io
