// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "staging/frame.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <span>
#include <vector>

#include <fmt/format.h>
#include <limequat/catalog.hpp>
#include <limequat/error.hpp>

#include "format/format.hpp"
#include "io/merge_texts.hpp"

namespace lq::staging {
namespace {

// Literals of a file as the bytes from `begin` to `end`; between them are zeros.
std::string bytes_between(std::uint64_t begin, std::uint64_t end, std::span<const format::Literal> literals) {
  std::string bytes(static_cast<std::size_t>(end - begin), '\0');
  for (const format::Literal& literal : literals) {
    const std::uint64_t from = std::max(begin, literal.offset),
                        to = std::min(end, literal.offset + literal.bytes.size());
    if (from >= to) continue;
    std::memcpy(bytes.data() + (from - begin), literal.bytes.data() + (from - literal.offset),
                static_cast<std::size_t>(to - from));
  }
  return bytes;
}

format::FieldRequest request_of(const Catalog& catalog, const FieldEntry& entry, const format::Format& scidac) {
  format::FieldRequest request;
  request.name = entry.name;
  request.spec = entry.payload.spec;
  request.extents = entry.payload.extents;
  request.metadata = io::merge_texts(catalog, entry, scidac, {});
  request.checksum = entry.sums.checksum().has_value();
  request.slice_checksums = false;  // part files have none
  request.plaquette = entry.plaquette;
  request.link_trace = entry.link_trace;
  return request;
}

}  // namespace

PartitionedFile Frame::around(PartitionedFile parts) const {
  if (is_empty()) return parts;
  FileArray array = parts.partition.array();
  array.begin += before.size();
  parts.bytes += before.size() + behind.size();
  parts.partition = Partition(array, parts.partition.cuts());
  return parts;
}

Frame frame_of(const PartitionedFile& file) {
  if (file.is_set || file.files.size() < 2) return {};
  const auto opened = transport::resolve(file.path).open_read(file.path);
  base::CachedSource source(*opened);
  const Catalog catalog = format::scan(source, {});
  if (catalog.fields.size() != 1) {
    throw Error(Code::unsupported,
                fmt::format("{}: there are {} fields in these part files, of which one can be repartitioned; convert "
                            "them to one file first (lq convert)",
                            file.path, catalog.fields.size()),
                {.path = file.path});
  }
  const FieldEntry& entry = catalog.fields.front();
  const format::Format& scidac = format::format_named("scidac");
  const format::Layout layout = scidac.for_fields().plan(request_of(catalog, entry, scidac));
  format::Digest digest;
  if (const auto checksum = entry.sums.checksum()) digest.sums.set_checksum(*checksum);
  std::vector<format::Literal> literals = layout.head;
  if (layout.tail) std::ranges::move(layout.tail(digest), std::back_inserter(literals));
  const std::uint64_t begin = layout.payload.front().origin(), end = begin + file.bytes;
  return {bytes_between(0, begin, literals), bytes_between(end, layout.end.front(), literals)};
}

transport::Identity FramedFile::identity() const {
  transport::Identity identity = inner().identity();
  identity.bytes = size();
  return identity;
}

std::size_t FramedFile::read_at(std::uint64_t offset, base::MutableBytes buffer) {
  if (offset >= size()) return 0;
  buffer = buffer.first(static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), size() - offset)));
  const std::uint64_t sites = frame_.before.size(), behind = sites + inner().size(), end = offset + buffer.size();
  const auto take = [&](const std::string& text, std::uint64_t begins) {
    const std::uint64_t from = std::max(offset, begins), to = std::min(end, begins + text.size());
    if (from < to) std::memcpy(buffer.data() + (from - offset), text.data() + (from - begins), to - from);
  };
  take(frame_.before, 0);
  take(frame_.behind, behind);
  const std::uint64_t from = std::max(offset, sites), to = std::min(end, behind);
  if (from >= to) return buffer.size();
  const auto wanted = static_cast<std::size_t>(to - from);
  const std::size_t got =
      inner().read_at(from - sites, buffer.subspan(static_cast<std::size_t>(from - offset), wanted));
  return got == wanted ? buffer.size() : static_cast<std::size_t>(from - offset) + got;
}

}  // namespace lq::staging
