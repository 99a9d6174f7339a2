// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sums and parity, one window at a time. Local.
#pragma once

#include <functional>
#include <vector>

#include "base/byte_source.hpp"
#include "base/inner.hpp"
#include "kernels/galois.hpp"
#include "protection/layout.hpp"

namespace lq::protection {

// Not thread-safe.
class LQ_INNER WindowEncoder {
 public:
  // Opens a file by its number.
  using Open = std::function<base::ByteSource&(std::size_t file)>;
  // `head` outlives the object.
  WindowEncoder(const Head& head, Open open);

  // Reads the blocks of a window. io: a file is shorter than the head says.
  void encode(std::uint64_t window);
  const Page& page() const noexcept { return page_; }
  // Parity of all rows, parity by parity, in the order of the sidecar.
  base::Bytes parity() const noexcept { return parity_; }
  // Bytes of files in the window.
  std::uint64_t bytes() const noexcept { return bytes_; }

 private:
  void add_column(std::uint64_t window, std::uint32_t column);
  void add_blocks(const Cell& first, std::uint64_t count, const BlockOf& place);

  const Head& head_;
  Open open_;
  std::vector<kernels::ProductTables> factors_;  // by column
  Page page_;
  std::vector<std::byte> parity_, piece_;
  std::uint64_t bytes_ = 0;
};

}  // namespace lq::protection
