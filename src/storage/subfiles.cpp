// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "storage/subfiles.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/path.hpp"

namespace lq::storage {

storage::Identity identity_of(const PartitionedFile& file) {
  storage::Identity identity = storage::resolve(file.path).identity(file.path);
  identity.bytes = file.bytes;
  for (const PartitionedFile::Subfile& subfile : file.files) {
    identity.modified = std::max(identity.modified, storage::resolve(subfile.path).identity(subfile.path).modified);
  }
  return identity;
}

// A look at a new file may make a client believe that it is empty: the folders are asked.
storage::StorageTraits unit_of(const PartitionedFile& file) {
  constexpr std::uint64_t apart = 1'000'003;
  std::set<std::string> folders;
  for (const PartitionedFile::Subfile& subfile : file.files) folders.insert(base::directory_of(subfile.path));
  storage::StorageTraits all;
  for (const std::string& folder : folders) {
    const storage::StorageTraits unit = storage::resolve(folder).unit(folder);
    all.bytes = std::max(all.bytes, unit.bytes);
    all.single_owner = all.single_owner || unit.single_owner;
    all.device = all.device * apart + unit.device;
  }
  return all;
}

Subfiles::Subfiles(PartitionedFile file, bool writes, Lost lost)
    : file_(std::move(file)), writes_(writes), lost_(lost), open_(file_.files.size()) {}

std::uint64_t Subfiles::bytes(std::size_t k) const {
  const FileArray& array = file_.partition.array();
  const std::uint64_t behind = k == 0 ? file_.bytes - array.end() : 0;
  return file_.files[k].offset + file_.partition.elements(k) * array.element_bytes + behind;
}

storage::File& Subfiles::open(std::size_t k) {
  const std::lock_guard lock(mutex_);
  if (open_[k]) return *open_[k];
  const std::string& path = file_.files[k].path;
  storage::Transport& place = storage::resolve(path);
  auto opened = writes_ ? place.open_write(path) : place.open_read(path);
  const std::uint64_t found = opened->size(), expected = bytes(k);
  if (found < expected) {
    throw Error(
        Code::truncated,
        fmt::format(
            "{}: this subfile number {} of {} has {} bytes, expected {}; it was truncated, or belongs to another file",
            path, k, file_.path, found, expected),
        {.path = path, .expected = fmt::format("{} bytes", expected), .found = fmt::format("{} bytes", found)});
  }
  open_[k] = std::move(opened);
  return *open_[k];
}

std::size_t Subfiles::read_what_is_there(std::size_t k, std::uint64_t offset, base::MutableBytes buffer) {
  const std::lock_guard lock(mutex_);
  const std::string& path = file_.files[k].path;
  storage::Transport& place = storage::resolve(path);
  if (!open_[k] && place.kind(path) == storage::PathKind::absent) return 0;
  if (!open_[k]) open_[k] = place.open_read(path);
  return open_[k]->read_at(offset, buffer);
}

void Subfiles::read(std::size_t k, std::uint64_t offset, base::MutableBytes buffer) {
  const bool gives_zeros = lost_ == Lost::are_zeros;
  const std::size_t got = gives_zeros ? read_what_is_there(k, offset, buffer) : open(k).read_at(offset, buffer);
  if (got == buffer.size()) return;
  if (gives_zeros) {
    std::ranges::fill(buffer.subspan(got), std::byte{});
    return;
  }
  throw Error(Code::truncated,
              fmt::format("{}: it ends at byte {}, expected {} or more; it became shorter", file_.files[k].path,
                          offset + got, offset + buffer.size()),
              {.path = file_.files[k].path, .offset = offset + got});
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

void remove_subfiles(const PartitionedFile& set, const std::string& path) {
  const auto name_of = [](const std::string& of) { return of.substr(of.rfind('/') + 1); };
  for (const PartitionedFile::Subfile& subfile : set.files) {
    if (!name_of(subfile.path).starts_with(name_of(path) + ".")) continue;
    try {
      storage::resolve(subfile.path).remove(subfile.path);
    } catch (const Error&) {
      // Nothing more can be done here.
    }
  }
}

}  // namespace lq::storage
