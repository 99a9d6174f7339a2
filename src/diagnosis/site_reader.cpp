// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "diagnosis/site_reader.hpp"

#include <algorithm>

namespace lq::diagnosis {
namespace {

constexpr std::uint64_t bytes_of_a_read = 16 * base::kibi;

}  // namespace

SiteReader::SiteReader(base::ByteSource& file, std::uint64_t offset, std::uint64_t site_bytes)
    : file_(file),
      offset_(offset),
      site_bytes_(site_bytes),
      block_sites_(std::max<std::uint64_t>(1, bytes_of_a_read / site_bytes)),
      slots_(slots) {}

base::Bytes SiteReader::site(std::uint64_t number) {
  const std::uint64_t block = number / block_sites_;
  Slot& slot = slots_[static_cast<std::size_t>(block % slots)];
  if (slot.bytes.empty() || slot.block != block) {
    slot.block = block;
    slot.bytes.resize(static_cast<std::size_t>(block_sites_ * site_bytes_));
    slot.bytes.resize(file_.read_at(offset_ + block * block_sites_ * site_bytes_, slot.bytes));
  }
  const auto begin = static_cast<std::size_t>((number - block * block_sites_) * site_bytes_);
  const base::Bytes bytes(slot.bytes);
  if (begin >= bytes.size()) return {};
  return bytes.subspan(begin, std::min(static_cast<std::size_t>(site_bytes_), bytes.size() - begin));
}

}  // namespace lq::diagnosis
