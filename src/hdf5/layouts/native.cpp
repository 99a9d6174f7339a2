// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Limequat's own layout (docs/formats/hdf5.md 3), found and written.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/checked.hpp"
#include "base/text.hpp"
#include "hdf5/layouts/folder.hpp"
#include "hdf5/layouts/layout_writer.hpp"
#include "hdf5/making/make.hpp"
#include "lattice/site_order.hpp"

namespace lq::hdf5 {

// Limequat's own layout: docs/formats/hdf5.md 3.

namespace {

std::optional<std::string> text_named(const Member& member, std::string_view name) {
  const Value* value = find(member.attributes, name);
  return value != nullptr ? text_of(*value) : std::nullopt;
}

std::optional<FieldSpec> spec_named(std::string_view kind, const Numbers& numbers, std::size_t rank) {
  const auto site = numbers.behind(rank);
  if (kind == name(FieldKind::generic)) return generic_site(site, numbers.is_complex, numbers.precision);
  if (!numbers.is_complex) return {};
  if (kind == name(FieldKind::gauge)) return gauge_site(site, numbers.precision);
  if (kind == name(FieldKind::spinor)) return spinor_site(site, numbers.precision);
  if (kind == name(FieldKind::propagator)) return propagator_site(site, numbers.precision);
  return {};
}

// x, y, z, t as stated; empty: not usable.
std::vector<std::uint64_t> stated_extents(const Member& member) {
  const Value* value = find(member.attributes, native::extents);
  const auto stated = value != nullptr ? integers_of(*value) : std::nullopt;
  std::vector<std::uint64_t> found;
  if (!stated) return found;
  for (const std::int64_t extent : *stated) found.push_back(static_cast<std::uint64_t>(extent));
  return found;
}

std::optional<Checksum> parse_pair(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return {};
  const auto a = base::parse_hex32(text.substr(0, slash)), b = base::parse_hex32(text.substr(slash + 1));
  return a && b ? std::optional(Checksum{*a, *b}) : std::nullopt;
}

// Two numbers for each slice, in any shape; empty if they do not match.
template <class Word>
std::optional<std::vector<Word>> pairs_of(const Member& member, std::string_view name, std::uint64_t slices) {
  const Value* value = find(member.attributes, name);
  if (value == nullptr || value->type.bytes != sizeof(Word)) return {};
  const auto* numbers = std::get_if<std::vector<std::uint64_t>>(&value->elements);
  if (numbers == nullptr || numbers->size() % 2 != 0 || numbers->size() / 2 != slices) return {};
  return std::vector<Word>(numbers->begin(), numbers->end());
}

void take_slices(const Member& member, std::uint64_t slices, FieldCollector& finds, Sums& sums) {
  const bool states_them = find(member.attributes, native::slice_checksums) != nullptr;
  const bool states_weights = find(member.attributes, native::slice_weights) != nullptr;
  const auto pairs = pairs_of<std::uint32_t>(member, native::slice_checksums, slices);
  const auto weights = pairs_of<std::uint64_t>(member, native::slice_weights, slices);
  if ((states_them && !pairs) || (states_weights && !weights)) {
    finds.warning("hdf5-native-slices", member,
                  fmt::format("sums of slices are ignored, because they are not two for each of {} slices", slices));
  }
  if (pairs) sums.set({{SumKind::scidac, SumOf::slices}, *pairs});
  if (!weights) return;
  std::vector<std::uint32_t> words;
  for (const std::uint64_t word : *weights) {
    words.push_back(static_cast<std::uint32_t>(word >> 32));
    words.push_back(static_cast<std::uint32_t>(word));
  }
  sums.set({{SumKind::weighted, SumOf::slices}, std::move(words)});
}

}  // namespace

Sums stated_sums(const Member& member, std::uint64_t slices, FieldCollector& finds) {
  Sums sums;
  take_slices(member, slices, finds, sums);
  const auto text = text_named(member, native::checksum);
  if (!text) return sums;
  const auto pair = parse_pair(*text);
  if (!pair) {
    finds.warning("hdf5-native-checksum", member,
                  fmt::format("\"{}\" is not a checksum such as a2c41090/11193c39", base::printable(*text)));
    return sums;
  }
  sums.set_checksum(*pair);
  const auto total = sums.total_of_slices();
  if (total && *total != *pair) {
    finds.warning("hdf5-native-slices", member,
                  "the checksums of the slices do not combine to the checksum of the field; one of them is damaged");
  }
  return sums;
}

namespace {

// The shape of a site with several axes comes from the dataspace, whatever its text states; with one axis, from the
// text.
Metadata with_site_shape(Metadata metadata, const FieldSpec& spec, const std::vector<std::uint64_t>& site) {
  if (spec.kind != FieldKind::generic || site.size() < 2) return metadata;
  std::erase_if(metadata, [](const auto& one) { return one.first == native::site_shape; });
  metadata.emplace_back(native::site_shape, fmt::format("{}", fmt::join(site, " ")));
  return metadata;
}

void refuse(const Member& member, FieldCollector& finds, const std::string& message) {
  finds.warning("hdf5-native-shape", member, message + "; it is not a field");
}

void find_one(Member& member, FieldCollector& finds) {
  member.is_taken = true;
  const auto version = integer_of(*find(member.attributes, native::marker));
  if (version != 1) {
    return refuse(member, finds,
                  fmt::format("its layout has version {}; 1 is known", version ? fmt::format("{}", *version) : "none"));
  }
  if (member.lacks_attributes) return refuse(member, finds, "not all of its attributes can be read");
  const auto kind_text = text_named(member, native::kind);
  const auto stated = stated_extents(member);
  const auto numbers = numbers_of(member.data);
  if (!kind_text || stated.empty() || !numbers) {
    return refuse(member, finds, "it lacks its kind or extents, or does not hold numbers");
  }
  if (stated.size() > max_dimensions || stated.size() > numbers->space_rank) {
    return refuse(member, finds, fmt::format("it states {} extents", stated.size()));
  }
  auto lattice = numbers->lattice(stated.size());
  if (!std::equal(lattice.rbegin(), lattice.rend(), stated.begin())) {
    return refuse(member, finds, "the extents that it states, x first, differ from its dataspace, t first");
  }
  const auto order = text_named(member, native::site_order);
  if (order && *order != native::site_order_text) {
    return refuse(
        member, finds,
        fmt::format("its sites run in the order \"{}\", not \"{}\"", base::printable(*order), native::site_order_text));
  }
  const auto spec = spec_named(*kind_text, *numbers, stated.size());
  if (!spec) {
    return refuse(member, finds,
                  fmt::format("its shape does not match a site of kind \"{}\"", base::printable(*kind_text)));
  }
  const std::uint64_t slices = lattice.front();
  finds.field({.path = member.path,
               .arrays = {&member},
               .spec = *spec,
               .lattice = std::move(lattice),
               .sums = stated_sums(member, slices, finds),
               .metadata = with_site_shape(metadata_of(member.attributes, native::all), *spec,
                                           numbers->behind(stated.size()))});
}

}  // namespace

void find_native(Folder& folder, FieldCollector& finds) {
  for (Member& member : folder.members) {
    if (!member.is_taken && find(member.attributes, native::marker) != nullptr) find_one(member, finds);
  }
}

// Limequat's own layout (docs/formats/hdf5.md): plain arrays of numbers, t first, with all known facts as attributes,
// so that readers need not guess.

namespace {

std::string dimension_name(int d) {
  constexpr std::array names{"x", "y", "z", "t"};
  return d < 4 ? names[static_cast<std::size_t>(d)] : fmt::format("x{}", d + 1);
}

// The axes of a generic site as stated by its text, slowest first; a single one if the text does not match, none for
// one element.
std::vector<Dimension> generic_dimensions(const format::FieldRequest& request) {
  const FieldSpec& spec = request.spec;
  const std::uint64_t elements = spec.is_complex ? spec.numbers / 2 : spec.numbers;
  const auto stated = std::ranges::find(request.metadata, native::site_shape, &Metadata::value_type::first);
  const auto words =
      base::split_words(stated != request.metadata.end() ? std::string_view(stated->second) : std::string_view());
  std::vector<Dimension> axes;
  std::optional<std::uint64_t> product = 1;
  for (const std::string_view word : words) {
    const std::uint64_t extent = base::parse_u64(word).value_or(0);
    axes.push_back({fmt::format("component{}", axes.size() + 1), extent});
    if (product) product = base::checked_multiply(*product, extent);
  }
  const std::size_t most = H5S_MAX_RANK - static_cast<std::size_t>(request.extents.size());
  if (axes.size() > 1 && axes.size() <= most && product == elements) return axes;
  if (elements == 1) return {};
  return {{"component", elements}};
}

// The dimensions of one site, slowest first.
std::vector<Dimension> site_dimensions(const format::FieldRequest& request) {
  const FieldSpec& spec = request.spec;
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
  return generic_dimensions(request);
}

std::vector<Dimension> all_dimensions(const format::FieldRequest& request) {
  const Extents& extents = request.extents;
  std::vector<Dimension> all;
  for (int d = extents.size(); d-- > 0;) all.push_back({dimension_name(d), static_cast<hsize_t>(extents[d])});
  for (Dimension& one : site_dimensions(request)) all.push_back(std::move(one));
  return all;
}

class NativeWriter final : public LayoutWriter {
 public:
  std::string_view name() const noexcept override { return "native"; }

  FieldDatasets datasets(const format::FieldRequest& request) const override {
    FieldDatasets plan;
    plan.order = lattice::resolve_order({}, request.extents.size());
    DatasetPlan dataset{.path = absolute_path(request.name), .extents = {}, .element = {}};
    for (const Dimension& one : all_dimensions(request)) dataset.extents.push_back(one.extent);
    dataset.element = {request.spec.precision, ByteOrder::little, request.spec.is_complex};
    plan.datasets.push_back(std::move(dataset));
    plan.sums = scidac_sums(request);
    return plan;
  }

  void describe(hid_t file, std::span<const Handle> datasets, const FieldDatasets& plan,
                const FieldFacts& facts) const override {
    const format::FieldRequest& request = facts.request;
    const hid_t dataset = datasets.front().get();
    const ErrorPlace where{{}, plan.datasets.front().path};
    put_integer(dataset, native::marker, native::version, where);
    put_field(dataset, request, where);
    put_metadata(dataset, request.metadata, where);
    put_origin(dataset, facts, where);
    attach_scales(file, dataset, all_dimensions(request), where);
    const Handle root = make_group(file, "/", where);
    put_text(root.get(), native::file_marker, native::file_marker_text, where);
  }

  void put_sums(std::span<const Handle> datasets, const FieldDatasets& plan, const FieldFacts& facts) const override {
    put_scidac_sums(datasets.front().get(), facts, {{}, plan.datasets.front().path});
  }

 private:
  static void put_field(hid_t dataset, const format::FieldRequest& request, const ErrorPlace& where) {
    const FieldSpec& spec = request.spec;
    put_text(dataset, native::kind, lq::name(spec.kind), where);
    std::string names;
    for (const Dimension& one : all_dimensions(request)) {
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
