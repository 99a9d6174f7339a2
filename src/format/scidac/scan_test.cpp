// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One file for each known program and each known damage is in tests/golden; here is what takes large or many records.
#include "format/scidac/scan.hpp"

#include <gtest/gtest.h>

#include "format/assembled.hpp"

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
