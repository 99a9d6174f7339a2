// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Records as they are found.
#include "multifile/key_index.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <limequat/error.hpp>

namespace lq::multifile {
namespace {

// A stream of holes is read as empty records without end.
constexpr std::size_t most_records = 1U << 26;

}  // namespace

KeyIndex::KeyIndex(std::uint64_t stream_bytes, ByteOrder order, std::string stream)
    : stream_bytes_(stream_bytes), order_(order), stream_(std::move(stream)) {}

bool KeyIndex::scan_one(const ReadStream& read) {
  if (complete_) return false;
  format::sion::KeyWalker walker(read, stream_bytes_, order_, stream_);
  walker.seek(scanned_);
  std::optional<Record> record;
  do {
    record = walker.next();
  } while (record && only_ && record->key != *only_);
  scanned_ = walker.position();
  complete_ = !record.has_value();
  if (!record) return false;
  if (records_.size() >= most_records) {
    throw Error(Code::too_large, fmt::format("{}: has more than {} key-value records", stream_, most_records));
  }
  const auto [key, is_new] = keys_.try_emplace(record->key);
  if (is_new) key_order_.push_back(record->key);
  key->second.records.push_back(records_.size());
  records_.push_back(*record);
  return true;
}

KeyIndex::Key* KeyIndex::find(const ReadStream& read, std::uint64_t key, std::size_t records) {
  auto found = keys_.find(key);
  while (found == keys_.end() || found->second.records.size() < records) {
    if (!scan_one(read)) return nullptr;
    found = keys_.find(key);
  }
  return &found->second;
}

std::size_t KeyIndex::read(const ReadStream& read, std::uint64_t key, std::size_t item, base::MutableBytes buffer) {
  if (item == 0 || buffer.empty()) return 0;
  Key* found = find(read, key, 1);
  while (found != nullptr && found->position >= records_[found->records[found->current]].length) {
    const std::size_t next = found->current + 1;
    if (find(read, key, next + 1) == nullptr) return 0;
    found->current = next;
    found->position = 0;
  }
  if (found == nullptr) return 0;
  const Record& record = records_[found->records[found->current]];
  const std::uint64_t most = std::min<std::uint64_t>(buffer.size(), record.length - found->position);
  const std::size_t got = read(record.position + found->position, buffer.first(most - most % item));
  found->position += got;
  return got;
}

bool KeyIndex::seek(const ReadStream& read, std::uint64_t key, std::optional<std::uint64_t> record,
                    std::optional<std::uint64_t> position) {
  Key* const known = find(read, key, 1);
  if (known == nullptr) return false;
  // A record that was read to its end is no longer the current one where there is another.
  const bool is_done = known->position > 0 && known->position >= records_[known->records[known->current]].length;
  const bool goes_on = !record && is_done && find(read, key, known->current + 2) != nullptr;
  const std::uint64_t number = record.value_or(known->current + (goes_on ? 1 : 0));
  if (number >= stream_bytes_) return false;  // a record takes more than a byte
  Key* const found = find(read, key, number + 1);
  if (found == nullptr) return false;
  const std::uint64_t place = position.value_or(number == found->current ? found->position : 0);
  if (place > records_[found->records[number]].length) return false;
  found->current = number;
  found->position = place;
  return true;
}

bool KeyIndex::seek_bytes(const ReadStream& read, std::uint64_t key, std::uint64_t position) {
  for (std::size_t number = 0; Key* const found = find(read, key, number + 1); ++number) {
    const std::uint64_t length = records_[found->records[number]].length;
    if (position <= length) {
      found->current = number;
      found->position = position;
      return true;
    }
    position -= length;
  }
  return false;
}

std::optional<KeyIndex::Record> KeyIndex::next_record(const ReadStream& read) {
  if (next_record_ == records_.size() && !scan_one(read)) return std::nullopt;
  const Record& record = records_[next_record_];
  Key& key = keys_[record.key];
  key.current = static_cast<std::size_t>(std::ranges::lower_bound(key.records, next_record_) - key.records.begin());
  key.position = 0;
  ++next_record_;
  return record;
}

void KeyIndex::scan_all(const ReadStream& read) {
  while (scan_one(read)) {
  }
}

std::optional<std::uint64_t> KeyIndex::next_key() {
  if (next_key_ == key_order_.size()) return std::nullopt;
  return key_order_[next_key_++];
}

std::optional<KeyIndex::Statistics> KeyIndex::statistics(std::uint64_t key) const {
  const auto found = keys_.find(key);
  if (found == keys_.end()) return std::nullopt;
  Statistics sum;
  for (const std::size_t record : found->second.records) {
    ++sum.records;
    sum.bytes += records_[record].length;
  }
  return sum;
}

}  // namespace lq::multifile
