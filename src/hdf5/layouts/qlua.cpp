// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The layout of QLUA, found and written.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "hdf5/layouts/folder.hpp"
#include "hdf5/layouts/layout_writer.hpp"

namespace lq::hdf5 {

// Files of QLUA (docs/formats/hdf5.md 5), whose sites have t fastest, and files of QDP++ that look similar: they have
// the kind but no SHA-256, and x fastest.

namespace {

constexpr std::string_view kind_name = ".kind";
constexpr std::string_view digest_name = ".sha256";
constexpr std::string_view time_name = ".time";
constexpr std::string_view color_matrix = "LatticeColorMatrix";

std::optional<std::string> lattice_kind(const Member& member) {
  const Value* value = find(member.attributes, kind_name);
  auto text = value != nullptr ? text_of(*value) : std::nullopt;
  return text && text->starts_with("Lattice") ? text : std::nullopt;
}

std::optional<FieldSpec> spec_of_kind(std::string_view kind, const Numbers& numbers) {
  const auto site = numbers.behind(numbers.space_rank);
  const Precision precision = numbers.precision;
  const bool is_complex = numbers.is_complex;
  if (kind == "LatticeReal") {
    return site.empty() && !is_complex ? generic_site(site, false, precision) : std::nullopt;
  }
  if (!is_complex) return {};
  if (kind == "LatticeComplex") return site.empty() ? generic_site(site, true, precision) : std::nullopt;
  if (kind == "LatticeColorVector") return site.size() == 1 ? generic_site(site, true, precision) : std::nullopt;
  if (kind == color_matrix) return matrix_site(site, precision);
  if (kind == "LatticeDiracFermion") return spinor_site(site, precision);
  if (kind == "LatticeDiracPropagator") return propagator_site(site, precision);
  return {};
}

// Eight words, most significant first; empty: absent.
std::vector<std::uint32_t> digest_of(const Member& member, FieldCollector& finds) {
  const Value* value = find(member.attributes, digest_name);
  if (value == nullptr) return {};
  const auto* bytes = std::get_if<std::vector<std::uint64_t>>(&value->elements);
  const Stripped stripped = strip(value->type);
  if (bytes == nullptr || bytes->size() != 32 || stripped.base->bytes != 1) {
    finds.warning("hdf5-qlua-digest", member, "its .sha256 does not have 32 bytes; the data cannot be verified by it");
    return {};
  }
  std::vector<std::uint32_t> words(8);
  for (std::size_t i = 0; i < bytes->size(); ++i) {
    words[i / 4] = words[i / 4] << 8 | static_cast<std::uint32_t>((*bytes)[i]);
  }
  return words;
}

bool is_of_qlua(const Member& member) { return find(member.attributes, digest_name) != nullptr; }

FoundField field_of(std::string path, std::vector<const Member*> arrays, const FieldSpec& spec,
                    const Numbers& numbers) {
  const Member& first = *arrays.front();
  return {.path = std::move(path),
          .arrays = std::move(arrays),
          .spec = spec,
          .lattice = numbers.lattice(numbers.space_rank),
          .is_x_slowest = is_of_qlua(first),
          .sums = {},
          .metadata = {}};
}

constexpr std::array<std::string_view, 3> of_qlua = {kind_name, digest_name, time_name};

// Datasets 0 to Nd - 1 of the same shape; empty: absent.
std::vector<Member*> directions_of(Folder& folder, FieldCollector& finds) {
  std::vector<Member*> found;
  for (Member& member : folder.members) {
    const bool is_number = base::parse_u64(member.name).has_value();
    if (is_number && !member.is_taken && lattice_kind(member) == color_matrix) found.push_back(&member);
  }
  if (found.size() < 2) return {};
  const Dataset& first = found.front()->data;
  const std::size_t rank = first.extents.size();
  std::vector<Member*> directions;
  for (std::size_t mu = 0; mu < rank; ++mu) {
    const auto named = std::ranges::find(found, fmt::format("{}", mu), [](const Member* m) { return m->name; });
    if (named != found.end()) directions.push_back(*named);
  }
  const auto is_alike = [&](const Member* member) {
    return member->data.extents == first.extents && to_string(member->data.type) == to_string(first.type) &&
           is_of_qlua(*member) == is_of_qlua(*found.front());
  };
  if (directions.size() == rank && std::ranges::all_of(directions, is_alike)) return directions;
  finds.warning("hdf5-half-a-group", *found.front(),
                fmt::format("{} color matrices with numbers for names are not a gauge field: one of 0 to {} is missing "
                            "or has another shape, type or origin",
                            found.size(), rank == 0 ? 0 : rank - 1));
  return {};
}

void find_gauge(Folder& folder, FieldCollector& finds) {
  const std::vector<Member*> directions = directions_of(folder, finds);
  if (directions.empty()) return;
  const auto numbers = numbers_of(directions.front()->data);
  if (!numbers || !numbers->is_complex) return;
  auto site = numbers->behind(numbers->space_rank);
  site.insert(site.begin(), directions.size());
  const auto spec = gauge_site(site, numbers->precision);
  if (!spec) return;
  FoundField field = field_of(folder.path, {directions.begin(), directions.end()}, *spec, *numbers);
  std::vector<std::uint32_t> words;
  bool is_complete = true;
  for (Member* member : directions) {
    member->is_taken = true;
    const auto digest = digest_of(*member, finds);
    is_complete = is_complete && !digest.empty();
    words.insert(words.end(), digest.begin(), digest.end());
  }
  if (is_complete) field.sums.set({{SumKind::sha256, SumOf::arrays}, std::move(words)});
  field.metadata = metadata_of(folder.attributes, of_qlua);
  finds.field(std::move(field));
}

void find_one_of_qlua(Member& member, const std::string& kind, FieldCollector& finds) {
  member.is_taken = true;
  const auto numbers = numbers_of(member.data);
  if (!numbers || numbers->space_rank < 1 || numbers->space_rank > max_dimensions) return;
  const auto spec = spec_of_kind(kind, *numbers);
  if (!spec) {
    finds.warning("hdf5-qlua-kind", member,
                  fmt::format("its type does not match a {}; it is not a field", base::printable(kind)));
    return;
  }
  FoundField field = field_of(member.path, {&member}, *spec, *numbers);
  auto digest = digest_of(member, finds);
  if (!digest.empty()) field.sums.set({{SumKind::sha256, SumOf::field}, std::move(digest)});
  field.metadata = metadata_of(member.attributes, of_qlua);
  finds.field(std::move(field));
}

}  // namespace

void find_qlua(Folder& folder, FieldCollector& finds) {
  find_gauge(folder, finds);
  for (Member& member : folder.members) {
    if (member.is_taken) continue;
    if (const auto kind = lattice_kind(member)) find_one_of_qlua(member, *kind, finds);
  }
}

// The layout of QLUA (module qcd.hdf5): x first, big-endian, a site as one element whose type is named in the root
// group, and for each dataset its kind, its time of writing, and its SHA-256.

namespace {

struct QluaType {
  std::string_view kind;
  std::string_view committed;  // name without precision and number of colors
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
  base::fail(Code::unsupported, {.record = request.name},
             "the layout qlua has no place for \"{}\", a {} field with {} numbers per site and {} spins; the layout "
             "native supports it",
             request.name, lq::name(spec.kind), spec.numbers, spec.spins);
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
    // Always stored: QLUA does not read a file without it, and readers determine the order of the sites by it.
    plan.sums = {{SumKind::sha256, is_gauge ? SumOf::arrays : SumOf::field}};
    return plan;
  }

  void describe(hid_t file, std::span<const Handle> datasets, const FieldDatasets& plan,
                const FieldFacts& facts) const override {
    const QluaType type = type_of(facts.request);
    for (std::size_t k = 0; k < datasets.size(); ++k) {
      const ErrorPlace where{{}, plan.datasets[k].path};
      put_text(datasets[k].get(), ".kind", type.kind, where, TextKind::ascii);
      // QLUA requires it.
      const std::int64_t time = facts.microseconds.value_or(0);
      put_numbers(datasets[k].get(), ".time", H5T_STD_I64BE, H5T_NATIVE_INT64, &time, {}, where);
    }
    const ErrorPlace where{{}, absolute_path(facts.request.name)};
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
  static void put_hash(hid_t dataset, std::span<const std::uint32_t> words, const ErrorPlace& where) {
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
