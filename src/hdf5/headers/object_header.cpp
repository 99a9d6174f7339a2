// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hdf5/headers/structures.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/byte_source.hpp"
#include "base/checked.hpp"
#include "base/error.hpp"
#include "hdf5/headers/header_bytes.hpp"

namespace lq::hdf5 {

// Attributes of objects that have many: they are in the blocks of a fractal heap (HDF5 File Format Specification,
// version 3, III.G), which can be scanned.

namespace {

constexpr std::uint64_t most_bytes_of_blocks = 64 * base::mebi;
constexpr std::string_view heap_name = "a heap of attributes";

struct Heap {
  std::uint64_t width = 0, first_bytes = 0, largest_direct = 0, root = 0, rows = 0;
  std::uint64_t offset_bytes_of_block = 0;
};

std::vector<std::byte> heap_bytes(base::ByteSource& file, const Superblock& superblock, std::uint64_t address,
                                  std::uint64_t bytes) {
  const std::uint64_t offset = base::checked_add(address, superblock.offset).value_or(UINT64_MAX);
  if (bytes > most_bytes_of_blocks || offset > file.size() || bytes > file.size() - offset) {
    Cursor({}, heap_name, file.path()).refuse("it is not inside the file");
  }
  std::vector<std::byte> read(static_cast<std::size_t>(bytes));
  read.resize(file.read_at(offset, read));
  return read;
}

Heap read_heap(base::ByteSource& file, const Superblock& superblock, std::uint64_t address) {
  const auto o = static_cast<std::uint64_t>(superblock.offset_bytes);
  const auto l = static_cast<std::uint64_t>(superblock.length_bytes);
  const auto bytes = heap_bytes(file, superblock, address, 14 + 12 * l + 3 * o + 8);
  Cursor cursor(bytes, heap_name, file.path());
  if (base::as_text(cursor.skip(4)) != "FRHP") cursor.refuse("it does not begin as one");
  cursor.skip(1 + 2);
  const std::uint64_t filters = cursor.take(2);
  cursor.skip(1 + 4 + l + o + l + o + 8 * l);
  Heap heap;
  heap.width = cursor.take(2);
  heap.first_bytes = cursor.take(l);
  heap.largest_direct = cursor.take(l);
  heap.offset_bytes_of_block = (cursor.take(2) + 7) / 8;
  cursor.skip(2);
  heap.root = cursor.take(o);
  heap.rows = cursor.take(2);
  if (filters > 0) cursor.refuse("its blocks are filtered");
  if (heap.width == 0 || heap.first_bytes == 0 || heap.rows > 64) cursor.refuse("its table is wrong");
  return heap;
}

}  // namespace

// Passes on the direct blocks of the heap at that address, with their places in the file. malformed.
void for_each_heap_block(base::ByteSource& file, const Superblock& superblock, std::uint64_t address,
                         const std::function<void(base::Bytes block, std::uint64_t offset)>& work) {
  const auto o = static_cast<std::uint64_t>(superblock.offset_bytes);
  const Heap heap = read_heap(file, superblock, address);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> blocks;  // address and size of direct blocks
  if (heap.rows == 0) {
    blocks.emplace_back(heap.root, heap.first_bytes);
  } else {
    const std::uint64_t head = 5 + o + heap.offset_bytes_of_block;
    std::uint64_t direct_rows = 0;
    for (std::uint64_t bytes = heap.first_bytes; direct_rows < heap.rows && bytes <= heap.largest_direct;) {
      if (++direct_rows >= 2) bytes = base::checked_multiply(bytes, 2).value_or(UINT64_MAX);
    }
    const auto table = heap_bytes(file, superblock, heap.root, head + direct_rows * heap.width * o);
    Cursor cursor(table, heap_name, file.path());
    if (base::as_text(cursor.skip(4)) != "FHIB") cursor.refuse("its table does not begin as one");
    cursor.skip(head - 4);
    std::uint64_t bytes = heap.first_bytes;
    for (std::uint64_t row = 0; row < direct_rows; ++row) {
      if (row >= 2) bytes *= 2;
      for (std::uint64_t i = 0; i < heap.width; ++i) blocks.emplace_back(cursor.take(o), bytes);
    }
  }
  const std::uint64_t nowhere = o == 8 ? UINT64_MAX : (std::uint64_t{1} << (8 * o)) - 1;
  std::uint64_t total = 0;
  for (const auto& [place, bytes] : blocks) {
    if (place == nowhere) continue;
    total = base::checked_add(total, bytes).value_or(UINT64_MAX);
    if (total > most_bytes_of_blocks) return;
    work(heap_bytes(file, superblock, place, bytes), place + superblock.offset);
  }
}

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
    std::uint64_t offset;  // place of the first message
    std::uint64_t bytes;
    std::uint64_t head = 0;  // bytes before it that are included in the checksum after it; 0: no checksum
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

  // The library (1.10.8) leaks what it has read before a block whose checksum does not agree, and reports this at exit.
  void compare_sum(const Block& block) const {
    constexpr std::uint64_t sum_bytes = 4;
    const HeaderBytes all = bytes_at(file_, block.offset - block.head, block.head + block.bytes + sum_bytes);
    const base::Bytes covered = base::Bytes(all).first(all.size() - sum_bytes);
    const auto stored = base::load_le<std::uint32_t>(all.data() + covered.size()), found = metadata_sum(covered);
    if (stored == found) return;
    base::fail(Code::malformed,
               {.path = file_.path(),
                .offset = block.offset - block.head,
                .expected = fmt::format("{:08x}", stored),
                .found = fmt::format("{:08x}", found)},
               "the header of an object, {} bytes from {} on, is damaged: its checksum is {:08x}, it states {:08x}",
               all.size(), block.offset - block.head, found, stored);
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

// Values of attributes of that name in the block of a heap whose type is a text of variable length. May include deleted
// ones.
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
