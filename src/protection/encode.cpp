// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "protection/encode.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include <limequat/error.hpp>

#include "base/error.hpp"

namespace lq::protection {
namespace {

constexpr std::uint64_t encoded_piece = 256 * base::kibi;  // stays in cache until it is in the sums and the parity

}  // namespace

WindowEncoder::WindowEncoder(const Head& head, Open open) : head_(head), open_(std::move(open)) {
  for (std::uint32_t column = 0; column < head.columns; ++column) {
    std::vector<std::uint8_t> factors;
    for (std::uint32_t parity = 0; parity < head.parities; ++parity) {
      factors.push_back(kernels::parity_factor(parity, column));
    }
    factors_.emplace_back(factors);
  }
  page_.blocks.resize(static_cast<std::size_t>(head.columns * head.rows));
  page_.parities.resize(static_cast<std::size_t>(head.parities * head.rows));
  parity_.resize(page_.parities.size() * head.block_bytes);
}

void WindowEncoder::encode(std::uint64_t window) {
  bytes_ = 0;
  std::ranges::fill(page_.blocks, BlockSum{});
  std::ranges::fill(parity_, std::byte{0});
  for (std::uint32_t column = 0; column < head_.columns; ++column) add_column(window, column);
  for (std::size_t i = 0; i < page_.parities.size(); ++i) {
    page_.parities[i] = sum_of(base::Bytes(parity_).subspan(i * head_.block_bytes, head_.block_bytes));
  }
}

// Consecutive blocks of a file are read in one call.
void WindowEncoder::add_column(std::uint64_t window, std::uint32_t column) {
  const std::uint64_t most = std::max<std::uint64_t>(1, encoded_piece / head_.block_bytes);
  for (std::uint64_t row = 0; row < head_.rows;) {
    const auto place = head_.block_at({window, row, column});
    if (!place) {
      ++row;
      continue;
    }
    std::uint64_t count = std::min({most, head_.rows - row, head_.blocks_of(place->file) - place->block});
    if (head_.layout == Layout::stretches) {
      count = std::min(count, head_.window_blocks - (column * head_.rows + row));
    }
    add_blocks({window, row, column}, count, *place);
    row += count;
  }
}

void WindowEncoder::add_blocks(const Cell& first, std::uint64_t count, const BlockOf& place) {
  const std::size_t block_bytes = head_.block_bytes;
  const std::uint64_t offset = place.block * block_bytes;
  const auto length = static_cast<std::size_t>(std::min(count * block_bytes, head_.files[place.file].bytes - offset));
  piece_.resize(static_cast<std::size_t>(count) * block_bytes);
  base::ByteSource& file = open_(place.file);
  if (file.read_at(offset, base::MutableBytes(piece_).first(length)) != length) {
    base::fail(Code::io, {.path = file.path(), .offset = offset},
               "the file became shorter while it was being protected. Stop the program that writes to it, "
               "then repeat the command");
  }
  std::ranges::fill(base::MutableBytes(piece_).subspan(length), std::byte{0});
  bytes_ += length;
  const auto cell = static_cast<std::size_t>(first.column * head_.rows + first.row);
  sum_blocks(base::Bytes(piece_).first(length), block_bytes, std::span(page_.blocks).subspan(cell));
  std::vector<std::byte*> to(head_.parities);
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto at = static_cast<std::size_t>(i) * block_bytes;
    for (std::uint32_t parity = 0; parity < head_.parities; ++parity) {
      to[parity] = parity_.data() + static_cast<std::size_t>(parity * head_.rows + first.row + i) * block_bytes;
    }
    factors_[first.column].add_products(base::Bytes(piece_).subspan(at, block_bytes), to.data());
  }
}

}  // namespace lq::protection
