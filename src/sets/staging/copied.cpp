// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "sets/staging/copied.hpp"

#include <bit>
#include <string_view>

#include "base/append_bytes.hpp"
#include "kernels/crc32.hpp"

namespace lq::sets {

namespace {

constexpr std::string_view magic = "LQCOPY01";

}  // namespace

std::vector<std::byte> encode_head(const Copied& copied) {
  std::vector<std::byte> bytes;
  for (const char c : magic) bytes.push_back(static_cast<std::byte>(c));
  base::append_le(bytes, copied.source.bytes);
  base::append_le(bytes, std::bit_cast<std::uint64_t>(copied.source.modified));
  base::append_le(bytes, copied.block_bytes);
  base::append_le(bytes, copied.source.start_crc);
  base::append_le(bytes, kernels::crc32(0, bytes));
  return bytes;
}

std::vector<std::byte> encode_blocks(const std::vector<CopiedBlock>& blocks) {
  std::vector<std::byte> bytes;
  for (const CopiedBlock& block : blocks) {
    const std::size_t begin = bytes.size();
    base::append_le(bytes, block.number);
    base::append_le(bytes, block.crc);
    base::append_le(bytes, kernels::crc32(0, base::Bytes(bytes).subspan(begin)));
  }
  return bytes;
}

std::optional<Copied> decode_copied(base::Bytes bytes) {
  if (bytes.size() < copied_head_bytes || base::as_text(bytes.first(magic.size())) != magic) return {};
  if (!kernels::ends_in_crc32(bytes.first(copied_head_bytes))) return {};
  Copied copied;
  copied.source.bytes = base::load_le<std::uint64_t>(bytes.data() + 8);
  copied.source.modified = std::bit_cast<std::int64_t>(base::load_le<std::uint64_t>(bytes.data() + 16));
  copied.block_bytes = base::load_le<std::uint64_t>(bytes.data() + 24);
  copied.source.start_crc = base::load_le<std::uint32_t>(bytes.data() + 32);
  if (copied.block_bytes == 0) return {};
  const std::uint64_t count = blocks_of(copied.source.bytes, copied.block_bytes);
  for (base::Bytes rest = bytes.subspan(copied_head_bytes); rest.size() >= copied_block_bytes;
       rest = rest.subspan(copied_block_bytes)) {
    const base::Bytes block = rest.first(copied_block_bytes);
    const auto number = base::load_le<std::uint64_t>(block.data());
    if (!kernels::ends_in_crc32(block) || number >= count) break;
    copied.blocks.push_back({number, base::load_le<std::uint32_t>(block.data() + 8)});
  }
  return copied;
}

}  // namespace lq::sets
