// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Datatypes, attributes, groups, scales and datasets created in an open file. Under a Lock.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <limequat/catalog.hpp>

#include "base/bytes.hpp"
#include "hdf5/driver/driver.hpp"
#include "hdf5/driver/library.hpp"
#include "hdf5/filters/filters.hpp"

namespace lq::hdf5 {

// The type of one element of a dataset: a number, or nested arrays of numbers.
struct Element {
  Precision precision = Precision::double_;
  ByteOrder byte_order = ByteOrder::little;
  bool is_complex = true;                         // {r, i}
  std::vector<std::vector<hsize_t>> arrays = {};  // from the outermost to the innermost
  std::string committed = {};                     // name in the root group; empty: unnamed
};

// {r, i} of two numbers of that type.
Handle complex_type(hid_t number, const ErrorPlace& where);
// Texts of fixed length; `bytes` includes the NUL at the end.
enum class TextKind { utf8, ascii };
Handle text_type(std::size_t bytes, TextKind kind, const ErrorPlace& where);
// If the type has a name, an equal type of that name in the file is used; if the name belongs to something else, the
// new type is unnamed.
Handle make_type(hid_t file, const Element& element, const ErrorPlace& where);

// The type `name` in the root group, if it exists and is equal; else `type`, which gets that name if it is free.
Handle named_type(hid_t file, const std::string& name, Handle type, const ErrorPlace& where);

// Creates missing groups above an object of that path.
void make_group_above(hid_t file, const std::string& path, const ErrorPlace& where);
// The group of that path; it and the groups above are created if missing.
Handle make_group(hid_t file, const std::string& path, const ErrorPlace& where);

// A NUL-terminated scalar of fixed length, which all readers support. Replaces an attribute of that name.
void put_text(hid_t object, std::string_view name, std::string_view text, const ErrorPlace& where,
              TextKind kind = TextKind::utf8);
// Numbers of a type of the file; without extents: one number as a scalar.
void put_numbers(hid_t object, std::string_view name, hid_t file_type, hid_t memory_type, const void* numbers,
                 std::span<const hsize_t> extents, const ErrorPlace& where);
void put_integer(hid_t object, std::string_view name, std::int32_t value, const ErrorPlace& where);

// A dataset of unsigned bytes at an absolute path where nothing exists yet.
void put_bytes(hid_t file, const std::string& path, base::Bytes bytes, const ErrorPlace& where);
// Throws `exists` if the path is taken.
void require_free(hid_t file, const ErrorPlace& where);
// True if `path` is a scale without values, to which datasets next to it refer (make.hpp).
bool is_bare_scale(hid_t file, const std::string& path);

// True if the file has a link of that path.
bool has_link(hid_t file, const std::string& path, const ErrorPlace& where);

// "/a/b" for "a/b"; invalid_argument for empty parts, "." and "..".
std::string absolute_path(std::string_view name);

// Names of dimensions for netCDF, xarray and other programs: scales next to a dataset (HDF5 Dimension Scale
// Specification). They have no values, and one serves all datasets of a group with the same name and extent.
struct Dimension {
  std::string name;
  hsize_t extent = 0;
};

// A scale for each dimension of the dataset; if its name is taken by something else, the extent is appended. Returns
// the resulting names.
std::vector<std::string> attach_scales(hid_t file, hid_t dataset, const std::vector<Dimension>& dimensions,
                                       const ErrorPlace& where);

// A dataset whose data have a place assigned in advance: the library records the place, Limequat writes the data.

// Numbers in a file of another format.
struct ExternalData {
  std::string path;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

struct DatasetPlan {
  std::string path;              // absolute
  std::vector<hsize_t> extents;  // of the dataspace, slowest first
  Element element;
  std::vector<hsize_t> chunk = {};  // empty: contiguous
  std::vector<Filter> filters = {};
  std::optional<ExternalData> external = {};  // instead of data in this file
};

// Creates the dataset, whose data are in `tiles`: one if it is contiguous, else one for each chunk, the last dimension
// of the dataspace fastest; none if they are external.
Handle create_dataset(hid_t file, Image& image, const DatasetPlan& plan, std::span<const Tile> tiles);

// Number of chunks; 1 for a contiguous dataset.
std::uint64_t pieces_of(const DatasetPlan& plan);

}  // namespace lq::hdf5
