// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "archive/new_archive.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include <limequat/error.hpp>

#include "archive/archive.hpp"
#include "archive/codec/tile.hpp"
#include "archive/cut.hpp"
#include "kernels/crc32.hpp"

namespace lq::archive {
namespace {

std::string_view name_of_original(const FieldSpec& spec, const Extents& extents) {
  return spec.kind == FieldKind::gauge && extents.size() == 4 ? "ildg" : "scidac";
}

// The bytes of a segment that is stored as it is, out of literals of the original; what these leave open is zero.
std::vector<std::byte> bytes_of(const Segment& segment, const std::vector<format::Literal>& literals) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(segment.length));
  for (const format::Literal& literal : literals) {
    const std::uint64_t begin = std::max(literal.offset, segment.begin);
    const std::uint64_t end = std::min(literal.offset + literal.bytes.size(), segment.begin + segment.length);
    if (begin >= end) continue;
    const auto first = literal.bytes.begin() + static_cast<std::ptrdiff_t>(begin - literal.offset);
    std::copy(first, first + static_cast<std::ptrdiff_t>(end - begin),
              bytes.begin() + static_cast<std::ptrdiff_t>(begin - segment.begin));
  }
  return bytes;
}

// Records contiguous.
class Records {
 public:
  explicit Records(std::uint64_t end = 0) : end_(end) {}
  std::uint64_t end() const noexcept { return end_; }
  std::uint64_t next_place() const noexcept { return place_behind(end_); }
  void add(std::string_view type, std::vector<std::byte> contents) {
    const std::uint64_t place = next_place();
    frame(type, contents.size());
    literals_.push_back({0, place, std::move(contents)});
  }
  // Of contents that are written by somebody else.
  void frame(std::string_view type, std::uint64_t length) {
    for (format::Literal& literal : frame_of(type, next_place(), length)) literals_.push_back(std::move(literal));
    end_ = end_of(next_place(), length);
  }
  std::vector<format::Literal> take() { return std::move(literals_); }

 private:
  std::uint64_t end_;
  std::vector<format::Literal> literals_;
};

void add_verbatim(Records& records, Segment& segment, const std::vector<format::Literal>& literals) {
  std::vector<std::byte> bytes = bytes_of(segment, literals);
  segment.place = records.next_place();
  segment.crc = kernels::crc32(0, bytes);
  records.add(type::verbatim, std::move(bytes));
}

std::vector<format::Literal> tail_of(Archive archive, std::uint64_t end_of_head, const format::Layout& original,
                                     const format::Digest& digest) {
  std::vector<format::Literal> literals = original.head;
  if (original.tail) {
    format::Digest inner{digest.sums};
    for (format::Literal& literal : original.tail(inner)) literals.push_back(std::move(literal));
  }
  Records records(end_of_head);
  for (Segment& segment : archive.segments) {
    if (segment.is_squeezed()) {
      segment.tiles = digest.tiles;
      records.frame(type::data, segment.stored_bytes());
    } else {
      add_verbatim(records, segment, literals);
    }
  }
  records.add(type::index, encode_index(archive));
  return records.take();
}

}  // namespace

const format::FieldFormat& original_format(const FieldSpec& spec, const Extents& extents) {
  return format::format_named(name_of_original(spec, extents)).for_fields();
}

format::Layout plan_archive(const format::FieldRequest& request) {
  if (!request.first) {
    throw Error(Code::unsupported,
                "an archive takes one field; write several into a file of the format scidac and `lq squeeze` it");
  }
  format::FieldRequest inner = request;
  inner.before = nullptr;
  const auto original =
      std::make_shared<const format::Layout>(original_format(request.spec, request.extents).plan(inner));
  Catalog catalog;
  catalog.format = name_of_original(request.spec, request.extents);
  catalog.path = catalog.format == "ildg" ? "field.ildg" : "field.scidac";
  catalog.file_bytes = original->end.front();
  catalog.fields.emplace_back().payload = original->payload.front();
  Archive archive = cut(catalog, {catalog.file_bytes});

  format::Layout layout;
  layout.sums = original->sums;
  Records records;
  const std::string head = encode_head(archive);
  const base::Bytes head_bytes = base::as_bytes(head);
  records.add(type::head, {head_bytes.begin(), head_bytes.end()});
  const std::uint64_t end_of_head = records.end();
  layout.head = records.take();
  // What comes before the data may depend on them, too: it has its place, and is written with the tail.
  auto segment = archive.segments.begin();
  for (; !segment->is_squeezed(); ++segment) records.frame(type::verbatim, segment->length);
  segment->place = records.next_place();
  Payload& payload = layout.payload.emplace_back(original->payload.front());
  payload.offset = 0;
  payload.tile_sites = segment->tile_bytes / payload.site_bytes();
  payload.tiles = segment->as_payload().tiles;
  payload.encoding = encoding_name(segment->numbers);
  layout.end = {segment->place + segment->length};
  layout.tail = [archive = std::move(archive), end_of_head, original](const format::Digest& digest) {
    return tail_of(archive, end_of_head, *original, digest);
  };
  return layout;
}

}  // namespace lq::archive
