// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hdf5/explain.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "hdf5/superblock.hpp"

namespace lq::hdf5 {
namespace {

constexpr const char* section_of_objects = "formats/hdf5.md 2";

void add_superblock(base::ByteSource& file, std::vector<Annotation>& parts) {
  try {
    const Superblock superblock = read_superblock(file);
    if (superblock.offset > 0) {
      parts.push_back({0, superblock.offset, "user_block", "before the HDF5 file begins", section_of_objects});
    }
    parts.insert(parts.end(), superblock.parts.begin(), superblock.parts.end());
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

// What overlaps with what came before is left out; what lies between is named.
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
  add_superblock(file, parts);
  for (const Record& record : catalog.records) {
    if (record.offset == 0) continue;
    parts.push_back({record.offset, record.data_length, "data", base::printable(record.type, 200), section_of_objects});
  }
  return without_gaps(std::move(parts), file.size());
}

}  // namespace lq::hdf5
