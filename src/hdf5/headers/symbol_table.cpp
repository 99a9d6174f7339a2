// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hdf5/headers/symbol_table.hpp"

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <vector>

#include <fmt/format.h>

#include "base/checked.hpp"
#include "hdf5/headers/cursor.hpp"
#include "hdf5/headers/message_bytes.hpp"
#include "hdf5/headers/object_header.hpp"

namespace lq::hdf5 {
namespace {

constexpr std::string_view group_tree = "the list of the members of a group";
constexpr std::string_view group_names = "the heap of the names of a group";

class SymbolTable {
 public:
  SymbolTable(base::ByteSource& file, const Superblock& superblock)
      : file_(file),
        superblock_(superblock),
        o_(static_cast<std::uint64_t>(superblock.offset_bytes)),
        l_(static_cast<std::uint64_t>(superblock.length_bytes)),
        leaf_k_(superblock.group_leaf_k),
        node_k_(superblock.group_internal_k) {
    if (superblock.extension == UINT64_MAX) return;
    for (const HeaderMessage& found : read_object_header(file, superblock, superblock.extension).messages) {
      if (found.type != message::tree_k) continue;
      const HeaderBytes bytes = bytes_at(file, found.offset, found.bytes);
      Cursor cursor(bytes, "the extension of the superblock", file.path());
      cursor.skip(1 + 2);
      node_k_ = cursor.take(2);
      leaf_k_ = cursor.take(2);
    }
  }

  void check(base::Bytes message) {
    Cursor cursor(message, "the symbol table of a group", file_.path());
    const std::uint64_t tree = cursor.take(o_), heap = cursor.take(o_);
    read_heap(heap);
    check_node(tree, {});
  }

 private:
  HeaderBytes read(std::uint64_t address, std::uint64_t bytes) const {
    return bytes_at(file_, base::checked_add(address, superblock_.offset).value_or(UINT64_MAX), bytes);
  }
  // What a node that begins with `name` says of its entries; `cursor` is then at them.
  static void take_signature(Cursor& cursor, std::string_view name, std::uint64_t version) {
    if (base::as_text(cursor.skip(4)) != name) cursor.refuse("it does not begin as one");
    const std::uint64_t found = cursor.take(1);
    if (found != version) cursor.refuse(fmt::format("its version is {}", found));
  }

  void read_heap(std::uint64_t address) {
    const HeaderBytes head = read(address, 8 + 2 * l_ + o_);
    Cursor cursor(head, group_names, file_.path());
    take_signature(cursor, "HEAP", 0);
    cursor.skip(3);
    const std::uint64_t bytes = cursor.take(l_), first_free = cursor.take(l_);
    names_ = read(cursor.take(o_), bytes);
    check_free(cursor, first_free);
  }

  // Pieces that are not used: each begins with the place of the next one and its own length.
  void check_free(const Cursor& heap, std::uint64_t first) const {
    constexpr std::uint64_t none = 1;
    const std::uint64_t least = 2 * l_;
    std::uint64_t pieces = 0;
    for (std::uint64_t at = first; at != none;) {
      if (at > names_.size() || least > names_.size() - at) heap.refuse("a free piece is not inside it");
      if (++pieces > names_.size() / least) heap.refuse("free pieces lead in a circle");
      Cursor cursor(base::Bytes(names_).subspan(static_cast<std::size_t>(at)), group_names, file_.path());
      const std::uint64_t next = cursor.take(l_), bytes = cursor.take(l_);
      if (bytes < least || bytes > names_.size() - at) heap.refuse("a free piece has a wrong length");
      at = next;
    }
  }

  // Each node of the tree once.
  HeaderBytes read_node(std::uint64_t address, std::uint64_t bytes) {
    if (!seen_.insert(address).second) Cursor({}, group_tree, file_.path()).refuse("it leads in a circle");
    return read(address, bytes);
  }

  // `expected`: the level by that of its parent; the root has none.
  void check_node(std::uint64_t address, std::optional<std::uint64_t> expected) {
    const std::uint64_t head = 8 + 2 * o_;
    const std::uint64_t room = head + 2 * node_k_ * (o_ + l_) + l_;
    const HeaderBytes bytes = read_node(address, room);
    Cursor cursor(bytes, group_tree, file_.path());
    take_signature(cursor, "TREE", 0);
    const std::uint64_t level = cursor.take(1);
    if (level != expected.value_or(level)) cursor.refuse("a node is at another level than it says");
    const std::uint64_t entries = cursor.take(2);
    if (entries > 2 * node_k_) cursor.refuse(fmt::format("a node has {} entries", entries));
    cursor.skip(2 * o_);
    require_name(cursor, cursor.take(l_));
    for (std::uint64_t k = 0; k < entries; ++k) {
      const std::uint64_t child = cursor.take(o_);
      require_name(cursor, cursor.take(l_));
      level > 0 ? check_node(child, level - 1) : check_leaf(child);
    }
  }

  void check_leaf(std::uint64_t address) {
    constexpr std::uint64_t scratch = 16;
    const HeaderBytes bytes = read_node(address, 8 + 2 * leaf_k_ * (2 * o_ + 8 + scratch));
    Cursor cursor(bytes, group_tree, file_.path());
    take_signature(cursor, "SNOD", 1);
    cursor.skip(1);
    const std::uint64_t entries = cursor.take(2);
    if (entries > 2 * leaf_k_) cursor.refuse(fmt::format("a leaf has {} entries", entries));
    for (std::uint64_t k = 0; k < entries; ++k) {
      require_name(cursor, cursor.take(o_));
      cursor.skip(o_);
      const std::uint64_t kind = cursor.take(4);
      cursor.skip(4);
      const base::Bytes rest = cursor.skip(scratch);
      constexpr std::uint64_t soft_link = 2;
      if (kind == soft_link) require_name(cursor, Cursor(rest, group_tree, file_.path()).take(4));
    }
  }

  void require_name(const Cursor& cursor, std::uint64_t at) const {
    if (at >= names_.size()) cursor.refuse("a name is not among the names of the group");
    const auto rest = base::Bytes(names_).subspan(static_cast<std::size_t>(at));
    if (std::ranges::find(rest, std::byte{0}) == rest.end()) cursor.refuse("a name does not end");
  }

  base::ByteSource& file_;
  const Superblock& superblock_;
  const std::uint64_t o_, l_;      // bytes of an address and of a length
  std::uint64_t leaf_k_, node_k_;  // half of the most entries
  HeaderBytes names_;
  std::unordered_set<std::uint64_t> seen_;
};

}  // namespace

void require_sound_symbol_table(base::ByteSource& file, const Superblock& superblock, base::Bytes message) {
  SymbolTable(file, superblock).check(message);
}

}  // namespace lq::hdf5
