// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The documents expected here are those of docs/formats/scidac.md 3, as QIO writes them.
#include "format/scidac/documents.hpp"

#include <gtest/gtest.h>
#include <limequat/error.hpp>

namespace lq::format::scidac {
namespace {

const std::string declaration = R"(<?xml version="1.0" encoding="UTF-8"?>)";

std::string nul(const std::string& text) { return text + '\0'; }

TEST(ScidacFileXml, IsWrittenAsQioWritesIt) {
  const std::string expected = nul(declaration +
                                   "<scidacFile><version>1.1</version><spacetime>4</spacetime><dims>4 4 4 8 </dims>"
                                   "<volfmt>0</volfmt></scidacFile>");
  EXPECT_EQ(encode(FileInfo{{4, 4, 4, 8}, 0}), expected);
  EXPECT_EQ(expected.size(), 149U);  // as in a file of QIO's
}

TEST(ScidacRecordXml, IsWrittenAsQioWritesIt) {
  RecordInfo info{RecordType::field, {}, {}, "Thu Apr 14 17:20:32 2022 UTC", "QDP_D3_ColorMatrix", "D", 3, 1, 144, 4};
  const std::string expected =
      nul(declaration +
          "<scidacRecord><version>1.1</version><date>Thu Apr 14 17:20:32 2022 UTC</date><recordtype>0</recordtype>"
          "<datatype>QDP_D3_ColorMatrix</datatype><precision>D</precision><colors>3</colors><spins>1</spins>"
          "<typesize>144</typesize><datacount>4</datacount></scidacRecord>");
  EXPECT_EQ(encode(info), expected);
  EXPECT_EQ(expected.size(), 302U);  // as in a file of QIO's
}

TEST(ScidacRecordXml, HasADateAlwaysBecauseOthersLookForOne) {
  const std::string text = encode(RecordInfo{RecordType::field, {}, {}, "", "Lattice", "D", 3, 4, 2304, 1});
  EXPECT_NE(text.find("<version>1.1</version><date>Thu Jan  1 00:00:00 1970 UTC</date><recordtype>"),
            std::string::npos);
}

TEST(ScidacRecordXml, CarriesTheBoundsOfAHypercube) {
  RecordInfo info;
  info.type = RecordType::hypercube;
  info.lower = {1, 0, 0, 2};
  info.upper = {2, 3, 3, 2};
  info.typesize = 4;
  info.datacount = 1;
  const std::string text = encode(info);
  EXPECT_NE(text.find("<recordtype>2</recordtype><spacetime>4</spacetime><hyperlower>1 0 0 2 </hyperlower>"
                      "<hyperupper>2 3 3 2 </hyperupper><datatype>"),
            std::string::npos);
  const RecordInfo back = decode_record_info(text);
  EXPECT_EQ(back.lower, info.lower);
  EXPECT_EQ(back.upper, info.upper);
}

TEST(ScidacChecksumXml, HasTheSameLengthForAllSums) {
  EXPECT_EQ(encode(Checksum{0, 0}).size(), 136U);
  EXPECT_EQ(encode(Checksum{0xffffffff, 0x10}).size(), 136U);
  EXPECT_NE(encode(Checksum{0xa2c41090, 0x11193c39}).find("<suma>a2c41090</suma><sumb>11193c39</sumb>"),
            std::string::npos);
}

TEST(ScidacChecksumXml, ReadsEverySpelling) {
  for (const char* text :
       {"<suma>c8e3834</suma><sumb>0C8E3834</sumb>", "<sumb> 0xc8e3834 </sumb><suma>0c8e3834</suma>"}) {
    const auto sum = decode_checksum(std::string("<scidacChecksum>") + text + "</scidacChecksum>");
    ASSERT_TRUE(sum);
    EXPECT_EQ(*sum, (Checksum{0x0c8e3834, 0x0c8e3834}));
  }
}

TEST(ScidacChecksumXml, TellsZeroFromAbsent) {
  EXPECT_EQ(decode_checksum("<scidacChecksum><suma>0</suma><sumb>0</sumb></scidacChecksum>"), (Checksum{0, 0}));
  EXPECT_EQ(decode_checksum("<scidacChecksum><version>1.0</version></scidacChecksum>"), std::nullopt);
}

TEST(ScidacFileXml, AcceptsForeignWhiteSpaceOrderAndElements) {
  const FileInfo info = decode_file_info(
      "<x:scidacFile xmlns:x='u'>\n<volfmt> 0 </volfmt><dims>4 \n4\t4 8</dims><extra a='1'>z</extra></x:scidacFile>\n");
  EXPECT_EQ(info.extents, (Extents{4, 4, 4, 8}));
  EXPECT_EQ(info.volume_format, 0U);
}

TEST(ScidacFileXml, OfVersion10CountsFiles) {
  EXPECT_EQ(decode_file_info("<scidacFile><dims>2 2</dims><multifile>1</multifile></scidacFile>").volume_format, 0U);
  EXPECT_NE(decode_file_info("<scidacFile><dims>2 2</dims><multifile>4</multifile></scidacFile>").volume_format, 0U);
}

}  // namespace
}  // namespace lq::format::scidac
