// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Bytes in memory as a source.
#include "base/byte_source.hpp"

#include <algorithm>

#include <limequat/error.hpp>

namespace lq::base {

std::unique_ptr<ByteSource> ByteSource::open_other(const std::string& path) const {
  throw Error(Code::not_found, path + ": there is no other file beside the one that is read", {.path = path});
}

std::size_t MemorySource::read_at(std::uint64_t offset, MutableBytes buffer) {
  if (offset >= bytes_.size()) return 0;
  const Bytes rest = bytes_.subspan(static_cast<std::size_t>(offset));
  const std::size_t count = std::min(rest.size(), buffer.size());
  std::copy_n(rest.begin(), count, buffer.begin());
  return count;
}

}  // namespace lq::base
