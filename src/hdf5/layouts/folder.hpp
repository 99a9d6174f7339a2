// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the layouts look at: the datasets of one group, and the fields that they find among them. Each layout takes the
// datasets that are its own; what nobody takes is no field.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <limequat/catalog.hpp>

#include "hdf5/tree/tree.hpp"

namespace lq::hdf5 {

struct Member {
  std::string name;
  std::string path;
  std::uint64_t address = 0;
  Dataset data;
  Attributes attributes;          // of datasets of numbers
  bool lacks_attributes = false;  // some could not be read
  bool is_taken = false;
};

// Datasets of numbers as arrays: the extents of the dataspace, and those of array types after them.
struct Numbers {
  std::vector<std::uint64_t> extents;
  std::size_t space_rank = 0;  // of them belong to the dataspace
  bool is_complex = false;
  Precision precision = Precision::double_;
  ByteOrder order = ByteOrder::little;

  // Those after the first `rank`.
  std::vector<std::uint64_t> behind(std::size_t rank) const;
  std::vector<std::uint64_t> lattice(std::size_t rank) const;
};
std::optional<Numbers> numbers_of(const Dataset& data);

struct Folder {
  std::string path;
  Attributes attributes;
  std::vector<Member> members;  // in order of name
  bool is_of_qdp = false;       // the file has the types that QDP++ commits, little-endian
  std::string_view last_name() const noexcept;
  Member* member(std::string_view name) noexcept;
};

// A field, its sites in one dataset or in several arrays.
struct FoundField {
  std::string path;
  std::vector<const Member*> arrays;
  FieldSpec spec;
  std::vector<std::uint64_t> lattice;  // extents as the dataspace has them, slowest first
  bool is_x_slowest = false;           // else t is
  Sums sums = {};
  Metadata metadata = {};
};

// Where layouts say what they found.
class Finds {
 public:
  virtual ~Finds() = default;
  virtual void field(FoundField field) = 0;
  virtual void warning(const char* rule, const Member& member, const std::string& message) = 0;
  virtual void note(const char* rule, const Member& member, const std::string& message) = 0;
};

// Field specs of sites with these extents; nothing where no site is so.
std::optional<FieldSpec> matrix_site(const std::vector<std::uint64_t>& site, Precision precision);  // row, column
std::optional<FieldSpec> gauge_site(const std::vector<std::uint64_t>& site, Precision precision);   // mu, row, column
std::optional<FieldSpec> spinor_site(const std::vector<std::uint64_t>& site, Precision precision);  // spin, color
std::optional<FieldSpec> propagator_site(const std::vector<std::uint64_t>& site,
                                         Precision precision);  // 2 spins, 2 colors
// All numbers of a site; real ones where they are not complex.
std::optional<FieldSpec> generic_site(const std::vector<std::uint64_t>& site, bool is_complex, Precision precision);

// Attributes as texts, except for those that belong to the layout and those of dimension scales.
Metadata metadata_of(const Attributes& attributes, std::span<const std::string_view> of_layout);

// The SciDAC checksum, and sums of the given number of slices, that stand beside the data in files of ours, whatever
// the layout.
Sums stated_sums(const Member& member, std::uint64_t slices, Finds& finds);

// The layouts, in the order in which they are asked.
void find_native(Folder& folder, Finds& finds);
void find_pyquda(Folder& folder, Finds& finds);
void find_qlua(Folder& folder, Finds& finds);
void find_qdp(Folder& folder, Finds& finds);
void find_lyncs(Folder& folder, Finds& finds);

}  // namespace lq::hdf5
