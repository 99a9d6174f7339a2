// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hdf5/headers/object_header.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/checked.hpp"
#include "hdf5/headers/dense_attributes.hpp"
#include "hdf5/headers/message_bytes.hpp"
#include "hdf5/headers/metadata_sum.hpp"

namespace lq::hdf5 {
namespace {

constexpr std::size_t most_blocks = 1024;
constexpr std::size_t most_messages = 1 << 16;

class HeaderReader {
 public:
  HeaderReader(base::ByteSource& file, const Superblock& superblock) : file_(file), superblock_(superblock) {}

  ObjectHeader read(std::uint64_t address) {
    header_.offset = place_of(address);
    const HeaderBytes start = bytes_at(file_, header_.offset, 16);
    if (base::as_text(base::Bytes(start).first(4)) == "OHDR") {
      read_new();
    } else {
      read_old(start);
    }
    for (std::size_t i = 0; i < blocks_.size(); ++i) read_block(blocks_[i]);
    return std::move(header_);
  }

 private:
  struct Block {
    std::uint64_t offset;  // of the first message
    std::uint64_t bytes;
    std::uint64_t head = 0;  // bytes before it that the checksum after it is of, too; 0: there is none
  };

  std::uint64_t place_of(std::uint64_t address) const {
    const auto place = base::checked_add(address, superblock_.offset);
    return place.value_or(UINT64_MAX);
  }

  void read_old(const HeaderBytes& start) {
    Cursor cursor(start, what, file_.path());
    header_.version = static_cast<int>(cursor.take(1));
    if (header_.version != 1) cursor.refuse(fmt::format("its version is {}", header_.version));
    cursor.skip(1 + 2 + 4);
    const std::uint64_t bytes = cursor.take(4);
    blocks_.push_back({header_.offset + 16, bytes});
  }

  void read_new() {
    const std::uint64_t most = std::min<std::uint64_t>(40, file_.size() - header_.offset);
    const HeaderBytes start = bytes_at(file_, header_.offset, most);
    Cursor cursor(start, what, file_.path());
    cursor.skip(4);
    header_.version = static_cast<int>(cursor.take(1));
    if (header_.version != 2) cursor.refuse(fmt::format("its version is {}", header_.version));
    const std::uint64_t flags = cursor.take(1);
    if ((flags & 0x20) != 0) cursor.skip(16);
    if ((flags & 0x10) != 0) cursor.skip(4);
    has_creation_order_ = (flags & 0x04) != 0;
    const std::uint64_t bytes = cursor.take(std::uint64_t{1} << (flags & 3));
    blocks_.push_back({header_.offset + cursor.at(), bytes, cursor.at()});
  }

  // The library (1.10.8) never gives back what it has read before a block whose checksum does not agree, and complains
  // when the program ends.
  void compare_sum(const Block& block) const {
    constexpr std::uint64_t sum_bytes = 4;
    const HeaderBytes all = bytes_at(file_, block.offset - block.head, block.head + block.bytes + sum_bytes);
    const base::Bytes covered = base::Bytes(all).first(all.size() - sum_bytes);
    const auto stored = base::load_le<std::uint32_t>(all.data() + covered.size()), found = metadata_sum(covered);
    if (stored == found) return;
    throw Error(Code::malformed,
                fmt::format("{}: the header of an object, {} bytes from {} on, is damaged: its checksum is {:08x}, it "
                            "states {:08x}",
                            file_.path(), all.size(), block.offset - block.head, found, stored),
                {.path = file_.path(),
                 .offset = block.offset - block.head,
                 .expected = fmt::format("{:08x}", stored),
                 .found = fmt::format("{:08x}", found)});
  }

  void read_block(const Block block) {
    if (block.head > 0) compare_sum(block);
    const HeaderBytes bytes = bytes_at(file_, block.offset, block.bytes);
    Cursor cursor(bytes, what, file_.path());
    const bool is_old = header_.version == 1;
    const std::uint64_t head = is_old ? 8 : has_creation_order_ ? 6 : 4;
    while (cursor.left() >= head) {
      HeaderMessage found;
      found.type = static_cast<int>(cursor.take(is_old ? 2 : 1));
      found.bytes = cursor.take(2);
      found.is_shared = (cursor.take(1) & 2) != 0;
      cursor.skip(is_old ? 3 : has_creation_order_ ? 2 : 0);
      found.offset = block.offset + cursor.at();
      const base::Bytes data = cursor.skip(found.bytes);
      if (found.type == message::continuation) follow(data);
      if (header_.messages.size() >= most_messages) cursor.refuse("it has too many messages");
      header_.messages.push_back(found);
    }
  }

  void follow(base::Bytes data) {
    Cursor cursor(data, "a continuation", file_.path());
    const std::uint64_t address = cursor.take(static_cast<std::uint64_t>(superblock_.offset_bytes));
    const std::uint64_t bytes = cursor.take(static_cast<std::uint64_t>(superblock_.length_bytes));
    Block next{place_of(address), bytes};
    if (header_.version == 2) {
      if (bytes < 8) cursor.refuse("it is too short");
      next = {place_of(address) + 4, bytes - 8, 4};
    }
    const bool is_known = std::ranges::find(blocks_, next.offset, &Block::offset) != blocks_.end();
    if (is_known || blocks_.size() >= most_blocks) cursor.refuse("it leads in a circle or too far");
    blocks_.push_back(next);
  }

  static constexpr std::string_view what = "the header of an object";
  base::ByteSource& file_;
  const Superblock& superblock_;
  ObjectHeader header_;
  std::vector<Block> blocks_;
  bool has_creation_order_ = false;
};

}  // namespace

ObjectHeader read_object_header(base::ByteSource& file, const Superblock& superblock, std::uint64_t address) {
  return HeaderReader(file, superblock).read(address);
}

namespace {

// Values of attributes of that name in the block of a heap whose type is a text of variable length. Those that were
// deleted may be there, too.
void find_in_block(base::Bytes block, std::uint64_t offset, std::string_view name, const std::string& path,
                   std::vector<AttributeData>& found) {
  constexpr std::size_t most_head = 9;
  constexpr unsigned class_mask = 15, list_class = 9;
  const std::string_view text = base::as_text(block);
  std::string wanted(name);
  wanted.push_back('\0');
  for (std::size_t at = text.find(wanted); at != std::string_view::npos; at = text.find(wanted, at + 1)) {
    for (const std::size_t head : {most_head, most_head - 1}) {
      const std::size_t version = head == most_head ? 3 : 2;
      if (at < head || std::to_integer<std::size_t>(block[at - head]) != version) continue;
      if (base::load_le<std::uint16_t>(block.data() + at - head + 2) != wanted.size()) continue;
      Cursor cursor(block.subspan(at - head), "an attribute", path);
      const AttributeParts parts = take_attribute(cursor);
      if (parts.type.empty() || (std::to_integer<unsigned>(parts.type.front()) & class_mask) != list_class) continue;
      found.push_back({offset + at - head + cursor.at(), cursor.left()});
    }
  }
}

}  // namespace

std::optional<AttributeData> find_attribute(base::ByteSource& file, const Superblock& superblock, std::uint64_t address,
                                            std::string_view name) {
  std::vector<AttributeData> in_heap;
  for (const HeaderMessage& found : read_object_header(file, superblock, address).messages) {
    if (found.is_shared) continue;
    const HeaderBytes bytes = bytes_at(file, found.offset, found.bytes);
    Cursor cursor(bytes, "an attribute", file.path());
    if (found.type == message::attribute) {
      const AttributeParts parts = take_attribute(cursor);
      if (base::as_text(parts.name).substr(0, parts.name.size() - 1) != name) continue;
      return AttributeData{found.offset + cursor.at(), cursor.left()};
    }
    if (found.type != message::attribute_info) continue;
    cursor.skip(1);
    if ((cursor.take(1) & 1) != 0) cursor.skip(2);
    const std::uint64_t heap = cursor.take(static_cast<std::uint64_t>(superblock.offset_bytes));
    if (heap == UINT64_MAX) continue;
    for_each_heap_block(file, superblock, heap, [&](base::Bytes block, std::uint64_t offset) {
      find_in_block(block, offset, name, file.path(), in_heap);
    });
  }
  return in_heap.size() == 1 ? std::optional(in_heap.front()) : std::nullopt;
}

std::string message_name(int type) {
  static constexpr std::array<std::string_view, 25> names{
      "nil",          "dataspace",      "link_info",       "datatype",   "old_fill_value",
      "fill_value",   "link",           "external_files",  "layout",     "bogus",
      "group_info",   "filters",        "attribute",       "comment",    "old_time",
      "shared_table", "continuation",   "symbol_table",    "time",       "btree_k",
      "driver_info",  "attribute_info", "reference_count", "free_space", "cache_image"};
  const auto k = static_cast<std::size_t>(type);
  return k < names.size() ? std::string(names[k]) : fmt::format("message {:#x}", type);
}

}  // namespace lq::hdf5
