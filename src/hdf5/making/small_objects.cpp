// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hdf5/making/small_objects.hpp"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "base/text.hpp"
#include "hdf5/making/elements.hpp"
#include "kernels/sha256.hpp"

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

// The name of a scale as xarray sees it, and its values.
Axis axis_of(hid_t scale) {
  Axis axis;
  std::string path(256, '\0');
  const ssize_t length = H5Iget_name(scale, path.data(), path.size());
  if (length <= 0 || length >= static_cast<ssize_t>(path.size())) return axis;
  path.resize(static_cast<std::size_t>(length));
  axis.name = path.substr(path.rfind('/') + 1);
  const Handle space(H5Dget_space(scale), H5Sclose);
  const hssize_t count = H5Sget_simple_extent_npoints(space.get());
  constexpr hssize_t most = 1 << 20;
  // What was never written has no values: a dimension that is no variable.
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

std::array<std::uint8_t, 32> digest_of(const Array& array, bool floats_are_padded) {
  kernels::Sha256 sum;
  with_elements(array, [&](auto tag, const auto& elements) {
    using T = typename decltype(tag)::type;
    for (const T& element : elements) {
      if constexpr (is_text<T>) {
        sum.add({reinterpret_cast<const std::byte*>(element.c_str()), element.size() + 1});
      } else if constexpr (IsComplex<T>::value) {
        add_number(sum, element.real(), floats_are_padded);
        add_number(sum, element.imag(), floats_are_padded);
      } else {
        add_number(sum, element, floats_are_padded);
      }
    }
  });
  const kernels::Sha256::Words words = sum.finish();
  std::array<std::uint8_t, 32> digest{};
  for (std::size_t i = 0; i < digest.size(); ++i) {
    digest[i] = static_cast<std::uint8_t>(words[i / 4] >> (24 - 8 * (i % 4)));
  }
  return digest;
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
    throw Error(Code::invalid_argument, fmt::format("{}: {}", path, why), {.record = path});
  };
  if (elements != array.count()) {
    refuse(fmt::format("{} elements where the extents {} ask for {}", elements, fmt::join(array.extents, "x"),
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
      refuse(fmt::format("\"{}\" is no name of an axis", base::printable(axis.name)));
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
  throw Error(
      Code::invalid_argument,
      fmt::format("there is no layout \"{}\" of HDF5 files; there are native, qdp, qlua", base::printable(name)),
      {.found = name});
}

Array array_of(const Value& value, const Where& where) {
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
    throw Error(Code::unsupported,
                fmt::format("{}: {}: it holds neither numbers nor texts, but {}", where.path,
                            base::printable(where.object), to_string(value.type)),
                {.path = where.path, .record = where.object, .found = to_string(value.type)});
  }
  if (value.is_null) array.extents = {0};
  return array;
}

std::vector<Axis> axes_of(hid_t dataset, std::size_t rank) {
  constexpr const char* name = "DIMENSION_LIST";
  if (rank == 0 || H5Aexists(dataset, name) <= 0) return {};
  const Handle attribute(H5Aopen(dataset, name, H5P_DEFAULT), H5Aclose);
  const Handle space(H5Aget_space(attribute.get()), H5Sclose);
  const Handle list(H5Tvlen_create(H5T_STD_REF_OBJ), H5Tclose), type(H5Aget_type(attribute.get()), H5Tclose);
  if (H5Tequal(list.get(), type.get()) <= 0) return {};
  if (H5Sget_simple_extent_npoints(space.get()) != static_cast<hssize_t>(rank)) return {};
  std::vector<hvl_t> references(rank);
  if (H5Aread(attribute.get(), list.get(), references.data()) < 0) return {};
  std::vector<Axis> axes(rank);
  for (std::size_t d = 0; d < rank; ++d) {
    if (references[d].len < 1) continue;
    const Handle scale(H5Rdereference2(dataset, H5P_DEFAULT, H5R_OBJECT, references[d].p), H5Oclose);
    if (scale && H5Iget_type(scale.get()) == H5I_DATASET) axes[d] = axis_of(scale.get());
  }
  H5Dvlen_reclaim(list.get(), space.get(), H5P_DEFAULT, references.data());
  const bool has_all = std::ranges::all_of(axes, [](const Axis& axis) { return !axis.name.empty(); });
  return has_all ? axes : std::vector<Axis>();
}

std::string stored_digest(const Attributes& attributes) {
  if (const Value* text = find(attributes, "sha256")) return text_of(*text).value_or("");
  const Value* value = find(attributes, ".sha256");
  if (value == nullptr) return {};
  const auto* bytes = std::get_if<std::vector<std::uint64_t>>(&value->elements);
  return bytes != nullptr ? fmt::format("{:02x}", fmt::join(*bytes, "")) : std::string();
}

}  // namespace lq::hdf5
