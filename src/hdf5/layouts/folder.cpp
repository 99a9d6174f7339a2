// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hdf5/layouts/folder.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "hdf5/filters/filters.hpp"

namespace lq::hdf5 {
namespace {

constexpr std::uint64_t most_colors = 1024;
constexpr std::uint64_t most_links = 1024;
constexpr std::uint64_t most_numbers = std::uint64_t{1} << 32;

bool are_colors(std::uint64_t row, std::uint64_t column) { return row == column && row >= 2 && row <= most_colors; }
bool are_spins(std::uint64_t spins) { return spins >= 1 && spins <= 64; }

// Belongs to a dimension scale, which xarray and netCDF create next to a dataset.
constexpr std::string_view of_scales[] = {"CLASS",          "NAME",          "DIMENSION_LIST",      "DIMENSION_LABELS",
                                          "REFERENCE_LIST", "_Netcdf4Dimid", "_Netcdf4Coordinates", "_NCProperties",
                                          "_FillValue"};

}  // namespace

std::vector<std::uint64_t> Numbers::behind(std::size_t rank) const {
  return {extents.begin() + static_cast<std::ptrdiff_t>(rank), extents.end()};
}

std::vector<std::uint64_t> Numbers::lattice(std::size_t rank) const {
  return {extents.begin(), extents.begin() + static_cast<std::ptrdiff_t>(rank)};
}

std::optional<Numbers> numbers_of(const Dataset& data) {
  const Stripped stripped = strip(data.type);
  if (data.is_null || !is_number(*stripped.base)) return {};
  Numbers numbers;
  numbers.extents = data.extents;
  numbers.space_rank = data.extents.size();
  numbers.extents.insert(numbers.extents.end(), stripped.extents.begin(), stripped.extents.end());
  numbers.is_complex = stripped.base->kind == TypeClass::complex;
  numbers.order = stripped.base->order;
  const std::uint64_t bytes = stripped.base->bytes / (numbers.is_complex ? 2 : 1);
  numbers.precision = bytes == 4 ? Precision::single : Precision::double_;
  return numbers;
}

std::string_view Folder::last_name() const noexcept { return std::string_view(path).substr(path.rfind('/') + 1); }

Member* Folder::member(std::string_view name) noexcept {
  const auto found = std::ranges::find(members, name, &Member::name);
  return found == members.end() ? nullptr : &*found;
}

std::optional<FieldSpec> matrix_site(const std::vector<std::uint64_t>& site, Precision precision) {
  if (site.size() != 2 || !are_colors(site[0], site[1])) return {};
  return generic_spec(precision, 2 * site[0] * site[1], true);
}

std::optional<FieldSpec> gauge_site(const std::vector<std::uint64_t>& site, Precision precision) {
  if (site.size() != 3 || site[0] < 1 || site[0] > most_links || !are_colors(site[1], site[2])) return {};
  return gauge_spec(precision, static_cast<int>(site[1]), static_cast<int>(site[0]));
}

std::optional<FieldSpec> spinor_site(const std::vector<std::uint64_t>& site, Precision precision) {
  if (site.size() != 2 || !are_spins(site[0]) || !are_colors(site[1], site[1])) return {};
  return spinor_spec(precision, static_cast<int>(site[1]), static_cast<int>(site[0]));
}

std::optional<FieldSpec> propagator_site(const std::vector<std::uint64_t>& site, Precision precision) {
  if (site.size() != 4 || site[0] != site[1] || !are_spins(site[0]) || !are_colors(site[2], site[3])) return {};
  return propagator_spec(precision, static_cast<int>(site[2]), static_cast<int>(site[0]));
}

std::optional<FieldSpec> generic_site(const std::vector<std::uint64_t>& site, bool is_complex, Precision precision) {
  std::uint64_t numbers = is_complex ? 2 : 1;
  for (const std::uint64_t extent : site) numbers = base::checked_multiply(numbers, extent).value_or(UINT64_MAX);
  if (numbers == 0 || numbers > most_numbers) return {};
  return generic_spec(precision, numbers, is_complex);
}

bool requires_digest(const Attributes& attributes) {
  return find(attributes, native::marker) == nullptr &&
         (find(attributes, ".kind") != nullptr || find(attributes, ".time") != nullptr);
}

Metadata metadata_of(const Attributes& attributes, std::span<const std::string_view> of_layout) {
  Metadata metadata;
  for (const auto& [name, value] : attributes) {
    if (std::ranges::find(of_layout, name) != of_layout.end()) continue;
    if (std::ranges::find(of_scales, name) != std::end(of_scales)) continue;
    if (auto text = shown(value)) metadata.emplace_back(name, std::move(*text));
  }
  return metadata;
}

namespace {

[[noreturn]] void cannot(Code code, const Opened& file, const std::string& object, const std::string& why) {
  base::fail(code, {.path = file.path(), .record = object}, "{}: {}", base::printable(object, 200), why);
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

void require_inside(const Opened& file, const Member& member, std::uint64_t offset, std::uint64_t bytes) {
  const auto end = base::checked_add(offset, bytes);
  if (end && *end <= file.bytes()) return;
  cannot(
      Code::malformed, file, member.path,
      fmt::format("its data, {} bytes from {} on, are not inside the file of {} bytes", bytes, offset, file.bytes()));
}

std::string storage_text(StorageKind kind) {
  switch (kind) {
    case StorageKind::external:
      return "its data are in other files, which are not opened";
    case StorageKind::virtual_:
      return "its data are made of other datasets";
    default:
      return "its data are stored in an unsupported way";
  }
}

// Processes one dataset after the other.
class Placer {
 public:
  Placer(const Opened& file, hid_t group, const FoundField& field, const Limits& limits)
      : file_(file), group_(group), field_(field), limits_(limits) {}

  Payload run() {
    const Dataset& first = field_.arrays.front()->data;
    payload_.spec = field_.spec;
    set_lattice(file_, field_, payload_);
    payload_.byte_order = numbers_of(first).value().order;
    payload_.length =
        base::multiply_or_throw(volume(payload_.extents), field_.spec.site_bytes(), "the data of a field");
    payload_.arrays = field_.arrays.size();
    array_bytes_ = payload_.length / payload_.arrays;
    if (first.storage.kind == StorageKind::chunked) set_blocks(first);
    for (const Member* member : field_.arrays) add(*member);
    payload_.offset = payload_.tiles.front().offset;
    const bool is_one_piece = payload_.arrays == 1 && payload_.block.size() == 0 && payload_.tiles.front().bytes > 0;
    if (is_one_piece) {
      payload_.tiles.clear();
      payload_.tile_sites = 0;
    }
    return std::move(payload_);
  }

 private:
  void set_blocks(const Dataset& first) {
    const Storage& storage = first.storage;
    const std::size_t rank = field_.lattice.size();
    std::vector<std::int64_t> block;
    std::uint64_t bytes = first.type.bytes;
    for (std::size_t d = 0; d < storage.chunk.size(); ++d) {
      const std::uint64_t extent = storage.chunk[d];
      bytes = base::checked_multiply(bytes, extent).value_or(UINT64_MAX);
      if (d < rank) {
        block.push_back(static_cast<std::int64_t>(extent));
      } else if (extent != first.extents[d]) {
        cannot(Code::unsupported, file_, field_.path, "its chunks divide sites");
      }
    }
    if (bytes > largest_block) {
      cannot(Code::too_large, file_, field_.path, fmt::format("its chunks have {} bytes", bytes));
    }
    if (!field_.is_x_slowest) std::ranges::reverse(block);
    payload_.block = Coord(std::span<const std::int64_t>(block));
    payload_.tile_sites = volume(payload_.block);
    payload_.encoding = encoding_of(storage.filters, first.type.bytes);
  }

  void add(const Member& member) {
    const Dataset& data = member.data;
    const Storage& storage = data.storage;
    if (data.bytes() != array_bytes_) cannot(Code::malformed, file_, member.path, "its data have another size");
    switch (storage.kind) {
      case StorageKind::contiguous:
      case StorageKind::compact:
        require_alike(member, payload_.block.size() == 0);
        payload_.tile_sites = volume(payload_.extents);
        if (!storage.is_allocated) return add_missing(member);
        require_inside(file_, member, storage.offset, array_bytes_);
        payload_.tiles.push_back({.file = 0, .offset = storage.offset, .bytes = array_bytes_});
        return;
      case StorageKind::chunked:
        return add_chunks(member);
      default:
        cannot(Code::unsupported, file_, member.path, storage_text(storage.kind));
    }
  }

  void require_alike(const Member& member, bool are_alike) const {
    if (!are_alike)
      cannot(Code::unsupported, file_, member.path, "its storage differs from that of the previous arrays");
  }

  void add_missing(const Member& member) {
    if (!member.data.storage.fill.empty()) {
      cannot(Code::unsupported, file_, member.path,
             "some of its sites were never written and read as a value that is not zero");
    }
    payload_.tiles.emplace_back();
  }

  void add_chunks(const Member& member) {
    const Dataset& data = member.data;
    const Storage& storage = data.storage;
    require_alike(member, storage.chunk == field_.arrays.front()->data.storage.chunk &&
                              encoding_of(storage.filters, data.type.bytes) == plain_encoding());
    const ErrorPlace where = file_.where(member.path);
    const Handle dataset = open_member(group_, member.name, where);
    const std::uint64_t most = limits_.records - std::min<std::uint64_t>(limits_.records, payload_.tiles.size());
    for (const Chunk& chunk : chunks_of(file_, dataset.get(), storage, data.extents, where, most)) {
      if (chunk.bytes == 0) {
        add_missing(member);
        continue;
      }
      require_inside(file_, member, chunk.offset, chunk.bytes);
      const std::uint64_t plain = payload_.tile_sites * (array_bytes_ / volume(payload_.extents));
      if (storage.filters.empty() && chunk.bytes != plain) {
        cannot(Code::malformed, file_, member.path,
               fmt::format("a chunk has {} bytes instead of {}", chunk.bytes, plain));
      }
      if (chunk.skipped != 0) skips_filters_ = true;
      payload_.tiles.push_back({.file = 0, .offset = chunk.offset, .bytes = chunk.bytes});
    }
    // No codec has such a name: reading fails with a message that contains it.
    if (skips_filters_) payload_.encoding = plain_encoding() + std::string(skipped);
  }

  std::string plain_encoding() const {
    const Dataset& first = field_.arrays.front()->data;
    return encoding_of(first.storage.filters, first.type.bytes);
  }

  static constexpr std::string_view skipped = ", left out for some chunks";
  static constexpr std::uint64_t largest_block = 4 * base::gibi;

  const Opened& file_;
  hid_t group_;
  const FoundField& field_;
  const Limits& limits_;
  Payload payload_;
  std::uint64_t array_bytes_ = 0;
  bool skips_filters_ = false;
};

}  // namespace

Payload place(const Opened& file, hid_t group, const FoundField& field, const Limits& limits) {
  return Placer(file, group, field, limits).run();
}

}  // namespace lq::hdf5
