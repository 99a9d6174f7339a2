// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The layout of QDP++ (qdp_hdf5.h): t first, little-endian, matrices and propagators as array types with a name in the
// root group, all else with the numbers of a site as the last dimension.
#include <fmt/format.h>

#include "hdf5/layouts/layout_writer.hpp"
#include "lattice/site_order.hpp"

namespace lq::hdf5 {
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
      // One real number has no dimension of its own.
      if (spec.numbers > 1) dataset.extents.push_back(spec.numbers);
    }
    plan.datasets.push_back(std::move(dataset));
    plan.sums = scidac_sums(request);
    return plan;
  }

  void describe(hid_t, std::span<const Handle> datasets, const FieldDatasets& plan,
                const FieldFacts& facts) const override {
    const Where where{{}, plan.datasets.front().path};
    put_metadata(datasets.front().get(), facts.request.metadata, where);
    put_origin(datasets.front().get(), facts, where);
  }
  // QDP++ keeps none, and passes over what it does not know.
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
