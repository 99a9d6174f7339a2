// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Catalogs answer with a field or with an error that says what there is.
#include <limequat/catalog.hpp>

#include <gtest/gtest.h>

namespace lq {
namespace {

Catalog catalog_of(std::initializer_list<const char*> names) {
  Catalog catalog;
  catalog.path = "props.lime";
  for (const char* name : names) {
    FieldEntry entry;
    entry.name = name;
    entry.record = catalog.fields.size();
    catalog.fields.push_back(entry);
  }
  return catalog;
}

template <class F>
Error error_of(F call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  return Error(Code::ok, "no error");
}

TEST(Catalog, FindsFieldsByNameAndNumber) {
  const Catalog catalog = catalog_of({"gauge", "spinor", "spinor"});
  EXPECT_EQ(catalog.field().record, 0u);
  EXPECT_EQ(catalog.field("spinor").record, 1u);
  EXPECT_EQ(catalog.field("spinor", 1).record, 2u);
  EXPECT_EQ(catalog.field({}, 1).record, 1u);
}

TEST(Catalog, ListsItsFieldsWhenOneIsMissing) {
  const Error error = error_of([] { catalog_of({"gauge", "spinor", "spinor"}).field("spinr"); });
  EXPECT_EQ(error.code(), Code::no_such_record);
  EXPECT_STREQ(error.what(),
               "props.lime: no field \"spinr\"; the file holds \"gauge\", \"spinor\" (2); did you mean \"spinor\"?");
  EXPECT_EQ(error.facts().path, "props.lime");
  EXPECT_EQ(error.facts().record, "spinr");
  EXPECT_EQ(error.facts().found, "\"gauge\", \"spinor\" (2)");
}

TEST(Catalog, SaysThatNumbersCountFromZero) {
  const Error error = error_of([] { catalog_of({"gauge", "spinor", "spinor"}).field("spinor", 2); });
  EXPECT_EQ(error.code(), Code::no_such_record);
  EXPECT_STREQ(error.what(),
               "props.lime: no field \"spinor\" number 2 (they count from 0); "
               "the file holds \"gauge\", \"spinor\" (2)");
}

TEST(Catalog, WithoutFieldsSaysSo) {
  EXPECT_STREQ(error_of([] { catalog_of({}).field(); }).what(), "props.lime: the file holds no field");
}

TEST(Catalog, ListsThousandsOfFieldsBriefly) {
  Catalog catalog = catalog_of({});
  for (int i = 0; i < 5000; ++i) {
    catalog.fields.emplace_back();
    catalog.fields.back().name = "field number " + std::to_string(i);
  }
  EXPECT_LT(std::string(error_of([&] { catalog.field("gauge"); }).what()).size(), 700u);
}

TEST(Catalog, IsSoundWithNotesAndWarnings) {
  Catalog catalog = catalog_of({"gauge"});
  catalog.findings.emplace_back();
  catalog.findings.emplace_back().severity = Severity::warning;
  EXPECT_EQ(catalog.first_error(), nullptr);
  EXPECT_NO_THROW(catalog.require_sound());
}

TEST(Catalog, ThrowsItsFirstError) {
  Catalog catalog = catalog_of({"gauge"});
  catalog.findings.emplace_back();
  Finding error;
  error.severity = Severity::error;
  error.code = Code::truncated;
  error.message = "the file ends within the payload";
  error.record = "ildg-binary-data";
  error.offset = 1168;
  error.expected = "100 bytes";
  error.found = "50 bytes";
  catalog.findings.push_back(error);
  error.code = Code::malformed;
  catalog.findings.push_back(error);
  const Error thrown = error_of([&] { catalog.require_sound(); });
  EXPECT_EQ(thrown.code(), Code::truncated);
  EXPECT_STREQ(thrown.what(), "props.lime: record \"ildg-binary-data\" at byte 1168: the file ends within the payload");
  EXPECT_EQ(thrown.facts().path, "props.lime");
  EXPECT_EQ(thrown.facts().record, "ildg-binary-data");
  EXPECT_EQ(thrown.facts().offset, 1168u);
  EXPECT_EQ(thrown.facts().expected, "100 bytes");
  EXPECT_EQ(thrown.facts().found, "50 bytes");
}

TEST(Severity, HasNames) {
  EXPECT_EQ(name(Severity::note), "note");
  EXPECT_EQ(name(Severity::warning), "warning");
  EXPECT_EQ(name(Severity::error), "error");
}

}  // namespace
}  // namespace lq
