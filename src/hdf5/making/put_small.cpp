// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
// Writing small objects, in each of the layouts.
#include <algorithm>

#include <fmt/format.h>

#include "base/error.hpp"
#include "hdf5/making/make.hpp"
#include "hdf5/making/small_objects.hpp"

namespace lq::hdf5 {
namespace {

Handle copy_of(hid_t type, const ErrorPlace& where) { return require(H5Tcopy(type), H5Tclose, where, "no type"); }

// In the file, or in memory.
enum class Side { little, big, memory };

template <class T>
Handle number_type_of(Side side, const ErrorPlace& where) {
  const auto choose = [&](hid_t little, hid_t big, hid_t memory) {
    return copy_of(side == Side::little ? little : side == Side::big ? big : memory, where);
  };
  if constexpr (std::is_same_v<T, std::int32_t>) return choose(H5T_STD_I32LE, H5T_STD_I32BE, H5T_NATIVE_INT32);
  if constexpr (std::is_same_v<T, std::int64_t>) return choose(H5T_STD_I64LE, H5T_STD_I64BE, H5T_NATIVE_INT64);
  if constexpr (std::is_same_v<T, std::uint64_t>) return choose(H5T_STD_U64LE, H5T_STD_U64BE, H5T_NATIVE_UINT64);
  if constexpr (std::is_same_v<T, float>) return choose(H5T_IEEE_F32LE, H5T_IEEE_F32BE, H5T_NATIVE_FLOAT);
  if constexpr (std::is_same_v<T, double>) return choose(H5T_IEEE_F64LE, H5T_IEEE_F64BE, H5T_NATIVE_DOUBLE);
  if constexpr (IsComplex<T>::value) {
    return complex_type(number_type_of<typename T::value_type>(side, where).get(), where);
  }
}

Handle array_type(const Handle& element, const std::vector<hsize_t>& extents, const ErrorPlace& where) {
  return require(H5Tarray_create2(element.get(), static_cast<unsigned>(extents.size()), extents.data()), H5Tclose,
                 where, "no array type");
}

// Elements in the form that the library takes: numbers unchanged, texts in contiguous fields of equal length.
struct Packed {
  Handle memory;
  std::string texts;  // owned here
  const void* data = nullptr;
};

Packed pack(const Array& array, TextKind kind, const ErrorPlace& where) {
  return with_elements(array, [&](auto tag, const auto& elements) {
    using T = typename decltype(tag)::type;
    Packed packed;
    if constexpr (is_text<T>) {
      std::size_t longest = 0;
      for (const std::string& text : elements) longest = std::max(longest, text.size());
      packed.memory = text_type(longest + 1, kind, where);
      for (const std::string& text : elements) {
        packed.texts += text;
        packed.texts.append(longest + 1 - text.size(), '\0');
      }
    } else {
      packed.memory = number_type_of<T>(Side::memory, where);
      packed.data = elements.data();
    }
    return packed;
  });
}

const void* data_of(const Packed& packed) { return packed.data != nullptr ? packed.data : packed.texts.data(); }

// The type in the file.
Handle element_type(const Array& array, Side side, const Packed& packed, const ErrorPlace& where) {
  return with_elements(array, [&](auto tag, const auto&) {
    using T = typename decltype(tag)::type;
    if constexpr (is_text<T>) {
      return copy_of(packed.memory.get(), where);
    } else {
      return number_type_of<T>(side, where);
    }
  });
}

Handle space_of(const std::vector<std::uint64_t>& extents, const ErrorPlace& where) {
  if (extents.empty()) return require(H5Screate(H5S_SCALAR), H5Sclose, where, "no dataspace");
  const std::vector<hsize_t> dimensions(extents.begin(), extents.end());
  return require(H5Screate_simple(static_cast<int>(dimensions.size()), dimensions.data(), nullptr), H5Sclose, where,
                 "its extents are refused");
}

Handle create(hid_t file, hid_t type, hid_t space, const ErrorPlace& where) {
  require_free(file, where);
  const Handle list = untimed_list(H5P_DATASET_CREATE, where);
  make_group_above(file, where.object, where);
  return require(H5Dcreate2(file, where.object.c_str(), type, space, H5P_DEFAULT, list.get(), H5P_DEFAULT), H5Dclose,
                 where, "the dataset cannot be made");
}

void fill(const Handle& dataset, hid_t memory, const void* data, const ErrorPlace& where) {
  require(H5Dwrite(dataset.get(), memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), where, "it cannot be written");
}

// Coordinates as a separate dataset, which make.hpp uses as the scale of that name.
void put_coordinates(hid_t file, const std::string& group, const Axis& axis, const ErrorPlace& where) {
  const ErrorPlace place{where.path, group + axis.name};
  if (has_link(file, place.object, place)) {
    const Handle there(H5Dopen2(file, place.object.c_str(), H5P_DEFAULT), H5Dclose);
    std::vector<double> held(axis.coordinates.size());
    const Handle space(there ? H5Dget_space(there.get()) : H5I_INVALID_HID, H5Sclose);
    const bool fits = space && H5Sget_simple_extent_npoints(space.get()) == static_cast<hssize_t>(held.size());
    if (fits && H5Dread(there.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, held.data()) >= 0 &&
        held == axis.coordinates) {
      return;
    }
    base::fail(
        Code::exists, {.path = where.path, .record = place.object},
        "{}: the name of its axis, \"{}\", is taken by another object; give the axis another name, or write into "
        "another group",
        where.object, axis.name);
  }
  const Array values(axis.coordinates);
  const Handle scale = create(file, H5T_IEEE_F64LE, space_of(values.extents, place).get(), place);
  fill(scale, H5T_NATIVE_DOUBLE, axis.coordinates.data(), place);
  put_text(scale.get(), "CLASS", "DIMENSION_SCALE", place, TextKind::ascii);
  put_text(scale.get(), "NAME", axis.name, place, TextKind::ascii);
  put_text(scale.get(), "sha256", digits_of(digest_of(values)), place, TextKind::ascii);
}

void put_axes(hid_t file, hid_t dataset, const Array& array, const ErrorPlace& where) {
  if (array.axes.empty()) return;
  const std::string group = where.object.substr(0, where.object.rfind('/') + 1);
  std::vector<Dimension> dimensions;
  for (std::size_t d = 0; d < array.axes.size(); ++d) {
    if (!array.axes[d].coordinates.empty()) put_coordinates(file, group, array.axes[d], where);
    dimensions.push_back({array.axes[d].name, array.extents[d]});
  }
  // Also stored with the data, because references have no checksum.
  put_text(dataset, "dimensions", fmt::format("{}", fmt::join(attach_scales(file, dataset, dimensions, where), ",")),
           where);
}

[[noreturn]] void has_no_place(const char* layout, const Array& array, const ErrorPlace& where) {
  base::fail(Code::unsupported, {.path = where.path, .record = where.object},
             "{}: the layout {} has no place for an array of rank {} of this type; the layout native supports it",
             where.object, layout, array.extents.size());
}

Handle put_plain(hid_t file, const Array& array, const Handle& type, const Packed& packed, const ErrorPlace& where) {
  Handle dataset = create(file, type.get(), space_of(array.extents, where).get(), where);
  if (array.count() > 0) fill(dataset, packed.memory.get(), data_of(packed), where);
  return dataset;
}

void put_native(hid_t file, const Array& array, std::optional<std::int64_t> microseconds, const ErrorPlace& where) {
  const Packed packed = pack(array, TextKind::utf8, where);
  const Handle dataset = put_plain(file, array, element_type(array, Side::little, packed, where), packed, where);
  put_text(dataset.get(), "sha256", digits_of(digest_of(array)), where, TextKind::ascii);
  if (microseconds) put_numbers(dataset.get(), ".time", H5T_STD_I64LE, H5T_NATIVE_INT64, &*microseconds, {}, where);
  put_axes(file, dataset.get(), array, where);
}

void put_qdp(hid_t file, const Array& array, const ErrorPlace& where) {
  const bool is_fit = with_elements(array, [&](auto tag, const auto&) {
    using T = typename decltype(tag)::type;
    const std::size_t most = is_text<T> ? 0 : IsComplex<T>::value ? 1 : 2;
    return array.extents.size() <= most && !std::is_same_v<T, std::int64_t>;
  });
  if (!is_fit || !array.axes.empty()) has_no_place("qdp", array, where);
  const Packed packed = pack(array, TextKind::utf8, where);
  Handle type = element_type(array, Side::little, packed, where);
  if (std::holds_alternative<std::vector<std::complex<float>>>(array.elements)) {
    type = named_type(file, ".ComplexFloat", std::move(type), where);
  } else if (std::holds_alternative<std::vector<std::complex<double>>>(array.elements)) {
    type = named_type(file, ".ComplexDouble", std::move(type), where);
  }
  put_plain(file, array, type, packed, where);
}

template <class T>
constexpr const char* precision_word() {
  return std::is_same_v<T, float> || std::is_same_v<T, std::complex<float>> ? "Float" : "Double";
}

// QLUA's name for the kind of an object, and the name of its type.
struct QluaName {
  std::string kind;
  std::string type;  // empty: unnamed
};

QluaName qlua_name(const Array& array, const ErrorPlace& where) {
  const std::size_t rank = array.extents.size();
  return with_elements(array, [&](auto tag, const auto&) -> QluaName {
    using T = typename decltype(tag)::type;
    if (!array.axes.empty()) has_no_place("qlua", array, where);
    if constexpr (is_text<T>) {
      if (rank == 0) return {"String", ""};
    } else if constexpr (std::is_same_v<T, std::int32_t>) {
      if (rank == 1) return {"VectorInt", fmt::format(".VectorInt{}", array.extents[0])};
    } else if constexpr (!std::is_integral_v<T>) {
      const char* word = precision_word<T>();
      const std::string what = IsComplex<T>::value ? "Complex" : "Real";
      if (rank == 0) return {what, IsComplex<T>::value ? fmt::format(".Complex{}", word) : ""};
      if (rank == 1) return {"Vector" + what, fmt::format(".Vector{}{}{}", what, word, array.extents[0])};
      if (rank == 2) {
        return {"Matrix" + what, fmt::format(".Matrix{}{}{}x{}", what, word, array.extents[0], array.extents[1])};
      }
    }
    has_no_place("qlua", array, where);
  });
}

void put_qlua(hid_t file, const Array& array, std::optional<std::int64_t> microseconds, const ErrorPlace& where) {
  const QluaName name = qlua_name(array, where);
  if (array.count() == 0) has_no_place("qlua", array, where);
  Packed packed = pack(array, TextKind::ascii, where);
  Handle type = element_type(array, Side::big, packed, where);
  if (!array.extents.empty()) {
    const std::vector<hsize_t> extents(array.extents.begin(), array.extents.end());
    type = array_type(type, extents, where);
    packed.memory = array_type(packed.memory, extents, where);
  }
  if (!name.type.empty()) type = named_type(file, name.type, std::move(type), where);
  const Handle dataset = create(file, type.get(), space_of({}, where).get(), where);
  fill(dataset, packed.memory.get(), data_of(packed), where);
  put_text(dataset.get(), ".kind", name.kind, where, TextKind::ascii);
  const std::array<std::uint8_t, 32> digest = digest_of(array);
  const hsize_t bytes = digest.size();
  const Handle sum = require(H5Tarray_create2(H5T_STD_U8BE, 1, &bytes), H5Tclose, where, "no type of sums");
  put_numbers(dataset.get(), ".sha256", sum.get(), sum.get(), digest.data(), {}, where);
  const std::int64_t time = microseconds.value_or(0);  // QLUA expects one
  put_numbers(dataset.get(), ".time", H5T_STD_I64BE, H5T_NATIVE_INT64, &time, {}, where);
}

}  // namespace

void put_array(hid_t file, const Array& array, SmallLayout layout, std::optional<std::int64_t> microseconds,
               const ErrorPlace& where) {
  switch (layout) {
    case SmallLayout::native:
      return put_native(file, array, microseconds, where);
    case SmallLayout::qdp:
      return put_qdp(file, array, where);
    case SmallLayout::qlua:
      return put_qlua(file, array, microseconds, where);
  }
}

void put_attribute(hid_t object, const std::string& name, const Array& array, const ErrorPlace& where) {
  const Packed packed = pack(array, TextKind::utf8, where);
  const Handle type = element_type(array, Side::little, packed, where);
  const std::vector<hsize_t> extents(array.extents.begin(), array.extents.end());
  put_numbers(object, name, type.get(), packed.memory.get(), data_of(packed), extents, where);
}

}  // namespace lq::hdf5
