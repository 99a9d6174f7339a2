// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// JSON: structure, escapes, valid UTF-8 and numbers that read back.
#include "base/json_writer.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>

#include "base/text.hpp"

namespace lq::base {
namespace {

template <class T>
std::string written(const T& value) {
  JsonWriter json;
  json.value(value);
  return json.take();
}

TEST(JsonWriter, NestsObjectsAndArrays) {
  JsonWriter json;
  json.begin_object().member("a", 1).key("b").begin_array().value(1).value("two").begin_object().end_object();
  json.begin_array().end_array().null().end_array().member("c", true).end_object();
  EXPECT_EQ(json.take(), R"({"a":1,"b":[1,"two",{},[],null],"c":true})");
}

TEST(JsonWriter, TakesInWhatIsJsonAlready) {
  JsonWriter json;
  json.begin_object().raw_members("{}").member("a", 1).raw_members(R"({"b":2,"c":3})");
  json.key("d").raw("[4]").member("e", 5).end_object();
  EXPECT_EQ(json.take(), R"({"a":1,"b":2,"c":3,"d":[4],"e":5})");
}

TEST(JsonWriter, WritesRangesAsArrays) {
  JsonWriter json;
  json.begin_array().array(std::vector<double>{1, 0.5}).array(std::vector<std::string>{}).end_array();
  EXPECT_EQ(json.take(), "[[1.0,0.5],[]]");
}

TEST(JsonWriter, IsEmptyAfterTake) {
  JsonWriter json;
  json.begin_array().value(1).end_array();
  json.take();
  json.begin_array().value(2).end_array();
  EXPECT_EQ(json.take(), "[2]");
}

TEST(JsonWriter, EscapesQuotesAndControlCharacters) {
  EXPECT_EQ(written("a\"b\\c\n\r\t/"), R"("a\"b\\c\n\r\t/")");
  EXPECT_EQ(written(std::string_view("\0\x01\x1f\x7f", 4)), R"("\u0000\u0001\u001f\u007f")");
}

// Controls of a terminal beyond ASCII, direction marks, line separators and noncharacters.
TEST(JsonWriter, EscapesWhatTerminalsDoNotShow) {
  EXPECT_EQ(written("\xc2\x80\xc2\x9b\xc2\x9f"), R"("\u0080\u009b\u009f")");
  EXPECT_EQ(written("\xe2\x80\xa8\xe2\x80\xae\xef\xbb\xbf"), R"("\u2028\u202e\ufeff")");
  EXPECT_EQ(written("\xf3\xa0\x80\x81\xf4\x8f\xbf\xbf"), R"("\udb40\udc01\udbff\udfff")");
}

// Any characters: a terminal gets the bytes that a pipe gets, so a program that reads JSON there sees the same.
TEST(JsonWriter, IsNotChangedForTerminals) {
  for (unsigned code = 0; code < 0x110000; code += code < 0x3000 ? 1 : 0x7f) {
    if (code >= 0xd800 && code < 0xe000) continue;
    std::string character;
    if (code < 0x80) {
      character = {static_cast<char>(code)};
    } else if (code < 0x800) {
      character = {static_cast<char>(0xc0 | code >> 6), static_cast<char>(0x80 | (code & 0x3f))};
    } else if (code < 0x10000) {
      character = {static_cast<char>(0xe0 | code >> 12), static_cast<char>(0x80 | (code >> 6 & 0x3f)),
                   static_cast<char>(0x80 | (code & 0x3f))};
    } else {
      character = {static_cast<char>(0xf0 | code >> 18), static_cast<char>(0x80 | (code >> 12 & 0x3f)),
                   static_cast<char>(0x80 | (code >> 6 & 0x3f)), static_cast<char>(0x80 | (code & 0x3f))};
    }
    const std::string json = written(character);
    EXPECT_EQ(printable_text(json), json) << code;
  }
}

TEST(JsonWriter, EscapesKeysToo) {
  JsonWriter json;
  json.begin_object().member("a\"\xff", 1).end_object();
  EXPECT_EQ(json.take(), "{\"a\\\"\xef\xbf\xbd\":1}");
}

TEST(JsonWriter, KeepsValidUtf8) {
  for (const std::string_view text : {"\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x8d\x8b", "\xf4\x8f\xbf\xbd",
                                      "\xed\x9f\xbf", "\xee\x80\x80", "\xc2\xa0", "\xe0\xa0\x80", "\xf0\x90\x80\x80"}) {
    EXPECT_EQ(written(text), std::string(1, '"').append(text) + '"');
  }
}

TEST(JsonWriter, ReplacesEveryInvalidByte) {
  const std::string one = "\xef\xbf\xbd";
  EXPECT_EQ(written("a\xff z"), "\"a" + one + " z\"");
  EXPECT_EQ(written("\x80"), "\"" + one + "\"");
  EXPECT_EQ(written("\xc3"), "\"" + one + "\"");
  EXPECT_EQ(written("\xc3(\xc3\xa9"), "\"" + one + "(\xc3\xa9\"");
  EXPECT_EQ(written("\xc0\xaf"), "\"" + one + one + "\"");            // overlong
  EXPECT_EQ(written("\xe0\x9f\xbf"), "\"" + one + one + one + "\"");  // overlong
  EXPECT_EQ(written("\xed\xa0\x80"), "\"" + one + one + one + "\"");  // surrogate
  EXPECT_EQ(written("\xf4\x90\x80\x80").size(), 2 + 4 * one.size());  // beyond U+10FFFF
  EXPECT_EQ(written("\xf0\x8f\xbf\xbf").size(), 2 + 4 * one.size());  // overlong
  EXPECT_EQ(written("\xe2\x82"), "\"" + one + one + "\"");            // cut short
}

TEST(JsonWriter, WritesTheShortestNumberThatReadsBack) {
  EXPECT_EQ(written(0.1), "0.1");
  EXPECT_EQ(written(1.0), "1.0");
  EXPECT_EQ(written(-0.0), "-0.0");
  EXPECT_EQ(written(1e22), "1e+22");
  EXPECT_EQ(written(0.5937), "0.5937");
  EXPECT_EQ(written(std::numeric_limits<double>::denorm_min()), "5e-324");
  EXPECT_EQ(written(std::numeric_limits<double>::max()), "1.7976931348623157e+308");
}

TEST(JsonWriter, WritesDoublesThatReadBackToTheSameBits) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 20000; ++round) {
    const auto number = std::bit_cast<double>(random());
    if (!std::isfinite(number)) continue;
    const std::string text = written(number);
    ASSERT_EQ(std::bit_cast<std::uint64_t>(std::strtod(text.c_str(), nullptr)), std::bit_cast<std::uint64_t>(number))
        << text;
  }
}

TEST(JsonWriter, WritesNullForWhatIsNotFinite) {
  EXPECT_EQ(written(std::nan("")), "null");
  EXPECT_EQ(written(std::numeric_limits<double>::infinity()), "null");
}

TEST(JsonWriter, WritesNullForATextThatIsNotKnown) {
  EXPECT_EQ(JsonWriter().begin_object().text_member("a", "").text_member("b", "c").end_object().take(),
            R"({"a":null,"b":"c"})");
}

TEST(JsonWriter, WritesIntegersInFull) {
  EXPECT_EQ(written(std::numeric_limits<std::uint64_t>::max()), "18446744073709551615");
  EXPECT_EQ(written(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
}

TEST(JsonWriter, GivesTheBytesOfPathsThatAreNoUtf8) {
  JsonWriter json;
  json.begin_object()
      .member("path",
              "a\xff"
              "b")
      .member("name", "\xff")
      .member("files", std::uint64_t{1})
      .end_object();
  EXPECT_EQ(json.take(),
            "{\"path\":\"a\xef\xbf\xbd"
            "b\",\"path_bytes\":\"61ff62\",\"name\":\"\xef\xbf\xbd\",\"files\":1}");
  EXPECT_EQ(json.begin_object().member("path", "\xc3\xa9").end_object().take(), "{\"path\":\"\xc3\xa9\"}");
}

TEST(JsonWriter, GivesTheBytesOfAllPathsOfAListIfOneIsNoUtf8) {
  using Paths = std::vector<std::string>;
  JsonWriter json;
  json.begin_object()
      .member("paths", Paths{"a", "\xff"})
      .member("words", Paths{"\xff"})
      .member("my paths", Paths{"\xff"});
  EXPECT_EQ(json.end_object().take(),
            "{\"paths\":[\"a\",\"\xef\xbf\xbd\"],\"paths_bytes\":[\"61\",\"ff\"],\"words\":[\"\xef\xbf\xbd\"],"
            "\"my paths\":[\"\xef\xbf\xbd\"]}");
  EXPECT_EQ(json.begin_object().key("paths").array(Paths{"a"}).end_object().take(), "{\"paths\":[\"a\"]}");
}

}  // namespace
}  // namespace lq::base
