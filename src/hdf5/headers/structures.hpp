// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Structures of an HDF5 file, read by our own hand before the library reads them, which does not survive all that they
// may say.
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

// The superblock of an HDF5 file, looked at before the library is: where the file begins and ends, and whether its
// sizes are such as the library stands. By the HDF5 File Format Specification, version 3, II.A.
struct Superblock {
  std::uint64_t offset = 0;  // of its first byte: the length of the user block before it
  std::uint64_t bytes = 0;
  int version = 0;
  int offset_bytes = 8;                  // of an address
  int length_bytes = 8;                  // of a length
  std::uint64_t base = 0;                // as written there; addresses count from `offset`, whatever it says
  std::uint64_t end = 0;                 // of the file, the user block included
  std::uint64_t root = 0;                // address of the header of the root group
  std::uint64_t extension = UINT64_MAX;  // address of a header with more of this; UINT64_MAX: there is none
  std::uint64_t group_leaf_k = 4, group_internal_k = 16;  // half of the most entries of a node of an old group
  bool is_open = false;           // a program has, or had when it ended, the file open for writing
  std::vector<Annotation> parts;  // its bytes, in order
};

// Offset of the signature; nothing: this is no HDF5 file.
std::optional<std::uint64_t> find_signature(base::ByteSource& file);
// malformed, truncated: the file ends before its end as the superblock says it; unsupported: a version nobody knows.
Superblock read_superblock(base::ByteSource& file);
// The same of a file that may end early, and how many bytes it should have.
Superblock parse_superblock(base::ByteSource& file);
std::uint64_t whole_bytes(const Superblock& superblock) noexcept;
// The bytes of the superblock as its program would have left them had it closed the file: without the marks by which
// the library refuses to open it. Nothing where it has none, or where its checksum is not that of its bytes.
std::optional<std::vector<std::byte>> closed_superblock(base::ByteSource& file, const Superblock& superblock);

// Texts of variable length, which lie in collections of their own (HDF5 File Format Specification, version 3, III.E):
// read by our own hand, since the library believes whatever lengths stand there.

// Bytes of an element that refers to such a text.
inline std::uint64_t bytes_of_reference(const Superblock& superblock) noexcept {
  return 8 + static_cast<std::uint64_t>(superblock.offset_bytes);
}

// The texts that `references` lead to, without what follows a NUL. malformed; too_large: of more than `most_bytes`.
std::vector<std::string> read_texts(base::ByteSource& file, const Superblock& superblock, base::Bytes references,
                                    std::uint64_t most_bytes);

// The same for lists of references to objects: the addresses of their headers, from the end of the user block on.
std::vector<std::vector<std::uint64_t>> read_reference_lists(base::ByteSource& file, const Superblock& superblock,
                                                             base::Bytes references, std::uint64_t most_bytes);

// Headers of objects as they lie in the file, by the HDF5 File Format Specification, version 3, IV.A: read before the
// library reads them, which does not survive all that such a header may say, and to tell which byte means what.

// Types of messages that we look into.
namespace message {
inline constexpr int dataspace = 0x01, datatype = 0x03, old_fill = 0x04, fill = 0x05, layout = 0x08, filters = 0x0b,
                     attribute = 0x0c, continuation = 0x10, symbol_table = 0x11, tree_k = 0x13, attribute_info = 0x15;
}  // namespace message

struct HeaderMessage {
  int type = 0;
  std::uint64_t offset = 0;  // of its data, in the file
  std::uint64_t bytes = 0;
  bool is_shared = false;  // the data tell where the message lies
};

struct ObjectHeader {
  int version = 0;
  std::uint64_t offset = 0;  // in the file
  std::vector<HeaderMessage> messages;
};

// `address` as the file has it. malformed: what it says does not fit.
ObjectHeader read_object_header(base::ByteSource& file, const Superblock& superblock, std::uint64_t address);
// Looks into the messages, too: types, dataspaces, fill values, filters, attributes, and where those of a group lead.
void require_sound_header(base::ByteSource& file, const Superblock& superblock, std::uint64_t address);

// The value of an attribute in the header, or of a text of variable length in a heap; nothing: it is not found there,
// or what was deleted cannot be told from what is.
struct AttributeData {
  std::uint64_t offset = 0;  // in the file
  std::uint64_t bytes = 0;
};
std::optional<AttributeData> find_attribute(base::ByteSource& file, const Superblock& superblock, std::uint64_t address,
                                            std::string_view name);

// "datatype", "attribute"; "message 0x12" for one without a name here.
std::string message_name(int type);

// Groups of old files: a tree of the names of members, and the heap in which the names lie (HDF5 File Format
// Specification, version 3, III.A.1, III.B and III.D). Neither has a checksum, and the library (1.10.8) does not
// survive all that they may say.

// `message`: that of a group, with the addresses of tree and heap. malformed: they do not fit.
void require_sound_symbol_table(base::ByteSource& file, const Superblock& superblock, base::Bytes message);

// What each byte of an HDF5 file means, as far as it can be told.

// In order of offset, without gaps: superblock, data of datasets, and what the library keeps between them.
std::vector<Annotation> explain(base::ByteSource& file, const Catalog& catalog);

}  // namespace lq::hdf5
