// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hdf5/tree/storage.hpp"

#include <algorithm>
#include <array>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "hdf5/driver/library.hpp"

namespace lq::hdf5 {

namespace {

// Also checks the header of the root group, which the library reads immediately.
Superblock checked_superblock(base::ByteSource& source) {
  Superblock superblock = read_superblock(source);
  require_sound_header(source, superblock, superblock.root);
  return superblock;
}

}  // namespace

Opened::Opened(base::ByteSource& source)
    : source_(source), superblock_(checked_superblock(source)), image_(source), file_(open_in(image_, Access::read)) {}

void Opened::require_sound(std::uint64_t address) const {
  require_sound_header(source_, superblock_, address - superblock_.offset);
}

namespace {

constexpr std::size_t most_parameters = 64;
constexpr std::size_t most_fill_bytes = 1 << 20;

Filter describe_filter(hid_t list, unsigned number, const ErrorPlace& where) {
  Filter filter;
  unsigned flags = 0, configuration = 0;
  std::array<unsigned, most_parameters> parameters{};
  std::size_t count = parameters.size();
  std::array<char, 64> name{};
  filter.id = require(
      H5Pget_filter2(list, number, &flags, &count, parameters.data(), name.size() - 1, name.data(), &configuration),
      where, "a filter cannot be read");
  filter.is_optional = (flags & H5Z_FLAG_OPTIONAL) != 0;
  filter.name = name.data();
  filter.parameters.assign(parameters.begin(),
                           parameters.begin() + static_cast<std::ptrdiff_t>(std::min(count, parameters.size())));
  return filter;
}

// The value of an element that was never written; empty: zeros.
std::vector<std::byte> fill_of(hid_t dataset, hid_t list, const ErrorPlace& where) {
  H5D_fill_value_t defined = H5D_FILL_VALUE_ERROR;
  if (H5Pfill_value_defined(list, &defined) < 0 || defined != H5D_FILL_VALUE_USER_DEFINED) return {};
  const Handle type = require(H5Dget_type(dataset), H5Tclose, where, "its type cannot be read");
  // For elements stored elsewhere in the file the fill value does not apply.
  if (H5Tdetect_class(type.get(), H5T_VLEN) > 0 || H5Tdetect_class(type.get(), H5T_REFERENCE) > 0 ||
      H5Tis_variable_str(type.get()) > 0) {
    return {};
  }
  std::vector<std::byte> value(H5Tget_size(type.get()));
  if (value.size() > most_fill_bytes) throw_failure(where, "its fill value is too large");
  require(H5Pget_fill_value(list, type.get(), value.data()), where, "its fill value cannot be read");
  const bool is_zero = std::ranges::all_of(value, [](std::byte b) { return b == std::byte{0}; });
  return is_zero ? std::vector<std::byte>() : value;
}

// Finds the elements in the header; their size fits 16 bits.
void place_compact(const Opened& file, hid_t dataset, const ErrorPlace& where, Storage& storage) {
  RawObject facts;
  require(object_facts(dataset, facts), where, "its header cannot be read");
  const ObjectHeader header = read_object_header(file.source(), file.superblock(), facts.address);
  const auto layout = std::ranges::find(header.messages, int{message::layout}, &HeaderMessage::type);
  if (layout == header.messages.end() || layout->bytes < 4) throw_failure(where, "its storage cannot be read");
  std::array<std::byte, 4> head{};
  file.source().read_at(layout->offset, head);
  const auto bytes = base::load_le<std::uint16_t>(head.data() + 2);
  const bool is_known = (head[0] == std::byte{3} || head[0] == std::byte{4}) && head[1] == std::byte{0};
  storage.is_allocated = is_known && bytes > 0 && std::uint64_t{bytes} + 4 <= layout->bytes;
  storage.offset = storage.is_allocated ? layout->offset + 4 : 0;
  if (!storage.is_allocated) storage.kind = StorageKind::other;
}

}  // namespace

Storage describe_storage(const Opened& file, hid_t dataset, const ErrorPlace& where) {
  Storage storage;
  const Handle list = require(H5Dget_create_plist(dataset), H5Pclose, where, "its storage cannot be read");
  switch (require(H5Pget_layout(list.get()), where, "its storage cannot be read")) {
    case H5D_CONTIGUOUS:
      storage.kind = StorageKind::contiguous;
      break;
    case H5D_CHUNKED:
      storage.kind = StorageKind::chunked;
      break;
    case H5D_COMPACT:
      storage.kind = StorageKind::compact;
      break;
    case H5D_VIRTUAL:
      storage.kind = StorageKind::virtual_;
      break;
    default:
      break;
  }
  if (H5Pget_external_count(list.get()) > 0) storage.kind = StorageKind::external;
  if (storage.kind == StorageKind::contiguous) {
    const haddr_t offset = H5Dget_offset(dataset);
    storage.is_allocated = offset != HADDR_UNDEF;
    storage.offset = storage.is_allocated ? offset : 0;
  }
  if (storage.kind == StorageKind::chunked) {
    std::array<hsize_t, H5S_MAX_RANK> extents{};
    const int rank = require(H5Pget_chunk(list.get(), static_cast<int>(extents.size()), extents.data()), where,
                             "the extents of its chunks cannot be read");
    storage.chunk.assign(extents.begin(), extents.begin() + rank);
  }
  const int filters = require(H5Pget_nfilters(list.get()), where, "its filters cannot be read");
  for (int i = 0; i < filters; ++i) {
    storage.filters.push_back(describe_filter(list.get(), static_cast<unsigned>(i), where));
  }
  storage.fill = fill_of(dataset, list.get(), where);
  if (storage.kind == StorageKind::compact) place_compact(file, dataset, where, storage);
  return storage;
}

std::uint64_t count_chunks(hid_t dataset, const ErrorPlace& where) {
  const Handle space = require(H5Dget_space(dataset), H5Sclose, where, "its dataspace cannot be read");
  hsize_t chunks = 0;
  require(H5Dget_num_chunks(dataset, space.get(), &chunks), where, "its chunks cannot be counted");
  return chunks;
}

std::vector<Chunk> chunks_of(const Opened& file, hid_t dataset, const Storage& storage,
                             const std::vector<std::uint64_t>& extents, const ErrorPlace& where, std::uint64_t most) {
  std::uint64_t total = 1;
  std::vector<std::uint64_t> along(extents.size());
  for (std::size_t d = 0; d < extents.size(); ++d) {
    along[d] = (extents[d] + storage.chunk.at(d) - 1) / storage.chunk[d];
    total = base::checked_multiply(total, along[d]).value_or(UINT64_MAX);
  }
  if (total > most) {
    base::fail(Code::too_large, {.path = where.path, .record = where.object},
               "{}: it is stored in {} chunks, more than {}; raise the limit of records", base::printable(where.object),
               total, most);
  }
  std::vector<Chunk> chunks(static_cast<std::size_t>(total));
  std::uint64_t left = count_chunks(dataset, where);
  std::vector<hsize_t> first(extents.size());
  for (std::size_t number = 0; number < chunks.size() && left > 0; ++number) {
    if (const auto place = find_chunk(file.id(), dataset, first.data())) {
      chunks[number] = {place->offset, place->bytes, place->skipped};
      --left;
    } else {
      throw_driver_failure();
    }
    for (std::size_t d = first.size(); d-- > 0;) {
      first[d] += storage.chunk[d];
      if (first[d] < extents[d]) break;
      first[d] = 0;
    }
  }
  if (left > 0) {
    base::fail(Code::malformed, {.path = where.path, .record = where.object},
               "{}: its list of chunks is damaged: {} of them are not inside it or the file",
               base::printable(where.object), left);
  }
  return chunks;
}

}  // namespace lq::hdf5
