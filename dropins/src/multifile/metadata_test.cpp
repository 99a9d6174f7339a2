// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The metadata of files that SIONlib wrote (tests/golden/good/sion), read and written again.
#include "multifile/metadata.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include <limequat/error.hpp>

namespace lq::multifile {
namespace {

std::string golden(const std::string& name) {
  return (std::filesystem::path(LQ_SOURCE_DIR) / "tests" / "golden" / "good" / "sion" / name).string();
}

std::vector<std::byte> bytes_at(base::ByteSource& file, std::uint64_t offset, std::uint64_t length) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(length));
  bytes.resize(file.read_at(offset, bytes));
  return bytes;
}

// As its writer did it: header, later the rest.
void check(const std::string& name, std::int64_t unused = 0) {
  SCOPED_TRACE(name);
  const Metadata original = read_metadata(storage::posix(), golden(name));
  const auto files = storage::make_memory();
  MetadataWriter writer(files->create("copy"));
  const format::sion::Geometry geometry = writer.write_head(original.head);
  EXPECT_EQ(geometry.places(0).start, original.geometry.start(0));
  EXPECT_EQ(geometry.skip(), original.geometry.skip());
  try {
    read_metadata(*files, "copy");
    ADD_FAILURE() << "a file that was not closed has no table";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::truncated);
  }
  format::sion::Tail tail = original.tail;
  if (original.head.file_number == 1 && original.head.files == 1) tail.map.emplace();  // serial writers end so
  writer.write_tail(tail, unused);

  const auto here = files->open_read("copy");
  const auto there = storage::posix().open_read(golden(name));
  const std::uint64_t head = format::sion::head_bytes(original.head.tasks);
  EXPECT_EQ(bytes_at(*here, 0, head), bytes_at(*there, 0, head));
  const auto begin = static_cast<std::uint64_t>(original.head.tail_offset);
  EXPECT_EQ(here->size(), there->size());
  EXPECT_EQ(bytes_at(*here, begin, here->size() - begin), bytes_at(*there, begin, there->size() - begin));
}

TEST(MetadataWriter, WritesWhatTheOriginalWrote) {
  for (const char* name : {"v01_1file_4tasks.sion", "v02_2files_5tasks.sion", "v02_2files_5tasks.sion.000001",
                           "v03_multiblock.sion", "v05_keyval.sion", "v09_serial.sion", "v10_collective.sion",
                           "v13_cmerge.sion", "v15_buddy.sion_BUDDY_00", "v16_manychunks.sion"}) {
    check(name);
  }
  check("v12_mapped.sion", -1);
}

TEST(MetadataWriter, RefusesChunksThatNoFileCanHold) {
  const auto files = storage::make_memory();
  MetadataWriter writer(files->create("huge"));
  format::sion::Head head;
  head.tasks = 2;
  head.ranks = {0, 1};
  head.widths = {std::int64_t{1} << 62, std::int64_t{1} << 62};
  try {
    writer.write_head(head);
    ADD_FAILURE() << "2^63 bytes";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::too_large);
  }
  EXPECT_EQ(files->open_read("huge")->size(), 0U);
}

}  // namespace
}  // namespace lq::multifile
