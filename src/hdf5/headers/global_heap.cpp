// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hdf5/headers/structures.hpp"

#include <map>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "hdf5/headers/header_bytes.hpp"

namespace lq::hdf5 {
namespace {

constexpr std::uint64_t most_collection_bytes = 256 * base::mebi;

// One collection, and its objects by number.
class Collection {
 public:
  Collection(base::ByteSource& file, const Superblock& superblock, std::uint64_t address, std::uint64_t most_bytes) {
    constexpr std::string_view what = "a collection of texts";
    const auto length = static_cast<std::uint64_t>(superblock.length_bytes);
    const std::uint64_t offset = base::checked_add(address, superblock.offset).value_or(UINT64_MAX);
    bytes_.resize(static_cast<std::size_t>(8 + length));
    bytes_.resize(file.read_at(offset, bytes_));
    Cursor head(bytes_, what, file.path());
    if (base::as_text(head.skip(4)) != "GCOL" || head.take(1) != 1) head.refuse("it does not begin as one");
    head.skip(3);
    const std::uint64_t size = head.take(length);
    if (size < 8 + length || offset > file.size() || size > file.size() - offset) head.refuse("its size is wrong");
    if (size > std::min(most_collection_bytes, base::checked_add(most_bytes, 2 * base::mebi).value_or(UINT64_MAX))) {
      base::fail(Code::too_large, {.path = file.path(), .offset = offset}, "a collection of texts has {} bytes", size);
    }
    bytes_.resize(static_cast<std::size_t>(size));
    bytes_.resize(file.read_at(offset, bytes_));
    Cursor cursor(bytes_, what, file.path());
    cursor.skip(8 + length);
    while (cursor.left() >= 8 + length) {
      const std::uint64_t number = cursor.take(2);
      cursor.skip(2 + 4);
      const std::uint64_t bytes = cursor.take(length);
      if (number == 0) break;  // free space
      objects_[number] = cursor.skip(bytes);
      cursor.skip(std::min((8 - bytes % 8) % 8, cursor.left()));
    }
  }

  // nullptr: no object has that number.
  const base::Bytes* object(std::uint64_t number) const {
    const auto found = objects_.find(number);
    return found == objects_.end() ? nullptr : &found->second;
  }

 private:
  std::vector<std::byte> bytes_;
  std::map<std::uint64_t, base::Bytes> objects_;
};

// Calls take(bytes) for the target of each reference, with `element_bytes` for each of its elements.
template <class Take>
void for_each_list(base::ByteSource& file, const Superblock& superblock, base::Bytes references,
                   std::uint64_t element_bytes, std::uint64_t most_bytes, const Take& take) {
  std::optional<Collection> collection;
  std::uint64_t address_of_collection = 0, held = 0;
  Cursor cursor(references, "a text", file.path());
  while (cursor.left() >= bytes_of_reference(superblock)) {
    const std::uint64_t elements = cursor.take(4), length = elements * element_bytes;
    const std::uint64_t address = cursor.take(static_cast<std::uint64_t>(superblock.offset_bytes));
    const std::uint64_t number = cursor.take(4);
    if (length == 0 || address == 0) {
      take(base::Bytes());
      continue;
    }
    if (!collection || address != address_of_collection) {
      collection.emplace(file, superblock, address, most_bytes);
      address_of_collection = address;
    }
    const base::Bytes* object = collection->object(number);
    if (object == nullptr || object->size() < length) cursor.refuse("there is no such text, or a shorter one");
    held += length;
    if (held > most_bytes) {
      base::fail(Code::too_large, {.path = file.path()}, "texts of more than {} bytes", most_bytes);
    }
    take(object->first(length));
  }
}

}  // namespace

std::vector<std::string> read_texts(base::ByteSource& file, const Superblock& superblock, base::Bytes references,
                                    std::uint64_t most_bytes) {
  std::vector<std::string> texts;
  for_each_list(file, superblock, references, 1, most_bytes, [&](base::Bytes bytes) {
    const std::string_view text = base::as_text(bytes);
    texts.emplace_back(text.substr(0, text.find('\0')));
  });
  return texts;
}

std::vector<std::vector<std::uint64_t>> read_reference_lists(base::ByteSource& file, const Superblock& superblock,
                                                             base::Bytes references, std::uint64_t most_bytes) {
  const auto width = static_cast<std::uint64_t>(superblock.offset_bytes);
  std::vector<std::vector<std::uint64_t>> lists;
  for_each_list(file, superblock, references, width, most_bytes, [&](base::Bytes bytes) {
    Cursor cursor(bytes, "a list of references", file.path());
    auto& list = lists.emplace_back();
    while (cursor.left() >= width) list.push_back(cursor.take(width));
  });
  return lists;
}

}  // namespace lq::hdf5
