// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hdf5/small_objects.hpp"

#include <algorithm>
#include <bit>
#include <type_traits>

#include <fmt/format.h>

#include "base/text.hpp"
#include "hdf5/make.hpp"
#include "hdf5/scales.hpp"
#include "kernels/sha256.hpp"

namespace lq::hdf5 {
namespace {

template <class T>
struct IsComplex : std::false_type {};
template <class T>
struct IsComplex<std::complex<T>> : std::true_type {};
template <class T>
inline constexpr bool is_text = std::is_same_v<T, std::string>;

template <class T>
struct Tag {
  using type = T;
};

// Calls `use` with a Tag of the type of the elements, and the elements.
template <class Use>
decltype(auto) with_elements(const Array& array, const Use& use) {
  return std::visit([&]<class T>(const std::vector<T>& elements) -> decltype(auto) { return use(Tag<T>(), elements); },
                    array.elements);
}

template <class T>
void add_number(kernels::Sha256& sum, T number) {
  std::array<std::byte, 8> bytes{};
  if constexpr (std::is_same_v<T, float>) {
    base::store_le(bytes.data(), std::bit_cast<std::uint32_t>(number));
    sum.add(base::Bytes(bytes).first(4));
  } else if constexpr (std::is_same_v<T, double>) {
    base::store_le(bytes.data(), std::bit_cast<std::uint64_t>(number));
    sum.add(bytes);
  } else {
    base::store_le(bytes.data(), static_cast<std::uint64_t>(number));
    sum.add(bytes);
  }
}

Handle copy_of(hid_t type, const Where& where) { return require(H5Tcopy(type), H5Tclose, where, "no type"); }

Handle pair_of(hid_t number, const Where& where) {
  const std::size_t size = H5Tget_size(number);
  Handle pair = require(H5Tcreate(H5T_COMPOUND, 2 * size), H5Tclose, where, "no complex type");
  require(H5Tinsert(pair.get(), "r", 0, number), where, "no complex type");
  require(H5Tinsert(pair.get(), "i", size, number), where, "no complex type");
  return pair;
}

// In the file, or in memory.
enum class Side { little, big, memory };

template <class T>
Handle number_type_of(Side side, const Where& where) {
  const auto choose = [&](hid_t little, hid_t big, hid_t memory) {
    return copy_of(side == Side::little ? little : side == Side::big ? big : memory, where);
  };
  if constexpr (std::is_same_v<T, std::int32_t>) return choose(H5T_STD_I32LE, H5T_STD_I32BE, H5T_NATIVE_INT32);
  if constexpr (std::is_same_v<T, std::int64_t>) return choose(H5T_STD_I64LE, H5T_STD_I64BE, H5T_NATIVE_INT64);
  if constexpr (std::is_same_v<T, std::uint64_t>) return choose(H5T_STD_U64LE, H5T_STD_U64BE, H5T_NATIVE_UINT64);
  if constexpr (std::is_same_v<T, float>) return choose(H5T_IEEE_F32LE, H5T_IEEE_F32BE, H5T_NATIVE_FLOAT);
  if constexpr (std::is_same_v<T, double>) return choose(H5T_IEEE_F64LE, H5T_IEEE_F64BE, H5T_NATIVE_DOUBLE);
  if constexpr (IsComplex<T>::value) {
    return pair_of(number_type_of<typename T::value_type>(side, where).get(), where);
  }
}

Handle text_type(std::size_t bytes, bool is_ascii, const Where& where) {
  Handle type = copy_of(H5T_C_S1, where);
  require(H5Tset_size(type.get(), bytes), where, "a text is too long");
  require(H5Tset_cset(type.get(), is_ascii ? H5T_CSET_ASCII : H5T_CSET_UTF8), where, "no type of texts");
  return type;
}

Handle array_type(const Handle& element, const std::vector<hsize_t>& extents, const Where& where) {
  return require(H5Tarray_create2(element.get(), static_cast<unsigned>(extents.size()), extents.data()), H5Tclose,
                 where, "no array type");
}

// Elements as the library takes them: numbers as they are, texts side by side in fields of one length.
struct Packed {
  Handle memory;
  std::string texts;  // owned here
  const void* data = nullptr;
};

Packed pack(const Array& array, bool is_ascii, const Where& where) {
  return with_elements(array, [&](auto tag, const auto& elements) {
    using T = typename decltype(tag)::type;
    Packed packed;
    if constexpr (is_text<T>) {
      std::size_t longest = 0;
      for (const std::string& text : elements) longest = std::max(longest, text.size());
      packed.memory = text_type(longest + 1, is_ascii, where);
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

// In the file.
Handle element_type(const Array& array, Side side, const Packed& packed, const Where& where) {
  return with_elements(array, [&](auto tag, const auto&) {
    using T = typename decltype(tag)::type;
    if constexpr (is_text<T>) {
      return copy_of(packed.memory.get(), where);
    } else {
      return number_type_of<T>(side, where);
    }
  });
}

Handle space_of(const std::vector<std::uint64_t>& extents, const Where& where) {
  if (extents.empty()) return require(H5Screate(H5S_SCALAR), H5Sclose, where, "no dataspace");
  const std::vector<hsize_t> dimensions(extents.begin(), extents.end());
  return require(H5Screate_simple(static_cast<int>(dimensions.size()), dimensions.data(), nullptr), H5Sclose, where,
                 "its extents are refused");
}

Handle create(hid_t file, hid_t type, hid_t space, const Where& where) {
  require_free(file, where);
  const Handle list = untimed_list(H5P_DATASET_CREATE, where);
  make_group_above(file, where.object, where);
  return require(H5Dcreate2(file, where.object.c_str(), type, space, H5P_DEFAULT, list.get(), H5P_DEFAULT), H5Dclose,
                 where, "the dataset cannot be made");
}

void fill(const Handle& dataset, hid_t memory, const void* data, const Where& where) {
  require(H5Dwrite(dataset.get(), memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), where, "it cannot be written");
}

// Coordinates as a dataset beside, which scales.hpp takes for the scale of that name.
void put_coordinates(hid_t file, const std::string& group, const Axis& axis, const Where& where) {
  const Where place{where.path, group + axis.name};
  if (has_link(file, place.object, place)) {
    const Handle there(H5Dopen2(file, place.object.c_str(), H5P_DEFAULT), H5Dclose);
    std::vector<double> held(axis.coordinates.size());
    const Handle space(there ? H5Dget_space(there.get()) : H5I_INVALID_HID, H5Sclose);
    const bool fits = space && H5Sget_simple_extent_npoints(space.get()) == static_cast<hssize_t>(held.size());
    if (fits && H5Dread(there.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, held.data()) >= 0 &&
        held == axis.coordinates) {
      return;
    }
    throw Error(Code::exists,
                fmt::format("{}: {}: there is something else of the name of its axis \"{}\"; give the axis another "
                            "name, or write into another group",
                            where.path, where.object, axis.name),
                {.path = where.path, .record = place.object});
  }
  const Array values(axis.coordinates);
  const Handle scale = create(file, H5T_IEEE_F64LE, space_of(values.extents, place).get(), place);
  fill(scale, H5T_NATIVE_DOUBLE, axis.coordinates.data(), place);
  put_text(scale.get(), "CLASS", "DIMENSION_SCALE", place, TextKind::ascii);
  put_text(scale.get(), "NAME", axis.name, place, TextKind::ascii);
}

void put_axes(hid_t file, hid_t dataset, const Array& array, const Where& where) {
  if (array.axes.empty()) return;
  const std::string group = where.object.substr(0, where.object.rfind('/') + 1);
  std::vector<Dimension> dimensions;
  for (std::size_t d = 0; d < array.axes.size(); ++d) {
    if (!array.axes[d].coordinates.empty()) put_coordinates(file, group, array.axes[d], where);
    dimensions.push_back({array.axes[d].name, array.extents[d]});
  }
  attach_scales(file, dataset, dimensions, where);
}

[[noreturn]] void has_no_place(const char* layout, const Array& array, const Where& where) {
  throw Error(Code::unsupported,
              fmt::format("{}: {}: the layout {} has no place for an array of rank {} of this type; the layout native "
                          "takes it",
                          where.path, where.object, layout, array.extents.size()),
              {.path = where.path, .record = where.object});
}

Handle put_plain(hid_t file, const Array& array, const Handle& type, const Packed& packed, const Where& where) {
  Handle dataset = create(file, type.get(), space_of(array.extents, where).get(), where);
  if (array.count() > 0) fill(dataset, packed.memory.get(), data_of(packed), where);
  return dataset;
}

void put_native(hid_t file, const Array& array, std::optional<std::int64_t> microseconds, const Where& where) {
  const Packed packed = pack(array, false, where);
  const Handle dataset = put_plain(file, array, element_type(array, Side::little, packed, where), packed, where);
  put_text(dataset.get(), "sha256", digits_of(digest_of(array)), where, TextKind::ascii);
  if (microseconds) put_numbers(dataset.get(), ".time", H5T_STD_I64LE, H5T_NATIVE_INT64, &*microseconds, {}, where);
  put_axes(file, dataset.get(), array, where);
}

void put_qdp(hid_t file, const Array& array, const Where& where) {
  const bool is_fit = with_elements(array, [&](auto tag, const auto&) {
    using T = typename decltype(tag)::type;
    const std::size_t most = is_text<T> ? 0 : IsComplex<T>::value ? 1 : 2;
    return array.extents.size() <= most && !std::is_same_v<T, std::int64_t>;
  });
  if (!is_fit || !array.axes.empty()) has_no_place("qdp", array, where);
  const Packed packed = pack(array, false, where);
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

// What QLUA calls an object, and the name of its type.
struct QluaName {
  std::string kind;
  std::string type;  // empty: it has none
};

QluaName qlua_name(const Array& array, const Where& where) {
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

void put_qlua(hid_t file, const Array& array, std::optional<std::int64_t> microseconds, const Where& where) {
  const QluaName name = qlua_name(array, where);
  if (array.count() == 0) has_no_place("qlua", array, where);
  Packed packed = pack(array, true, where);
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

std::array<std::uint8_t, 32> digest_of(const Array& array) {
  kernels::Sha256 sum;
  with_elements(array, [&](auto tag, const auto& elements) {
    using T = typename decltype(tag)::type;
    for (const T& element : elements) {
      if constexpr (is_text<T>) {
        sum.add({reinterpret_cast<const std::byte*>(element.c_str()), element.size() + 1});
      } else if constexpr (IsComplex<T>::value) {
        add_number(sum, element.real());
        add_number(sum, element.imag());
      } else {
        add_number(sum, element);
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

void put_array(hid_t file, const Array& array, SmallLayout layout, std::optional<std::int64_t> microseconds,
               const Where& where) {
  switch (layout) {
    case SmallLayout::native:
      return put_native(file, array, microseconds, where);
    case SmallLayout::qdp:
      return put_qdp(file, array, where);
    case SmallLayout::qlua:
      return put_qlua(file, array, microseconds, where);
  }
}

void put_attribute(hid_t object, const std::string& name, const Array& array, const Where& where) {
  const Packed packed = pack(array, false, where);
  const Handle type = element_type(array, Side::little, packed, where);
  const std::vector<hsize_t> extents(array.extents.begin(), array.extents.end());
  put_numbers(object, name, type.get(), packed.memory.get(), data_of(packed), extents, where);
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
