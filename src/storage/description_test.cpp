// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "storage/subfiles.hpp"

#include <gtest/gtest.h>

#include <string>

#include <limequat/error.hpp>

#include "kernels/crc32.hpp"
#include "support/error_of.hpp"

namespace lq::storage {
namespace {

using testing::error_of;

// The example of formats/partitions.md 1; the CRC-32 is that of Python's zlib.
const std::string example =
    "limequat partitioned file 1\n"
    "bytes 4716\n"
    "begin 100\n"
    "element 9\n"
    "extents 4.4.4.8\n"
    "cuts t=block:2\n"
    "file 100 conf.set.1f2e3d4c.0000\n"
    "file 0 /disk2/conf.set.1f2e3d4c.0001\n"
    "crc32 4cb760d2\n";

std::string with_sum(std::string text) {
  text += "crc32 ";
  const std::uint32_t sum = kernels::crc32(0, base::as_bytes(text.substr(0, text.size() - 6)));
  const char digits[] = "0123456789abcdef";
  for (int shift = 28; shift >= 0; shift -= 4) text += digits[sum >> shift & 15U];
  return text + '\n';
}

std::string body() { return example.substr(0, example.rfind("crc32")); }

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

Code code_of(const std::string& text) {
  return error_of([&] { decode_description(base::as_bytes(text), "conf.set"); }).code();
}

TEST(Description, IsTheTextOfItsPage) {
  const PartitionedFile set = decode_description(base::as_bytes(example), "conf.set");
  EXPECT_EQ(set.bytes, 4716U);
  EXPECT_EQ(set.partition, Partition::parse({100, 9, {4, 4, 4, 8}}, "t=block:2"));
  ASSERT_EQ(set.files.size(), 2U);
  EXPECT_EQ(set.files[0], (PartitionedFile::Subfile{"conf.set.1f2e3d4c.0000", 100}));
  EXPECT_EQ(set.files[1], (PartitionedFile::Subfile{"/disk2/conf.set.1f2e3d4c.0001", 0}));
  EXPECT_TRUE(set.is_set);
  EXPECT_EQ(encode_description(set), example);
}

TEST(Description, NamesSubfilesFromItsOwnFolder) {
  EXPECT_EQ(subfile_path("runs/conf.set", "conf.set.0"), "runs/conf.set.0");
  EXPECT_EQ(subfile_path("conf.set", "conf.set.0"), "conf.set.0");
  EXPECT_EQ(subfile_path("runs/conf.set", "/disk2/conf.set.0"), "/disk2/conf.set.0");
}

TEST(Description, IsRefusedWhereItIsCutOffOrChanged) {
  for (std::size_t length = 0; length < example.size(); ++length) {
    EXPECT_EQ(code_of(example.substr(0, length)), Code::malformed) << length;
  }
  EXPECT_EQ(code_of(replaced(example, "bytes 4716", "bytes 4717")), Code::checksum_mismatch);
  EXPECT_EQ(code_of(replaced(example, "file 0", "file 1")), Code::checksum_mismatch);
}

TEST(Description, IsRefusedWhereItContradictsItself) {
  ASSERT_EQ(with_sum(body()), example);
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"bytes 4716", "bytes 4707"},                 // the array ends after it
           {"bytes 4716", "bytes 9223372036854775808"},  // 2^63
           {"element 9", "element 0"},                   //
           {"extents 4.4.4.8", "extents 4.4.4."},        //
           {"extents 4.4.4.8", "extents 4.4.0.8"},       //
           {"cuts t=block:2", "cuts t=block:3"},         // three parts, two subfiles
           {"cuts t=block:2", "cuts 7=block:2"},         // no such axis
           {"cuts t=block:2", "cuts t=cyclic:1000000"},  //
           {"file 100 ", "file 99 "},                    // no room for the header
           {"file 0 ", "file 18446744073709551615 "},    //
           {"file 0 /disk2/conf.set.1f2e3d4c.0001", "file 0 "},
           {"begin 100\n", ""}}) {
    EXPECT_EQ(code_of(with_sum(replaced(body(), from, to))), Code::malformed) << to;
  }
}

TEST(Description, RefusesNamesThatItCannotHold) {
  PartitionedFile set = decode_description(base::as_bytes(example), "conf.set");
  set.files[1].path = "two\nlines";
  EXPECT_EQ(error_of([&] { encode_description(set); }).code(), Code::invalid_argument);
}

}  // namespace
}  // namespace lq::storage
