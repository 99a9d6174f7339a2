// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Our own layout (docs/formats/hdf5.md): plain arrays of numbers, t first, everything that is known of them next to
// them as attributes, so that nobody has to guess.
#include <array>

#include <fmt/format.h>

#include "hdf5/layouts/layout_writer.hpp"
#include "hdf5/layouts/native_names.hpp"
#include "hdf5/making/scales.hpp"
#include "lattice/site_order.hpp"

namespace lq::hdf5 {
namespace {

std::string dimension_name(int d) {
  constexpr std::array names{"x", "y", "z", "t"};
  return d < 4 ? names[static_cast<std::size_t>(d)] : fmt::format("x{}", d + 1);
}

// Of one site, slowest first.
std::vector<Dimension> site_dimensions(const FieldSpec& spec) {
  const auto colors = static_cast<hsize_t>(spec.colors), spins = static_cast<hsize_t>(spec.spins);
  switch (spec.kind) {
    case FieldKind::gauge:
      return {{"mu", static_cast<hsize_t>(spec.links)}, {"row", colors}, {"column", colors}};
    case FieldKind::spinor:
      return {{"spin", spins}, {"color", colors}};
    case FieldKind::propagator:
      return {{"sink_spin", spins}, {"source_spin", spins}, {"sink_color", colors}, {"source_color", colors}};
    case FieldKind::generic:
      break;
  }
  const std::uint64_t elements = spec.is_complex ? spec.numbers / 2 : spec.numbers;
  if (elements == 1) return {};
  return {{"component", elements}};
}

std::vector<Dimension> all_dimensions(const FieldSpec& spec, const Extents& extents) {
  std::vector<Dimension> all;
  for (int d = extents.size(); d-- > 0;) all.push_back({dimension_name(d), static_cast<hsize_t>(extents[d])});
  for (Dimension& one : site_dimensions(spec)) all.push_back(std::move(one));
  return all;
}

class NativeWriter final : public LayoutWriter {
 public:
  std::string_view name() const noexcept override { return "native"; }

  FieldDatasets datasets(const format::FieldRequest& request) const override {
    FieldDatasets plan;
    plan.order = lattice::resolve_order({}, request.extents.size());
    DatasetPlan dataset{.path = absolute_path(request.name), .extents = {}, .element = {}};
    for (const Dimension& one : all_dimensions(request.spec, request.extents)) dataset.extents.push_back(one.extent);
    dataset.element = {request.spec.precision, ByteOrder::little, request.spec.is_complex};
    plan.datasets.push_back(std::move(dataset));
    plan.sums = scidac_sums(request);
    return plan;
  }

  void describe(hid_t file, std::span<const Handle> datasets, const FieldDatasets& plan,
                const FieldFacts& facts) const override {
    const format::FieldRequest& request = facts.request;
    const hid_t dataset = datasets.front().get();
    const Where where{{}, plan.datasets.front().path};
    put_integer(dataset, native::marker, native::version, where);
    put_field(dataset, request, where);
    put_metadata(dataset, request.metadata, where);
    put_origin(dataset, facts, where);
    attach_scales(file, dataset, all_dimensions(request.spec, request.extents), where);
    const Handle root = make_group(file, "/", where);
    put_text(root.get(), native::file_marker, native::file_marker_text, where);
  }

  void put_sums(std::span<const Handle> datasets, const FieldDatasets& plan, const FieldFacts& facts) const override {
    put_scidac_sums(datasets.front().get(), facts, {{}, plan.datasets.front().path});
  }

 private:
  static void put_field(hid_t dataset, const format::FieldRequest& request, const Where& where) {
    const FieldSpec& spec = request.spec;
    put_text(dataset, native::kind, lq::name(spec.kind), where);
    std::string names;
    for (const Dimension& one : all_dimensions(spec, request.extents)) {
      names += fmt::format("{}{}", names.empty() ? "" : ",", one.name);
    }
    put_text(dataset, native::dimensions, names, where);
    std::vector<std::int32_t> extents;
    for (const std::int64_t extent : request.extents) extents.push_back(static_cast<std::int32_t>(extent));
    const std::array<hsize_t, 1> dimensions{extents.size()};
    put_numbers(dataset, native::extents, H5T_STD_I32LE, H5T_NATIVE_INT32, extents.data(), dimensions, where);
    put_text(dataset, native::site_order, native::site_order_text, where);
    put_text(dataset, native::precision, lq::name(spec.precision), where);
    if (spec.colors > 0) put_integer(dataset, native::colors, spec.colors, where);
    if (spec.spins > 0) put_integer(dataset, native::spins, spec.spins, where);
    if (spec.kind == FieldKind::gauge)
      put_text(dataset, native::gauge_group, fmt::format("SU({})", spec.colors), where);
  }
};

}  // namespace

const LayoutWriter& native_writer() {
  static const NativeWriter writer;
  return writer;
}

}  // namespace lq::hdf5
