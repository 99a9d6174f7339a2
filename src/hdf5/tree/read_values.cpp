// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
// Datasets and attributes: what they are, and the values of small ones.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/checked.hpp"
#include "base/text.hpp"
#include "hdf5/headers/global_heap.hpp"
#include "hdf5/headers/object_header.hpp"
#include "hdf5/tree/contents.hpp"
#include "hdf5/tree/tree.hpp"

namespace lq::hdf5 {
namespace {

// Rank and extents; nothing: there are no elements.
std::optional<std::vector<std::uint64_t>> extents_of(hid_t space, const Where& where) {
  switch (H5Sget_simple_extent_type(space)) {
    case H5S_NULL:
      return {};
    case H5S_SCALAR:
      return std::vector<std::uint64_t>();
    case H5S_SIMPLE:
      break;
    default:
      throw_failure(where, "a dataspace cannot be read");
  }
  std::array<hsize_t, H5S_MAX_RANK> extents{};
  const int rank =
      require(H5Sget_simple_extent_dims(space, extents.data(), nullptr), where, "a dataspace cannot be read");
  return std::vector<std::uint64_t>(extents.begin(), extents.begin() + rank);
}

std::uint64_t product(const std::vector<std::uint64_t>& extents, std::uint64_t bytes) noexcept {
  if (std::ranges::find(extents, 0U) != extents.end()) return 0;
  for (const std::uint64_t extent : extents) bytes = base::checked_multiply(bytes, extent).value_or(UINT64_MAX);
  return bytes;
}

// Elements of the type lie where they are found, without references to other places of the file.
bool lies_in_place(const Type& type) {
  if (type.kind == TypeClass::list || type.kind == TypeClass::reference || type.is_variable) return false;
  return std::ranges::all_of(type.parts, lies_in_place);
}

// Type and shape, and how many bytes to read for them; nothing to read: elements that are nowhere or elsewhere.
struct Shape {
  Value value;
  std::uint64_t element_bytes = 0;
  std::uint64_t bytes = 0;
  bool are_texts = false;  // of variable length
};

Shape shape_of(const Opened& file, hid_t type, hid_t space, const Where& where, std::uint64_t most_bytes) {
  Shape shape;
  Value& value = shape.value;
  value.type = describe_type(type, where);
  auto extents = extents_of(space, where);
  value.is_null = !extents;
  if (extents) value.extents = std::move(*extents);
  shape.are_texts = value.type.kind == TypeClass::string && value.type.is_variable;
  if (value.is_null || (!lies_in_place(value.type) && !shape.are_texts)) return shape;
  shape.element_bytes = shape.are_texts ? bytes_of_reference(file.superblock()) : value.type.bytes;
  shape.bytes = product(value.extents, shape.element_bytes);
  if (shape.bytes > most_bytes) {
    throw Error(Code::too_large,
                fmt::format("{}: {}: {} bytes are more than {}", where.path, base::printable(where.object), shape.bytes,
                            most_bytes),
                {.path = where.path, .record = where.object});
  }
  return shape;
}

Value value_of(const Opened& file, Shape shape, base::Bytes raw, std::uint64_t most_bytes) {
  Value& value = shape.value;
  if (shape.element_bytes == 0) return std::move(value);
  if (!shape.are_texts) return decode(std::move(value.type), std::move(value.extents), raw);
  value.elements = read_texts(file.source(), file.superblock(), raw, most_bytes);
  return std::move(value);
}

extern "C" herr_t lq_hdf5_take_attribute(hid_t, const char* name, const H5A_info_t*, void* data) {
  try {
    static_cast<std::vector<std::string>*>(data)->emplace_back(name);
    return 0;
  } catch (...) {
    keep_driver_failure();
    return -1;
  }
}

}  // namespace

std::uint64_t Dataset::bytes() const noexcept { return is_null ? 0 : product(extents, type.bytes); }

Dataset describe_dataset(const Opened& file, hid_t dataset, const Where& where) {
  Dataset made;
  const Handle type = require(H5Dget_type(dataset), H5Tclose, where, "its type cannot be read");
  made.type = describe_type(type.get(), where);
  made.is_committed = H5Tcommitted(type.get()) > 0;
  const Handle space = require(H5Dget_space(dataset), H5Sclose, where, "its dataspace cannot be read");
  auto extents = extents_of(space.get(), where);
  made.is_null = !extents;
  if (extents) made.extents = std::move(*extents);
  made.storage = describe_storage(file, dataset, where);
  return made;
}

std::vector<std::string> attribute_names(hid_t object, const Where& where) {
  std::vector<std::string> names;
  hsize_t at = 0;
  require(H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_NATIVE, &at, lq_hdf5_take_attribute, &names), where,
          "its attributes cannot be listed");
  std::ranges::sort(names);
  return names;
}

Value read_attribute(const Opened& file, hid_t object, const std::string& name, const Where& where,
                     std::uint64_t most_bytes) {
  const Handle attribute =
      require(H5Aopen(object, name.c_str(), H5P_DEFAULT), H5Aclose, where, "an attribute cannot be opened");
  const Handle type = require(H5Aget_type(attribute.get()), H5Tclose, where, "an attribute has no type");
  const Handle space = require(H5Aget_space(attribute.get()), H5Sclose, where, "an attribute has no dataspace");
  Shape shape = shape_of(file, type.get(), space.get(), where, most_bytes);
  std::vector<std::byte> raw(static_cast<std::size_t>(shape.bytes));
  if (shape.are_texts && !raw.empty()) {
    const std::uint64_t address = object_of(file, object, where).address - file.superblock().offset;
    const auto place = find_attribute(file.source(), file.superblock(), address, name);
    if (!place || place->bytes < raw.size()) {
      throw Error(Code::unsupported,
                  fmt::format("{}: {}: its attribute {} is a text of variable length among many attributes, which is "
                              "not read",
                              where.path, base::printable(where.object), base::printable(name)),
                  {.path = where.path, .record = where.object});
    }
    file.source().read_at(place->offset, raw);
  } else if (!raw.empty()) {
    require(H5Aread(attribute.get(), type.get(), raw.data()), where, "the value of an attribute cannot be read");
  }
  return value_of(file, std::move(shape), raw, most_bytes);
}

Attributes read_attributes(const Opened& file, hid_t object, const Where& where, std::uint64_t most_bytes,
                           const std::function<void(const std::string& name, const Error& error)>& unreadable) {
  Attributes attributes;
  for (const std::string& name : attribute_names(object, where)) {
    try {
      attributes.emplace_back(name, read_attribute(file, object, name, where, most_bytes));
    } catch (const Error& error) {
      if (error.code() != Code::malformed && error.code() != Code::too_large && error.code() != Code::unsupported) {
        throw;
      }
      unreadable(name, error);
    }
  }
  return attributes;
}

Value read_value(const Opened& file, hid_t dataset, const Where& where, std::uint64_t most_bytes) {
  const Handle type = require(H5Dget_type(dataset), H5Tclose, where, "its type cannot be read");
  const Handle space = require(H5Dget_space(dataset), H5Sclose, where, "its dataspace cannot be read");
  Shape shape = shape_of(file, type.get(), space.get(), where, most_bytes);
  std::vector<std::byte> raw(static_cast<std::size_t>(shape.bytes));
  if (!raw.empty()) {
    DatasetContents(file, dataset, shape.value.extents, shape.element_bytes, where, most_bytes).read_at(0, raw);
  }
  return value_of(file, std::move(shape), raw, most_bytes);
}

}  // namespace lq::hdf5
