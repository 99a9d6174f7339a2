// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "base/edited_source.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace lq::base {

EditedSource::EditedSource(ByteSource& original) : original_(original) {
  parts_.push_back({Kind::original, original.size(), 0, {}});
  count();
}

EditedSource::EditedSource(ByteSource& original, std::uint64_t zeros) : original_(original), is_changed_(true) {
  parts_.push_back({Kind::zeros, zeros, 0, {}});
  count();
}

void EditedSource::count() {
  std::erase_if(parts_, [](const Part& part) { return part.length == 0; });
  starts_.assign(1, 0);
  for (const Part& part : parts_) starts_.push_back(starts_.back() + part.length);
}

std::size_t EditedSource::read_at(std::uint64_t offset, MutableBytes buffer) {
  std::size_t done = 0;
  const auto after = std::upper_bound(starts_.begin(), starts_.end(), offset);
  auto i = static_cast<std::size_t>(after - starts_.begin()) - 1;
  for (; i < parts_.size() && done < buffer.size(); ++i) {
    const Part& part = parts_[i];
    const std::uint64_t within = offset + done - starts_[i];
    const auto length = static_cast<std::size_t>(std::min<std::uint64_t>(part.length - within, buffer.size() - done));
    const MutableBytes target = buffer.subspan(done, length);
    std::size_t got = length;
    if (part.kind == Kind::original) {
      got = original_.read_at(part.offset + within, target);
    } else if (part.kind == Kind::literal) {
      std::memcpy(target.data(), part.bytes.data() + within, length);
    } else {
      std::ranges::fill(target, std::byte{0});
    }
    done += got;
    if (got < length) break;  // the original became shorter
  }
  return done;
}

std::size_t EditedSource::split(std::uint64_t offset) {
  const auto at = std::lower_bound(starts_.begin(), starts_.end(), offset);
  const auto i = static_cast<std::size_t>(at - starts_.begin());
  if (at == starts_.end() || *at == offset) return std::min(i, parts_.size());
  Part& first = parts_[i - 1];
  const std::uint64_t kept = offset - starts_[i - 1];
  Part second = first;
  second.length -= kept;
  if (first.kind == Kind::original) second.offset += kept;
  if (first.kind == Kind::literal) {
    second.bytes.erase(second.bytes.begin(), second.bytes.begin() + static_cast<std::ptrdiff_t>(kept));
    first.bytes.resize(static_cast<std::size_t>(kept));
  }
  first.length = kept;
  parts_.insert(parts_.begin() + static_cast<std::ptrdiff_t>(i), std::move(second));
  count();
  return i;
}

void EditedSource::put(std::uint64_t offset, std::uint64_t length, Part part) {
  const auto first = static_cast<std::ptrdiff_t>(split(offset));
  const auto last = static_cast<std::ptrdiff_t>(split(offset + length));
  parts_.erase(parts_.begin() + first, parts_.begin() + last);
  parts_.insert(parts_.begin() + first, std::move(part));
  is_changed_ = true;
  count();
}

void EditedSource::replace(std::uint64_t offset, std::uint64_t length, Bytes bytes) {
  put(offset, length, {Kind::literal, bytes.size(), 0, {bytes.begin(), bytes.end()}});
}

void EditedSource::replace_by_original(std::uint64_t offset, std::uint64_t length, std::uint64_t original_offset) {
  put(offset, length, {Kind::original, length, original_offset, {}});
}

void EditedSource::append_zeros(std::uint64_t length) { put(size(), 0, {Kind::zeros, length, 0, {}}); }

}  // namespace lq::base
