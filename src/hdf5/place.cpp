// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hdf5/place.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/checked.hpp"
#include "base/text.hpp"

namespace lq::hdf5 {
namespace {

[[noreturn]] void cannot(Code code, const Opened& file, const std::string& object, const std::string& why) {
  throw Error(code, fmt::format("{}: {}: {}", file.path(), base::printable(object, 200), why),
              {.path = file.path(), .record = object});
}

void set_lattice(const Opened& file, const FoundField& field, Payload& payload) {
  std::vector<std::int64_t> extents;
  for (const std::uint64_t extent : field.lattice) {
    if (extent == 0) cannot(Code::malformed, file, field.path, "its lattice has no sites");
    if (extent > static_cast<std::uint64_t>(INT64_MAX)) {
      cannot(Code::too_large, file, field.path, "its lattice is too large");
    }
    extents.push_back(static_cast<std::int64_t>(extent));
  }
  if (!field.is_x_slowest) std::ranges::reverse(extents);
  payload.extents = Coord(std::span<const std::int64_t>(extents));
  payload.stored = whole(payload.extents);
  for (int d = payload.extents.size() - 1; field.is_x_slowest && d >= 0; --d) payload.order.push_back(d);
}

// Bytes of all sites, as the lattice and the site say.
std::uint64_t bytes_of(const FoundField& field, const Payload& payload) {
  return base::multiply_or_throw(volume(payload.extents), field.spec.site_bytes(), "the data of a field");
}

void require_inside(const Opened& file, const Member& member, std::uint64_t offset, std::uint64_t bytes) {
  const auto end = base::checked_add(offset, bytes);
  if (end && *end <= file.bytes()) return;
  cannot(Code::malformed, file, member.path,
         fmt::format("its data, {} bytes from {} on, do not lie in the file of {} bytes", bytes, offset, file.bytes()));
}

std::string kind_text(StorageKind kind) {
  switch (kind) {
    case StorageKind::compact:
      return "its data lie in the header of the object";
    case StorageKind::external:
      return "its data lie in other files, which are not opened";
    case StorageKind::virtual_:
      return "its data are made of other datasets";
    case StorageKind::chunked:
      return "its data lie in chunks";
    default:
      return "its data are stored in a way that is not known here";
  }
}

}  // namespace

Payload place(const Opened& file, hid_t, const FoundField& field, const Limits&) {
  Payload payload;
  payload.spec = field.spec;
  set_lattice(file, field, payload);
  const Member& first = *field.arrays.front();
  payload.byte_order = numbers_of(first.data).value().order;
  payload.length = bytes_of(field, payload);
  if (field.arrays.size() > 1) cannot(Code::unsupported, file, field.path, "its sites lie in several datasets");
  if (first.data.bytes() != payload.length) cannot(Code::malformed, file, field.path, "its data have another size");
  const Storage& storage = first.data.storage;
  if (storage.kind != StorageKind::contiguous) cannot(Code::unsupported, file, field.path, kind_text(storage.kind));
  if (!storage.is_allocated) cannot(Code::unsupported, file, field.path, "its data were never written");
  require_inside(file, first, storage.offset, payload.length);
  payload.offset = storage.offset;
  return payload;
}

}  // namespace lq::hdf5
