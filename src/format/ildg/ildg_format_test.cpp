// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/formats.hpp"

#include <algorithm>

#include <gtest/gtest.h>
#include <limequat/error.hpp>

#include "support/assembled.hpp"

namespace lq::format::ildg {
namespace {

FieldRequest gauge_request(int colors = 3, const Extents& extents = {2, 1, 1, 2}) {
  FieldRequest request;
  request.spec = gauge_spec(Precision::double_, colors, 4);
  request.spec.links = 4;
  request.spec.numbers = 8ULL * static_cast<std::uint64_t>(colors) * static_cast<std::uint64_t>(colors);
  request.extents = extents;
  return request;
}

std::string file_for(const FieldRequest& request) {
  const Layout layout = format_named("ildg").fields->plan(request);
  Digest digest;
  digest.sums.set_checksum({0x12, 0x34});
  digest.sums.set_slices({{0x10, 0x30}, {0x02, 0x04}});
  digest.sums.set({{SumKind::weighted, SumOf::slices}, {0, 1, 0, 2, 0, 3, 0, 4}});
  return testing::assemble(layout, std::string(layout.payload[0].length, 'd'), digest);
}

std::vector<Finding> validate(std::string_view bytes) {
  base::MemorySource file(base::as_bytes(bytes), "test.ildg");
  const Format& format = recognise(file);
  EXPECT_EQ(format.name(), "ildg");
  return format.container->validate(file, format.container->scan(file, {}));
}

TEST(IldgPlan, KeepsToTheSpecificationInEveryRule) { EXPECT_TRUE(validate(file_for(gauge_request())).empty()); }

// docs/formats/ildg.md 6: the one order that QIO, Grid and tmLQCD all read.
TEST(IldgPlan, PutsRecordsWhereEveryReaderAcceptsThem) {
  FieldRequest request = gauge_request();
  request.metadata = {{"note", "mine"}, {"ildg-data-lfn", "lfn://x/y"}};
  const Catalog catalog = testing::scan(format_named("ildg"), file_for(request));
  std::vector<std::string> types;
  for (const Record& record : catalog.records) types.push_back(record.type);
  const std::vector<std::string> expected = {"scidac-private-file-xml",
                                             "scidac-file-xml",
                                             "scidac-private-record-xml",
                                             "scidac-record-xml",
                                             "ildg-format",
                                             "ildg-data-lfn",
                                             "xlf-info",
                                             "note",
                                             "limequat-slices",
                                             "ildg-binary-data",
                                             "scidac-checksum"};
  EXPECT_EQ(types, expected);
}

TEST(IldgPlan, DescribesTheField) {
  const Catalog catalog = testing::scan(format_named("ildg"), file_for(gauge_request(2, {3, 1, 4, 2})));
  ASSERT_EQ(catalog.fields.size(), 1U);
  const FieldEntry& field = catalog.fields[0];
  EXPECT_EQ(field.name, "gauge");
  EXPECT_EQ(field.payload.spec, gauge_request(2).spec);
  EXPECT_EQ(field.payload.extents, (Extents{3, 1, 4, 2}));
  EXPECT_EQ(field.sums.checksum(), (Checksum{0x12, 0x34}));
  ASSERT_EQ(field.sums.slices().size(), 2U);
}

TEST(IldgPlan, WritesTheFormatDocumentAsQioDoesButForTheNulBehindIt) {
  const std::string file = file_for(gauge_request(3, {4, 4, 4, 2}));
  const std::string expected =
      R"(<?xml version="1.0" encoding="UTF-8"?><ildgFormat xmlns="http://www.lqcd.org/ildg" )"
      R"(xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" )"
      R"(xsi:schemaLocation="http://www.lqcd.org/ildg/filefmt.xsd"><version>1.0</version><field>su3gauge</field>)"
      R"(<precision>64</precision><lx>4</lx><ly>4</ly><lz>4</lz><lt>2</lt></ildgFormat>)";
  EXPECT_NE(file.find(expected), std::string::npos);
  const Catalog catalog = testing::scan(format_named("ildg"), file);
  const auto format = std::ranges::find(catalog.records, "ildg-format", &Record::type);
  ASSERT_NE(format, catalog.records.end());
  EXPECT_EQ(format->data_length, expected.size());
  EXPECT_EQ(expected.size(), 318U);
}

std::string metadata_of(const Catalog& catalog, std::string_view key) {
  for (const auto& [name, text] : catalog.fields.at(0).metadata) {
    if (name == key) return text;
  }
  return "(none)";
}

TEST(IldgPlan, AlwaysHasALogicalFileNameAndXlfInfo) {
  FieldRequest request = gauge_request();
  Catalog catalog = testing::scan(format_named("ildg"), file_for(request));
  EXPECT_EQ(metadata_of(catalog, "ildg-data-lfn"), "lfn://unregistered/limequat");
  EXPECT_EQ(metadata_of(catalog, "xlf-info"), std::string("creator = limequat ") + version() + "\n");
  request.metadata = {{"ildg-data-LFN", "lfn://x/y"}, {"xlf-info", "plaquette = 0.5"}};
  catalog = testing::scan(format_named("ildg"), file_for(request));
  EXPECT_EQ(metadata_of(catalog, "ildg-data-lfn"), "lfn://x/y");
  EXPECT_EQ(metadata_of(catalog, "xlf-info"), "plaquette = 0.5");
}

Code code_for(const FieldRequest& request) {
  try {
    format_named("ildg").fields->plan(request);
    return Code::ok;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("scidac"), std::string::npos) << error.what();
    return error.code();
  }
}

TEST(IldgPlan, RefusesWhatIldgCannotHold) {
  FieldRequest spinor = gauge_request();
  spinor.spec = spinor_spec(Precision::double_);
  EXPECT_EQ(code_for(spinor), Code::unsupported);
  EXPECT_EQ(code_for(gauge_request(3, {2, 2, 2})), Code::unsupported);
  FieldRequest second = gauge_request();
  second.first = false;
  EXPECT_EQ(code_for(second), Code::unsupported);
  EXPECT_EQ(code_for(gauge_request(4)), Code::ok);
}

TEST(IldgScan, FindsEveryCutOfAFile) {
  const std::string whole = file_for(gauge_request());
  const Catalog full = testing::scan(format_named("ildg"), whole);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const std::string bytes = whole.substr(0, length);
    base::MemorySource file(base::as_bytes(bytes), "cut.ildg");
    Code code = Code::ok;
    try {
      const Catalog catalog = lq::format::scan(file, {});
      catalog.require_sound();
      catalog.field("gauge");
    } catch (const Error& error) {
      code = error.code();
    }
    const bool nothing_to_recognise = length < 4;
    const bool between_messages = length == full.records[2].header_offset;
    const Code expected = nothing_to_recognise ? Code::unknown_format
                          : between_messages   ? Code::no_such_record
                                               : Code::truncated;
    EXPECT_EQ(code, expected) << length;
  }
}

}  // namespace
}  // namespace lq::format::ildg
