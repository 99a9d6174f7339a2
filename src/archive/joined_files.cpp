// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "archive/joined_files.hpp"

#include <algorithm>
#include <iterator>

#include <limequat/error.hpp>

#include "archive/errand.hpp"

namespace lq::archive {

JoinedFiles::JoinedFiles(transport::Transport& transport, const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    auto file = transport.open_read(path);
    const std::uint64_t bytes = file->size();
    const transport::Identity identity = file->identity();
    files_.push_back({std::move(file), identity, size_});
    size_ += bytes;
  }
}

std::size_t JoinedFiles::read_at(std::uint64_t offset, base::MutableBytes buffer) {
  if (offset >= size_) return 0;
  buffer = buffer.first(static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), size_ - offset)));
  auto one = std::prev(std::ranges::upper_bound(files_, offset, {}, &One::begin));
  for (std::size_t done = 0; done < buffer.size(); ++one) {
    const std::uint64_t within = offset + done - one->begin;
    const std::uint64_t end = std::next(one) == files_.end() ? size_ : std::next(one)->begin;
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size() - done, end - offset - done));
    read_all(*one->file, within, buffer.subspan(done, count));
    done += count;
  }
  return buffer.size();
}

std::vector<std::uint64_t> JoinedFiles::sizes() const {
  std::vector<std::uint64_t> sizes;
  for (std::size_t k = 0; k < files_.size(); ++k) {
    sizes.push_back((k + 1 < files_.size() ? files_[k + 1].begin : size_) - files_[k].begin);
  }
  return sizes;
}

void JoinedFiles::require_unchanged() const {
  for (const One& one : files_) {
    if (transport::is_unchanged(one.identity, one.file->identity())) continue;
    const std::string& path = one.file->path();
    throw Error(Code::io, path + ": it was written to while it was read; do it again when nobody writes to it",
                {.path = path});
  }
}

}  // namespace lq::archive
