// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A catalog survives its way between ranks: compared through its JSON form, which shows every member.
#include "io/catalog_codec.hpp"

#include <gtest/gtest.h>

#include <limequat/json.hpp>

#include "support/error_of.hpp"

namespace lq::io {
namespace {

Catalog full_catalog() {
  Catalog catalog;
  catalog.path = "conf.0010.ildg";
  catalog.format = "ildg";
  catalog.file_bytes = std::uint64_t{1} << 40;
  catalog.complete = false;
  catalog.files = {"conf.0010.ildg", "conf.0010.ildg.000001"};
  catalog.metadata = {{"scidac-file-xml", "<a/>"}, {"x", ""}};
  catalog.records.push_back({"ildg-binary-data", 0, 2, 4, true, false, 1464, 1608, std::uint64_t{1} << 35, 3});
  FieldEntry entry;
  entry.name = "gauge";
  entry.payload.offset = 1608;
  entry.payload.length = std::uint64_t{1} << 35;
  entry.payload.spec = gauge_spec(Precision::single, 4, 4);
  entry.payload.extents = {4, 6, 8, 10};
  entry.payload.stored = {{1, 0, 2, 0}, {2, 6, 4, 10}};
  entry.payload.order = {3, 2, 1, 0};
  entry.payload.byte_order = ByteOrder::little;
  entry.sums.set_checksum({0, 0x11193c39});
  entry.sums.set_slices({{1, 2}, {3, 4}});
  entry.sums.set({{SumKind::crc32, SumOf::tiles}, {5, 6, 7}});
  entry.metadata = {{"xlf-info", "plaquette = 0.5"}};
  entry.plaquette = 0.5937;
  catalog.fields.push_back(entry);
  catalog.findings.push_back(
      {.severity = Severity::error, .code = Code::truncated, .rule = "r", .message = "m", .offset = 17});
  return catalog;
}

TEST(CatalogCodec, KeepsEveryMember) {
  const Catalog catalog = full_catalog();
  const Catalog copy = decode(encode(catalog));
  EXPECT_EQ(to_json(copy), to_json(catalog));
  EXPECT_EQ(copy.fields.at(0).payload.order, catalog.fields.at(0).payload.order);
  EXPECT_EQ(copy.fields.at(0).sums.all, catalog.fields.at(0).sums.all);
}

TEST(CatalogCodec, RefusesBytesThatWereCut) {
  const std::vector<std::byte> bytes = encode(full_catalog());
  const base::Bytes cut(bytes.data(), bytes.size() / 2);
  EXPECT_EQ(testing::error_of([&] { decode(cut); }).code(), Code::communication);
}

// What the answer calls "in order" may be mapped as an array: the numbers of all sites one after another, as they are.
TEST(FieldsInJson, AreInOrderWhereTheirBytesAreTheNumbers) {
  Payload plain;
  plain.spec = gauge_spec(Precision::double_, 3, 4);
  plain.extents = plain.stored.extents = {2, 2, 2, 4};
  plain.order = {0, 1, 2, 3};
  plain.length = 32 * 576;
  const auto is_in_order = [](const Payload& payload) {
    Catalog catalog;
    catalog.records.emplace_back();
    catalog.fields.emplace_back().payload = payload;
    return to_json(catalog).find("\"in_order\":true") != std::string::npos;
  };
  EXPECT_TRUE(is_in_order(plain));
  Payload other = plain;
  other.order = {3, 0, 1, 2};
  EXPECT_FALSE(is_in_order(other));
  other = plain;
  other.arrays = 2;
  EXPECT_FALSE(is_in_order(other));
  other = plain;
  other.codec.third_rows_missing = true;
  EXPECT_FALSE(is_in_order(other));
  other = plain;
  other.codec.fixed16 = true;
  EXPECT_FALSE(is_in_order(other));
}

}  // namespace
}  // namespace lq::io
