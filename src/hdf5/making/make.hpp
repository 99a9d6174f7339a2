// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Datatypes, attributes, groups, scales and datasets made in an open file. Under a Lock.
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

// What one element of a dataset is: a number, or nested arrays of numbers.
struct Element {
  Precision precision = Precision::double_;
  ByteOrder byte_order = ByteOrder::little;
  bool is_complex = true;                         // {r, i}
  std::vector<std::vector<hsize_t>> arrays = {};  // from the outermost to the innermost
  std::string committed = {};                     // name in the root group; empty: the type has none
};

// {r, i} of two numbers of that type.
Handle complex_type(hid_t number, const Where& where);
// Of fixed length, `bytes` with the NUL at the end.
enum class TextKind { utf8, ascii };
Handle text_type(std::size_t bytes, TextKind kind, const Where& where);
// With a name it is that of the file, if there is an equal one; where the name stands for another type, the new one has
// none.
Handle make_type(hid_t file, const Element& element, const Where& where);

// The type `name` in the root group, if it is there and equal; else `type`, which gets that name if it is free.
Handle named_type(hid_t file, const std::string& name, Handle type, const Where& where);

// The group that an object of that path is in, and those above it, where they are missing.
void make_group_above(hid_t file, const std::string& path, const Where& where);
// The group of that path; it and those above it are made where they are missing.
Handle make_group(hid_t file, const std::string& path, const Where& where);

// A scalar of fixed length that ends in NUL, which all readers take. One of that name is replaced.
void put_text(hid_t object, std::string_view name, std::string_view text, const Where& where,
              TextKind kind = TextKind::utf8);
// Numbers of a type of the file's; no extents: one number in a scalar.
void put_numbers(hid_t object, std::string_view name, hid_t file_type, hid_t memory_type, const void* numbers,
                 std::span<const hsize_t> extents, const Where& where);
void put_integer(hid_t object, std::string_view name, std::int32_t value, const Where& where);

// A dataset of unsigned bytes at an absolute path where nothing is yet.
void put_bytes(hid_t file, const std::string& path, base::Bytes bytes, const Where& where);
// Throws `exists` where there is something.
void require_free(hid_t file, const Where& where);
// Whether `path` is a scale without values, which datasets beside it refer to (make.hpp).
bool is_bare_scale(hid_t file, const std::string& path);

// The link `name` in the file, if there is one.
bool has_link(hid_t file, const std::string& path, const Where& where);

// "/a/b" for "a/b"; invalid_argument for empty parts, "." and "..".
std::string absolute_path(std::string_view name);

// Names of dimensions by which netCDF, xarray and others know them: scales beside a dataset (HDF5 Dimension Scale
// Specification). They have no values, and one serves all datasets of a group with the same name and extent.
struct Dimension {
  std::string name;
  hsize_t extent = 0;
};

// A scale for each dimension of the dataset; where its name stands for something else, the extent is added to it. Their
// names, as they came out.
std::vector<std::string> attach_scales(hid_t file, hid_t dataset, const std::vector<Dimension>& dimensions,
                                       const Where& where);

// A dataset with a place for its data that was decided beforehand: the library writes down where they are, we write
// them.

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

// Makes the dataset, whose data lie in `tiles`: one where it is contiguous, else one for each chunk, the last dimension
// of the dataspace fastest; none where they are external.
Handle create_dataset(hid_t file, Image& image, const DatasetPlan& plan, std::span<const Tile> tiles);

// How many chunks there are; 1 for a contiguous dataset.
std::uint64_t pieces_of(const DatasetPlan& plan);

}  // namespace lq::hdf5
