// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One process: all vectors read by their formula, one written, positions, streams in other hands, keys.
#include "multifile/serial_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include "support/error_of.hpp"
#include "support/multifile_vectors.hpp"
#include "support/scratch_directory.hpp"

namespace lq::multifile {
namespace {

using testing::bytes_in;
using testing::error_of;
using testing::golden_vector;
using testing::read_to_end;
using testing::vector_bytes;
using testing::without_version;

Opening opening_of(const std::string& name, const char* mode = "br") {
  Opening request;
  request.path = std::string(LQ_SOURCE_DIR) + "/tests/golden/good/sion/" + name;
  request.mode = parse_mode(mode);
  return request;
}

struct Content {
  const char* name;
  std::int64_t seed;
  std::vector<std::int64_t> totals;  // by task
};

TEST(SerialFile, ReadsEveryVersionAndByteOrderAndSet) {
  const std::vector<Content> contents{{"v01_1file_4tasks.sion", 1, {1000, 1500, 300, 512}},
                                      {"v02_2files_5tasks.sion", 2, {700, 800, 900, 1000, 1100}},
                                      {"v03_multiblock.sion", 3, {5000, 100, 2600}},
                                      {"v08_bigendian.sion", 8, {250, 1100, 0}},
                                      {"v11_3files_splitcomm.sion", 11, {400, 450, 500, 550, 600, 650, 700}},
                                      {"v12_mapped.sion", 12, {300, 310, 320, 330, 340, 350}},
                                      {"v14_defrag_q1.sion", 3, {5000, 100, 2600}},
                                      {"v16_manychunks.sion", 16, {8310, 1280}},
                                      {"v18_fmt3.sion", 18, {250, 1100, 0}},
                                      {"v19_fmt4.sion", 1, {1000, 1500, 300, 512}},
                                      {"v21_hybrid.sion", 21, {150, 170, 190, 210, 230, 250}}};
  for (const Content& content : contents) {
    for (const char* mode : {"br", "br,posix"}) {
      const auto file = SerialFile::open(opening_of(content.name, mode));
      ASSERT_EQ(file->tasks(), content.totals.size()) << content.name;
      for (std::size_t t = file->tasks(); t-- > 0;) {
        file->select(t);
        EXPECT_EQ(read_to_end(*file), vector_bytes(content.seed, static_cast<std::int64_t>(t), 0, content.totals[t]))
            << content.name << ", task " << t;
      }
      file->close();
    }
  }
}

TEST(SerialFile, OneTaskIsReadAlone) {
  for (std::int64_t task = 0; task < 5; ++task) {
    const auto file = SerialFile::open_task(opening_of("v02_2files_5tasks.sion"), task);
    EXPECT_EQ(file->tasks(), 1U);
    EXPECT_EQ(read_to_end(*file), vector_bytes(2, task, 0, 700 + 100 * task));
  }
  EXPECT_EQ(error_of([] { SerialFile::open_task(opening_of("v02_2files_5tasks.sion"), 5); }).code(),
            Code::invalid_argument);
}

TEST(SerialFile, ATaskIsWhereItWasLeftAndPositionsCanBeChosen) {
  const auto file = SerialFile::open(opening_of("v03_multiblock.sion"));
  std::vector<std::byte> buffer(100);
  EXPECT_EQ(file->read(buffer), 100U);
  file->select(2);
  const auto spot = file->selected().stream.find(1000);
  ASSERT_TRUE(spot);
  EXPECT_EQ(spot->chunk, 0U);  // on the border: at the end of the earlier chunk
  EXPECT_EQ(spot->position, 1000U);
  file->seek(*spot);
  EXPECT_EQ(file->read(buffer), 100U);
  EXPECT_EQ(buffer, vector_bytes(3, 2, 1000, 100));
  file->select(0);
  EXPECT_EQ(file->read(buffer), 100U);
  EXPECT_EQ(buffer, vector_bytes(3, 0, 100, 100));
  EXPECT_FALSE(file->selected().stream.find(5001));
  EXPECT_EQ(error_of([&] { file->select(3); }).code(), Code::wrong_state);
}

SerialCreation v09(const std::string& path, const char* mode) {
  SerialCreation request;
  request.path = path;
  request.mode = parse_mode(mode);
  request.chunk_bytes = {300, 600, 100};
  request.ranks = {0, 1, 2};
  request.block_size = 256;
  return request;
}

TEST(SerialFile, WritesTheVectorOverStreamsAndDescriptorsAndOverAnOldFile) {
  const testing::ScratchDirectory folder;
  ASSERT_EQ(::chdir(folder.path().c_str()), 0);
  for (const char* mode : {"bw", "bw,posix"}) {
    storage::posix().create("v09_serial.sion")->write_at(20000, vector_bytes(0, 0, 0, 9000));
    const auto file = SerialFile::create(v09("v09_serial.sion", mode));
    const std::vector<std::int64_t> totals{250, 1100, 0};
    for (std::size_t t = 0; t < 3; ++t) {
      file->select(t);
      for (std::int64_t done = 0; done < totals[t]; done += 250) {
        const auto bytes =
            vector_bytes(9, static_cast<std::int64_t>(t), done, std::min<std::int64_t>(250, totals[t] - done));
        EXPECT_TRUE(file->write(bytes));
      }
    }
    file->close();
    EXPECT_EQ(without_version(bytes_in(storage::posix(), "v09_serial.sion")),
              without_version(golden_vector("v09_serial.sion")));
    storage::posix().remove("v09_serial.sion");
  }
}

TEST(SerialFile, WhatOthersWriteToTheStreamCountsAndStraysAreNoticed) {
  const testing::ScratchDirectory folder;
  const auto file = SerialFile::create(v09(folder / "f", "bw"));
  file->select(1);
  FILE* const stream = file->channel().share_stream();
  file->place_stream();
  const auto bytes = vector_bytes(1, 1, 0, 500);
  ASSERT_TRUE(file->ensure_space(200));
  ASSERT_EQ(std::fwrite(bytes.data(), 1, 200, stream), 200U);
  ASSERT_TRUE(file->write(base::Bytes(bytes).subspan(200, 300)));
  file->flush();
  EXPECT_EQ(file->selected().stream.size(), 500U);
  ASSERT_EQ(std::fseek(stream, 100000, SEEK_CUR), 0);
  EXPECT_EQ(error_of([&] { file->flush(); }).code(), Code::wrong_state);
  file->close();
  Opening request = opening_of("");
  request.path = folder / "f";
  const auto back = SerialFile::open_task(request, 1);
  EXPECT_EQ(read_to_end(*back), bytes);
}

TEST(SerialFile, RecordsOfKeysAreFoundInOrderAndByKey) {
  const auto file = SerialFile::open(opening_of("v05_keyval.sion"));
  file->select(1);
  const KeyIndex::ReadStream read = [&](std::uint64_t position, base::MutableBytes buffer) {
    return file->read_stream(position, buffer);
  };
  KeyIndex& keys = file->keys();
  std::vector<std::byte> buffer(1000);
  // Records of key 11 are 70 and 270 bytes long.
  EXPECT_EQ(keys.read(read, 11, 1, base::MutableBytes(buffer).first(50)), 50U);
  EXPECT_EQ(keys.read(read, 11, 1, buffer), 20U);
  EXPECT_EQ(keys.read(read, 11, 100, buffer), 200U);  // whole items
  EXPECT_TRUE(keys.seek(read, 11, 1, 0));
  EXPECT_EQ(keys.read(read, 11, 1, buffer), 270U);
  EXPECT_TRUE(std::ranges::equal(base::Bytes(buffer).first(270), vector_bytes(5, 11, 1000, 270)));
  EXPECT_EQ(keys.read(read, 11, 1, buffer), 0U);
  EXPECT_EQ(keys.read(read, 99, 1, buffer), 0U);
  EXPECT_FALSE(keys.seek(read, 11, 2, 0));
  EXPECT_FALSE(keys.seek(read, 11, 0, 71));
  std::vector<std::uint64_t> seen;
  while (const auto record = keys.next_record(read)) seen.push_back(record->key);
  EXPECT_EQ(seen, (std::vector<std::uint64_t>{10, 11, 12, 13, 10, 11, 12, 13}));
  EXPECT_EQ(keys.read(read, 11, 1, buffer), 270U);  // the record that was met last
  EXPECT_EQ(keys.statistics(13)->bytes, 130U + 330U);
  std::vector<std::uint64_t> known;
  while (const auto key = keys.next_key()) known.push_back(*key);
  EXPECT_EQ(known, (std::vector<std::uint64_t>{10, 11, 12, 13}));
}

TEST(SerialFile, AnEmptyRecordAtTheEndIsARecord) {
  const testing::ScratchDirectory folder;
  const auto file = SerialFile::create(v09(folder / "f", "bw,keyval"));
  const auto header = format::sion::encode_record_header(7, 0, format::sion::host_order);
  file->write_across(header);
  file->close();
  Opening request = opening_of("");
  request.path = folder / "f";
  const auto back = SerialFile::open(request);
  const auto record = back->keys().next_record(
      [&](std::uint64_t position, base::MutableBytes buffer) { return back->read_stream(position, buffer); });
  ASSERT_TRUE(record);
  EXPECT_EQ(record->length, 0U);
}

TEST(SerialFile, KeysNeedChunksThatHoldSomething) {
  const testing::ScratchDirectory folder;
  SerialCreation request = v09(folder / "f", "bw,keyval");
  request.chunk_bytes = {0, 0, 0};
  const auto file = SerialFile::create(request);
  EXPECT_EQ(error_of([&] { file->write_across(vector_bytes(0, 0, 0, 10)); }).code(), Code::wrong_state);
  file->close();
}

TEST(SerialFile, AFullDiskIsAnErrorAtTheClose) {
  if (storage::posix().kind("/dev/full") == storage::PathKind::absent) GTEST_SKIP();
  Opener opener;
  opener.access = Access::stdio;
  EXPECT_NE(error_of([&] { opener.open("/dev/full", Direction::write); }).code(), Code::ok);  // no regular file
}

}  // namespace
}  // namespace lq::multifile
