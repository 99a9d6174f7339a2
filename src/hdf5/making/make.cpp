// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hdf5/making/make.hpp"

#include <array>
#include <limits>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"

namespace lq::hdf5 {
namespace {

Handle nest(Handle type, const std::vector<std::vector<hsize_t>>& arrays, const ErrorPlace& where) {
  for (auto extents = arrays.rbegin(); extents != arrays.rend(); ++extents) {
    type = require(H5Tarray_create2(type.get(), static_cast<unsigned>(extents->size()), extents->data()), H5Tclose,
                   where, "no array type");
  }
  return type;
}

void create_attribute(hid_t object, const std::string& name, hid_t file_type, hid_t memory_type, const void* value,
                      std::span<const hsize_t> extents, const ErrorPlace& where) {
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
  const ErrorPlace nowhere;
  return require(H5Tcopy(number), H5Tclose, nowhere, "no type of numbers");
}

}  // namespace

Handle complex_type(hid_t number, const ErrorPlace& where) {
  const std::size_t bytes = H5Tget_size(number);
  Handle pair = require(H5Tcreate(H5T_COMPOUND, 2 * bytes), H5Tclose, where, "no complex type");
  require(H5Tinsert(pair.get(), "r", 0, number), where, "no complex type");
  require(H5Tinsert(pair.get(), "i", bytes, number), where, "no complex type");
  return pair;
}

Handle text_type(std::size_t bytes, TextKind kind, const ErrorPlace& where) {
  Handle type = require(H5Tcopy(H5T_C_S1), H5Tclose, where, "no type of texts");
  require(H5Tset_size(type.get(), bytes), where, "a text is too long");
  require(H5Tset_cset(type.get(), kind == TextKind::utf8 ? H5T_CSET_UTF8 : H5T_CSET_ASCII), where, "no type of texts");
  return type;
}

Handle make_type(hid_t file, const Element& element, const ErrorPlace& where) {
  Handle number = number_type(element.precision, element.byte_order);
  if (element.is_complex) number = complex_type(number.get(), where);
  Handle type = nest(std::move(number), element.arrays, where);
  return element.committed.empty() ? std::move(type) : named_type(file, element.committed, std::move(type), where);
}

Handle named_type(hid_t file, const std::string& name, Handle type, const ErrorPlace& where) {
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
void make_group_above(hid_t file, const std::string& path, const ErrorPlace& where) {
  const std::size_t slash = path.rfind('/');
  if (slash != 0 && slash != std::string::npos) make_group(file, path.substr(0, slash), where);
}

bool is_bare_scale(hid_t file, const std::string& path) {
  const Handle object(H5Oopen(file, path.c_str(), H5P_DEFAULT), H5Oclose);
  if (!object || H5Iget_type(object.get()) != H5I_DATASET || H5Aexists(object.get(), "CLASS") <= 0) return false;
  return H5Dget_storage_size(object.get()) == 0;
}

void require_free(hid_t file, const ErrorPlace& where) {
  if (!has_link(file, where.object, where)) return;
  const char* const remedy = is_bare_scale(file, where.object)
                                 ? ", the dimension scale of datasets next to it; choose another name"
                                 : "; choose another name, or remove it first";
  base::fail(Code::exists, {.path = where.path, .record = where.object}, "there is a \"{}\" already{}", where.object,
             remedy);
}

Handle make_group(hid_t file, const std::string& path, const ErrorPlace& where) {
  if (path == "/") return require(H5Gopen2(file, "/", H5P_DEFAULT), H5Gclose, where, "the root group is missing");
  if (has_link(file, path, where)) {
    return require(H5Gopen2(file, path.c_str(), H5P_DEFAULT), H5Gclose, where, "is not a group");
  }
  make_group_above(file, path, where);
  const Handle list = untimed_list(H5P_GROUP_CREATE, where);
  return require(H5Gcreate2(file, path.c_str(), H5P_DEFAULT, list.get(), H5P_DEFAULT), H5Gclose, where,
                 "the group cannot be made");
}

void put_text(hid_t object, std::string_view name, std::string_view text, const ErrorPlace& where, TextKind kind) {
  const std::string ended(text);
  const Handle type = text_type(ended.size() + 1, kind, where);
  create_attribute(object, std::string(name), type.get(), type.get(), ended.c_str(), {}, where);
}

void put_numbers(hid_t object, std::string_view name, hid_t file_type, hid_t memory_type, const void* numbers,
                 std::span<const hsize_t> extents, const ErrorPlace& where) {
  create_attribute(object, std::string(name), file_type, memory_type, numbers, extents, where);
}

void put_integer(hid_t object, std::string_view name, std::int32_t value, const ErrorPlace& where) {
  put_numbers(object, name, H5T_STD_I32LE, H5T_NATIVE_INT32, &value, {}, where);
}

// Every part of the path must exist before the library looks up the next one.
bool has_link(hid_t file, const std::string& path, const ErrorPlace& where) {
  for (std::size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
    const std::string part = path.substr(0, slash);
    if (part != "/" && require(H5Lexists(file, part.c_str(), H5P_DEFAULT), where, "links cannot be looked up") == 0) {
      return false;
    }
    if (slash == std::string::npos) return true;
  }
}

void put_bytes(hid_t file, const std::string& path, base::Bytes bytes, const ErrorPlace& where) {
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
      base::fail(Code::invalid_argument, {},
                 "\"{}\" is not a name of an object: parts between slashes are neither empty nor \".\" or \"..\"",
                 base::printable(given));
    }
    path += '/';
    path += part;
    if (slash == std::string_view::npos) return path;
    name.remove_prefix(slash + 1);
  }
}

namespace {

bool is_scale(hid_t object, hsize_t extent) {
  const Handle space(H5Dget_space(object), H5Sclose);
  hsize_t held = 0;
  if (H5Sget_simple_extent_ndims(space.get()) != 1) return false;
  H5Sget_simple_extent_dims(space.get(), &held, nullptr);
  return held == extent && H5Aexists(object, "CLASS") > 0 && H5Aexists(object, "NAME") > 0;
}

Handle create_scale(hid_t file, const std::string& path, hsize_t extent, const ErrorPlace& where) {
  const Handle space = require(H5Screate_simple(1, &extent, nullptr), H5Sclose, where, "no dataspace");
  const Handle list = untimed_list(H5P_DATASET_CREATE, where);
  Handle scale =
      require(H5Dcreate2(file, path.c_str(), H5T_IEEE_F32LE, space.get(), H5P_DEFAULT, list.get(), H5P_DEFAULT),
              H5Dclose, where, "a scale cannot be made");
  put_text(scale.get(), "CLASS", "DIMENSION_SCALE", where, TextKind::ascii);
  // netCDF's text for a dimension that is not a variable.
  put_text(scale.get(), "NAME", fmt::format("This is a netCDF dimension but not a netCDF variable.{:10}", extent),
           where, TextKind::ascii);
  return scale;
}

struct Scale {
  std::string path;
  Handle handle;
};

Scale scale_of(hid_t file, const std::string& group, const Dimension& dimension, const ErrorPlace& where) {
  std::string path = group + dimension.name;
  for (int number = 1;; ++number) {
    if (!has_link(file, path, where)) return {path, create_scale(file, path, dimension.extent, where)};
    Handle there(H5Oopen(file, path.c_str(), H5P_DEFAULT), H5Oclose);
    if (there && H5Iget_type(there.get()) == H5I_DATASET && is_scale(there.get(), dimension.extent)) {
      return {path, std::move(there)};
    }
    path = fmt::format("{}{}_{}{}", group, dimension.name, dimension.extent,
                       number == 1 ? "" : fmt::format("_{}", number));
  }
}

}  // namespace

// A scale does not refer back to its datasets (REFERENCE_LIST): readers do not need that, and it would be rewritten for
// each appended dataset.
std::vector<std::string> attach_scales(hid_t file, hid_t dataset, const std::vector<Dimension>& dimensions,
                                       const ErrorPlace& where) {
  const std::string group = where.object.substr(0, where.object.rfind('/') + 1);
  std::vector<hobj_ref_t> references(dimensions.size());
  std::vector<std::string> names;
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    const Scale scale = scale_of(file, group, dimensions[d], where);
    require(H5Rcreate(&references[d], file, scale.path.c_str(), H5R_OBJECT, H5I_INVALID_HID), where, "no reference");
    names.push_back(scale.path.substr(group.size()));
  }
  std::vector<hvl_t> lists;
  for (hobj_ref_t& reference : references) lists.push_back({1, &reference});
  const Handle list = require(H5Tvlen_create(H5T_STD_REF_OBJ), H5Tclose, where, "no type of references");
  const std::array<hsize_t, 1> extents{lists.size()};
  put_numbers(dataset, "DIMENSION_LIST", list.get(), list.get(), lists.data(), extents, where);
  return names;
}

namespace {

void add_filter(hid_t list, const Filter& filter, const ErrorPlace& where) {
  const unsigned flags = filter.is_optional ? H5Z_FLAG_OPTIONAL : H5Z_FLAG_MANDATORY;
  require(H5Pset_filter(list, filter.id, flags, filter.parameters.size(), filter.parameters.data()), where,
          "a filter is refused");
}

Handle creation_of(const DatasetPlan& plan, const ErrorPlace& where) {
  Handle list = untimed_list(H5P_DATASET_CREATE, where);
  require(H5Pset_fill_time(list.get(), H5D_FILL_TIME_NEVER), where, "filling cannot be switched off");
  if (plan.external) {
    // The type is signed, although offsets are never negative.
    const auto offset = static_cast<off_t>(plan.external->offset);
    require(H5Pset_external(list.get(), plan.external->path.c_str(), offset, plan.external->bytes), where,
            "the other file is refused");
    return list;
  }
  if (plan.chunk.empty()) {
    require(H5Pset_alloc_time(list.get(), H5D_ALLOC_TIME_EARLY), where, "the storage cannot be allocated in advance");
    return list;
  }
  require(H5Pset_alloc_time(list.get(), H5D_ALLOC_TIME_INCR), where, "the storage cannot be taken by chunks");
  require(H5Pset_chunk(list.get(), static_cast<int>(plan.chunk.size()), plan.chunk.data()), where,
          "the chunks are refused");
  for (const Filter& filter : plan.filters) add_filter(list.get(), filter, where);
  return list;
}

// The library records each chunk at the assigned place, without seeing its bytes.
void write_down_chunks(hid_t dataset, Image& image, const DatasetPlan& plan, std::span<const Tile> tiles,
                       const ErrorPlace& where) {
  std::vector<hsize_t> corner(plan.extents.size());
  for (const Tile& tile : tiles) {
    if (tile.bytes > std::numeric_limits<std::uint32_t>::max()) {
      base::fail(Code::too_large, {.path = where.path, .record = where.object},
                 "{}: a chunk of {} bytes; HDF5 takes less than 4 GiB, choose smaller chunks", where.object,
                 tile.bytes);
    }
    image.allocations.decided = {tile.offset};
    require(H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, corner.data(), static_cast<std::size_t>(tile.bytes), elsewhere()),
            where, "a chunk cannot be written down");
    for (std::size_t d = corner.size(); d-- > 0;) {
      corner[d] += plan.chunk[d];
      if (corner[d] < plan.extents[d]) break;
      corner[d] = 0;
    }
  }
}

}  // namespace

std::uint64_t pieces_of(const DatasetPlan& plan) {
  std::uint64_t pieces = 1;
  for (std::size_t d = 0; d < plan.chunk.size(); ++d) pieces *= (plan.extents[d] + plan.chunk[d] - 1) / plan.chunk[d];
  return pieces;
}

Handle create_dataset(hid_t file, Image& image, const DatasetPlan& plan, std::span<const Tile> tiles) {
  const ErrorPlace where{image.path(), plan.path};
  require_free(file, where);
  const Handle type = make_type(file, plan.element, where);
  const Handle space = require(H5Screate_simple(static_cast<int>(plan.extents.size()), plan.extents.data(), nullptr),
                               H5Sclose, where, "its extents are refused");
  const Handle creation = creation_of(plan, where);
  make_group_above(file, plan.path, where);
  if (plan.chunk.empty() && !plan.external) image.allocations.decided = {tiles.front().offset};
  Handle dataset =
      require(H5Dcreate2(file, plan.path.c_str(), type.get(), space.get(), H5P_DEFAULT, creation.get(), H5P_DEFAULT),
              H5Dclose, where, "the dataset cannot be made");
  if (plan.external) return dataset;
  if (!plan.chunk.empty()) {
    write_down_chunks(dataset.get(), image, plan, tiles, where);
  } else if (H5Dget_offset(dataset.get()) != tiles.front().offset) {
    base::fail(Code::internal, {.path = where.path, .record = where.object},
               "{}: the data were placed at {}, but the library says {}", where.object, tiles.front().offset,
               H5Dget_offset(dataset.get()));
  }
  image.allocations.decided.clear();
  return dataset;
}

}  // namespace lq::hdf5
