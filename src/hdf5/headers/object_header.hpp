// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Headers of objects as they lie in the file, by the HDF5 File Format Specification, version 3, IV.A: read before the
// library reads them, which does not survive all that such a header may say, and to tell which byte means what.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <limequat/catalog.hpp>
#include <limequat/inspect.hpp>

#include "base/byte_source.hpp"
#include "hdf5/headers/superblock.hpp"

namespace lq::hdf5 {

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
