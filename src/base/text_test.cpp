// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Text helpers.
#include "base/text.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace lq::base {
namespace {

TEST(Trim, DropsWhiteSpaceAndNulsAtBothEnds) {
  EXPECT_EQ(trim(" \t\n a b \r\n"), "a b");
  EXPECT_EQ(trim(std::string_view("\0 a\0\0", 5)), "a");
  EXPECT_EQ(trim(" \n "), "");
  EXPECT_EQ(trim(""), "");
}

TEST(SplitWords, SplitsAtAnyWhiteSpace) {
  EXPECT_EQ(split_words(" 8 8\n8\t16 "), (std::vector<std::string_view>{"8", "8", "8", "16"}));
  EXPECT_EQ(split_words("one"), std::vector<std::string_view>{"one"});
  EXPECT_TRUE(split_words("  ").empty());
  EXPECT_TRUE(split_words("").empty());
}

TEST(ParseU64, TakesDigitsOnly) {
  EXPECT_EQ(parse_u64("0"), 0u);
  EXPECT_EQ(parse_u64("18446744073709551615"), 18446744073709551615u);
  for (const std::string_view bad : {"", " 1", "1 ", "-1", "+1", "1.0", "0x10", "18446744073709551616", "1e3"}) {
    EXPECT_EQ(parse_u64(bad), std::nullopt) << bad;
  }
}

TEST(ParseHex32, TakesUpToEightDigits) {
  EXPECT_EQ(parse_hex32("a2c41090"), 0xa2c41090u);
  EXPECT_EQ(parse_hex32("C8E3834"), 0xc8e3834u);
  EXPECT_EQ(parse_hex32("0xff"), 0xffu);
  EXPECT_EQ(parse_hex32("0"), 0u);
  for (const std::string_view bad : {"", "0x", "123456789", "0x123456789", "g", "-1", " 1", "1 ", "0x0x1"}) {
    EXPECT_EQ(parse_hex32(bad), std::nullopt) << bad;
  }
}

TEST(ParseDouble, TakesWhatPrintfWrites) {
  EXPECT_EQ(parse_double("0.5937"), 0.5937);
  EXPECT_EQ(parse_double("+1.5e-03"), 1.5e-3);
  EXPECT_EQ(parse_double("-2"), -2.0);
  EXPECT_TRUE(std::isnan(parse_double("nan").value_or(0)));
  for (const std::string_view bad : {"", "+", "+-1", "1,5", "1.5x", " 1", "1e999", "--1"}) {
    EXPECT_EQ(parse_double(bad), std::nullopt) << bad;
  }
}

TEST(Hex32, WritesEightDigits) {
  EXPECT_EQ(hex32(0xc8e3834), "0c8e3834");
  EXPECT_EQ(hex32(0), "00000000");
}

TEST(HumanBytes, UsesDecimalPrefixes) {
  EXPECT_EQ(human_bytes(0), "0 B");
  EXPECT_EQ(human_bytes(999), "999 B");
  EXPECT_EQ(human_bytes(1000), "1.0 kB");
  EXPECT_EQ(human_bytes(37748736), "37.7 MB");
  EXPECT_EQ(human_bytes(999'999), "1.0 MB");
  EXPECT_EQ(human_bytes(18446744073709551615u), "18.4 EB");
}

TEST(BinaryBytes, AreExactOrPlain) {
  EXPECT_EQ(binary_bytes(4 << 20), "4 MiB");
  EXPECT_EQ(binary_bytes(1536 << 10), "1536 KiB");
  EXPECT_EQ(binary_bytes(1000), "1000 bytes");
  EXPECT_EQ(binary_bytes(0), "0 bytes");
}

TEST(Printable, ShowsForeignBytesAsHex) {
  EXPECT_EQ(printable("ildg-format"), "ildg-format");
  EXPECT_EQ(printable(std::string_view("a\0\xff\n\\", 5)), "a\\x00\\xff\\x0a\\\\");
}

TEST(Printable, KeepsUtf8ButNoControlCharacters) {
  EXPECT_EQ(printable("M\xc3\xbcnster \xe2\x82\xac"), "M\xc3\xbcnster \xe2\x82\xac");
  EXPECT_EQ(printable("\xc2\x9bK\x7f"), "\\xc2\\x9bK\\x7f");
  EXPECT_EQ(printable("\xc3(\xe2\x82"), "\\xc3(\\xe2\\x82");
}

TEST(Printable, ShowsNoMarksThatHideOrTurnText) {
  EXPECT_EQ(printable("\xe2\x80\xae"
                      "a\xef\xbb\xbf"),
            "\\xe2\\x80\\xaea\\xef\\xbb\\xbf");                                     // U+202E, U+FEFF
  EXPECT_EQ(printable("\xef\xbf\xbf\xef\xbf\xbd"), "\\xef\\xbf\\xbf\xef\xbf\xbd");  // U+FFFF, U+FFFD
  EXPECT_EQ(printable("\xf0\x9f\x98\x80"), "\xf0\x9f\x98\x80");
}

TEST(PrintableText, KeepsLines) {
  EXPECT_EQ(printable_text("a\tb\\c\n\x1b[1m\xff\xc3\xbc\r"), "a\tb\\c\n\\x1b[1m\\xff\xc3\xbc\\x0d");
}

TEST(WholeCharacters, DropsOneThatIsCut) {
  for (const char* cut : {"", "\xc3", "\xe2\x82", "\xf0", "\xf0\x9f\x98", "\xed\x9f"}) {
    EXPECT_EQ(whole_characters(std::string("a\xc3\xbc") + cut), "a\xc3\xbc") << printable(cut);
  }
  for (const char* whole : {"", "a", "\xff", "\xc0", "\x80\x80\x80\x80", "\xe2\x82\xac", "\xc3\xbc\xbc"}) {
    EXPECT_EQ(whole_characters(whole), whole) << printable(whole);
  }
}

TEST(Printable, CutsAtTheLimit) {
  EXPECT_EQ(printable("abcdef", 6), "abcdef");
  EXPECT_EQ(printable("abcdefg", 6), "abcdef...");
  EXPECT_EQ(printable("abc\x01", 6), "abc...");          // never half an escape
  EXPECT_EQ(printable("abc\xe2\x82\xac", 5), "abc...");  // nor half a character
}

TEST(Nearest, FindsTheWordThatWasMeant) {
  const std::vector<std::string> words = {"gauge", "spinor", "propagator"};
  EXPECT_EQ(nearest("guage", words), "gauge");
  EXPECT_EQ(nearest("guega", words), std::nullopt);  // two mistakes in five letters
  EXPECT_EQ(nearest("gauge", words), "gauge");
  EXPECT_EQ(nearest("gage", words), "gauge");
  EXPECT_EQ(nearest("Spinor", words), "spinor");
  EXPECT_EQ(nearest("propogater", words), "propagator");
  EXPECT_EQ(nearest("clover", words), std::nullopt);
  EXPECT_EQ(nearest("", words), std::nullopt);
  EXPECT_EQ(nearest("gauge", {}), std::nullopt);
}

TEST(Nearest, IgnoresEndlessWords) {
  EXPECT_EQ(nearest(std::string(1 << 20, 'a'), {"a"}), std::nullopt);
  EXPECT_EQ(nearest("a", {std::string(1 << 20, 'a')}), std::nullopt);
}

}  // namespace
}  // namespace lq::base
