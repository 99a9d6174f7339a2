// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Any bytes as the head of a sidecar with parity: what is read is written as the same bytes again, and every place that
// it leads to is one of the sidecar. The checksum is put right first, or no input would come far.
#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "kernels/crc32.hpp"
#include "protection/layout.hpp"

namespace {

void require(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);
}

void look_through(const lq::protection::Head& head) {
  constexpr std::uint64_t most = 64;
  const std::uint64_t bytes = head.sidecar_bytes();
  require(head.page_at(head.windows, 0) <= bytes && head.page_at(head.windows, 1) <= bytes, "pages lie in the sidecar");
  for (std::size_t file = 0; file < std::min<std::size_t>(head.files.size(), most); ++file) {
    const std::uint64_t blocks = head.blocks_of(file);
    for (const std::uint64_t block : {std::uint64_t{0}, blocks / 2, blocks - 1}) {
      if (block >= blocks) continue;
      const auto cell = head.cell_of(file, block);
      require(cell.window < head.windows && cell.row < head.rows && cell.column < head.columns, "a block has a cell");
      const auto back = head.block_at(cell);
      require(back && back->file == file && back->block == block, "a cell has its block");
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lq;
  const auto* begin = reinterpret_cast<const std::byte*>(data);
  std::vector<std::byte> bytes(begin, begin + size);
  protection::decode_head(bytes);
  protection::decode_end(bytes);
  const auto length = protection::head_bytes_of(bytes);
  if (!length || *length > size) return 0;
  const auto end = static_cast<std::size_t>(*length) - sizeof(std::uint32_t);
  base::store_le(bytes.data() + end, kernels::crc32(0, base::Bytes(bytes).first(end)));
  const auto head = protection::decode_head(bytes);
  if (!head) return 0;
  look_through(*head);
  const std::vector<std::byte> again = protection::encode_head(*head);
  require(again.size() == *length && std::equal(again.begin(), again.end(), bytes.begin()),
          "a head that is read is written as it was");
  return 0;
}
