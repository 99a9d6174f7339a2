// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Layouts byte by byte, as the headers of Lustre and BeeGFS and the manuals of the others give them.
#include "storage/stripes.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

namespace lq::storage {
namespace {

// Bytes as getxattr hands them out on a Lustre client: 2 stripes of 4 MiB, without the list of objects.
std::string plain_layout(char version, std::string stripe, std::string count) {
  return std::string("\xd0\x0b", 2) + version + "\x0b" + std::string("\x01\0\0\0", 4) + std::string(16, '\x11') +
         stripe + count + std::string("\0\0", 2);
}

const std::string four_mebi("\0\0\x40\0", 4);
const std::string one_mebi("\0\0\x10\0", 4);
const std::string two("\x02\0", 2);

TEST(LustreLayout, IsReadFromPlainLayouts) {
  for (const char version : {'\xd1', '\xd3'}) {
    const std::string bytes = plain_layout(version, four_mebi, two) + std::string(48, '\x22');
    const auto layout = parse_lustre_layout(base::as_bytes(bytes));
    ASSERT_TRUE(layout);
    EXPECT_EQ(layout->stripe_bytes, 4u * 1024 * 1024);
    EXPECT_EQ(layout->stripe_count, 2u);
  }
}

TEST(LustreLayout, OverAllServersHasNoCount) {
  const auto layout = parse_lustre_layout(base::as_bytes(plain_layout('\xd1', one_mebi, "\xff\xff")));
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->stripe_count, 0u);
}

std::string word(std::uint32_t value) {
  std::string bytes;
  for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(value >> shift & 0xff);
  return bytes;
}

std::string composite_layout(std::uint32_t second_offset) {
  const std::string first = plain_layout('\xd1', one_mebi, std::string("\x01\0", 2));
  const std::string second = plain_layout('\xd3', four_mebi, std::string("\x08\0", 2));
  const std::string head =
      std::string("\xd0\x0b\xd6\x0b", 4) + word(192) + word(1) + std::string("\0\0\x02\0", 4) + std::string(16, '\0');
  const auto entry = [](std::uint32_t offset) {
    return word(1) + word(16) + std::string(16, '\0') + word(offset) + word(32) + std::string(16, '\0');
  };
  return head + entry(128) + entry(second_offset) + first + second;
}

TEST(LustreLayout, OfSeveralComponentsIsTheLargest) {
  const std::string bytes = composite_layout(160);
  ASSERT_EQ(bytes.size(), 192u);
  const auto layout = parse_lustre_layout(base::as_bytes(bytes));
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->stripe_bytes, 4u * 1024 * 1024);
  EXPECT_EQ(layout->stripe_count, 8u);
}

TEST(LustreLayout, WithComponentsOutsideUsesTheOthers) {
  for (const std::uint32_t outside : {161u, 193u, 0xffffffffu}) {
    const auto layout = parse_lustre_layout(base::as_bytes(composite_layout(outside)));
    ASSERT_TRUE(layout);
    EXPECT_EQ(layout->stripe_bytes, 1024u * 1024);
  }
}

TEST(LustreLayout, CutAnywhereIsNotKnownOrSmaller) {
  const std::string bytes = composite_layout(160);
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    const auto layout = parse_lustre_layout(base::as_bytes(std::string_view(bytes).substr(0, length)));
    EXPECT_LE(layout.value_or(Layout{}).stripe_count, 1u) << length;
  }
  EXPECT_FALSE(parse_lustre_layout(base::as_bytes(std::string(40, '\x7f'))));
  EXPECT_FALSE(parse_lustre_layout(base::as_bytes(plain_layout('\xd1', std::string(4, '\0'), two))));
}

TEST(LustreLayout, NamesItsPool) {
  const std::string pool = std::string("flash") + std::string(11, '\0');
  const auto layout = parse_lustre_layout(base::as_bytes(plain_layout('\xd3', one_mebi, two) + pool));
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->pool, "flash");
  EXPECT_FALSE(layout->is_progressive);
  // Sixteen characters need no end.
  EXPECT_EQ(parse_lustre_layout(base::as_bytes(plain_layout('\xd3', one_mebi, two) + std::string(16, 'p')))->pool,
            std::string(16, 'p'));
  EXPECT_EQ(parse_lustre_layout(base::as_bytes(plain_layout('\xd1', one_mebi, two) + pool))->pool, "");
}

TEST(LustreLayout, OfSeveralComponentsIsProgressiveWhateverTheyAre) {
  const std::string bytes = composite_layout(160);
  EXPECT_TRUE(parse_lustre_layout(base::as_bytes(bytes))->is_progressive);
  const auto cut = parse_lustre_layout(base::as_bytes(std::string_view(bytes).substr(0, 40)));
  ASSERT_TRUE(cut);
  EXPECT_TRUE(cut->is_progressive);
  EXPECT_EQ(cut->stripe_bytes, 0u);
}

// struct lov_user_md_v1 and _v3, of which the offset is -1: any server.
TEST(LustreLayout, IsAskedForAsTheHeaderSays) {
  EXPECT_EQ(base::as_text(lustre_layout(2, 1 << 20, "")),
            std::string("\xd0\x0b\xd1\x0b\x01\0\0\0", 8) + std::string(16, '\0') + one_mebi + two + "\xff\xff");
  const std::string pool = std::string("flash") + std::string(11, '\0');
  EXPECT_EQ(
      base::as_text(lustre_layout(99999, 4 << 20, "flash")),
      std::string("\xd0\x0b\xd3\x0b\x01\0\0\0", 8) + std::string(16, '\0') + four_mebi + "\xff\xff\xff\xff" + pool);
}

TEST(CephLayout, IsFourWords) {
  const auto layout = parse_ceph_layout("stripe_unit=1048576 stripe_count=4 object_size=4194304 pool=data\n");
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->stripe_bytes, 1048576u);
  EXPECT_EQ(layout->stripe_count, 4u);
  EXPECT_EQ(layout->object_bytes, 4194304u);
  EXPECT_EQ(layout->pool, "data");
  EXPECT_EQ(parse_ceph_layout("stripe_unit=65536")->stripe_count, 0u);
  for (const char* broken : {"", "stripe_unit=", "stripe_unit=0", "stripe_unit=-4096", "stripe_unit", "=65536",
                             "stripe_units=65536", "stripe_unit=99999999999999999999"}) {
    EXPECT_FALSE(parse_ceph_layout(broken)) << broken;
  }
  EXPECT_EQ(ceph_layout(4, 1048576, 4194304), "stripe_unit=1048576 stripe_count=4 object_size=4194304");
}

TEST(BeegfsStripes, AreThreeNumbersOfTheMachine) {
  const std::uint32_t pattern = 1, chunk = 524288;
  const std::uint16_t targets = 4;
  BeegfsStripes answer{};
  EXPECT_FALSE(parse_beegfs_stripes(answer));
  std::memcpy(answer.data(), &pattern, 4);
  std::memcpy(answer.data() + 4, &chunk, 4);
  std::memcpy(answer.data() + 8, &targets, 2);
  const auto layout = parse_beegfs_stripes(answer);
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->stripe_bytes, 524288u);
  EXPECT_EQ(layout->stripe_count, 4u);
}

TEST(GlusterBricks, AreNamedByTheirHosts) {
  const std::vector<std::string> two_hosts{"alpha", "beta"};
  EXPECT_EQ(parse_gluster_bricks("(<DISTRIBUTE:vol-dht> <POSIX(/b0):alpha:/b0/d> <POSIX(/b1):beta:/b1/d>)"), two_hosts);
  EXPECT_EQ(parse_gluster_bricks("(<DISTRIBUTE:vol> (<REPLICATE:r0> <POSIX(/b):alpha:/b/f> <POSIX(/b):beta:/b/f>))"),
            two_hosts);
  for (const char* broken : {"", "<POSIX(", "<POSIX(/b)", "<POSIX(/b):", "<POSIX(/b):alpha", "POSIX(/b):alpha:/b>"}) {
    EXPECT_TRUE(parse_gluster_bricks(broken).empty()) << broken;
  }
}

TEST(OrangeFsLayout, IsFoundAmongTheParameters) {
  const auto layout = parse_orangefs_layout("dist_name:simple_stripe\nstrip_size:65536\n", "4");
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->stripe_bytes, 65536u);
  EXPECT_EQ(layout->stripe_count, 4u);
  EXPECT_FALSE(parse_orangefs_layout("dist_name:basic_dist", "4"));
  EXPECT_FALSE(parse_orangefs_layout("strip_size:", "4"));
  EXPECT_FALSE(parse_orangefs_layout("strip_size:99999999999999999999999", "4"));
}

}  // namespace
}  // namespace lq::storage
