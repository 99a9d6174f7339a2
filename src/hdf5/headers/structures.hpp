// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Structures of an HDF5 file, parsed here before the library reads them, because it does not survive every possible
// content.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <limequat/catalog.hpp>
#include <limequat/inspect.hpp>

#include "base/byte_source.hpp"

namespace lq::hdf5 {

// The superblock of an HDF5 file, checked before the library reads it: beginning and end of the file, and whether the
// library supports its sizes. By the HDF5 File Format Specification, version 3, II.A.
struct Superblock {
  std::uint64_t offset = 0;  // offset of its first byte: the length of the user block before it
  std::uint64_t bytes = 0;
  int version = 0;
  int offset_bytes = 8;                  // size of an address
  int length_bytes = 8;                  // size of a length
  std::uint64_t base = 0;                // as stored; addresses count from `offset` regardless
  std::uint64_t end = 0;                 // end of the file, including the user block
  std::uint64_t root = 0;                // address of the header of the root group
  std::uint64_t extension = UINT64_MAX;  // address of a header with further facts; UINT64_MAX: none
  std::uint64_t group_leaf_k = 4,
                group_internal_k = 16;  // half of the maximum number of entries of a node of an old group
  bool is_open = false;                 // a program has the file open for writing, or ended without closing it
  std::vector<Annotation> parts;        // its bytes, in order
};

// Offset of the signature; empty: not an HDF5 file.
std::optional<std::uint64_t> find_signature(base::ByteSource& file);
// malformed, truncated: the file is shorter than the superblock states; unsupported: an unknown version.
Superblock read_superblock(base::ByteSource& file);
// The same for a file that may be truncated, with the required size.
Superblock parse_superblock(base::ByteSource& file);
std::uint64_t whole_bytes(const Superblock& superblock) noexcept;
// The bytes of the superblock as they would be if its program had closed the file: without the marks for which the
// library refuses to open it. Empty if there are none, or if its checksum does not agree.
std::optional<std::vector<std::byte>> closed_superblock(base::ByteSource& file, const Superblock& superblock);

// Texts of variable length, which are in separate collections (HDF5 File Format Specification, version 3, III.E):
// parsed here, because the library trusts the stored lengths.

// Size of an element that refers to such a text.
inline std::uint64_t bytes_of_reference(const Superblock& superblock) noexcept {
  return 8 + static_cast<std::uint64_t>(superblock.offset_bytes);
}

// The texts to which `references` point, up to a NUL. malformed; too_large: more than `most_bytes`.
std::vector<std::string> read_texts(base::ByteSource& file, const Superblock& superblock, base::Bytes references,
                                    std::uint64_t most_bytes);

// The same for lists of references to objects: addresses of their headers, relative to the end of the user block.
std::vector<std::vector<std::uint64_t>> read_reference_lists(base::ByteSource& file, const Superblock& superblock,
                                                             base::Bytes references, std::uint64_t most_bytes);

// Object headers as stored in the file, by the HDF5 File Format Specification, version 3, IV.A: parsed before the
// library reads them, because it does not survive every possible content, and to find the meaning of bytes.

// Types of messages that are parsed.
namespace message {
inline constexpr int dataspace = 0x01, datatype = 0x03, old_fill = 0x04, fill = 0x05, layout = 0x08, filters = 0x0b,
                     attribute = 0x0c, continuation = 0x10, symbol_table = 0x11, tree_k = 0x13, attribute_info = 0x15;
}  // namespace message

struct HeaderMessage {
  int type = 0;
  std::uint64_t offset = 0;  // place of its data in the file
  std::uint64_t bytes = 0;
  bool is_shared = false;  // the data give the place of the message
};

struct ObjectHeader {
  int version = 0;
  std::uint64_t offset = 0;  // in the file
  std::vector<HeaderMessage> messages;
};

// `address` as stored in the file. malformed: inconsistent contents.
ObjectHeader read_object_header(base::ByteSource& file, const Superblock& superblock, std::uint64_t address);
// Also checks the messages: types, dataspaces, fill values, filters, attributes, and the targets of group messages.
void require_sound_header(base::ByteSource& file, const Superblock& superblock, std::uint64_t address);

// The value of an attribute in the header, or of a text of variable length in a heap; empty: it is not found there, or
// deleted values cannot be distinguished from current ones.
struct AttributeData {
  std::uint64_t offset = 0;  // in the file
  std::uint64_t bytes = 0;
};
std::optional<AttributeData> find_attribute(base::ByteSource& file, const Superblock& superblock, std::uint64_t address,
                                            std::string_view name);

// "datatype", "attribute"; "message 0x12" for unnamed ones.
std::string message_name(int type);

// Groups of old files: a tree of the names of members, and the heap of the names (HDF5 File Format Specification,
// version 3, III.A.1, III.B and III.D). Neither has a checksum, and the library (1.10.8) does not survive every
// possible content.

// `message`: the message of a group, with the addresses of tree and heap. malformed: inconsistent.
void require_sound_symbol_table(base::ByteSource& file, const Superblock& superblock, base::Bytes message);

// The meaning of each byte of an HDF5 file, as far as it is known.

// In order of offset, without gaps: superblock, data of datasets, and the library's structures between them.
std::vector<Annotation> explain(base::ByteSource& file, const Catalog& catalog);

}  // namespace lq::hdf5
