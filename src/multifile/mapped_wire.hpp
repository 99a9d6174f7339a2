// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What processes of a mapped open tell each other of a task.
#pragma once

#include "multifile/mapped_file.hpp"
#include "multifile/wire.hpp"

namespace lq::multifile {

// Followed by `chunks` numbers, the filled bytes of each chunk.
struct MappedFile::Description {
  LogicalFile::Place place;
  std::int64_t rank = 0;
  std::uint64_t chunks = 0;
  std::int32_t file = 0;
  std::int32_t number = 0;
  std::int32_t block_size = 0;
  std::int32_t key_values = 0;
  std::int32_t metadata_is_big = 0;
  std::int32_t data_is_big = 0;
};

template <class Item, class FileOf>
std::vector<comm::Message> MappedFile::sorted_by_keeper(const std::vector<Item>& items, const FileOf& file_of) const {
  std::map<int, std::vector<std::byte>> by_keeper;
  for (const Item& item : items) append(by_keeper[keeper_of(file_of(item))], item);
  std::vector<comm::Message> messages;
  for (auto& [keeper, bytes] : by_keeper) messages.push_back({keeper, std::move(bytes)});
  return messages;
}

}  // namespace lq::multifile
