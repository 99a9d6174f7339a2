// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "protection/layout.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <tuple>

#include "kernels/crc32.hpp"

namespace lq::protection {
namespace {

std::vector<ProtectedPart> parts_of(const std::vector<std::uint64_t>& sizes) {
  std::vector<ProtectedPart> parts;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    ProtectedPart part;
    part.name = "file" + std::to_string(i);
    part.bytes = sizes[i];
    part.modified = -5 + static_cast<std::int64_t>(i);
    part.sums = {{i, 2 * i}};
    parts.push_back(part);
  }
  return parts;
}

std::vector<std::uint64_t> some_sizes(std::mt19937& random, std::size_t count) {
  std::vector<std::uint64_t> sizes;
  for (std::size_t i = 0; i < count; ++i) sizes.push_back(random() % 4 == 0 ? random() % 3 : random() % 3'000'000);
  return sizes;
}

// Each block stands in one cell, and in each cell one block or none; of a row no column has two.
TEST(Layout, HasEachBlockInOneCell) {
  std::mt19937 random(7);
  for (int round = 0; round < 60; ++round) {
    const auto lost = static_cast<std::uint32_t>(random() % 3);
    const Head head = plan(parts_of(some_sizes(random, 1 + random() % 90)), 0.03, lost);
    std::set<std::tuple<std::uint64_t, std::uint64_t, std::uint32_t>> cells;
    std::uint64_t blocks = 0;
    for (std::size_t file = 0; file < head.files.size(); ++file) {
      for (std::uint64_t block = 0; block < head.blocks_of(file); ++block, ++blocks) {
        const Cell cell = head.cell_of(file, block);
        ASSERT_LT(cell.window, head.windows);
        ASSERT_LT(cell.row, head.rows);
        ASSERT_LT(cell.column, head.columns);
        ASSERT_TRUE(cells.insert({cell.window, cell.row, cell.column}).second);
        const auto back = head.block_at(cell);
        ASSERT_TRUE(back.has_value());
        ASSERT_EQ(back->file, file);
        ASSERT_EQ(back->block, block);
      }
    }
    std::uint64_t found = 0;
    for (std::uint64_t window = 0; window < head.windows; ++window) {
      for (std::uint64_t row = 0; row < head.rows; ++row) {
        for (std::uint32_t column = 0; column < head.columns; ++column) {
          found += head.block_at({window, row, column}) ? 1 : 0;
        }
      }
    }
    EXPECT_EQ(found, blocks);
  }
}

TEST(Layout, GivesEachOf62FilesAColumnOfItsOwn) {
  const Head head = plan(parts_of(std::vector<std::uint64_t>(62, 1'000'000)), 0.03, 2);
  std::set<std::uint32_t> columns;
  for (const ProtectedPart& file : head.files) columns.insert(file.column);
  EXPECT_EQ(columns.size(), 62U);
  EXPECT_EQ(head.parities, 2U);
}

// A stretch of 2 MiB that begins anywhere touches no row of its window more than twice, and so do two of 1 MiB.
TEST(Layout, LetsAnyTwoMebibytesOf64ComeBack) {
  for (const std::uint64_t bytes : {64 * base::mebi, 65 * base::mebi, 127 * base::mebi, 300 * base::mebi}) {
    const Head head = plan(parts_of({bytes}), 0.03, 0);
    EXPECT_GE(head.window_bytes(), 64 * base::mebi - head.block_bytes);
    EXPECT_GE(head.stretch_bytes(), 2 * base::mebi) << bytes;
    const auto touched = [&](std::uint64_t begin, std::uint64_t length, auto& rows) {
      for (std::uint64_t block = begin / head.block_bytes; block <= (begin + length - 1) / head.block_bytes; ++block) {
        const Cell cell = head.cell_of(0, block);
        ++rows[{cell.window, cell.row}];
      }
    };
    for (const std::uint64_t begin : {0UL, 1UL, 32767UL, 1048577UL, 5000001UL}) {
      std::map<std::pair<std::uint64_t, std::uint64_t>, int> rows;
      touched(begin, 2 * base::mebi, rows);
      for (const auto& [row, count] : rows) ASSERT_LE(count, 2);
      rows.clear();
      touched(begin, base::mebi, rows);
      touched(begin + 17 * base::mebi + 12345, base::mebi, rows);
      for (const auto& [row, count] : rows) ASSERT_LE(count, 2);
    }
  }
}

TEST(Layout, CostsWhatWasAskedFor) {
  const auto share = [](std::uint64_t bytes, double ratio) {
    return static_cast<double>(plan(parts_of({bytes}), ratio, 0).sidecar_bytes()) / static_cast<double>(bytes);
  };
  EXPECT_LT(share(10 * base::gibi, 0.03), 0.034);
  EXPECT_LT(share(64 * base::mebi, 0.03), 0.034);
  EXPECT_LT(share(20 * base::mebi, 0.03), 0.036);
  EXPECT_LT(share(10 * base::gibi, 0.01), 0.012);
  EXPECT_GE(share(10 * base::gibi, 0.01), 0.01);
  EXPECT_LT(share(10 * base::gibi, 0.1), 0.115);
  EXPECT_GE(share(10 * base::gibi, 1), 1);
}

TEST(SidecarHead, ComesBackAsItWas) {
  std::mt19937 random(3);
  for (int round = 0; round < 50; ++round) {
    const Head head = plan(parts_of(some_sizes(random, random() % 70)), 0.01 + 0.01 * (round % 90), round % 3 == 0);
    const std::vector<std::byte> bytes = encode_head(head);
    EXPECT_EQ(bytes.size(), head.head_bytes());
    const auto back = decode_head(bytes);
    ASSERT_TRUE(back.has_value()) << round;
    EXPECT_TRUE(*back == head);
  }
}

TEST(SidecarHead, IsNotReadWhereAByteChanged) {
  const Head head = plan(parts_of({100'000, 5, 0}), 0.03, 2);
  const std::vector<std::byte> bytes = encode_head(head);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::vector<std::byte> changed = bytes;
    changed[i] ^= std::byte{1};
    EXPECT_FALSE(decode_head(changed).has_value()) << i;
    EXPECT_FALSE(decode_head(base::Bytes(bytes).first(i)).has_value()) << i;
  }
}

// With a sum that agrees: what it says must be possible all the same.
TEST(SidecarHead, IsNotReadWhereItContradictsItself) {
  Head head = plan(parts_of({100'000, 5'000}), 0.03, 0);
  const auto is_read = [](const Head& changed) { return decode_head(encode_head(changed)).has_value(); };
  ASSERT_TRUE(is_read(head));
  const auto refuses = [&](auto change) {
    Head changed = head;
    change(changed);
    EXPECT_FALSE(is_read(changed));
  };
  refuses([](Head& h) { h.columns = 0; });
  refuses([](Head& h) { h.parities = 0; });
  refuses([](Head& h) { h.parities = 255; });
  refuses([](Head& h) { h.block_bytes = 1000; });
  refuses([](Head& h) { h.block_bytes = 1U << 30; });
  refuses([](Head& h) { h.rows = ~std::uint64_t{0}; });
  refuses([](Head& h) { h.windows = 7; });
  refuses([](Head& h) { h.window_blocks = 0; });
  refuses([](Head& h) { h.files[1].first = 0; });
  refuses([](Head& h) { h.files[0].bytes = ~std::uint64_t{0}; });
  refuses([](Head& h) { h.layout = static_cast<Layout>(9); });
  for (const char* name : {"", "/etc/passwd", "../x", "a/../../x", "a//b", "."}) {
    refuses([&](Head& h) { h.files[0].name = name; });
  }
}

TEST(SidecarPages, ComeBackAndNotForAnotherWindow) {
  const Head head = plan(parts_of({200'000}), 0.03, 0);
  Page page;
  for (std::uint32_t i = 0; i < head.columns * head.rows; ++i) page.blocks.push_back({i, 3ULL * i});
  for (std::uint32_t i = 0; i < head.parities * head.rows; ++i) page.parities.push_back({7 * i, i});
  const std::vector<std::byte> bytes = encode_page(page, 0);
  ASSERT_EQ(bytes.size(), head.page_bytes());
  const auto back = decode_page(bytes, head, 0);
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(back->blocks, page.blocks);
  EXPECT_EQ(back->parities, page.parities);
  EXPECT_FALSE(decode_page(bytes, head, 1).has_value());
  for (std::size_t i = 0; i < bytes.size(); i += 13) {
    std::vector<std::byte> changed = bytes;
    changed[i] ^= std::byte{0x80};
    EXPECT_FALSE(decode_page(changed, head, 0).has_value()) << i;
  }
}

}  // namespace
}  // namespace lq::protection
