// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One file for each known program and each known damage is in tests/golden; here is what takes large or many records.
#include "format/scidac/scidac_base.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <random>

#include <fmt/format.h>

#include "support/assembled.hpp"

namespace lq::format::scidac {
namespace {

using testing::record;

const std::string form =
    "<ildgFormat><field>su3gauge</field><precision>32</precision><lx>1</lx><ly>1</ly><lz>1</lz><lt>1</lt></ildgFormat>";
const std::string checksum = "<scidacChecksum><suma>1</suma><sumb>2</sumb></scidacChecksum>";
const std::string data(288, 'd');

// A message with one gauge field, with `texts` in front of the data.
std::string field_message(const std::string& texts = {}) {
  return record("ildg-format", form, true, false) + texts + record("ildg-binary-data", data, false, false) +
         record("scidac-checksum", checksum, false, true);
}

Catalog scan_bytes(const std::string& bytes, const Limits& limits = {}) {
  return testing::scan(format_named("ildg"), bytes, limits);
}

TEST(ScidacScan, RefusesAHugeDocumentWithoutReadingIt) {
  const std::string huge(2 << 20, ' ');
  const Catalog catalog =
      scan_bytes(record("ildg-format", form + huge, true, false) + record("ildg-binary-data", data, false, true));
  ASSERT_NE(catalog.first_error(), nullptr);
  EXPECT_EQ(catalog.first_error()->code, Code::too_large);
  EXPECT_EQ(catalog.first_error()->rule, "ildg-format");
}

TEST(ScidacScan, MissesTheDataThatADamagedTypeHides) {
  std::string bytes = field_message();
  bytes.at(bytes.find("ildg-binary-data")) = 'j';
  const Catalog catalog = scan_bytes(bytes);
  ASSERT_NE(catalog.first_error(), nullptr);
  EXPECT_EQ(catalog.first_error()->rule, "scidac-data-missing");
}

TEST(ScidacScan, MissesTheDataBehindADamagedLength) {
  const std::string first = record("scidac-file-xml", std::string(40, ' '), true, true);
  std::string bytes = first + field_message();
  bytes.at(15) = 48;
  const Catalog catalog = scan_bytes(bytes);
  ASSERT_NE(catalog.first_error(), nullptr);
  EXPECT_EQ(catalog.first_error()->rule, "scidac-data-missing");
}

bool breaks(const Catalog& catalog, std::string_view rule) {
  return std::ranges::any_of(catalog.findings,
                             [&](const Finding& f) { return f.rule == rule && f.severity == Severity::error; });
}

// Also where fields are left.
TEST(ScidacScan, MissesTheDataOfAFieldAmongOthers) {
  for (const int lost : {0, 1, 2}) {
    for (const char* type : {"ildg-binary-dbta", "something else"}) {
      std::string bytes;
      for (int k = 0; k < 3; ++k) {
        bytes += record("ildg-format", form, true, false) +
                 record(k == lost ? type : "ildg-binary-data", data, false, false) +
                 record("scidac-checksum", checksum, false, true);
      }
      const Catalog catalog = scan_bytes(bytes);
      ASSERT_NE(catalog.first_error(), nullptr);
      EXPECT_EQ(catalog.first_error()->rule, "scidac-data-missing") << lost << type;
      EXPECT_EQ(breaks(catalog, "lime-type-damaged"), std::string_view(type).starts_with("ildg")) << lost;
    }
  }
}

std::ptrdiff_t errors_in(const Catalog& catalog) {
  return std::ranges::count(catalog.findings, Severity::error, &Finding::severity);
}

// One damage is one error, however many records refer to the data.
TEST(ScidacScan, ReportsAFieldOnce) {
  const std::string slices = record("limequat-slices", "limequat-slices 1.1\n", false, false);
  const std::string whole = field_message() + field_message(slices);
  const std::uint64_t data_at = whole.rfind("ildg-binary-data") - 16;
  for (const std::uint64_t size : {data_at + 144 + 200, data_at + 100, data_at}) {
    const Catalog cut = scan_bytes(whole.substr(0, size));
    EXPECT_EQ(errors_in(cut), 1) << size;
    EXPECT_FALSE(cut.complete);
  }
  std::string lost = whole;
  lost.replace(data_at + 16, 16, "something-other-");
  EXPECT_EQ(errors_in(scan_bytes(lost)), 1);
}

TEST(ScidacScan, MissesTheDescriptionOfDataInAnyFile) {
  const Catalog catalog =
      scan_bytes(record("note", "plain", true, true) + record("scidac-binary-data", data, true, true));
  ASSERT_NE(catalog.first_error(), nullptr);
  EXPECT_EQ(catalog.first_error()->rule, "field-undescribed");
}

TEST(ScidacScan, ComparesASecondChecksumWithTheFirst) {
  const std::string other = "<scidacChecksum><suma>1</suma><sumb>3</sumb></scidacChecksum>";
  for (const std::string& second : {checksum, other}) {
    const Catalog catalog =
        scan_bytes(record("ildg-format", form, true, false) + record("ildg-binary-data", data, false, false) +
                   record("scidac-checksum", checksum, false, false) + record("scidac-checksum", second, false, true));
    EXPECT_EQ(breaks(catalog, "scidac-checksum-repeated"), second == other);
    EXPECT_EQ(catalog.first_error(), nullptr);
  }
}

TEST(ScidacScan, TakesNoChecksumForAbsentThatHoldsSomething) {
  const auto of = [](const std::string& text) {
    return scan_bytes(record("ildg-format", form, true, false) + record("ildg-binary-data", data, false, false) +
                      record("scidac-checksum", text, false, true));
  };
  EXPECT_EQ(of("<scidacChecksum><version>1.0</version></scidacChecksum>").first_error(), nullptr);
  for (const char* text :
       {"<scidacChecksum><suma>1</suma><sunb>2</sunb></scidacChecksum>",
        "<scidacChecksum><sumb>2</sumb></scidacChecksum>", "<scidacChecksum><sums>1</sums></scidacChecksum>"}) {
    EXPECT_TRUE(breaks(of(text), "scidac-checksum")) << text;
  }
}

// A lattice of 2 x 1 x 1 x `t`, and 2 x 1 x 1 x 4 sites of doubles.
Catalog stated_with(int t, const char* field = "su3gauge") {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  std::string numbers;
  for (int i = 0; i < 8 * 72; ++i) {
    const auto word = std::bit_cast<std::uint64_t>(normal(random));
    for (int byte = 7; byte >= 0; --byte) numbers += static_cast<char>(word >> 8 * byte);
  }
  return scan_bytes(record("ildg-format",
                           fmt::format("<ildgFormat><field>{}</field><precision>64</precision><lx>2</lx><ly>1</ly>"
                                       "<lz>1</lz><lt>{}</lt></ildgFormat>",
                                       field, t),
                           true, false) +
                    record("ildg-binary-data", numbers, false, true));
}

TEST(ScidacScan, TakesDoublesOfALatticeStatedTwiceAsLongForNoSingleNumbers) {
  EXPECT_TRUE(stated_with(4).findings.empty());
  const Catalog catalog = stated_with(8);
  ASSERT_NE(catalog.first_error(), nullptr);
  EXPECT_EQ(catalog.first_error()->rule, "field-length");
  EXPECT_NE(catalog.first_error()->message.find("the stated lattice is wrong"), std::string::npos);
}

TEST(ScidacScan, ReadsMatricesOfTheOneSizeThatFits) {
  const Catalog catalog = stated_with(4, "su2gauge");
  EXPECT_EQ(catalog.first_error(), nullptr);
  EXPECT_TRUE(breaks(catalog, "field-colors"));
  EXPECT_EQ(catalog.field("gauge").payload.spec.colors, 3);
  EXPECT_TRUE(breaks(stated_with(4, "su3gauga"), "field-unknown"));
}

TEST(ScidacScan, ComparesTheNumbersOfFieldsThatTextsState) {
  const auto of = [](int vectors) {
    return scan_bytes(record("scidac-file-xml", fmt::format("<info><Nvecs>{}</Nvecs></info>", vectors), true, true) +
                      field_message() + field_message());
  };
  EXPECT_FALSE(breaks(of(2), "scidac-fields-missing"));
  EXPECT_TRUE(breaks(of(3), "scidac-fields-missing"));
}

TEST(ScidacScan, FindsHeadersBehindBytesThatAreNone) {
  std::string bytes = field_message() + field_message() + field_message();
  const std::size_t second = field_message().size();
  bytes.replace(second, 40, 40, '\1');
  EXPECT_TRUE(breaks(scan_bytes(bytes), "lime-records-lost"));
  const Catalog text = scan_bytes(field_message() + "crc 12345 plaquette 0.59\n");
  EXPECT_EQ(text.first_error(), nullptr);
  EXPECT_TRUE(text.complete);
  ASSERT_EQ(text.findings.size(), 1U);
  EXPECT_EQ(text.findings.front().rule, "lime-trailing-bytes");
  EXPECT_EQ(text.findings.front().severity, Severity::warning);
}

TEST(ScidacScan, ReadsAThousandFields) {
  std::string bytes;
  for (int i = 0; i < 1000; ++i) bytes += field_message(record("note", std::to_string(i), false, false));
  const Catalog catalog = scan_bytes(bytes);
  ASSERT_EQ(catalog.fields.size(), 1000U);
  EXPECT_TRUE(catalog.findings.empty());
  EXPECT_EQ(catalog.field("gauge", 777).metadata, (Metadata{{"note", "777"}}));
}

TEST(ScidacScan, GivesTextsToTheFieldOfTheirMessage) {
  const std::string bytes = record("note", "of the file", true, true) +
                            field_message(record("note", "of the first", false, false)) + field_message() +
                            record("note", "behind", true, true);
  const Catalog catalog = scan_bytes(bytes);
  ASSERT_EQ(catalog.fields.size(), 2U);
  EXPECT_EQ(catalog.fields[0].metadata, (Metadata{{"note", "of the first"}}));
  EXPECT_TRUE(catalog.fields[1].metadata.empty());
  EXPECT_EQ(catalog.metadata, (Metadata{{"note", "of the file"}, {"note", "behind"}}));
}

TEST(ScidacScan, KeepsTextsWithinTheLimitAndNoBinaryRecords) {
  Limits limits;
  limits.text_bytes = 1000;
  const std::string texts = record("short", "text\n\t", false, false) +
                            record("long", std::string(1001, 'x'), false, false) +
                            record("bytes", std::string("\0\1\2", 3), false, false);
  const Catalog catalog = scan_bytes(field_message(texts), limits);
  EXPECT_EQ(catalog.fields.at(0).metadata, (Metadata{{"short", "text\n\t"}}));
  ASSERT_EQ(catalog.findings.size(), 1U);
  EXPECT_EQ(catalog.findings[0].severity, Severity::note);
  EXPECT_EQ(catalog.findings[0].record, "long");
}

TEST(ScidacScan, HoldsFourTextLimitsAtMost) {
  Limits limits;
  limits.text_bytes = 1000;
  std::string texts;
  for (int i = 0; i < 10; ++i) texts += record("text", std::string(900, 'x'), false, false);
  EXPECT_EQ(scan_bytes(field_message(texts), limits).fields.at(0).metadata.size(), 4U);
}

// A site of 2^63 + 4 bytes in single precision has 8 bytes modulo 2^64 in double: eight such sites would "fit".
TEST(ScidacScan, RefusesSitesWhoseSizeInTheOtherPrecisionOverflows) {
  const std::string file = "<scidacFile><spacetime>1</spacetime><dims>8</dims></scidacFile>";
  const std::string site =
      "<scidacRecord><recordtype>0</recordtype><datatype>X</datatype><precision>F</precision>"
      "<typesize>9223372036854775812</typesize><datacount>1</datacount></scidacRecord>";
  const Catalog catalog = scan_bytes(record("scidac-private-file-xml", file, true, true) +
                                     record("scidac-private-record-xml", site, true, false) +
                                     record("scidac-binary-data", std::string(64, 'd'), false, true));
  EXPECT_TRUE(catalog.fields.empty());
  ASSERT_NE(catalog.first_error(), nullptr);
  EXPECT_EQ(catalog.first_error()->rule, "field-length");
}

}  // namespace
}  // namespace lq::format::scidac
