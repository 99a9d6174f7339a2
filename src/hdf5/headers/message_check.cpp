// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Checks messages of object headers, and the groups of old files to which they point, before the library reads them.
#include <algorithm>
#include <optional>
#include <unordered_set>

#include <fmt/format.h>

#include "base/checked.hpp"
#include "hdf5/headers/header_bytes.hpp"
#include "hdf5/headers/structures.hpp"

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
  // Checks the signature and version of a node; `cursor` is then at its entries.
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

  // Free pieces: each begins with the place of the next one and its own length.
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

  // Reads each node of the tree once.
  HeaderBytes read_node(std::uint64_t address, std::uint64_t bytes) {
    if (!seen_.insert(address).second) Cursor({}, group_tree, file_.path()).refuse("it leads in a circle");
    return read(address, bytes);
  }

  // `expected`: the level implied by its parent; none for the root.
  void check_node(std::uint64_t address, std::optional<std::uint64_t> expected) {
    const std::uint64_t head = 8 + 2 * o_;
    const std::uint64_t room = head + 2 * node_k_ * (o_ + l_) + l_;
    const HeaderBytes bytes = read_node(address, room);
    Cursor cursor(bytes, group_tree, file_.path());
    take_signature(cursor, "TREE", 0);
    const std::uint64_t level = cursor.take(1);
    if (level != expected.value_or(level)) cursor.refuse("a node is not at the level that it states");
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
  const std::uint64_t o_, l_;      // sizes of an address and of a length
  std::uint64_t leaf_k_, node_k_;  // half of the maximum number of entries
  HeaderBytes names_;
  std::unordered_set<std::uint64_t> seen_;
};

}  // namespace

void require_sound_symbol_table(base::ByteSource& file, const Superblock& superblock, base::Bytes message) {
  SymbolTable(file, superblock).check(message);
}

namespace {

constexpr int most_type_depth = 16;
constexpr std::uint64_t most_rank = 32;

// Checks the messages of one header for everything on which the library would fail.
class MessageCheck {
 public:
  MessageCheck(base::ByteSource& file, const Superblock& superblock) : file_(file), superblock_(superblock) {}

  void check(const ObjectHeader& header) {
    for (const HeaderMessage& found : header.messages) {
      const HeaderBytes bytes = bytes_at(file_, found.offset, found.bytes);
      if (found.is_shared) {
        check_shared(bytes);
        continue;
      }
      switch (found.type) {
        case message::dataspace: {
          Cursor cursor(bytes, "a dataspace", file_.path());
          points_of(cursor);
          break;
        }
        case message::datatype: {
          Cursor cursor(bytes, "a datatype", file_.path());
          size_of_type(cursor, 0);
          break;
        }
        case message::attribute:
          check_attribute(bytes);
          break;
        case message::filters:
          check_filters(bytes);
          break;
        case message::old_fill:
        case message::fill:
          check_fill(found.type, bytes);
          break;
        case message::symbol_table:
          require_sound_symbol_table(file_, superblock_, bytes);
          break;
        default:
          break;
      }
    }
  }

 private:
  // For a committed type: its header, at most one level deep.
  void check_shared(base::Bytes bytes) {
    Cursor cursor(bytes, "a shared message", file_.path());
    const std::uint64_t version = cursor.take(1), type = cursor.take(1);
    if (version < 1 || version > 3) cursor.refuse(fmt::format("its version is {}", version));
    if (version == 1) cursor.skip(6);
    if (version == 3 && type == 1) {
      cursor.skip(8);
      return;
    }
    const std::uint64_t address = cursor.take(static_cast<std::uint64_t>(superblock_.offset_bytes));
    if (depth_ > 0) cursor.refuse("it leads to another one");
    ++depth_;
    check(read_object_header(file_, superblock_, address));
    --depth_;
  }

  // Number of elements; saturates.
  std::uint64_t points_of(Cursor& cursor) {
    const std::uint64_t version = cursor.take(1), rank = cursor.take(1), flags = cursor.take(1);
    if (version < 1 || version > 2) cursor.refuse(fmt::format("its version is {}", version));
    if (rank > most_rank) cursor.refuse(fmt::format("it has {} dimensions", rank));
    const std::uint64_t kind = cursor.take(1);  // in version 2
    if (version == 1) cursor.skip(4);
    const auto length = static_cast<std::uint64_t>(superblock_.length_bytes);
    std::uint64_t points = version == 2 && kind == 2 ? 0 : 1;
    for (std::uint64_t d = 0; d < rank; ++d) {
      points = base::checked_multiply(points, cursor.take(length)).value_or(UINT64_MAX);
    }
    if ((flags & 1) != 0) cursor.skip(rank * length);
    return points;
  }

  std::uint64_t size_of_type(Cursor& cursor, int depth) {
    if (depth > most_type_depth) cursor.refuse("it is nested too deeply");
    const std::uint64_t first = cursor.take(1), bits = cursor.take(3), size = cursor.take(4);
    const std::uint64_t version = first >> 4;
    if (version < 1 || version > 5) cursor.refuse(fmt::format("its version is {}", version));
    if (size == 0) cursor.refuse("its elements have no size");
    switch (first & 15) {
      case 0:  // integer
      case 4:  // bits
        check_bits(cursor, size);
        break;
      case 1:
        check_float(cursor, size);
        break;
      case 2:
        cursor.skip(2);
        break;
      case 3:
      case 7:
        break;
      case 5:
        cursor.skip((bits & 0xff) + (8 - (bits & 0xff) % 8) % 8);
        break;
      case 6:
        check_members(cursor, version, bits & 0xffff, size, depth);
        break;
      case 8:
        check_enumeration(cursor, version, bits & 0xffff, size, depth);
        break;
      case 9:
      case 11:
        size_of_type(cursor, depth + 1);
        break;
      case 10:
        check_array(cursor, version, size, depth);
        break;
      default:
        cursor.refuse(fmt::format("its class is {}", first & 15));
    }
    return size;
  }

  void check_bits(Cursor& cursor, std::uint64_t size) {
    const std::uint64_t offset = cursor.take(2), precision = cursor.take(2);
    if (precision == 0 || offset + precision > 8 * size) cursor.refuse("its bits do not fit its size");
  }

  void check_float(Cursor& cursor, std::uint64_t size) {
    check_bits(cursor, size);
    const std::uint64_t exponent = cursor.take(1), exponent_bits = cursor.take(1);
    const std::uint64_t mantissa = cursor.take(1), mantissa_bits = cursor.take(1);
    cursor.skip(4);
    const bool fits = exponent_bits > 0 && mantissa_bits > 0 && exponent + exponent_bits <= 8 * size &&
                      mantissa + mantissa_bits <= 8 * size;
    if (!fits) cursor.refuse("its bits do not fit its size");
  }

  void take_name(Cursor& cursor, std::uint64_t version) {
    const std::uint64_t begin = cursor.at();
    cursor.text();
    if (version < 3) cursor.align(begin, 8);
  }

  void check_members(Cursor& cursor, std::uint64_t version, std::uint64_t members, std::uint64_t size, int depth) {
    std::uint64_t offset_bytes = 1;
    while (offset_bytes < 4 && size >> (8 * offset_bytes) != 0) ++offset_bytes;
    if (members == 0) cursor.refuse("it has no members");
    for (std::uint64_t i = 0; i < members; ++i) {
      take_name(cursor, version);
      const std::uint64_t offset = cursor.take(version < 3 ? 4 : offset_bytes);
      std::uint64_t elements = 1;
      if (version == 1) {
        const std::uint64_t rank = cursor.take(1);
        if (rank > 4) cursor.refuse(fmt::format("a member has {} dimensions", rank));
        cursor.skip(3 + 4 + 4);
        for (std::uint64_t d = 0; d < 4; ++d) {
          const std::uint64_t extent = cursor.take(4);
          if (d < rank) elements = base::checked_multiply(elements, extent).value_or(UINT64_MAX);
        }
      }
      const std::uint64_t bytes =
          base::checked_multiply(size_of_type(cursor, depth + 1), elements).value_or(UINT64_MAX);
      if (offset > size || bytes > size - offset) cursor.refuse("a member is not inside it");
    }
  }

  void check_enumeration(Cursor& cursor, std::uint64_t version, std::uint64_t members, std::uint64_t size, int depth) {
    const std::uint64_t number = size_of_type(cursor, depth + 1);
    if (number != size) cursor.refuse("its numbers have another size");
    for (std::uint64_t i = 0; i < members; ++i) take_name(cursor, version);
    cursor.skip(members * number);
  }

  void check_array(Cursor& cursor, std::uint64_t version, std::uint64_t size, int depth) {
    const std::uint64_t rank = cursor.take(1);
    if (rank == 0 || rank > most_rank) cursor.refuse(fmt::format("it has {} dimensions", rank));
    if (version < 3) cursor.skip(3);
    std::uint64_t elements = 1;
    for (std::uint64_t d = 0; d < rank; ++d) {
      elements = base::checked_multiply(elements, cursor.take(4)).value_or(UINT64_MAX);
    }
    if (version < 3) cursor.skip(4 * rank);
    const auto bytes = base::checked_multiply(elements, size_of_type(cursor, depth + 1));
    if (bytes != size) cursor.refuse("its elements do not fill it");
  }

  void check_attribute(base::Bytes bytes) {
    Cursor cursor(bytes, "an attribute", file_.path());
    const AttributeParts parts = take_attribute(cursor);
    std::uint64_t element = 0, points = 0;
    if (parts.shares_type) {
      check_shared(parts.type);
    } else {
      Cursor type_cursor(parts.type, "the type of an attribute", file_.path());
      element = size_of_type(type_cursor, 0);
    }
    if (parts.shares_space) {
      check_shared(parts.space);
    } else {
      Cursor space_cursor(parts.space, "the dataspace of an attribute", file_.path());
      points = points_of(space_cursor);
    }
    if (parts.shares_type || parts.shares_space) return;
    const auto needed = base::checked_multiply(element, points);
    if (!needed || *needed > cursor.left()) cursor.refuse("its value is not inside it");
  }

  void check_filters(base::Bytes bytes) {
    Cursor cursor(bytes, "the filters of a dataset", file_.path());
    const std::uint64_t version = cursor.take(1), filters = cursor.take(1);
    if (version < 1 || version > 2) cursor.refuse(fmt::format("their version is {}", version));
    if (filters > most_rank) cursor.refuse(fmt::format("there are {}", filters));
    if (version == 1) cursor.skip(6);
    for (std::uint64_t i = 0; i < filters; ++i) {
      const std::uint64_t id = cursor.take(2);
      const std::uint64_t name = version == 1 || id >= 256 ? cursor.take(2) : 0;
      cursor.skip(2);
      const std::uint64_t values = cursor.take(2);
      const base::Bytes text = cursor.skip(version == 1 ? (name + 7) / 8 * 8 : name);
      if (name > 0 && std::ranges::find(text, std::byte{0}) == text.end()) cursor.refuse("a name does not end");
      cursor.skip(4 * values);
      if (version == 1 && values % 2 != 0) cursor.skip(4);
    }
  }

  void check_fill(int type, base::Bytes bytes) {
    Cursor cursor(bytes, "a fill value", file_.path());
    if (type == message::old_fill) {
      cursor.skip(cursor.take(4));
      return;
    }
    const std::uint64_t version = cursor.take(1);
    if (version < 1 || version > 3) cursor.refuse(fmt::format("its version is {}", version));
    bool has_value = version == 1;
    if (version == 3) {
      has_value = (cursor.take(1) & 0x20) != 0;
    } else {
      cursor.skip(2);
      has_value = cursor.take(1) != 0 || has_value;
    }
    if (!has_value) return;
    const std::uint64_t size = cursor.take(4);
    if (size <= INT32_MAX) cursor.skip(size);
  }

  base::ByteSource& file_;
  const Superblock& superblock_;
  int depth_ = 0;
};

}  // namespace

void require_sound_header(base::ByteSource& file, const Superblock& superblock, std::uint64_t address) {
  MessageCheck(file, superblock).check(read_object_header(file, superblock, address));
}

}  // namespace lq::hdf5
