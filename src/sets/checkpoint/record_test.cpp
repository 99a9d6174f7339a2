// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Records: every byte where the format page says, and nothing but whole ones understood.
#include "sets/checkpoint/record.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <memory>

#include <limequat/error.hpp>

#include "base/byte_source.hpp"
#include "kernels/crc32.hpp"
#include "sets/checkpoint/found_set.hpp"
#include "sets/checkpoint/stream.hpp"
#include "support/error_of.hpp"

namespace lq::sets {
namespace {

Generation counted() {
  Generation generation;
  for (std::size_t i = 0; i < 16; ++i) generation.bytes[i] = static_cast<std::byte>(0xa0 + i);
  return generation;
}

ChunkRecord chunk_record() {
  return {counted(),          Compression::zstd,  true,      0x01020304, 0x05060708, 0x090a0b0c, 0x0d0e0f10,
          0x1112131415161718, 0x191a1b1c1d1e1f20, 0x21222324};
}

int at(const RecordBytes& bytes, std::size_t offset) { return std::to_integer<int>(bytes[offset]); }

TEST(StreamRecords, OfChunksLieAsTheFormatSays) {
  const RecordBytes bytes = encode(chunk_record());
  const std::vector<int> expected{
      'L',  'Q',  'c',  'k',  1,  0,  2,  1,  0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7, 0xa8, 0xa9, 0xaa, 0xab,
      0xac, 0xad, 0xae, 0xaf, 4,  3,  2,  1,  8,    7,    6,    5,    12,   11,   10,   9,    16,   15,   14,   13,
      24,   23,   22,   21,   20, 19, 18, 17, 32,   31,   30,   29,   28,   27,   26,   25,   0x24, 0x23, 0x22, 0x21};
  ASSERT_EQ(expected.size(), 60u);
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(at(bytes, i), expected[i]) << "byte " << i;
  EXPECT_EQ(base::load_le<std::uint32_t>(bytes.data() + 60), kernels::crc32_portable(0, base::Bytes(bytes).first(60)));
}

TEST(StreamRecords, AreReadBackAsTheyWereWritten) {
  EXPECT_EQ(decode_chunk_record(encode(chunk_record())), chunk_record());
  const SetRecord set{counted(), Compression::lz4, false, 3, 4, 5};
  EXPECT_EQ(decode_set_record(encode(set)), set);
  const TailRecord tail{counted(), true, 3, 4, 5, 6, 7};
  EXPECT_EQ(decode_tail_record(encode(tail)), tail);
}

TEST(StreamRecords, WithAnyBitChangedAreNone) {
  const RecordBytes chunk = encode(chunk_record());
  const RecordBytes set = encode(SetRecord{counted(), Compression::none, true, 1, 2, 3});
  const RecordBytes tail = encode(TailRecord{counted(), false, 1, 2, 3, 4, 5});
  for (std::size_t bit = 0; bit < 8 * record_bytes; ++bit) {
    const auto flipped = [&](RecordBytes bytes) {
      bytes[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
      return bytes;
    };
    EXPECT_FALSE(decode_chunk_record(flipped(chunk))) << bit;
    EXPECT_FALSE(decode_set_record(flipped(set))) << bit;
    EXPECT_FALSE(decode_tail_record(flipped(tail))) << bit;
  }
}

TEST(StreamRecords, OfOneKindAreNoneOfAnother) {
  const RecordBytes chunk = encode(chunk_record());
  EXPECT_FALSE(decode_set_record(chunk));
  EXPECT_FALSE(decode_tail_record(chunk));
  EXPECT_FALSE(decode_chunk_record(base::Bytes(chunk).first(63)));
  EXPECT_FALSE(decode_chunk_record({}));
  EXPECT_FALSE(looks_like_set_record(chunk));
}

// At the end of a chunk may stand what was written for another one: an older set, another file, task or chunk.
TEST(StreamRecords, OfChunksBelongToOneChunkOnly) {
  SetRecord set;
  set.generation = counted();
  StreamPlace place;
  place.start = 64;
  place.width = 1000;
  place.skip = 1000;
  place.file = 2;
  place.task = 5;
  ChunkRecord right;
  right.generation = counted();
  right.file = 2;
  right.task = 5;
  right.chunk = 1;
  right.used = 1000 - reserved_bytes;
  const auto found = [&](const ChunkRecord& record) {
    std::vector<std::byte> file(3000);
    const RecordBytes bytes = encode(record);
    std::ranges::copy(bytes, file.begin() + static_cast<std::ptrdiff_t>(place.records_offset(1)));
    base::MemorySource source(file, "set");
    return read_chunk_records(source, set, place, 1).size();
  };
  EXPECT_EQ(found(right), 1U);
  for (const auto& change : std::initializer_list<std::function<void(ChunkRecord&)>>{
           [](ChunkRecord& r) { r.generation.bytes[3] ^= std::byte{1}; }, [](ChunkRecord& r) { r.file = 3; },
           [](ChunkRecord& r) { r.task = 4; }, [](ChunkRecord& r) { r.chunk = 0; },
           [](ChunkRecord& r) { r.compression = Compression::lz4; }, [](ChunkRecord& r) { ++r.used; }}) {
    ChunkRecord wrong = right;
    change(wrong);
    EXPECT_EQ(found(wrong), 0U);
  }
}

// A frame that is all there, but broken, is not called cut.
TEST(FramesOfStreams, SayWhatIsWrongWithThem) {
  for (const Compression compression : {Compression::lz4, Compression::zstd}) {
    std::unique_ptr<Compressor> compressor;
    try {
      compressor = make_compressor(compression, 0);
    } catch (const Error&) {
      continue;  // built without it
    }
    std::vector<std::byte> raw(100'000), frame(compressor->bound(raw.size())), back;
    for (std::size_t i = 0; i < raw.size(); ++i) raw[i] = static_cast<std::byte>(i * i / 100);
    frame.resize(compressor->compress(raw, frame));
    const auto decompressor = make_decompressor(compression);
    EXPECT_EQ(decompressor->decompress(frame, back), frame.size());
    EXPECT_EQ(back, raw);
    const auto error_of_frame = [&](base::Bytes bytes) {
      return std::string(testing::error_of([&] { decompressor->decompress(bytes, back); }).what());
    };
    EXPECT_NE(error_of_frame(base::Bytes(frame).first(frame.size() - 100)), "");
    if (compression != Compression::lz4) continue;
    EXPECT_NE(error_of_frame(base::Bytes(frame).first(frame.size() - 100)).find("ends early"), std::string::npos);
    // The size of the first block, behind magic, flags, size of the contents and their check.
    for (const std::size_t at : {15U, 16U, 17U}) frame[at] = std::byte{0xff};
    frame[18] = std::byte{0x7f};
    EXPECT_EQ(error_of_frame(frame).find("ends early"), std::string::npos) << error_of_frame(frame);
  }
}

}  // namespace
}  // namespace lq::sets
