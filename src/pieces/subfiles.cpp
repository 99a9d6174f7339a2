// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "pieces/subfiles.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <limequat/error.hpp>

namespace lq::partition {

transport::Identity identity_of(const PartitionedFile& file) {
  transport::Identity identity = transport::resolve(file.path).identity(file.path);
  identity.bytes = file.bytes;
  for (const PartitionedFile::Subfile& subfile : file.files) {
    identity.modified = std::max(identity.modified, transport::resolve(subfile.path).identity(subfile.path).modified);
  }
  return identity;
}

Subfiles::Subfiles(PartitionedFile file, bool writes)
    : file_(std::move(file)), writes_(writes), open_(file_.files.size()) {}

std::uint64_t Subfiles::bytes(std::size_t k) const {
  const FileArray& array = file_.partition.array();
  const std::uint64_t behind = k == 0 ? file_.bytes - array.end() : 0;
  return file_.files[k].offset + file_.partition.elements(k) * array.element_bytes + behind;
}

transport::File& Subfiles::open(std::size_t k) {
  const std::lock_guard lock(mutex_);
  if (open_[k]) return *open_[k];
  const std::string& path = file_.files[k].path;
  transport::Transport& place = transport::resolve(path);
  auto opened = writes_ ? place.open_write(path) : place.open_read(path);
  const std::uint64_t found = opened->size(), expected = bytes(k);
  if (found < expected) {
    throw Error(Code::truncated,
                fmt::format("{}: this subfile number {} of {} has {} bytes, expected {}; it was cut off, or is of "
                            "another file",
                            path, k, file_.path, found, expected),
                {.path = path, .expected = fmt::format("{} bytes", expected), .found = fmt::format("{} bytes", found)});
  }
  open_[k] = std::move(opened);
  return *open_[k];
}

void Subfiles::sync() {
  const std::lock_guard lock(mutex_);
  for (const auto& file : open_) {
    if (file) file->sync();
  }
}

void Subfiles::close() {
  const std::lock_guard lock(mutex_);
  for (auto& file : open_) {
    if (const auto closed = std::exchange(file, nullptr)) closed->close();
  }
}

}  // namespace lq::partition
