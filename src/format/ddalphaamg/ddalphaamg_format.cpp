// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// No magic: a file is recognised by its exact size, and by comparing the plaquette with a sample of its links.
// Configurations of DDalphaAMG (docs/formats/ddalphaamg.md).

#include <array>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include <limequat/error.hpp>

#include "base/checked.hpp"
#include "format/flat/flat.hpp"
#include "format/flat/headers.hpp"
#include "format/formats.hpp"
#include "format/openqcd/openqcd_format.hpp"

namespace lq::format::ddalphaamg {
namespace {

constexpr std::string_view format_name = "ddalphaamg";
constexpr std::string_view holds = "one gauge field of SU(3) in four dimensions";
constexpr std::uint64_t header_bytes = 24;
constexpr std::uint64_t link_bytes = 144, site_bytes = 4 * link_bytes;
constexpr std::int64_t most_extent = 1 << 16;
constexpr double colors = 3;  // the stated plaquette is not divided by it

struct HeaderFacts {
  Extents extents;
  ByteOrder order = ByteOrder::little;
  double plaquette = 0;  // of Re Tr U_P / N
  std::vector<Annotation> parts;
};

Payload payload_of(const Extents& extents, ByteOrder order) {
  Payload payload;
  payload.spec = gauge_spec(Precision::double_, 3, 4);
  payload.spec.numbers = site_bytes / 8;
  payload.extents = extents;
  payload.byte_order = order;
  payload.codec.order = flat::link_order({3, 2, 1, 0}, link_bytes / 8);
  return payload;
}

// Header and size, in one byte order.
std::optional<HeaderFacts> look(base::ByteSource& file, ByteOrder order) {
  if (file.size() < header_bytes) return {};
  flat::HeaderReader header(file, order, "formats/ddalphaamg.md 2");
  std::array<std::int64_t, 4> sizes{};
  HeaderFacts seen{Extents::filled(4, 1), order, 0, {}};
  constexpr std::array<std::string_view, 4> names{"extent t", "extent z", "extent y", "extent x"};
  std::uint64_t bytes = site_bytes;
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    sizes[k] = header.integer(names[k]);
    if (sizes[k] < 1 || sizes[k] > most_extent) return {};
    const auto product = base::checked_multiply(bytes, static_cast<std::uint64_t>(sizes[k]));
    if (!product) return {};
    bytes = *product;
    seen.extents[3 - static_cast<int>(k)] = sizes[k];
  }
  if (file.size() - header_bytes != bytes) return {};
  seen.plaquette = header.real("average plaquette, up to 3") / colors;
  if (!(std::abs(seen.plaquette) <= 1.001)) return {};
  seen.parts = header.take();
  return seen;
}

std::optional<HeaderFacts> look(base::ByteSource& file) {
  for (const ByteOrder order : {ByteOrder::little, ByteOrder::big}) {
    if (auto seen = look(file, order)) return seen;
  }
  return {};
}

// openQCD has the same header: the plaquette decides which of them the file is. Links near 1 that are
// uncorrelated, and links at strong coupling, give samples that agree in both orders. Then the average over all links
// decides, which takes some seconds for the largest lattice that is measured.
bool is_rather_openqcd(base::ByteSource& file, const HeaderFacts& seen, flat::LinkAt link_at) {
  constexpr std::uint64_t most_sites = 1 << 17;
  const std::optional<double> distance = openqcd::distance_of_plaquette(file, most_sites);
  if (!distance) return openqcd_format().container->recognise(file) == Likeness::yes;
  const auto all = flat::sample_plaquette(file, seen.extents, 3, seen.order, link_at, most_sites);
  return !all || all->distance_from(seen.plaquette) >= *distance;
}

Likeness likeness_of(base::ByteSource& file) {
  const auto seen = look(file);
  if (!seen) return Likeness::no;
  const Extents& l = seen->extents;
  const auto link_at = [&](const Coord& x, int mu) {
    const auto site = static_cast<std::uint64_t>(x[0] + l[0] * (x[1] + l[1] * (x[2] + l[2] * x[3])));
    return header_bytes + site * site_bytes + static_cast<std::uint64_t>(3 - mu) * link_bytes;
  };
  const auto sample = flat::sample_plaquette(file, l, 3, seen->order, link_at);
  if (!sample) return Likeness::no;
  const bool agrees = sample->agrees_with(seen->plaquette);
  if (!agrees && !sample->is_telling()) return Likeness::no;
  if (is_rather_openqcd(file, *seen, link_at)) return Likeness::no;
  return agrees ? Likeness::yes : Likeness::maybe;
}

class DDalphaAMG final : public flat::FlatFormat {
 public:
  Likeness recognise(base::ByteSource& file) const override { return likeness_of(file); }
  bool is_for(const FieldSpec& spec, const Extents& extents) const override {
    return spec.kind == FieldKind::gauge && spec.colors == 3 && extents.size() == 4;
  }
  Layout plan(const FieldRequest& request) const override;
  Metadata carried(const Metadata&, bool) const override { return {}; }
  Observables observables() const override { return Observables::measured; }
  bool takes_late_observables() const override { return true; }

 private:
  std::string_view name() const override { return format_name; }
  std::string_view data_section() const override { return "formats/ddalphaamg.md 3"; }
  flat::Head read(base::ByteSource& file, const Limits& limits, Findings& findings) const override;
};

flat::Head DDalphaAMG::read(base::ByteSource& file, const Limits&, Findings&) const {
  auto seen = look(file);
  if (!seen) throw Error(Code::malformed, "the header or the size does not match a DDalphaAMG configuration");
  flat::Head head;
  head.payload = payload_of(seen->extents, seen->order);
  head.payload.offset = header_bytes;
  flat::set_length(head.payload);
  head.plaquette = seen->plaquette;
  head.parts = std::move(seen->parts);
  return head;
}

Layout DDalphaAMG::plan(const FieldRequest& request) const {
  flat::require_gauge(request, format_name, holds);
  if (request.spec.colors != 3) flat::refuse(format_name, holds, "not of another group");
  flat::require_held(request, {}, format_name);
  flat::HeaderWriter header(ByteOrder::little);
  header.extents(request.extents, {3, 2, 1, 0});
  const std::uint64_t plaquette_at = header.bytes().size();
  header.real(request.has_late_observables ? 0 : colors * request.plaquette.value());
  Layout layout = flat::layout_of(header.bytes(), payload_of(request.extents, ByteOrder::little));
  if (!request.has_late_observables) return layout;
  layout.tail = [plaquette_at](const Digest& digest) {
    const std::string value = flat::HeaderWriter(ByteOrder::little).real(colors * digest.plaquette.value()).bytes();
    return std::vector<Literal>{flat::literal_at(plaquette_at, value)};
  };
  return layout;
}

}  // namespace

}  // namespace lq::format::ddalphaamg

const lq::format::Format& lq::format::ddalphaamg_format() {
  using namespace ddalphaamg;
  static constexpr std::string_view suffixes[] = {".ddalphaamg"};
  return flat::row_of<DDalphaAMG>(
      {format_name, holds, "four extents and a plaquette, size and links that fit", suffixes});
}
