// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/lime/header.hpp"

#include <gtest/gtest.h>
#include <limequat/error.hpp>

namespace lq::format::lime {
namespace {

Header xlf_info() {
  Header header;
  header.mb_flag = header.me_flag = true;
  header.data_length = 265;
  header.type = "xlf-info";
  return header;
}

// docs/formats/lime.md 2: the published example.
TEST(LimeHeader, IsThePublishedExample) {
  const HeaderBytes bytes = encode(xlf_info());
  const std::string expected("\x45\x67\x89\xab\x00\x01\xc0\x00\x00\x00\x00\x00\x00\x00\x01\x09xlf-info", 24);
  EXPECT_EQ(std::string(base::as_text(bytes)), expected + std::string(120, '\0'));
}

TEST(LimeHeader, DecodesWhatItEncodes) {
  const HeaderBytes bytes = encode(xlf_info());
  const Header header = decode(bytes);
  EXPECT_EQ(header.type, "xlf-info");
  EXPECT_EQ(header.data_length, 265U);
  EXPECT_TRUE(header.mb_flag && header.me_flag && header.type_terminated && header.type_tail_is_zero);
  EXPECT_EQ(header.reserved_flags, 0);
}

TEST(LimeHeader, ReadsATypeWithoutTerminatorAs128Characters) {
  HeaderBytes bytes = encode(xlf_info());
  for (std::size_t i = type_offset; i < header_bytes; ++i) bytes[i] = std::byte{'t'};
  EXPECT_EQ(decode(bytes).type, std::string(128, 't'));
  EXPECT_FALSE(decode(bytes).type_terminated);
}

TEST(LimeHeader, ShowsReservedBits) {
  HeaderBytes bytes = encode(xlf_info());
  bytes[6] |= std::byte{0x21};
  bytes[7] = std::byte{9};
  EXPECT_EQ(decode(bytes).reserved_flags, 0x21);
  EXPECT_EQ(decode(bytes).reserved, 9);
}

Code code_for(const Header& header) {
  try {
    encode(header);
    return Code::ok;
  } catch (const Error& error) {
    return error.code();
  }
}

TEST(LimeHeader, RefusesTypesThatDoNotFit) {
  for (const std::string& type : {std::string(), std::string(128, 't'), std::string("a\tb"), std::string("\xc3\xa4")}) {
    Header header = xlf_info();
    header.type = type;
    EXPECT_EQ(code_for(header), Code::invalid_argument) << type;
  }
  Header longest = xlf_info();
  longest.type = std::string(127, 't');
  EXPECT_EQ(code_for(longest), Code::ok);
}

TEST(LimeHeader, RefusesLengthsFrom2ToThe63) {
  Header header = xlf_info();
  header.data_length = length_limit;
  EXPECT_EQ(code_for(header), Code::too_large);
  header.data_length = length_limit - 1;
  EXPECT_EQ(code_for(header), Code::ok);
}

TEST(LimePadding, FillsUpToEight) {
  const std::uint64_t expected[] = {0, 7, 6, 5, 4, 3, 2, 1, 0, 7};
  for (std::uint64_t length = 0; length < 10; ++length) EXPECT_EQ(padding(length), expected[length]);
}

}  // namespace
}  // namespace lq::format::lime
