// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/lime/header.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

#include <limequat/error.hpp>

#include "format/format.hpp"
#include "format/scidac/records.hpp"

namespace lq::format::lime {
namespace {

using Field = std::array<std::byte, type_bytes>;

Field field_of(std::string_view type) {
  Field field{};
  std::ranges::copy(base::as_bytes(type), field.begin());
  return field;
}

std::string_view near(std::string_view type) { return near_type(field_of(type), scidac::type::all); }

TEST(NearTypes, AreKnownOnesWithOneBitFlipped) {
  for (const std::string_view type : scidac::type::all) {
    for (std::size_t bit = 0; bit < 8 * type.size(); ++bit) {
      Field field = field_of(type);
      field[bit / 8] ^= std::byte{1} << bit % 8;
      EXPECT_EQ(near_type(field, scidac::type::all), type) << bit;
    }
  }
}

TEST(NearTypes, AreKnownOnesWithOneLetterLostAddedOrChanged) {
  EXPECT_EQ(near("scidac-binary-dat"), "scidac-binary-data");
  EXPECT_EQ(near("cidac-binary-data"), "scidac-binary-data");
  EXPECT_EQ(near("scidac--binary-data"), "scidac-binary-data");
  EXPECT_EQ(near("scidac-binary-dataX"), "scidac-binary-data");
  EXPECT_EQ(near("scidac-binary.data"), "scidac-binary-data");
  Field cut = field_of("ildg-format");
  cut[4] = std::byte{0};
  EXPECT_EQ(near_type(cut, scidac::type::all), "ildg-format");
}

TEST(NearTypes, AreLongOnesWithTwoLettersChanged) {
  EXPECT_EQ(near("scitac-chesksum"), "scidac-checksum");
  EXPECT_EQ(near("1ldg-binary-dat8"), "ildg-binary-data");
  EXPECT_TRUE(near("ylg-info").empty());  // short ones may be others
  EXPECT_TRUE(near("scitac-chesksun").empty());
}

TEST(NearTypes, AreNotKnownOnesAndNotThoseOfUsers) {
  for (const std::string_view type : known_record_types()) {
    EXPECT_TRUE(near_type(field_of(type), known_record_types()).empty()) << type;
  }
  for (const char* type :
       {"", "note", "ildg-data-LFN", "eospinor-binary-data", "propagator-info", "scidac-checksum-copy"}) {
    EXPECT_TRUE(near(type).empty()) << type;
  }
}

TEST(NearTypes, AreRefusedForRecordsOfUsers) {
  EXPECT_THROW(require_own_type("scidac-checksums"), Error);
  EXPECT_NO_THROW(require_own_type("scidac-checksum"));
  EXPECT_NO_THROW(require_own_type("measurements"));
}

}  // namespace
}  // namespace lq::format::lime
