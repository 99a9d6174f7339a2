// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hdf5/making/small_objects.hpp"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "hdf5/headers/structures.hpp"
#include "hdf5/tree/tree.hpp"

namespace lq::hdf5 {
namespace {

template <class T>
void add_number(kernels::Sha256& sum, T number, bool floats_are_padded) {
  std::array<std::byte, 8> bytes{};
  if constexpr (std::is_same_v<T, float>) {
    base::store_le(bytes.data(), std::bit_cast<std::uint32_t>(number));
    sum.add(base::Bytes(bytes).first(floats_are_padded ? 8 : 4));
  } else if constexpr (std::is_same_v<T, double>) {
    base::store_le(bytes.data(), std::bit_cast<std::uint64_t>(number));
    sum.add(bytes);
  } else {
    base::store_le(bytes.data(), static_cast<std::uint64_t>(number));
    sum.add(bytes);
  }
}

// The name of a scale as xarray shows it, and its values.
Axis axis_of(hid_t scale, std::string name) {
  Axis axis{std::move(name), {}};
  const Handle space(H5Dget_space(scale), H5Sclose);
  const hssize_t count = H5Sget_simple_extent_npoints(space.get());
  constexpr hssize_t most = 1 << 20;
  // A scale that was never written has no values: a dimension that is not a variable.
  if (count <= 0 || count > most || H5Dget_storage_size(scale) == 0) return axis;
  std::vector<double> values(static_cast<std::size_t>(count));
  if (H5Dread(scale, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) >= 0) {
    axis.coordinates = std::move(values);
  }
  return axis;
}

}  // namespace

std::string digits_of(const std::array<std::uint8_t, 32>& digest) {
  return fmt::format("{:02x}", fmt::join(digest, ""));
}

void ArrayDigest::add(const Array& piece) {
  with_elements(piece, [&](auto tag, const auto& elements) {
    using T = typename decltype(tag)::type;
    for (const T& element : elements) {
      if constexpr (is_text<T>) {
        sum_.add({reinterpret_cast<const std::byte*>(element.c_str()), element.size() + 1});
      } else if constexpr (IsComplex<T>::value) {
        add_number(sum_, element.real(), floats_are_padded_);
        add_number(sum_, element.imag(), floats_are_padded_);
      } else {
        add_number(sum_, element, floats_are_padded_);
      }
    }
  });
}

std::array<std::uint8_t, 32> ArrayDigest::finish() {
  const kernels::Sha256::Words words = sum_.finish();
  std::array<std::uint8_t, 32> digest{};
  for (std::size_t i = 0; i < digest.size(); ++i) {
    digest[i] = static_cast<std::uint8_t>(words[i / 4] >> (24 - 8 * (i % 4)));
  }
  return digest;
}

std::array<std::uint8_t, 32> digest_of(const Array& array, bool floats_are_padded) {
  ArrayDigest digest(floats_are_padded);
  digest.add(array);
  return digest.finish();
}

void check_array(const Array& array, const std::string& path) {
  std::uint64_t elements = 0;
  bool has_nul = false;
  with_elements(array, [&](auto tag, const auto& values) {
    elements = values.size();
    if constexpr (is_text<typename decltype(tag)::type>) {
      for (const std::string& text : values) has_nul = has_nul || text.find('\0') != std::string::npos;
    }
  });
  const auto refuse = [&](const std::string& why) {
    base::fail(Code::invalid_argument, {.record = path}, "{}: {}", path, why);
  };
  if (elements != array.count()) {
    refuse(fmt::format("{} elements, but the extents {} require {}", elements, fmt::join(array.extents, "x"),
                       array.count()));
  }
  if (array.extents.size() > H5S_MAX_RANK) refuse("an array of more than 32 dimensions");
  if (has_nul) refuse("a text with a NUL in it, which HDF5 takes for its end");
  if (!array.axes.empty() && array.axes.size() != array.extents.size()) {
    refuse(fmt::format("{} axes for {} dimensions", array.axes.size(), array.extents.size()));
  }
  for (std::size_t d = 0; d < array.axes.size(); ++d) {
    const Axis& axis = array.axes[d];
    if (axis.name.empty() || axis.name.find_first_of(std::string("/\0", 2)) != std::string::npos || axis.name == "." ||
        axis.name == "..") {
      refuse(fmt::format("\"{}\" is not a name of an axis", base::printable(axis.name)));
    }
    if (!axis.coordinates.empty() && axis.coordinates.size() != array.extents[d]) {
      refuse(fmt::format("{} coordinates for an extent of {}", axis.coordinates.size(), array.extents[d]));
    }
  }
}

SmallLayout small_layout(const std::string& name) {
  if (name.empty() || name == "native") return SmallLayout::native;
  if (name == "qdp") return SmallLayout::qdp;
  if (name == "qlua") return SmallLayout::qlua;
  base::fail(Code::invalid_argument, {.found = name}, "unknown layout \"{}\" of HDF5 files; choose native, qdp or qlua",
             base::printable(name));
}

Array array_of(const Value& value, const ErrorPlace& where) {
  Array array;
  array.extents = value.extents;
  const auto take = [&](auto elements) { array.elements = std::move(elements); };
  const std::uint64_t bytes = strip(value.type).base->bytes;
  if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&value.elements)) {
    if (bytes <= 4) {
      take(std::vector<std::int32_t>(integers->begin(), integers->end()));
    } else {
      take(*integers);
    }
  } else if (const auto* naturals = std::get_if<std::vector<std::uint64_t>>(&value.elements)) {
    if (bytes < 4) {
      take(std::vector<std::int32_t>(naturals->begin(), naturals->end()));
    } else {
      take(*naturals);
    }
  } else if (const auto* flags = std::get_if<std::vector<bool>>(&value.elements)) {
    take(std::vector<std::int32_t>(flags->begin(), flags->end()));
  } else if (const auto* singles = std::get_if<std::vector<float>>(&value.elements)) {
    take(*singles);
  } else if (const auto* doubles = std::get_if<std::vector<double>>(&value.elements)) {
    take(*doubles);
  } else if (const auto* complex_singles = std::get_if<std::vector<std::complex<float>>>(&value.elements)) {
    take(*complex_singles);
  } else if (const auto* complex_doubles = std::get_if<std::vector<std::complex<double>>>(&value.elements)) {
    take(*complex_doubles);
  } else if (const auto* texts = std::get_if<std::vector<std::string>>(&value.elements)) {
    take(*texts);
  } else {
    base::fail(Code::unsupported, {.path = where.path, .record = where.object, .found = to_string(value.type)},
               "{}: it holds neither numbers nor texts, but {}", base::printable(where.object), to_string(value.type));
  }
  if (value.is_null) array.extents = {0};
  return array;
}

namespace {

// A link to that object, the nearest to the group of the dataset.
std::optional<Found> find_by_address(const Opened& file, std::uint64_t address, std::string group, std::uint64_t most) {
  while (true) {
    group.resize(group.rfind('/'));
    const auto found = find_object(file, group.empty() ? "/" : group);
    if (!found || found->object.kind != ObjectKind::group) return {};
    for (const Link& link : links_of(file, found->handle.get(), file.where(found->path), most)) {
      if (link.kind == LinkKind::hard && link.address == address) {
        return find_object(file, child_path(found->path, link.name));
      }
    }
    if (group.empty()) return {};
  }
}

}  // namespace

// Not by the library, which (1.10.8) does not survive a damaged heap of lists.
std::vector<Axis> axes_of(const Opened& file, hid_t dataset, std::size_t rank, const ErrorPlace& where) {
  constexpr const char* name = "DIMENSION_LIST";
  if (rank == 0 || H5Aexists(dataset, name) <= 0) return {};
  const Superblock& superblock = file.superblock();
  const Limits limits;
  std::vector<Axis> axes;
  try {
    const std::uint64_t address = object_of(file, dataset, where).address - superblock.offset;
    const auto place = find_attribute(file.source(), superblock, address, name);
    const std::uint64_t bytes = rank * bytes_of_reference(superblock);
    if (!place || place->bytes < bytes) return {};
    std::vector<std::byte> raw(static_cast<std::size_t>(bytes));
    file.source().read_at(place->offset, raw);
    for (const auto& list : read_reference_lists(file.source(), superblock, raw, limits.text_bytes)) {
      if (list.empty()) return {};
      const auto scale = find_by_address(file, list.front() + superblock.offset, where.object, limits.records);
      if (!scale || scale->object.kind != ObjectKind::dataset) return {};
      axes.push_back(axis_of(scale->handle.get(), scale->path.substr(scale->path.rfind('/') + 1)));
    }
  } catch (const Error& error) {
    if (error.code() != Code::malformed && error.code() != Code::too_large && error.code() != Code::unsupported) throw;
    return {};
  }
  return axes.size() == rank ? axes : std::vector<Axis>();
}

namespace {

constexpr const char* digest_names[] = {"sha256", ".sha256"};

}  // namespace

std::string stored_digest(const Attributes& attributes) {
  constexpr std::size_t digits = 64, bytes_of_digest = 32;
  std::string found;
  if (const Value* text = find(attributes, digest_names[0])) {
    found = text_of(*text).value_or("");
  } else if (const Value* value = find(attributes, digest_names[1])) {
    const auto* bytes = std::get_if<std::vector<std::uint64_t>>(&value->elements);
    const bool are_bytes = bytes != nullptr && bytes->size() == bytes_of_digest && strip(value->type).base->bytes == 1;
    if (are_bytes) found = fmt::format("{:02x}", fmt::join(*bytes, ""));
  }
  const bool is_sound = found.size() == digits && found.find_first_not_of("0123456789abcdef") == std::string::npos;
  return is_sound ? found : std::string();
}

bool is_digest_name(std::string_view name) noexcept {
  return std::ranges::any_of(digest_names, [&](std::string_view known) { return name == known; });
}

bool has_digest(const Attributes& attributes) {
  // Headers of the first version have no checksum: a letter of the name may be damaged.
  const auto is_meant = [](const auto& attribute) {
    const std::string_view name = attribute.first;
    return is_digest_name(name) ||
           std::ranges::any_of(digest_names, [&](std::string_view known) { return base::one_edit_apart(name, known); });
  };
  return std::ranges::any_of(attributes, is_meant);
}

bool is_digest_sound(const Attributes& attributes) { return !stored_digest(attributes).empty(); }

}  // namespace lq::hdf5
