// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hdf5/making/make.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace lq::hdf5 {
namespace {

Handle nest(Handle type, const std::vector<std::vector<hsize_t>>& arrays, const Where& where) {
  for (auto extents = arrays.rbegin(); extents != arrays.rend(); ++extents) {
    type = require(H5Tarray_create2(type.get(), static_cast<unsigned>(extents->size()), extents->data()), H5Tclose,
                   where, "no array type");
  }
  return type;
}

void create_attribute(hid_t object, const std::string& name, hid_t file_type, hid_t memory_type, const void* value,
                      std::span<const hsize_t> extents, const Where& where) {
  const auto there = require(H5Aexists(object, name.c_str()), where, "attributes cannot be looked up");
  if (there > 0) require(H5Adelete(object, name.c_str()), where, "an attribute cannot be replaced");
  const Handle space = extents.empty()
                           ? require(H5Screate(H5S_SCALAR), H5Sclose, where, "no dataspace")
                           : require(H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr),
                                     H5Sclose, where, "no dataspace");
  const Handle attribute = require(H5Acreate2(object, name.c_str(), file_type, space.get(), H5P_DEFAULT, H5P_DEFAULT),
                                   H5Aclose, where, "an attribute cannot be made");
  require(H5Awrite(attribute.get(), memory_type, value), where, "an attribute cannot be written");
}

Handle number_type(Precision precision, ByteOrder byte_order) {
  const bool big = byte_order == ByteOrder::big, single = precision == Precision::single;
  const hid_t number = single ? (big ? H5T_IEEE_F32BE : H5T_IEEE_F32LE) : (big ? H5T_IEEE_F64BE : H5T_IEEE_F64LE);
  return require(H5Tcopy(number), H5Tclose, {}, "no type of numbers");
}

}  // namespace

Handle complex_type(hid_t number, const Where& where) {
  const std::size_t bytes = H5Tget_size(number);
  Handle pair = require(H5Tcreate(H5T_COMPOUND, 2 * bytes), H5Tclose, where, "no complex type");
  require(H5Tinsert(pair.get(), "r", 0, number), where, "no complex type");
  require(H5Tinsert(pair.get(), "i", bytes, number), where, "no complex type");
  return pair;
}

Handle text_type(std::size_t bytes, TextKind kind, const Where& where) {
  Handle type = require(H5Tcopy(H5T_C_S1), H5Tclose, where, "no type of texts");
  require(H5Tset_size(type.get(), bytes), where, "a text is too long");
  require(H5Tset_cset(type.get(), kind == TextKind::utf8 ? H5T_CSET_UTF8 : H5T_CSET_ASCII), where, "no type of texts");
  return type;
}

Handle make_type(hid_t file, const Element& element, const Where& where) {
  Handle number = number_type(element.precision, element.byte_order);
  if (element.is_complex) number = complex_type(number.get(), where);
  Handle type = nest(std::move(number), element.arrays, where);
  return element.committed.empty() ? std::move(type) : named_type(file, element.committed, std::move(type), where);
}

Handle named_type(hid_t file, const std::string& name, Handle type, const Where& where) {
  const std::string path = "/" + name;
  if (!has_link(file, path, where)) {
    const Handle list = untimed_list(H5P_DATATYPE_CREATE, where);
    require(H5Tcommit2(file, path.c_str(), type.get(), H5P_DEFAULT, list.get(), H5P_DEFAULT), where,
            "a type cannot be given its name");
    return type;
  }
  Handle there(H5Topen2(file, path.c_str(), H5P_DEFAULT), H5Tclose);
  if (there && H5Tequal(there.get(), type.get()) > 0) return there;
  return type;
}

// Not left to the library, whose groups would have time stamps.
void make_group_above(hid_t file, const std::string& path, const Where& where) {
  const std::size_t slash = path.rfind('/');
  if (slash != 0 && slash != std::string::npos) make_group(file, path.substr(0, slash), where);
}

bool is_bare_scale(hid_t file, const std::string& path) {
  const Handle object(H5Oopen(file, path.c_str(), H5P_DEFAULT), H5Oclose);
  if (!object || H5Iget_type(object.get()) != H5I_DATASET || H5Aexists(object.get(), "CLASS") <= 0) return false;
  return H5Dget_storage_size(object.get()) == 0;
}

void require_free(hid_t file, const Where& where) {
  if (!has_link(file, where.object, where)) return;
  const char* const remedy = is_bare_scale(file, where.object)
                                 ? ", the dimension scale of datasets beside it; choose another name"
                                 : "; choose another name, or remove it first";
  throw Error(Code::exists, fmt::format("{}: there is a \"{}\" already{}", where.path, where.object, remedy),
              {.path = where.path, .record = where.object});
}

Handle make_group(hid_t file, const std::string& path, const Where& where) {
  if (path == "/") return require(H5Gopen2(file, "/", H5P_DEFAULT), H5Gclose, where, "the root group is missing");
  if (has_link(file, path, where)) {
    return require(H5Gopen2(file, path.c_str(), H5P_DEFAULT), H5Gclose, where, "is not a group");
  }
  make_group_above(file, path, where);
  const Handle list = untimed_list(H5P_GROUP_CREATE, where);
  return require(H5Gcreate2(file, path.c_str(), H5P_DEFAULT, list.get(), H5P_DEFAULT), H5Gclose, where,
                 "the group cannot be made");
}

void put_text(hid_t object, std::string_view name, std::string_view text, const Where& where, TextKind kind) {
  const std::string ended(text);
  const Handle type = text_type(ended.size() + 1, kind, where);
  create_attribute(object, std::string(name), type.get(), type.get(), ended.c_str(), {}, where);
}

void put_numbers(hid_t object, std::string_view name, hid_t file_type, hid_t memory_type, const void* numbers,
                 std::span<const hsize_t> extents, const Where& where) {
  create_attribute(object, std::string(name), file_type, memory_type, numbers, extents, where);
}

void put_integer(hid_t object, std::string_view name, std::int32_t value, const Where& where) {
  put_numbers(object, name, H5T_STD_I32LE, H5T_NATIVE_INT32, &value, {}, where);
}

// Every part of the path must be there before the library looks for the next one.
bool has_link(hid_t file, const std::string& path, const Where& where) {
  for (std::size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
    const std::string part = path.substr(0, slash);
    if (part != "/" && require(H5Lexists(file, part.c_str(), H5P_DEFAULT), where, "links cannot be looked up") == 0) {
      return false;
    }
    if (slash == std::string::npos) return true;
  }
}

void put_bytes(hid_t file, const std::string& path, base::Bytes bytes, const Where& where) {
  require_free(file, where);
  make_group_above(file, path, where);
  const hsize_t extent = bytes.size();
  const Handle space = require(H5Screate_simple(1, &extent, nullptr), H5Sclose, where, "no dataspace");
  const Handle list = untimed_list(H5P_DATASET_CREATE, where);
  const Handle dataset =
      require(H5Dcreate2(file, path.c_str(), H5T_STD_U8LE, space.get(), H5P_DEFAULT, list.get(), H5P_DEFAULT), H5Dclose,
              where, "the dataset cannot be made");
  require(H5Dwrite(dataset.get(), H5T_STD_U8LE, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()), where,
          "the bytes cannot be written");
}

std::string absolute_path(std::string_view name) {
  std::string path;
  const std::string_view given = name;
  if (name.starts_with('/')) name.remove_prefix(1);
  while (true) {
    const std::size_t slash = name.find('/');
    const std::string_view part = name.substr(0, slash);
    if (part.empty() || part == "." || part == ".." || part.find('\0') != std::string_view::npos) {
      throw Error(
          Code::invalid_argument,
          fmt::format("\"{}\" is not a name of an object: parts between slashes are neither empty nor \".\" or \"..\"",
                      base::printable(given)));
    }
    path += '/';
    path += part;
    if (slash == std::string_view::npos) return path;
    name.remove_prefix(slash + 1);
  }
}

}  // namespace lq::hdf5
