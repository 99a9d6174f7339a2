// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Any bytes as the record of a copy: what is read is written as the same bytes again. The checksum of the head is put
// right first, or no input would come far.
#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "kernels/crc32.hpp"
#include "sets/staging/sources.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lq;
  const auto* begin = reinterpret_cast<const std::byte*>(data);
  std::vector<std::byte> bytes(begin, begin + size);
  sets::decode_copied(bytes);
  constexpr std::size_t head = 36;
  if (size < sets::copied_head_bytes) return 0;
  base::store_le(bytes.data() + head, kernels::crc32(0, base::Bytes(bytes).first(head)));
  const std::optional<sets::Copied> copied = sets::decode_copied(bytes);
  if (!copied) return 0;
  std::vector<std::byte> again = sets::encode_head(*copied);
  const std::vector<std::byte> blocks = sets::encode_blocks(copied->blocks);
  again.insert(again.end(), blocks.begin(), blocks.end());
  if (again.size() > size || !std::equal(again.begin(), again.end(), bytes.begin())) {
    throw std::logic_error("the record of a copy that is read is written as it was");
  }
  return 0;
}
