// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Files of PyQUDA and of lyncs.io, whose layouts are read but not written.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.hpp"
#include "hdf5/layouts/folder.hpp"

namespace lq::hdf5 {

// Files of PyQUDA (docs/formats/hdf5.md 6): a group for each kind of field, with the name of the kind, that states the
// lattice; x fastest.

namespace {

constexpr std::string_view lattice_name = "Lattice";
constexpr std::array<std::string_view, 4> direction_names{"X", "Y", "Z", "T"};

// t, z, y, x from the attribute, which has x first; empty: not usable.
std::vector<std::uint64_t> lattice_of(const Folder& folder) {
  const Value* value = find(folder.attributes, lattice_name);
  const auto text = value != nullptr ? text_of(*value) : std::nullopt;
  std::vector<std::uint64_t> lattice;
  if (!text) return lattice;
  for (const std::string_view word : base::split_words(*text)) {
    const auto extent = base::parse_u64(word);
    if (!extent || lattice.size() == max_dimensions) return {};
    lattice.insert(lattice.begin(), *extent);
  }
  return lattice;
}

std::optional<FieldSpec> spec_in_group(std::string_view group, const Numbers& numbers, std::size_t rank) {
  const auto site = numbers.behind(rank);
  const Precision precision = numbers.precision;
  if (group == "LatticeReal") return site.empty() ? generic_site(site, numbers.is_complex, precision) : std::nullopt;
  if (!numbers.is_complex) return {};
  if (group == "LatticeColorMatrix") return matrix_site(site, precision);
  if (group == "LatticeSpinColorVector") return spinor_site(site, precision);
  if (group == "LatticeSpinColorMatrix") return propagator_site(site, precision);
  const std::size_t site_rank = group == "LatticeComplex"                                       ? 0
                                : group == "LatticeColorVector" || group == "LatticeSpinVector" ? 1
                                : group == "LatticeSpinMatrix"                                  ? 2
                                                                                                : 3;
  return site_rank < 3 && site.size() == site_rank ? generic_site(site, true, precision) : std::nullopt;
}

constexpr std::array<std::string_view, 5> of_pyquda = {"Lattice", "Spin", "Color", "sum29", "sum31"};

// sum29 and sum31; empty: absent.
std::vector<std::uint32_t> sums_in(const Member& member) {
  std::vector<std::uint32_t> words;
  for (const char* name : {"sum29", "sum31"}) {
    const Value* value = find(member.attributes, name);
    const auto text = value != nullptr ? text_of(*value) : std::nullopt;
    const auto word = text ? base::parse_hex32(*text) : std::nullopt;
    if (!word) return {};
    words.push_back(*word);
  }
  return words;
}

class PyQuda {
 public:
  PyQuda(Folder& folder, std::vector<std::uint64_t> lattice, FieldCollector& finds)
      : folder_(folder), lattice_(std::move(lattice)), finds_(finds) {}

  void find_gauge() {
    std::vector<Member*> directions;
    for (const std::string_view name : direction_names) {
      Member* member = folder_.member(name);
      if (member != nullptr) directions.push_back(member);
    }
    if (folder_.last_name() != "LatticeColorMatrix" || directions.empty()) return;
    const auto numbers = numbers_of(directions.front()->data);
    const Dataset& first = directions.front()->data;
    const bool are_alike = std::ranges::all_of(directions, [&](const Member* member) {
      return member->data.extents == first.extents && to_string(member->data.type) == to_string(first.type);
    });
    if (directions.size() != direction_names.size() || !are_alike) {
      finds_.warning("hdf5-half-a-group", *directions.front(),
                     "one of X, Y, Z and T is missing or has another shape or type: this is not a gauge field");
      return;
    }
    if (!numbers || !numbers->is_complex || !has_lattice(*numbers)) return;
    auto site = numbers->behind(lattice_.size());
    site.insert(site.begin(), directions.size());
    const auto spec = gauge_site(site, numbers->precision);
    if (!spec) return;
    for (Member* member : directions) member->is_taken = true;
    add(folder_.path, {directions.begin(), directions.end()}, *spec);
  }

  void find_one(Member& member) {
    const auto numbers = numbers_of(member.data);
    if (!numbers) return;
    member.is_taken = true;
    const auto spec =
        has_lattice(*numbers) ? spec_in_group(folder_.last_name(), *numbers, lattice_.size()) : std::nullopt;
    if (spec) return add(member.path, {&member}, *spec);
    finds_.warning(
        "hdf5-pyquda-shape", member,
        fmt::format("its shape does not match the lattice of its group ({}) and a site of a {}; it is not a field",
                    fmt::join(lattice_, ","), base::printable(folder_.last_name())));
  }

 private:
  bool has_lattice(const Numbers& numbers) const {
    return numbers.space_rank >= lattice_.size() && numbers.lattice(lattice_.size()) == lattice_;
  }

  void add(std::string path, std::vector<const Member*> arrays, const FieldSpec& spec) {
    FoundField field{.path = std::move(path), .arrays = std::move(arrays), .spec = spec, .lattice = lattice_};
    std::vector<std::uint32_t> words;
    bool is_complete = true;
    for (const Member* member : field.arrays) {
      const auto sums = sums_in(*member);
      is_complete = is_complete && !sums.empty();
      words.insert(words.end(), sums.begin(), sums.end());
    }
    const SumOf part = field.arrays.size() > 1 ? SumOf::arrays : SumOf::field;
    if (is_complete) field.sums.set({{SumKind::pyquda, part}, std::move(words)});
    field.metadata = metadata_of(folder_.attributes, of_pyquda);
    const Metadata own =
        field.arrays.size() == 1 ? metadata_of(field.arrays.front()->attributes, of_pyquda) : Metadata();
    field.metadata.insert(field.metadata.end(), own.begin(), own.end());
    finds_.field(std::move(field));
  }

  Folder& folder_;
  std::vector<std::uint64_t> lattice_;
  FieldCollector& finds_;
};

}  // namespace

void find_pyquda(Folder& folder, FieldCollector& finds) {
  if (!folder.last_name().starts_with("Lattice")) return;
  auto lattice = lattice_of(folder);
  if (lattice.empty()) return;
  PyQuda found(folder, std::move(lattice), finds);
  found.find_gauge();
  for (Member& member : folder.members) {
    if (!member.is_taken) found.find_one(member);
  }
}

// Arrays of lyncs.io (docs/formats/hdf5.md 7), of any shape. If the dimensions after the first four are those of a
// site, the array is a field; the first four are assumed to be t, z, y, x, as in C arrays.

namespace {

constexpr std::size_t rank_of_lyncs = 4;

constexpr std::array<std::string_view, 8> of_lyncs = {"_lyncs_io", "created",       "type",  "shape",
                                                      "dtype",     "fortran_order", "descr", "nbytes"};

bool is_of_fortran(const Member& member) {
  const Value* value = find(member.attributes, "fortran_order");
  const auto text = value != nullptr ? shown(*value) : std::nullopt;
  return text && (*text == "true" || *text == "True" || *text == "1");
}

std::optional<FieldSpec> spec_of_array(const Numbers& numbers) {
  if (!numbers.is_complex || numbers.extents.size() != numbers.space_rank) return {};
  if (numbers.space_rank <= rank_of_lyncs) return {};
  const auto site = numbers.behind(rank_of_lyncs);
  switch (site.size()) {
    case 2:
      return site.front() == 4 ? spinor_site(site, numbers.precision) : matrix_site(site, numbers.precision);
    case 3:
      return site.front() == rank_of_lyncs ? gauge_site(site, numbers.precision) : std::nullopt;
    case 4:
      return site.front() == 4 ? propagator_site(site, numbers.precision) : std::nullopt;
    default:
      return {};
  }
}

}  // namespace

void find_lyncs(Folder& folder, FieldCollector& finds) {
  for (Member& member : folder.members) {
    if (member.is_taken || find(member.attributes, "_lyncs_io") == nullptr || is_of_fortran(member)) continue;
    const auto numbers = numbers_of(member.data);
    const auto spec = numbers ? spec_of_array(*numbers) : std::nullopt;
    if (!spec) continue;
    member.is_taken = true;
    finds.note("hdf5-order-assumed", member, "lyncs.io does not state which dimension is which; t, z, y, x is assumed");
    finds.field({.path = member.path,
                 .arrays = {&member},
                 .spec = *spec,
                 .lattice = numbers->lattice(rank_of_lyncs),
                 .metadata = metadata_of(member.attributes, of_lyncs)});
  }
}

}  // namespace lq::hdf5
