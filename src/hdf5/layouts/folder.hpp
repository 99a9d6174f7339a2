// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The input of the layouts (the datasets of one group), the fields that they find in it, and the places of the sites of
// these fields in the file.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <limequat/catalog.hpp>
#include <limequat/options.hpp>

#include "hdf5/tree/tree.hpp"

namespace lq::hdf5::native {

// Names of the attributes of the layout native (docs/formats/hdf5.md 3.2).

inline constexpr int version = 1;
inline constexpr std::string_view marker = "limequat_layout";  // on a dataset: the version
inline constexpr std::string_view file_marker = "limequat";    // on the root group
inline constexpr std::string_view file_marker_text = "native 1";

inline constexpr std::string_view kind = "kind";
inline constexpr std::string_view dimensions = "dimensions";
inline constexpr std::string_view extents = "extents";
inline constexpr std::string_view site_order = "site_order";
inline constexpr std::string_view site_order_text = "x fastest";
inline constexpr std::string_view precision = "precision";
inline constexpr std::string_view colors = "colors";
inline constexpr std::string_view spins = "spins";
inline constexpr std::string_view gauge_group = "gauge_group";
inline constexpr std::string_view checksum = "checksum";
inline constexpr std::string_view slice_checksums = "slice_checksums";
inline constexpr std::string_view slice_weights = "slice_weights";
inline constexpr std::string_view created = "created";
inline constexpr std::string_view time = ".time";
inline constexpr std::string_view creator = "creator";
inline constexpr std::string_view site_shape = "limequat-site-shape";  // metadata: scidac.md 5.4

// Attributes that are not metadata of the field.
inline constexpr std::array<std::string_view, 15> all = {
    marker,      kind,     dimensions,      extents,       site_order, precision, colors, spins,
    gauge_group, checksum, slice_checksums, slice_weights, created,    time,      creator};

}  // namespace lq::hdf5::native

namespace lq::hdf5 {

struct Member {
  std::string name;
  std::string path;
  std::uint64_t address = 0;
  Dataset data;
  Attributes attributes;          // for datasets of numbers
  bool lacks_attributes = false;  // some could not be read
  bool is_taken = false;
};

// Datasets of numbers as arrays: the extents of the dataspace, followed by those of array types.
struct Numbers {
  std::vector<std::uint64_t> extents;
  std::size_t space_rank = 0;  // number of extents that belong to the dataspace
  bool is_complex = false;
  Precision precision = Precision::double_;
  ByteOrder order = ByteOrder::little;

  // The extents after the first `rank`.
  std::vector<std::uint64_t> behind(std::size_t rank) const;
  std::vector<std::uint64_t> lattice(std::size_t rank) const;
};
std::optional<Numbers> numbers_of(const Dataset& data);

struct Folder {
  std::string path;
  Attributes attributes;
  std::vector<Member> members;  // ordered by name
  bool is_of_qdp = false;       // the file has the committed types of QDP++, little-endian
  std::string_view last_name() const noexcept;
  Member* member(std::string_view name) noexcept;
};

// A field with its sites in one dataset or in several arrays.
struct FoundField {
  std::string path;
  std::vector<const Member*> arrays;
  FieldSpec spec;
  std::vector<std::uint64_t> lattice;  // extents as in the dataspace, slowest first
  bool is_x_slowest = false;           // otherwise t is
  Sums sums = {};
  Metadata metadata = {};
};

// Collects what the layouts find.
class FieldCollector {
 public:
  virtual ~FieldCollector() = default;
  virtual void field(FoundField field) = 0;
  virtual void warning(const char* rule, const Member& member, const std::string& message) = 0;
  virtual void note(const char* rule, const Member& member, const std::string& message) = 0;
};

// Field specs for sites of these extents; empty if they match no site.
std::optional<FieldSpec> matrix_site(const std::vector<std::uint64_t>& site, Precision precision);  // row, column
std::optional<FieldSpec> gauge_site(const std::vector<std::uint64_t>& site, Precision precision);   // mu, row, column
std::optional<FieldSpec> spinor_site(const std::vector<std::uint64_t>& site, Precision precision);  // spin, color
std::optional<FieldSpec> propagator_site(const std::vector<std::uint64_t>& site,
                                         Precision precision);  // 2 spins, 2 colors
// All numbers of a site; real ones if they are not complex.
std::optional<FieldSpec> generic_site(const std::vector<std::uint64_t>& site, bool is_complex, Precision precision);

// True if an object with these attributes must have a digest.
bool requires_digest(const Attributes& attributes);

// Attributes as texts, except those of the layout and of dimension scales.
Metadata metadata_of(const Attributes& attributes, std::span<const std::string_view> of_layout);

// The SciDAC checksum, and sums of the given number of slices, stored with the data by Limequat in any layout.
Sums stated_sums(const Member& member, std::uint64_t slices, FieldCollector& finds);

// The layouts, in the order in which they are tried.
void find_native(Folder& folder, FieldCollector& finds);
void find_pyquda(Folder& folder, FieldCollector& finds);
void find_qlua(Folder& folder, FieldCollector& finds);
void find_qdp(Folder& folder, FieldCollector& finds);
void find_lyncs(Folder& folder, FieldCollector& finds);

// The places in the file of the sites of a field that a layout found.

// Throws unsupported, malformed or too_large with the reason if its sites cannot be read.
Payload place(const Opened& file, hid_t group, const FoundField& field, const Limits& limits);

}  // namespace lq::hdf5
