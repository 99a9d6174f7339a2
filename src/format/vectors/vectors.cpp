// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/vectors/vectors.hpp"

#include <algorithm>
#include <span>
#include <string>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/xml.hpp"
#include "format/eigen_comp/eigen_comp_format.hpp"
#include "format/modes/set.hpp"
#include "format/scidac/program_texts.hpp"
#include "format/scidac/records.hpp"

namespace lq::format::vectors {
namespace {

using lq::modes::Description;
using lq::modes::Mode;
using lq::modes::Parity;
using lq::modes::Storage;
using lq::modes::Unsaid;

std::string_view text_of(const FieldEntry& field, std::string_view name) {
  const auto found = std::ranges::find(field.metadata, name, [](const auto& text) { return text.first; });
  return found == field.metadata.end() ? std::string_view() : std::string_view(found->second);
}

std::string_view fact(const FieldEntry& field, std::string_view key) {
  return scidac::fact_of(field.metadata, scidac::type::record_xml, key);
}

std::optional<double> number(std::string_view text) { return base::parse_double(base::trim(text)); }

[[noreturn]] void refuse(Code code, const Catalog& catalog, const std::string& sentence) {
  base::fail(code, {.path = catalog.path}, "{}", sentence);
}

Storage storage_of(const Payload& payload) {
  return payload.spec.precision == Precision::single ? Storage::single : Storage::double_;
}

// Spinors of three colours if the number of numbers fits.
FieldSpec site_of(std::uint64_t numbers, Precision precision) {
  FieldSpec spec = numbers == 24 || numbers == 6 ? spinor_spec(precision, 3, numbers == 24 ? 4 : 1)
                                                 : generic_spec(precision, numbers, numbers % 2 == 0);
  spec.numbers = numbers;
  spec.precision = Precision::double_;  // the file's precision is its storage
  return spec;
}

Parity parity_of(bool is_odd) noexcept { return is_odd ? Parity::odd : Parity::even; }

// One record with all vectors, and all s of each.
VectorSet of_quda(const Catalog& catalog, const Unsaid& unsaid) {
  const FieldEntry& field = catalog.fields.front();
  const Payload& payload = field.payload;
  const auto text = scidac::quda_text_of(text_of(field, scidac::type::record_xml));
  if (!text || payload.spec.numbers % text->numbers() != 0) {
    refuse(Code::malformed, catalog,
           fmt::format("{} numbers of a site do not match vectors with {} colors and {} spins", payload.spec.numbers,
                       base::printable(fact(field, "nColor")), base::printable(fact(field, "nSpin"))));
  }
  const std::uint64_t numbers = text->numbers();
  if (catalog.fields.size() != 1) {
    refuse(Code::unsupported, catalog, "QUDA's vectors are one record; this file has several");
  }
  const std::uint64_t in_four = payload.spec.numbers / numbers;
  const auto ls = static_cast<std::uint64_t>(std::max<std::int64_t>(unsaid.ls, 1));
  if (in_four % ls != 0) {
    refuse(Code::invalid_argument, catalog,
           fmt::format("{} fields in four dimensions are not vectors with Ls {}; give another Ls (ls, `lq`: --ls)",
                       in_four, ls));
  }
  VectorSet set;
  set.family = Family::quda;
  set.has_eigenvalues = false;
  set.per_field = in_four / ls;
  set.modes.resize(static_cast<std::size_t>(set.per_field));
  Description& known = set.description;
  known.lattice = payload.extents;
  known.ls = static_cast<std::int64_t>(ls);
  known.storage = storage_of(payload);
  known.site = text->colors >= 2
                   ? spinor_spec(Precision::double_, static_cast<int>(text->colors), static_cast<int>(text->spins))
                   : generic_spec(Precision::double_, numbers, true);
  known.site.numbers = numbers;
  const auto subset = scidac::subset_of(catalog.metadata, field.metadata);
  if (subset && subset->halved) {
    known.lattice[0] *= 2;
    known.parity = parity_of(subset->is_odd);
  }
  return set;
}

VectorSet of_milc(const Catalog& catalog) {
  const Payload& payload = catalog.fields.front().payload;
  VectorSet set;
  set.family = Family::milc;
  for (const FieldEntry& field : catalog.fields) {
    set.modes.push_back({number(fact(field, "eigVal")).value_or(0.0), number(fact(field, "resid"))});
    set.has_eigenvalues = set.has_eigenvalues && number(fact(field, "eigVal"));
  }
  Description& known = set.description;
  known.lattice = payload.extents;
  known.site = site_of(payload.spec.numbers, payload.spec.precision);
  known.storage = storage_of(payload);
  const auto subset = scidac::subset_of(catalog.metadata, {});
  if (!subset) return set;
  // formats/vectors.md 3.2: the map is one to one only for such extents.
  if (payload.extents.size() != 4 || payload.extents[3] % 2 != 0 || payload.extents[0] % 2 != 0) {
    refuse(Code::unsupported, catalog,
           fmt::format("even sites packed into {}: the order of sites is defined for even extents only",
                       to_string(payload.extents)));
  }
  known.lattice[3] *= 2;
  known.parity = Parity::even;
  set.arrangement = Arrangement::packed_in_time;
  return set;
}

Parity parity_of_grid(const Catalog& catalog, const Extents& extents, const Unsaid& unsaid) {
  const std::string_view text = text_of(catalog.fields.front(), scidac::type::grid_format);
  if (scidac::decode_grid_lattice(text) == extents) return Parity::both;
  if (!unsaid.parity || *unsaid.parity == Parity::both) {
    refuse(Code::invalid_argument, catalog,
           "its vectors are on the sites of one parity, and the file does not state which; give even or odd (parity, "
           "`lq`: --parity)");
  }
  return *unsaid.parity;
}

VectorSet of_grid(const Catalog& catalog, const Unsaid& unsaid) {
  const Payload& payload = catalog.fields.front().payload;
  VectorSet set;
  set.family = Family::grid;
  for (const FieldEntry& field : catalog.fields) {
    const auto value = number(fact(field, "eval"));
    set.modes.push_back({value.value_or(0.0), {}});
    set.has_eigenvalues = set.has_eigenvalues && value;
  }
  Description& known = set.description;
  known.site = site_of(payload.spec.numbers, payload.spec.precision);
  known.storage = storage_of(payload);
  known.parity = parity_of_grid(catalog, payload.extents, unsaid);
  known.lattice = payload.extents;
  if (payload.extents.size() == 5) {
    set.arrangement = Arrangement::fifth_first;
    known.ls = payload.extents[0];
    known.lattice = Extents(std::span(payload.extents.begin() + 1, 4));
  }
  if (known.parity != Parity::both) known.lattice[0] *= 2;
  return set;
}

// Numbers of all time slices that represent one vector; empty: the text has none.
std::vector<std::string> weights_in(std::string_view text) {
  constexpr base::xml::Limits limits{.bytes = 16 << 20, .depth = 16, .elements = 200'000};
  const base::xml::Element root = base::xml::parse(text, limits);
  std::vector<std::string> weights;
  const base::xml::Element* const all = root.child("Weights");
  if (!all) return weights;
  for (const base::xml::Element& one : all->children) {
    weights.emplace_back(one.text_of("weights").value_or(one.text));
  }
  return weights;
}

// The number that all words equal; empty: they differ, or are not numbers.
std::optional<double> same_number(std::string_view text) {
  std::optional<double> same;
  for (const std::string_view word : base::split_words(text)) {
    const auto value = number(word);
    if (!value || (same && *same != *value)) return {};
    same = value;
  }
  return same;
}

VectorSet of_mod(const Catalog& catalog) {
  const Payload& payload = catalog.fields.front().payload;
  VectorSet set;
  set.family = Family::mod;
  const std::vector<std::string> weights = weights_in(catalog.metadata.front().second);
  set.has_eigenvalues = weights.size() >= catalog.fields.size();
  for (std::size_t k = 0; k < catalog.fields.size(); ++k) {
    const auto value = set.has_eigenvalues ? same_number(weights[k]) : std::nullopt;
    set.has_eigenvalues = set.has_eigenvalues && value;
    set.modes.push_back({value.value_or(0.0), {}});
  }
  if (!set.has_eigenvalues) {
    for (lq::modes::Mode& mode : set.modes) mode.eigenvalue = 0;
  }
  Description& known = set.description;
  known.lattice = payload.extents;
  known.site = site_of(payload.spec.numbers, payload.spec.precision);
  known.storage = storage_of(payload);
  if (!set.has_eigenvalues && !weights.empty()) {
    std::string all;
    for (const std::string& one : weights) {
      all += fmt::format("{}{}", all.empty() ? "" : "; ", fmt::join(base::split_words(one), " "));
    }
    known.parameters.push_back({std::string(slice_weights), std::move(all)});
  }
  return set;
}

Extents lattice_of(const Catalog& catalog, const eigen_comp::Metadata& found, const Unsaid& unsaid) {
  const auto lattice = found.lattice ? found.lattice : unsaid.lattice;
  if (!lattice) {
    refuse(Code::invalid_argument, catalog,
           fmt::format("{} files of {} each, and the lattice is not stated; give it (options.lattice)", found.files(),
                       to_string(found.node)));
  }
  std::uint64_t files = lattice->size() == 4 ? 1 : 0;
  for (int d = 0; d < 4 && files > 0; ++d) {
    const std::int64_t count = (*lattice)[d] / found.node[d];
    files = (*lattice)[d] % found.node[d] == 0 && count > 0 ? files * static_cast<std::uint64_t>(count) : 0;
  }
  if (files == found.files()) return *lattice;
  refuse(Code::invalid_argument, catalog,
         fmt::format("{} files of {} each do not fill the lattice {}", found.files(), to_string(found.node),
                     to_string(*lattice)));
}

VectorSet of_eigen_comp(const Catalog& catalog, const Unsaid& unsaid) {
  catalog.require_sound();
  const eigen_comp::Metadata found = eigen_comp::decode(catalog.metadata.front().second);
  VectorSet set;
  set.family = Family::eigen_comp;
  set.arrangement = Arrangement::compressed;
  set.modes.resize(static_cast<std::size_t>(found.vectors));
  const auto values =
      std::ranges::find(catalog.metadata, eigen_comp::eigenvalues_name, [](const auto& text) { return text.first; });
  set.has_eigenvalues = values != catalog.metadata.end();
  if (set.has_eigenvalues) {
    const std::vector<double> all = eigen_comp::decode_eigenvalues(values->second);
    for (std::size_t k = 0; k < set.modes.size(); ++k) set.modes[k].eigenvalue = all.at(k);
  }
  Description& known = set.description;
  known.lattice = lattice_of(catalog, found, unsaid);
  known.site = spinor_spec(Precision::double_, 3, 4);
  known.site.numbers = eigen_comp::site_numbers;
  known.storage = Storage::single;
  known.ls = static_cast<std::int64_t>(found.ls);
  known.parity = Parity::odd;
  return set;
}

void require_equal_fields(const Catalog& catalog) {
  const Payload& first = catalog.fields.front().payload;
  for (const FieldEntry& field : catalog.fields) {
    const Payload& payload = field.payload;
    if (payload.extents == first.extents && payload.spec == first.spec && payload.stored == whole(first.extents))
      continue;
    refuse(Code::malformed, catalog,
           "its fields are not a set of vectors: they differ in lattice, precision or numbers");
  }
}

bool is_of_quda(const Catalog& catalog) {
  return text_of(catalog.fields.front(), scidac::type::record_xml).find("ColorSpinorField>") != std::string_view::npos;
}

bool is_of_milc(const Catalog& catalog) {
  return scidac::fact_of(catalog.metadata, scidac::type::file_xml, "title") == "KS eigenvalues and vectors";
}

bool is_of_grid(const Catalog& catalog) {
  return std::ranges::all_of(catalog.fields, [](const FieldEntry& field) {
    return !text_of(field, scidac::type::grid_format).empty() && field.payload.spec.kind != FieldKind::gauge;
  });
}

std::optional<VectorSet> recognised(const Catalog& catalog, const Unsaid& unsaid) {
  if (catalog.format == "mod") return of_mod(catalog);
  if (is_of_quda(catalog)) return of_quda(catalog, unsaid);
  if (is_of_milc(catalog)) return of_milc(catalog);
  if (is_of_grid(catalog)) return of_grid(catalog, unsaid);
  return {};
}

}  // namespace

std::string_view name(Family family) noexcept {
  switch (family) {
    case Family::quda:
      return "quda";
    case Family::milc:
      return "milc";
    case Family::grid:
      return "grid";
    case Family::mod:
      return "mod";
    case Family::eigen_comp:
      break;
  }
  return eigen_comp::eigen_comp_name;
}

std::optional<VectorSet> set_in(const Catalog& catalog, const Unsaid& unsaid) {
  const bool is_compressed = catalog.format == eigen_comp::eigen_comp_name;
  if (catalog.fields.empty() && !is_compressed) return {};
  std::optional<VectorSet> set = is_compressed ? of_eigen_comp(catalog, unsaid) : recognised(catalog, unsaid);
  if (!set) return {};
  if (!is_compressed) require_equal_fields(catalog);
  if (!set->has_eigenvalues)
    set->description.parameters.push_back({std::string(unknown_eigenvalues), std::string("not known")});
  format::modes::check(set->description);
  return set;
}

std::vector<double> eigenvalues_in(std::string_view document) {
  const base::xml::Element root = base::xml::parse(document);
  const base::xml::Element* const list = root.child("evals");
  if (!list) throw Error(Code::malformed, "there is no <evals>", {.expected = "<evals>"});
  std::vector<double> values;
  for (const base::xml::Element& element : list->children) {
    const auto value = number(element.text);
    if (!value) {
      base::fail(Code::malformed, {.expected = "a number", .found = base::printable(element.text)},
                 "\"{}\" is not an eigenvalue", base::printable(element.text));
    }
    values.push_back(*value);
  }
  return values;
}

void add_eigenvalues(VectorSet& set, const std::vector<double>& eigenvalues) {
  if (set.has_eigenvalues || set.family != Family::grid) return;
  if (eigenvalues.size() != set.modes.size()) {
    base::fail(Code::invalid_argument, {}, "{} eigenvalues, but {} vectors", eigenvalues.size(), set.modes.size());
  }
  for (std::size_t k = 0; k < eigenvalues.size(); ++k) set.modes[k].eigenvalue = eigenvalues[k];
  set.has_eigenvalues = true;
  std::erase_if(set.description.parameters,
                [](const auto& parameter) { return parameter.name == unknown_eigenvalues; });
}

FieldEntry entry_of(const Description& description) {
  FieldEntry entry;
  entry.name = "mode";
  entry.payload.spec = description.field();
  entry.payload.spec.precision = description.storage == Storage::double_ ? Precision::double_ : Precision::single;
  entry.payload.extents = description.sites();
  entry.payload.stored = whole(entry.payload.extents);
  return entry;
}

Coord place_of(const Coord& x, std::int64_t s, const VectorSet& set) noexcept {
  if (set.arrangement == Arrangement::fifth_first) {
    Coord place = Coord::filled(5, s);
    for (int d = 0; d < 4; ++d) place[d + 1] = x[d];
    return place;
  }
  if (set.arrangement == Arrangement::as_it_is) return x;
  // formats/vectors.md 3.2: h of an even site; sites of the later half of the times are at the odd places before
  // them.
  const Extents& lattice = set.description.lattice;
  const std::int64_t half = lattice[3] / 2;
  Coord place = x;
  place[0] = 2 * x[0] + (x[1] + x[2] + x[3]) % 2;
  if (x[3] < half) return place;
  place[0] = (place[0] + lattice[0] - 1) % lattice[0];
  place[3] -= half;
  return place;
}

}  // namespace lq::format::vectors
