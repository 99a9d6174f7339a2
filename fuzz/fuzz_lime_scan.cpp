// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Any bytes as a file: scanned, validated, explained, and looked at as a set of vectors. Beyond not crashing, what a
// scan promises must hold.
#include <cstdint>

#include <limequat/error.hpp>

#include "answers.hpp"
#include "format/format.hpp"
#include "format/vectors/vectors.hpp"

namespace {

using namespace lq;

using fuzz::require;

void check_field(const FieldEntry& field, const Catalog& catalog) {
  const Payload& payload = field.payload;
  require(payload.offset <= catalog.file_bytes, "the payload begins in the file");
  require(payload.length <= catalog.file_bytes - payload.offset, "the payload ends in the file");
  require(payload.spec.numbers > 0, "a site holds something");
  require(payload.stored.volume() * payload.site_bytes() == payload.length, "the sites fill the payload");
  require(intersect(payload.stored, whole(payload.extents)) == payload.stored, "the sites lie in the lattice");
  const auto slices = static_cast<std::uint64_t>(payload.stored.extents[payload.stored.extents.size() - 1]);
  require(field.sums.slices().empty() || field.sums.slices().size() == slices, "a checksum for each slice");
}

void check_tiles(const std::vector<Annotation>& annotations, std::uint64_t file_bytes) {
  std::uint64_t next = 0;
  for (const Annotation& annotation : annotations) {
    require(annotation.offset == next && annotation.length > 0, "annotations leave no gap");
    next += annotation.length;
  }
  require(next == file_bytes, "annotations end with the file");
}

void check_set(const Catalog& catalog) {
  fuzz::attempt<Code::malformed, Code::truncated, Code::invalid_argument, Code::unsupported>([&] {
    const auto set = format::vectors::set_in(catalog, {.ls = 1, .parity = modes::Parity::odd});
    require(!set || set->modes.size() == catalog.fields.size() * set->per_field, "as many modes as there are vectors");
  });
}

void scan_as(const format::Container& format, base::ByteSource& file) {
  const Catalog catalog = format.scan(file, {});
  for (const FieldEntry& field : catalog.fields) check_field(field, catalog);
  check_set(catalog);
  require(format.validate(file, catalog).size() >= catalog.findings.size(), "validate() repeats scan()");
  check_tiles(format.explain(file, catalog), file.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  base::MemorySource file({reinterpret_cast<const std::byte*>(data), size}, "input");
  try {
    format::recognise(file);
  } catch (const Error& error) {
    require(error.code() == Code::unknown_format, "recognise() knows one failure");
  }
  for (const format::Format* format : format::formats()) scan_as(*format->container, file);
  return 0;
}
