// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The bytes of single sites anywhere in a file, with few reads where they are neighbours and in bounded memory.
#pragma once

#include <cstdint>
#include <vector>

#include "base/byte_source.hpp"

namespace lq::diagnosis {

class SiteReader {
 public:
  SiteReader(base::ByteSource& file, std::uint64_t offset, std::uint64_t site_bytes);

  // Of site `number` of the file's sequence, until the next call; shorter where the file ends.
  base::Bytes site(std::uint64_t number);

 private:
  static constexpr std::uint64_t slots = 256;

  struct Slot {
    std::uint64_t block = 0;
    std::vector<std::byte> bytes;  // empty: nothing was read yet
  };
  base::ByteSource& file_;
  std::uint64_t offset_, site_bytes_;
  std::uint64_t block_sites_;  // of a read
  std::vector<Slot> slots_;
};

}  // namespace lq::diagnosis
