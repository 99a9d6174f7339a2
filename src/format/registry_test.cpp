// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <limequat/error.hpp>

#include "format/assembled.hpp"

namespace lq::format {
namespace {

std::string_view chosen(const std::string& path, FieldKind kind, const Extents& extents) {
  FieldSpec spec;
  spec.kind = kind;
  return format_for(path, spec, extents).name();
}

TEST(Formats, AreChosenBySuffixThenByField) {
  EXPECT_EQ(chosen("a/conf.ildg", FieldKind::spinor, {2, 2, 2, 2}), "ildg");
  EXPECT_EQ(chosen("conf.scidac", FieldKind::gauge, {2, 2, 2, 2}), "scidac");
  EXPECT_EQ(chosen("conf.qio", FieldKind::gauge, {2, 2, 2, 2}), "scidac");
  EXPECT_EQ(chosen("conf.lime", FieldKind::gauge, {2, 2, 2, 2}), "ildg");
  EXPECT_EQ(chosen("conf.0010", FieldKind::gauge, {2, 2, 2, 2}), "ildg");
  EXPECT_EQ(chosen("dir.ildg/conf", FieldKind::gauge, {2, 2, 2}), "scidac");
  EXPECT_EQ(chosen("conf", FieldKind::spinor, {2, 2, 2, 2}), "scidac");
  EXPECT_THROW(chosen("conf.h5", FieldKind::gauge, {2, 2, 2, 2}), Error);
}

TEST(Formats, AreFoundByNameOrNamed) {
  EXPECT_EQ(format_named("lime").name(), "lime");
  try {
    format_named("idlg");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::invalid_argument);
    EXPECT_NE(std::string(error.what()).find("did you mean \"ildg\""), std::string::npos) << error.what();
  }
}

std::string_view recognised(const std::string& bytes) {
  base::MemorySource file(base::as_bytes(bytes), "test");
  return recognise(file).name();
}

TEST(Formats, AreRecognisedByTheirRecords) {
  EXPECT_EQ(recognised(testing::record("note", "x", true, true)), "lime");
  EXPECT_EQ(recognised(testing::record("scidac-private-file-xml", "x", true, true)), "scidac");
  EXPECT_EQ(recognised(testing::record("note", "x", true, true) + testing::record("ildg-format", "x", true, true)),
            "ildg");
  EXPECT_EQ(recognised(testing::record("ildg-binary-data", "x", true, true)), "ildg");
  EXPECT_EQ(recognised(testing::record("scidac-private-record-xml", "x", true, false) +
                       testing::record("ildg-binary-data", "x", false, true)),
            "scidac");
}

TEST(Formats, LimeHoldsRecordsButNoFields) {
  const Format& lime = format_named("lime");
  const std::string bytes = testing::assemble(lime.records->plan_record("note", "text", 0, true), "", {});
  const Catalog catalog = testing::scan(lime, bytes);
  ASSERT_EQ(catalog.records.size(), 1U);
  EXPECT_EQ(catalog.metadata, (Metadata{{"note", "text"}}));
  EXPECT_EQ(bytes.size(), 152U);
  EXPECT_THROW(lime.for_fields(), Error);
}

}  // namespace
}  // namespace lq::format
