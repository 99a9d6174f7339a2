// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The layout of QLUA (module qcd.hdf5): x first, big-endian, a site as one element whose type has a name in the root
// group, and beside each dataset what it is, when it was written, and its SHA-256.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "hdf5/layouts/layout_writer.hpp"

namespace lq::hdf5 {
namespace {

struct QluaType {
  std::string_view kind;
  std::string_view committed;  // without precision and number of colors
  std::vector<std::vector<hsize_t>> arrays;
};

std::string_view word_of(Precision precision) { return precision == Precision::single ? "Float" : "Double"; }

QluaType type_of(const format::FieldRequest& request) {
  const FieldSpec& spec = request.spec;
  const auto colors = static_cast<hsize_t>(spec.colors);
  if (spec.kind == FieldKind::gauge) return {"LatticeColorMatrix", "ColorMatrix", {{colors, colors}}};
  if (spec.kind == FieldKind::spinor && spec.spins == 4)
    return {"LatticeDiracFermion", "DiracFermion", {{4}, {colors}}};
  if (spec.kind == FieldKind::spinor && spec.spins == 1) return {"LatticeColorVector", "ColorVector", {{colors}}};
  if (spec.kind == FieldKind::propagator && spec.spins == 4) {
    return {"LatticeDiracPropagator", "DiracPropagator", {{4, 4}, {colors, colors}}};
  }
  if (spec.kind == FieldKind::generic && spec.numbers == 1) return {"LatticeReal", "", {}};
  if (spec.kind == FieldKind::generic && spec.numbers == 2 && spec.is_complex) return {"LatticeComplex", "Complex", {}};
  throw Error(
      Code::unsupported,
      fmt::format("the layout qlua has no place for \"{}\", a {} field with {} numbers per site and {} spins; the "
                  "layout native takes it",
                  request.name, lq::name(spec.kind), spec.numbers, spec.spins),
      {.record = request.name});
}

std::string committed_name(const QluaType& type, const FieldSpec& spec) {
  if (type.committed.empty()) return {};
  if (type.arrays.empty()) return fmt::format(".{}{}", type.committed, word_of(spec.precision));
  return fmt::format(".{}{}{}", type.committed, word_of(spec.precision), spec.colors);
}

class QluaWriter final : public LayoutWriter {
 public:
  std::string_view name() const noexcept override { return "qlua"; }

  FieldDatasets datasets(const format::FieldRequest& request) const override {
    const QluaType type = type_of(request);
    FieldDatasets plan;
    for (int d = request.extents.size(); d-- > 0;) plan.order.push_back(d);
    plan.byte_order = ByteOrder::big;
    const bool is_gauge = request.spec.kind == FieldKind::gauge;
    DatasetPlan dataset{.path = absolute_path(request.name),
                        .extents = dataspace_of(request.extents, plan.order),
                        .element = {request.spec.precision, ByteOrder::big, type.kind != "LatticeReal", type.arrays,
                                    committed_name(type, request.spec)}};
    if (is_gauge) {
      for (int mu = 0; mu < request.spec.links; ++mu) {
        plan.datasets.push_back(dataset);
        plan.datasets.back().path += fmt::format("/{}", mu);
      }
    } else {
      plan.datasets.push_back(std::move(dataset));
    }
    // Whatever is asked for: QLUA takes no file without it, and readers tell the order of the sites by it.
    plan.sums = {{SumKind::sha256, is_gauge ? SumOf::arrays : SumOf::field}};
    return plan;
  }

  void describe(hid_t file, std::span<const Handle> datasets, const FieldDatasets& plan,
                const FieldFacts& facts) const override {
    const QluaType type = type_of(facts.request);
    for (std::size_t k = 0; k < datasets.size(); ++k) {
      const Where where{{}, plan.datasets[k].path};
      put_text(datasets[k].get(), ".kind", type.kind, where, TextKind::ascii);
      // QLUA expects it.
      const std::int64_t time = facts.microseconds.value_or(0);
      put_numbers(datasets[k].get(), ".time", H5T_STD_I64BE, H5T_NATIVE_INT64, &time, {}, where);
    }
    const Where where{{}, absolute_path(facts.request.name)};
    const Handle object(H5Oopen(file, where.object.c_str(), H5P_DEFAULT), H5Oclose);
    put_metadata(object.get(), facts.request.metadata, where);
  }
  void put_sums(std::span<const Handle> datasets, const FieldDatasets& plan, const FieldFacts& facts) const override {
    const std::vector<std::uint32_t> words = words_of(facts, plan.sums.front(), datasets.size());
    for (std::size_t k = 0; k < datasets.size(); ++k) {
      put_hash(datasets[k].get(), std::span(words).subspan(8 * k, 8), {{}, plan.datasets[k].path});
    }
  }

 private:
  static void put_hash(hid_t dataset, std::span<const std::uint32_t> words, const Where& where) {
    std::array<std::uint8_t, 32> bytes{};
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      bytes[i] = static_cast<std::uint8_t>(words[i / 4] >> (24 - 8 * (i % 4)));
    }
    const hsize_t size = bytes.size();
    const Handle type = require(H5Tarray_create2(H5T_STD_U8BE, 1, &size), H5Tclose, where, "no type of sums");
    put_numbers(dataset, ".sha256", type.get(), type.get(), bytes.data(), {}, where);
  }
};

}  // namespace

const LayoutWriter& qlua_writer() {
  static const QluaWriter writer;
  return writer;
}

}  // namespace lq::hdf5
