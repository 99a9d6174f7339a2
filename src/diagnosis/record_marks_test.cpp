// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Files as Fortran programs write them, byte by byte.
#include "diagnosis/record_marks.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace lq::diagnosis {
namespace {

using Bytes = std::vector<std::byte>;

void append(Bytes& file, std::int64_t mark, int bytes, bool big) {
  for (int k = 0; k < bytes; ++k) {
    const int shift = 8 * (big ? bytes - 1 - k : k);
    file.push_back(static_cast<std::byte>((mark >> shift) & 0xff));
  }
}

// Numbers from `first` on, as bytes.
void append_record(Bytes& file, int first, int length, int mark_bytes, bool big) {
  append(file, length, mark_bytes, big);
  for (int k = 0; k < length; ++k) file.push_back(static_cast<std::byte>(first + k));
  append(file, length, mark_bytes, big);
}

TEST(RecordMarks, AreFoundBehindAnyHeaderAndTakenOut) {
  for (const int mark_bytes : {4, 8}) {
    for (const bool big : {false, true}) {
      for (const std::size_t header : {0U, 1U, 13U}) {
        Bytes file(header, std::byte{0xee});
        append_record(file, 0, 16, mark_bytes, big);
        append_record(file, 16, 40, mark_bytes, big);
        append_record(file, 56, 40, mark_bytes, big);
        base::MemorySource source(file, "records");
        const std::vector<RecordChain> chains = find_chains(source, 0, file.size(), 64, 90);
        ASSERT_EQ(chains.size(), 1U);
        const RecordChain& chain = chains.front();
        EXPECT_EQ(chain.mark_bytes, mark_bytes);
        EXPECT_EQ(chain.byte_order, big ? ByteOrder::big : ByteOrder::little);
        EXPECT_EQ(chain.records, 3U);
        ASSERT_EQ(chain.bytes, 96U);
        RecordContents records(source, chain);
        Bytes all(100);
        ASSERT_EQ(records.read_at(0, all), 96U);
        for (std::size_t k = 0; k < 96; ++k) {
          EXPECT_EQ(all[k], static_cast<std::byte>(k));
          EXPECT_EQ(file[static_cast<std::size_t>(chain.in_file(k))], static_cast<std::byte>(k));
        }
      }
    }
  }
}

// gfortran: a record of more than 2 GiB is several, marked by signs; here with short ones.
TEST(RecordMarks, OfPartsOfARecordAreNegative) {
  Bytes file;
  append(file, -12, 4, false);
  file.insert(file.end(), 12, std::byte{1});
  append(file, 12, 4, false);
  append(file, 9, 4, false);
  file.insert(file.end(), 9, std::byte{2});
  append(file, -9, 4, false);
  base::MemorySource source(file, "records");
  const std::vector<RecordChain> chains = find_chains(source, 0, file.size(), 0, 21);
  ASSERT_EQ(chains.size(), 1U);
  EXPECT_EQ(chains.front().bytes, 21U);
}

TEST(RecordMarks, ThatDoNotAgreeAreNone) {
  Bytes file;
  append_record(file, 0, 40, 4, false);
  file.back() = std::byte{1};
  base::MemorySource source(file, "records");
  EXPECT_TRUE(find_chains(source, 0, file.size(), 64, 8).empty());
}

}  // namespace
}  // namespace lq::diagnosis
