// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Blocks are gathered here and compressed elsewhere.
#include "kernels/sha256.hpp"

#include <algorithm>

#include "kernels/sha256_blocks.hpp"

namespace lq::kernels {
namespace {

constexpr std::size_t block_bytes = 64;

}  // namespace

void Sha256::add(base::Bytes bytes) noexcept {
  const auto held = static_cast<std::size_t>(bytes_ % block_bytes);
  bytes_ += bytes.size();
  if (held > 0) {
    const std::size_t fill = std::min(block_bytes - held, bytes.size());
    std::copy_n(bytes.data(), fill, rest_.data() + held);
    bytes = bytes.subspan(fill);
    if (held + fill < block_bytes) return;
    sha256_compression()(state_.data(), rest_.data(), 1);
  }
  const std::size_t blocks = bytes.size() / block_bytes;
  if (blocks > 0) sha256_compression()(state_.data(), bytes.data(), blocks);
  bytes = bytes.subspan(blocks * block_bytes);
  std::ranges::copy(bytes, rest_.data());
}

Sha256::Words Sha256::finish() noexcept {
  std::array<std::byte, block_bytes + 8> padding{std::byte{0x80}};
  const std::uint64_t bits = bytes_ * 8;
  // One byte at least, so many that the length ends a block.
  const auto zeros = static_cast<std::size_t>((2 * block_bytes - 9 - bytes_ % block_bytes) % block_bytes);
  base::store_be(padding.data() + 1 + zeros, bits);
  add({padding.data(), 1 + zeros + 8});
  return state_;
}

}  // namespace lq::kernels
