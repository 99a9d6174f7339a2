// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Any bytes as a journal: what is read is written as the same bytes again. The checksums are put right first, or no
// input would come far.
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "io/journal.hpp"
#include "kernels/crc32.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lq;
  const auto* begin = reinterpret_cast<const std::byte*>(data);
  std::vector<std::byte> bytes(begin, begin + size);
  io::decode_journal(bytes);
  constexpr std::size_t head = 20, crc = 4;
  if (size < head + 2 * crc) return 0;
  base::store_le(bytes.data() + head, kernels::crc32(0, base::Bytes(bytes).first(head)));
  base::store_le(bytes.data() + size - crc, kernels::crc32(0, base::Bytes(bytes).first(size - crc)));
  const std::optional<io::Journal> journal = io::decode_journal(bytes);
  if (journal && journal->is_complete && io::encode_journal(*journal) != bytes) {
    throw std::logic_error("a journal that is read is written as it was");
  }
  return 0;
}
