// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The metadata blocks of files that SIONlib wrote (tests/golden/good/sion), byte by byte from what was asked for when
// they were written: requests of tasks, block size, mode, and how the writes fell into chunks.
#include <gtest/gtest.h>

#include "format/sion/geometry.hpp"
#include "format/sion/head.hpp"
#include "format/sion/tail.hpp"
#include "support/contents.hpp"

namespace lq::format::sion {
namespace {

using Numbers = std::vector<std::int64_t>;

enum class Rule { alone, collective, merging };

struct Expected {
  std::string file;
  std::string name;  // given to open
  std::int32_t block = 0;
  Numbers requests;
  std::vector<Numbers> used;  // of each task, chunk by chunk
  Rule rule = Rule::alone;
  Numbers ranks = {};  // empty: 0, 1, ...
  std::int32_t files = 1;
  std::int32_t number = 0;
  std::optional<std::vector<Place>> map = {};
  KeyValueMode mode = KeyValueMode::none;
  ByteOrder order = ByteOrder::little;
  ByteOrder data_order = ByteOrder::little;
  std::int64_t unused = 0;
};

std::string contents_of(const std::string& name) { return lq::testing::golden_contents("good/sion/" + name); }

Numbers widths_of(const Expected& e) {
  if (e.rule == Rule::alone) return aligned_widths(e.requests, e.block);
  const std::vector<std::int32_t> groups = collector_groups(e.requests, e.block, 2);
  return e.rule == Rule::collective ? collective_widths(e.requests, e.block, groups)
                                    : merging_widths(e.requests, e.block, groups);
}

Head head_of(const Expected& e) {
  Head head;
  head.metadata_order = e.order;
  head.data_order = e.data_order;
  head.block_size = e.block;
  head.tasks = static_cast<std::int32_t>(e.requests.size());
  head.files = e.files;
  head.file_number = e.number;
  head.set_key_value_mode(e.mode);
  head.prefix = e.name;
  head.ranks = e.ranks;
  for (std::int64_t task = 0; e.ranks.empty() && task < head.tasks; ++task) head.ranks.push_back(task);
  head.widths = widths_of(e);
  return head;
}

void check(const Expected& e) {
  SCOPED_TRACE(e.file);
  const std::string bytes = contents_of(e.file);
  Head head = head_of(e);
  Tail tail;
  tail.table = ChunkTable::of(e.used);
  tail.map = e.map;
  const Geometry geometry(head, e.file);
  head.max_chunks = static_cast<std::int32_t>(tail.table.max_count());
  head.tail_offset = static_cast<std::int64_t>(geometry.tail_offset(tail.table.max_count()));

  const std::vector<std::byte> head_bytes = encode(head);
  ASSERT_LE(head_bytes.size(), bytes.size());
  EXPECT_TRUE(base::as_text(head_bytes) == bytes.substr(0, head_bytes.size()));
  std::string tail_bytes;
  encode(
      tail, e.order, [&](base::Bytes piece) { tail_bytes += base::as_text(piece); }, e.unused);
  ASSERT_LE(static_cast<std::size_t>(head.tail_offset), bytes.size());
  EXPECT_TRUE(tail_bytes == bytes.substr(static_cast<std::size_t>(head.tail_offset)));
}

std::vector<Place> empty_map() { return {}; }

TEST(SionCodec, WritesTheHeadsAndTailsOfTheOriginal) {
  check(
      {"v01_1file_4tasks.sion", "v01_1file_4tasks.sion", 512, {1000, 2000, 300, 512}, {{1000}, {1500}, {300}, {512}}});
  check({"v03_multiblock.sion",
         "v03_multiblock.sion",
         512,
         {1000, 1000, 1000},
         {{800, 800, 800, 800, 800, 1000}, {100}, {1000, 1000, 600}}});
  check({"v04_emptytask.sion", "v04_emptytask.sion", 256, Numbers(4, 1200), {{600}, {0}, {50}, {1200}}});
  check({"v06_1task.sion", "v06_1task.sion", 4096, {4096}, {{3000}}});
  Numbers first(139, 60), second(22, 60);  // pieces of 60 bytes in chunks of 64
  first.back() = 8310 - 138 * 60;
  second.back() = 1280 - 21 * 60;
  check({"v16_manychunks.sion", "v16_manychunks.sion", 64, {64, 64}, {first, second}});
}

TEST(SionCodec, WritesKeyValueModeAndDeclaredOrder) {
  Expected keys{
      "v05_keyval.sion", "v05_keyval.sion", 256, Numbers(3, 500), {{512, 4}, {512, 512, 512, 72}, {512, 512, 136}}};
  keys.mode = KeyValueMode::inline_records;
  check(keys);
  Expected big{"v07_userbig.sion", "v07_userbig.sion", 256, {300, 300}, {{300}, {300}}};
  big.data_order = ByteOrder::big;
  check(big);
}

TEST(SionCodec, WritesWhatSerialWritersWriteInBothByteOrders) {
  Expected serial{"v09_serial.sion", "v09_serial.sion", 256, {300, 600, 100}, {{250}, {750, 350}, {0}}};
  serial.number = 1;
  serial.map = empty_map();
  check(serial);
  serial.file = serial.name = "v08_bigendian.sion";
  serial.order = serial.data_order = ByteOrder::big;
  check(serial);
}

TEST(SionCodec, WritesTheFilesOfSetsWithTheirMap) {
  const std::vector<Place> blocks = {{0, 0}, {0, 1}, {1, 0}, {1, 1}, {1, 2}};
  Expected first{"v02_2files_5tasks.sion", "v02_2files_5tasks.sion", 512, {700, 800}, {{700}, {800}}};
  first.files = 2;
  first.map = blocks;
  check(first);
  Expected second{
      "v02_2files_5tasks.sion.000001", "v02_2files_5tasks.sion", 512, {900, 1000, 1100}, {{900}, {1000}, {1100}}};
  second.files = 2;
  second.number = 1;
  second.ranks = {2, 3, 4};
  check(second);
  Expected split{
      "v11_3files_splitcomm.sion", "v11_3files_splitcomm.sion", 256, Numbers(3, 400), {{400}, {500, 50}, {500, 200}}};
  split.files = 3;
  split.ranks = {0, 3, 6};
  split.map = {{0, 0}, {1, 0}, {2, 0}, {0, 1}, {1, 1}, {2, 1}, {0, 2}};
  check(split);
}

TEST(SionCodec, WritesMappedFilesWithMinusOneWhereTheTableIsNotUsed) {
  Expected mapped{"v12_mapped.sion", "v12_mapped.sion", 256, {200, 240, 280}, {{150, 200}, {150, 180}, {310}}};
  mapped.files = 2;
  mapped.ranks = {5, 3, 1};
  mapped.map = {{1, 2}, {0, 2}, {1, 1}, {0, 1}, {1, 0}, {0, 0}};
  mapped.unused = -1;
  check(mapped);
}

TEST(SionCodec, WritesCollectiveFilesWithTheirGroups) {
  Expected collective{"v10_collective.sion",
                      "v10_collective.sion",
                      512,
                      {300, 310, 320, 330},
                      {{300, 300}, {310, 310}, {320, 320}, {330, 330}}};
  collective.rule = Rule::collective;
  // As the original has it: the padding of a group is its last task's.
  EXPECT_EQ(collector_groups(collective.requests, 512, 2), (std::vector<std::int32_t>{0, 3}));
  check(collective);
  Expected merging{"v13_cmerge.sion", "v13_cmerge.sion", 512, Numbers(4, 300), {{900}, {0}, {0}, {300}}};
  merging.rule = Rule::merging;
  check(merging);
}

TEST(SionCodec, WritesBuddyCopiesWithPlaceholders) {
  Expected copy{"v15_buddy.sion_BUDDY_00", "v15_buddy.sion", 256, {0, 0, 500, 500}, {{0}, {0}, {500}, {510}}};
  copy.rule = Rule::collective;
  copy.files = 2;
  copy.ranks = {-3, -4, 0, 1};
  copy.map = {{0, 2}, {0, 3}, {1, 2}, {1, 3}};
  const Numbers widths = collective_widths(copy.requests, 256, std::vector<std::int32_t>{0});
  EXPECT_EQ(widths, (Numbers{0, 0, 500, 524}));
}

TEST(SionCodec, DealsTasksOutToFilesInBlocks) {
  // 5 tasks in 2 files: 2 + 3; 4 in 3: 1 + 1 + 2.
  const std::int32_t files_of_5[] = {0, 0, 1, 1, 1}, local_of_5[] = {0, 1, 0, 1, 2};
  for (std::int32_t task = 0; task < 5; ++task) {
    EXPECT_EQ(share_of_task(task, 5, 2).file, files_of_5[task]);
    EXPECT_EQ(share_of_task(task, 5, 2).local_task, local_of_5[task]);
  }
  EXPECT_EQ(share_of_task(3, 4, 3).file, 2);
  EXPECT_EQ(share_of_task(3, 4, 3).local_task, 1);
  EXPECT_EQ(share_of_task(3, 4, 3).tasks, 2);
  EXPECT_THROW(share_of_task(0, 4, 5), Error);
}

TEST(SionCodec, ChoosesAsManyCollectorsAsTheTableSays) {
  // One block of data each: as many groups as are allowed.
  const auto groups = [](std::size_t tasks, std::int64_t wish) {
    return collector_groups(Numbers(tasks, 512), 512, wish).size();
  };
  EXPECT_EQ(groups(8, -1), 8U);
  EXPECT_EQ(groups(16, -1), 4U);
  EXPECT_EQ(groups(32, -1), 8U);
  EXPECT_EQ(groups(128, -1), 8U);
  EXPECT_EQ(groups(256, -1), 16U);
  EXPECT_EQ(groups(512, -1), 32U);
  EXPECT_EQ(groups(64, 2), 32U);
  EXPECT_EQ(collector_groups(Numbers(64, 0), 512, 2).size(), 1U);  // without data nobody needs to collect
}

TEST(SionGeometry, RefusesSumsThatPassTheLargestOffset) {
  Head head;
  head.block_size = 512;
  head.tasks = 3;
  head.ranks = {0, 1, 2};
  head.widths = Numbers(3, std::int64_t{1} << 62);
  EXPECT_THROW(Geometry(head, "x.sion"), Error);
  head.widths = Numbers(3, std::int64_t{1} << 60);
  const Geometry geometry(head, "x.sion");
  EXPECT_EQ(geometry.chunk_offset(2, 1), 1536 + 5 * (std::uint64_t{1} << 60));
  EXPECT_NO_THROW(geometry.tail_offset(2));
  EXPECT_THROW(geometry.tail_offset(3), Error);
  EXPECT_THROW(round_up(~std::uint64_t{0}, 2), Error);
}

TEST(SionHead, RefusesWhatDoesNotFit) {
  Head head;
  head.tasks = 1;
  head.ranks = {0};
  head.widths = {1};
  EXPECT_NO_THROW(encode(head));
  head.prefix = std::string(1024, 'n');
  EXPECT_THROW(encode(head), Error);
  head.prefix = "n";
  head.widths = {-1};
  EXPECT_THROW(encode(head), Error);
  head.widths = {};
  EXPECT_THROW(encode(head), Error);
  EXPECT_THROW(aligned_widths(Numbers{1}, 0), Error);
  EXPECT_THROW(aligned_widths(Numbers{-1}, 512), Error);
}

}  // namespace
}  // namespace lq::format::sion
