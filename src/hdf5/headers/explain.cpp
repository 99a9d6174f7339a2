// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hdf5/headers/structures.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "hdf5/headers/header_bytes.hpp"

namespace lq::hdf5 {
namespace {

constexpr const char* section_of_objects = "formats/hdf5.md 2";

// Errors of the file are reported in its findings.
template <class Work>
void as_far_as_it_goes(Work&& work) {
  try {
    work();
  } catch (const Error& error) {
    switch (error.code()) {
      case Code::malformed:
      case Code::truncated:
      case Code::unsupported:
        return;
      default:
        throw;
    }
  }
}

void add_superblock(const Superblock& superblock, std::vector<Annotation>& parts) {
  if (superblock.offset > 0) {
    parts.push_back({0, superblock.offset, "user_block", "before the HDF5 file begins", section_of_objects});
  }
  parts.insert(parts.end(), superblock.parts.begin(), superblock.parts.end());
}

std::string name_of_attribute(base::ByteSource& file, const HeaderMessage& found) {
  const HeaderBytes bytes = bytes_at(file, found.offset, found.bytes);
  Cursor cursor(bytes, "an attribute", file.path());
  const base::Bytes name = take_attribute(cursor).name;
  return std::string(base::as_text(name.first(name.size() - 1)));
}

// The messages of an object header.
void add_object(base::ByteSource& file, const Superblock& superblock, std::uint64_t address, const std::string& path,
                std::vector<Annotation>& parts) {
  const std::string shown = base::printable(path, 200);
  for (const HeaderMessage& found : read_object_header(file, superblock, address).messages) {
    std::string whose = shown;
    if (found.type == message::attribute && !found.is_shared) {
      as_far_as_it_goes([&] { whose += " " + base::printable(name_of_attribute(file, found), 200); });
    }
    parts.push_back({found.offset, found.bytes, message_name(found.type), whose, section_of_objects});
  }
}

// Omits parts that overlap with earlier ones, and names the gaps.
std::vector<Annotation> without_gaps(std::vector<Annotation> parts, std::uint64_t bytes) {
  std::ranges::stable_sort(parts, {}, &Annotation::offset);
  std::vector<Annotation> whole;
  std::uint64_t next = 0;
  const auto fill = [&](std::uint64_t end) {
    if (end > next) whole.push_back({next, end - next, "library", "metadata of the library", section_of_objects});
  };
  for (Annotation& part : parts) {
    if (part.length == 0 || part.offset < next || part.offset > bytes || part.length > bytes - part.offset) continue;
    fill(part.offset);
    next = part.offset + part.length;
    whole.push_back(std::move(part));
  }
  fill(bytes);
  return whole;
}

}  // namespace

std::vector<Annotation> explain(base::ByteSource& file, const Catalog& catalog) {
  std::vector<Annotation> parts;
  as_far_as_it_goes([&] {
    const Superblock superblock = read_superblock(file);
    add_superblock(superblock, parts);
    add_object(file, superblock, superblock.root, "/", parts);
    for (const Record& record : catalog.records) {
      as_far_as_it_goes([&] {
        const std::uint64_t address = record.header_offset - superblock.offset;
        add_object(file, superblock, address, record.type, parts);
      });
    }
  });
  for (const FieldEntry& field : catalog.fields) {
    for (const Tile& tile : field.payload.tiles) {
      parts.push_back({tile.offset, tile.bytes, "data", base::printable(field.name, 200), section_of_objects});
    }
  }
  for (const Record& record : catalog.records) {
    if (record.offset == 0 || record.pieces > 1) continue;
    parts.push_back({record.offset, record.data_length, "data", base::printable(record.type, 200), section_of_objects});
  }
  return without_gaps(std::move(parts), file.size());
}

}  // namespace lq::hdf5
