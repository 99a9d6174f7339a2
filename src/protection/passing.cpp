// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "protection/passing.hpp"

#include <utility>

namespace lq::protection {

PassedBlocks::PassedBlocks(Cover cover)
    : cover_(std::move(cover)), agreed_(static_cast<std::size_t>(cover_.sidecar->head().blocks_of(cover_.file))) {}

void PassedBlocks::begin(const storage::Identity& identity) {
  const std::lock_guard lock(mutex_);
  const bool is_another =
      identity_ && !(storage::is_same_file(*identity_, identity) && storage::is_unchanged(*identity_, identity));
  is_one_file_ = is_one_file_ && !is_another;
  identity_ = identity;
}

void PassedBlocks::take(std::uint64_t offset, base::Bytes bytes) {
  const Head& head = cover_.sidecar->head();
  const std::uint64_t end = offset + bytes.size();
  for (std::uint64_t block = offset / head.block_bytes + (offset % head.block_bytes != 0 ? 1 : 0);
       block < agreed_.size(); ++block) {
    const std::uint64_t at = block * head.block_bytes;
    const std::size_t length = head.bytes_of(cover_.file, block);
    if (at > end || end - at < length) return;
    const Cell cell = head.cell_of(cover_.file, block);
    const auto page = cover_.sidecar->page(cell.window);
    if (!page) continue;
    const base::Bytes one = bytes.subspan(static_cast<std::size_t>(at - offset), length);
    if (sum_of(one) != page->blocks[static_cast<std::size_t>(cell.column * head.rows + cell.row)]) continue;
    const std::lock_guard lock(mutex_);
    agreed_[static_cast<std::size_t>(block)] = true;
  }
}

bool PassedBlocks::are_of(const storage::Identity& now) const {
  const std::lock_guard lock(mutex_);
  return is_one_file_ && identity_ && storage::is_same_file(*identity_, now) && storage::is_unchanged(*identity_, now);
}

bool PassedBlocks::have_agreed(std::uint64_t block) const {
  const std::lock_guard lock(mutex_);
  return agreed_[static_cast<std::size_t>(block)];
}

std::optional<storage::Identity> PassedBlocks::identity() const {
  const std::lock_guard lock(mutex_);
  return is_one_file_ ? identity_ : std::nullopt;
}

void PassedBlocks::put_words(std::span<std::uint64_t> words) const {
  const std::lock_guard lock(mutex_);
  for (std::size_t block = 0; block < agreed_.size(); ++block) {
    if (agreed_[block]) words[block / 64] |= std::uint64_t{1} << (block % 64);
  }
}

void PassedBlocks::add_words(std::span<const std::uint64_t> words) {
  const std::lock_guard lock(mutex_);
  for (std::size_t block = 0; block < agreed_.size(); ++block) {
    if ((words[block / 64] >> (block % 64) & 1) != 0) agreed_[block] = true;
  }
}

namespace {

class PassingFile final : public storage::ForwardingFile {
 public:
  PassingFile(std::shared_ptr<storage::File> inner, PassedBlocks& passed)
      : ForwardingFile(std::move(inner)), passed_(passed) {}
  std::size_t read_at(std::uint64_t offset, base::MutableBytes buffer) override {
    const std::size_t there = ForwardingFile::read_at(offset, buffer);
    passed_.take(offset, base::Bytes(buffer).first(there));
    return there;
  }

 private:
  PassedBlocks& passed_;
};

}  // namespace

std::unique_ptr<storage::File> PassingTransport::open_read(const std::string& path) {
  auto file = ForwardingTransport::open_read(path);
  if (path != path_) return file;
  passed_.begin(file->identity());
  return std::make_unique<PassingFile>(std::move(file), passed_);
}

}  // namespace lq::protection
