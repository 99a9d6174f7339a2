// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The layout of QDP++, found and written.
#include <fmt/format.h>

#include "hdf5/layouts/folder.hpp"
#include "hdf5/layouts/layout_writer.hpp"
#include "lattice/site_order.hpp"

namespace lq::hdf5 {

// Files of QDP++ (docs/formats/hdf5.md 4): array types of {r,i}, or plain numbers with the numbers of a site as the
// last dimension; x fastest, little-endian, four dimensions.

namespace {

constexpr std::size_t rank_of_qdp = 4;

// A site of this many reals: matrices, vectors and scalars are generic.
FieldSpec untyped_spec(std::uint64_t reals, Precision precision) {
  if (reals == 24) return spinor_spec(precision);
  if (reals == 288) return propagator_spec(precision);
  return generic_spec(precision, reals, reals % 2 == 0);
}

bool is_unambiguous(std::uint64_t reals) { return reals == 24 || reals == 288; }

// True if a propagator has Nc spins, as some versions of QDP++ wrote it.
bool has_colors_for_spins(const std::vector<std::uint64_t>& site) {
  return site == std::vector<std::uint64_t>{3, 3, 3, 3};
}

std::optional<FieldSpec> typed_spec(const Numbers& numbers) {
  const auto site = numbers.behind(rank_of_qdp);
  if (numbers.space_rank == rank_of_qdp) {
    if (const auto matrix = matrix_site(site, numbers.precision)) return matrix;
    return propagator_site(site, numbers.precision);
  }
  if (numbers.space_rank != rank_of_qdp + 1 || site.size() != 3) return {};
  const auto links = gauge_site(site, numbers.precision);
  if (!links || site.front() == rank_of_qdp) return links;
  return generic_site(site, true, numbers.precision);
}

// Attributes in which other programs state the meaning of dimensions.
bool says_otherwise(const Member& member) {
  for (const char* name : {"index_order", "DIMENSION_LIST", "_lyncs_io", "CLASS", ".kind", "dimensions"}) {
    if (find(member.attributes, name) != nullptr) return true;
  }
  return false;
}

std::optional<FieldSpec> untyped_field(const Folder& folder, const Member& member, const Numbers& numbers) {
  const bool is_correlator = find(member.attributes, "is_shifted") != nullptr;
  if (numbers.space_rank == rank_of_qdp) {
    const bool is_ours = find(member.attributes, native::creator) != nullptr;
    return is_ours || folder.is_of_qdp ? generic_site({}, false, numbers.precision) : std::nullopt;
  }
  if (numbers.space_rank != rank_of_qdp + 1) return {};
  const std::uint64_t reals = numbers.extents.back();
  const bool is_ours = find(member.attributes, native::creator) != nullptr;
  const bool is_known = is_ours || folder.is_of_qdp || is_unambiguous(reals) || (is_correlator && reals == 2);
  return is_known && generic_site({reals}, false, numbers.precision)
             ? std::optional(untyped_spec(reals, numbers.precision))
             : std::nullopt;
}

std::optional<FieldSpec> spec_in(const Folder& folder, const Member& member, const Numbers& numbers,
                                 FieldCollector& finds) {
  const bool is_typed = numbers.extents.size() > numbers.space_rank;
  if (is_typed != numbers.is_complex) return {};
  if (!is_typed) return untyped_field(folder, member, numbers);
  if (has_colors_for_spins(numbers.behind(rank_of_qdp))) {
    finds.warning("hdf5-qdp-spins", member,
                  "its type has 3 spins, as QDP++ wrote propagators in single precision before 2019: most of the "
                  "numbers are lost, and it is not a field");
    return {};
  }
  return typed_spec(numbers);
}

}  // namespace

void find_qdp(Folder& folder, FieldCollector& finds) {
  for (Member& member : folder.members) {
    if (member.is_taken || says_otherwise(member)) continue;
    const auto numbers = numbers_of(member.data);
    if (!numbers || numbers->order != ByteOrder::little || numbers->space_rank < rank_of_qdp) continue;
    const auto spec = spec_in(folder, member, *numbers, finds);
    if (!spec) continue;
    member.is_taken = true;
    auto lattice = numbers->lattice(rank_of_qdp);
    Sums sums = stated_sums(member, lattice.front(), finds);
    finds.field({.path = member.path,
                 .arrays = {&member},
                 .spec = *spec,
                 .lattice = std::move(lattice),
                 .sums = std::move(sums),
                 .metadata = metadata_of(member.attributes, native::all)});
  }
}

// The layout of QDP++ (qdp_hdf5.h): t first, little-endian, matrices and propagators as named array types in the root
// group, everything else with the numbers of a site as the last dimension.

namespace {

std::string_view precision_word(Precision precision) { return precision == Precision::single ? "Float" : "Double"; }

class QdpWriter final : public LayoutWriter {
 public:
  std::string_view name() const noexcept override { return "qdp"; }

  FieldDatasets datasets(const format::FieldRequest& request) const override {
    const FieldSpec& spec = request.spec;
    FieldDatasets plan;
    plan.order = lattice::resolve_order({}, request.extents.size());
    DatasetPlan dataset{.path = absolute_path(request.name),
                        .extents = dataspace_of(request.extents, plan.order),
                        .element = {spec.precision, ByteOrder::little, true}};
    const auto colors = static_cast<hsize_t>(spec.colors), spins = static_cast<hsize_t>(spec.spins);
    if (spec.kind == FieldKind::gauge) {
      dataset.extents.push_back(static_cast<hsize_t>(spec.links));
      dataset.element.arrays = {{colors, colors}};
      dataset.element.committed = fmt::format(".ColorMatrix{}{}", precision_word(spec.precision), spec.colors);
    } else if (spec.kind == FieldKind::propagator) {
      dataset.element.arrays = {{spins, spins}, {colors, colors}};
      dataset.element.committed = fmt::format(".Propagator{}{}", precision_word(spec.precision), spec.colors);
    } else {
      dataset.element.is_complex = false;
      // A single real number has no separate dimension.
      if (spec.numbers > 1) dataset.extents.push_back(spec.numbers);
    }
    plan.datasets.push_back(std::move(dataset));
    plan.sums = scidac_sums(request);
    return plan;
  }

  void describe(hid_t, std::span<const Handle> datasets, const FieldDatasets& plan,
                const FieldFacts& facts) const override {
    const ErrorPlace where{{}, plan.datasets.front().path};
    put_metadata(datasets.front().get(), facts.request.metadata, where);
    put_origin(datasets.front().get(), facts, where);
  }
  // QDP++ stores no sums, and ignores unknown attributes.
  void put_sums(std::span<const Handle> datasets, const FieldDatasets& plan, const FieldFacts& facts) const override {
    put_scidac_sums(datasets.front().get(), facts, {{}, plan.datasets.front().path});
  }
};

}  // namespace

const LayoutWriter& qdp_writer() {
  static const QdpWriter writer;
  return writer;
}

}  // namespace lq::hdf5
