// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include <fmt/format.h>

#include "base/checked.hpp"
#include "hdf5/headers/message_bytes.hpp"
#include "hdf5/headers/object_header.hpp"
#include "hdf5/headers/symbol_table.hpp"

namespace lq::hdf5 {
namespace {

constexpr int most_type_depth = 16;
constexpr std::uint64_t most_rank = 32;

// The messages of one header, as far as the library would trip over them.
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
  // Of a committed type: its header, at most one deep.
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

  // Elements; saturates.
  std::uint64_t points_of(Cursor& cursor) {
    const std::uint64_t version = cursor.take(1), rank = cursor.take(1), flags = cursor.take(1);
    if (version < 1 || version > 2) cursor.refuse(fmt::format("its version is {}", version));
    if (rank > most_rank) cursor.refuse(fmt::format("it has {} dimensions", rank));
    const std::uint64_t kind = cursor.take(1);  // of version 2
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
