// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hdf5/headers/dense_attributes.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "hdf5/headers/cursor.hpp"

namespace lq::hdf5 {
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

void for_each_heap_block(base::ByteSource& file, const Superblock& superblock, std::uint64_t address,
                         const std::function<void(base::Bytes block, std::uint64_t offset)>& work) {
  const auto o = static_cast<std::uint64_t>(superblock.offset_bytes);
  const Heap heap = read_heap(file, superblock, address);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> blocks;  // address and bytes of direct ones
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

}  // namespace lq::hdf5
