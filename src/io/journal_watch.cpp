// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/journal_watch.hpp"

#include <algorithm>

#include "kernels/crc32.hpp"

namespace lq::io {

std::size_t RememberedReads::read_at(std::uint64_t offset, base::MutableBytes buffer) {
  const std::size_t got = inner().read_at(offset, buffer);
  reads_.push_back({offset, buffer.size(), kernels::crc32(0, buffer.first(got))});
  return got;
}

bool RememberedReads::are_still_so() {
  std::vector<std::byte> buffer;
  return std::ranges::all_of(reads_, [&](const Read& read) {
    buffer.resize(static_cast<std::size_t>(read.bytes));
    return kernels::crc32(0, base::Bytes(buffer).first(inner().read_at(read.offset, buffer))) == read.crc;
  });
}

}  // namespace lq::io
