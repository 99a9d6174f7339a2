// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/nature.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <numeric>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "base/text.hpp"
#include "base/text_facts.hpp"
#include "comm/agree.hpp"
#include "io/damage.hpp"
#include "io/judgement.hpp"
#include "io/payload_files.hpp"
#include "lattice/site_order.hpp"
#include "physics/link_checks.hpp"
#include "physics/plaquettes.hpp"

namespace lq::io {
namespace {

constexpr std::uint64_t few_sites = 16384;  // up to this many are all measured

// Of a large lattice, parts spread evenly over it.
constexpr std::int64_t box_length = 8, box_width = 2;  // along x, and in other dimensions
constexpr std::uint64_t least_boxes = 4, most_boxes = 16;
constexpr std::uint64_t bytes_for_a_box = 8 * base::mebi;

std::vector<Box> sample_boxes(const Payload& payload) {
  const Extents& all = payload.extents;
  Box box = whole(all);
  for (int d = 0; d < all.size(); ++d) box.extents[d] = std::min(all[d], d == 0 ? box_length : box_width);
  const std::uint64_t boxes = std::clamp(payload.length / bytes_for_a_box, least_boxes, most_boxes);
  const SiteOrder order = lattice::resolve_order({}, all.size());
  std::vector<Box> chosen;
  for (std::uint64_t k = 0; k < boxes; ++k) {
    box.lower = lattice::site_at((2 * k + 1) * volume(all) / (2 * boxes), whole(all), order);
    for (int d = 0; d < all.size(); ++d) box.lower[d] = std::min(box.lower[d], all[d] - box.extents[d]);
    chosen.push_back(box);
  }
  return chosen;
}

// The mean of the parts, and its uncertainty from their scatter.
Estimate sample(base::ByteSource& sites, const Payload& payload) {
  std::vector<double> means;
  const auto planes = static_cast<double>(payload.extents.size() * (payload.extents.size() - 1) / 2);
  for (const Box& box : sample_boxes(payload)) {
    means.push_back(plaquette_sum(sites, payload, box) / (static_cast<double>(box.volume()) * planes));
  }
  const auto count = static_cast<double>(means.size());
  const double mean = std::accumulate(means.begin(), means.end(), 0.0) / count;
  double squares = 0;
  for (const double one : means) squares += (one - mean) * (one - mean);
  constexpr double deviations = 10;  // large, because a few parts give only a rough estimate of the spread
  return {{mean, {}}, deviations * std::sqrt(squares / (count * (count - 1)))};
}

// For sums in double precision over links in double precision.
constexpr double least_tolerance = 1e-11;

// True if the values differ by more than tolerance_of() allows, unless a checksum proves the data.
bool differs(const FieldEntry& entry, const std::optional<double>& stated, const std::optional<double>& measured,
             double uncertainty) {
  if (!stated || !measured) return false;
  const bool is_exact = uncertainty == 0 && !has_exact_sum(entry);
  const double tolerance = is_exact ? tolerance_of(*stated, entry.payload.spec.precision)
                                    : largest_tolerance * std::max(1.0, std::abs(*stated));
  return !(std::abs(*stated - *measured) <= uncertainty + tolerance);
}

class Description {
 public:
  Description(const Catalog& catalog, const FieldEntry& entry)
      : payload_(entry.payload),
        name_(fmt::format("{}: \"{}\"", catalog.path, base::printable(entry.name))),
        of_sites_(of_sites(entry.payload)) {}

  std::string operator()(const std::string& what) const { return fmt::format("{}: {}", name_, what); }
  std::string at(const engine::OddNumbers::Sites& sites, const std::string& what) const {
    return (*this)(fmt::format("{}, the first of them at byte {}{}", what, sites.first_offset, of_sites_));
  }
  std::string group() const { return fmt::format("SU({})", payload_.spec.colors); }
  std::string zeros(const ZeroRegion& zeros) const {
    return (*this)(fmt::format("{} sites between bytes {} and {}{} contain only zeros, as after lost writes",
                               zeros.sites, zeros.first_offset, zeros.last_offset, of_sites_));
  }

 private:
  const Payload& payload_;
  std::string name_;
  std::string_view of_sites_;
};

// Where the zero links are.
enum class Zeros { none, open_boundary, whole_borders, elsewhere };

Zeros place_of_zeros(const engine::OddNumbers& numbers, const Box& moved) {
  const physics::ZeroLinks zeros{numbers.zero_links.count, numbers.zero_at_border[0], numbers.zero_at_border[1]};
  if (zeros.all == 0) return Zeros::none;
  if (!zeros.fill_boundaries(moved.extents)) return Zeros::elsewhere;
  return zeros.leave_last_slice(moved.extents) ? Zeros::open_boundary : Zeros::whole_borders;
}

void judge_zeros(const Description& describe, const FieldEntry& entry, const Box& moved,
                 const engine::TransferStats& stats, const std::optional<Estimate>& measured, Nature& nature) {
  const engine::OddNumbers& numbers = stats.numbers->found;
  const Zeros place = place_of_zeros(numbers, moved);
  if (place == Zeros::none || place == Zeros::open_boundary) {
    if (stats.zeros.sites > 0) nature.damage.push_back(describe.zeros(stats.zeros));
    return;
  }
  if (place == Zeros::whole_borders && has_exact_sum(entry)) return;
  if (place == Zeros::whole_borders && entry.plaquette) {
    // The Schroedinger functional has such boundaries; so has a file whose last slice was never written.
    if (!measured) {
      nature.remarks.push_back(
          describe.at(numbers.zero_links, fmt::format("all {} links of a boundary in time are zero: the Schroedinger "
                                                      "functional, or lost writes; `lq verify` shows which",
                                                      numbers.zero_links.count)));
      return;
    }
    if (!differs(entry, entry.plaquette, measured->value.plaquette, measured->uncertainty)) return;
  }
  nature.damage.push_back(
      stats.zeros.sites > 0
          ? describe.zeros(stats.zeros)
          : describe.at(numbers.zero_links, fmt::format("{} links are zero", numbers.zero_links.count)));
}

// Links that a checksum proves may be of another kind, or have lost their last digits before they were written.
void judge_links(const Description& describe, const engine::OddNumbers& numbers, bool is_proven, Nature& nature) {
  const double most_odd = most_damaged_links * static_cast<double>(numbers.seen);
  const bool is_other_kind = static_cast<double>(numbers.off.count) > most_odd;
  if (numbers.huge.count > 0 && !(is_proven && is_other_kind)) {
    nature.damage.push_back(describe.at(
        numbers.huge, fmt::format("{} sites have numbers beyond 1e10, which links never have: damage, or the numbers "
                                  "are not stored as the header states; `lq diagnose` shows which",
                                  numbers.huge.count)));
  }
  if (!is_proven && numbers.off.count == 0 && numbers.slightly_off.count > 0 &&
      static_cast<double>(numbers.slightly_off.count) <= most_odd) {
    nature.damage.push_back(describe.at(
        numbers.slightly_off, fmt::format("{} of {} sites have links in double precision that are off {} by more than "
                                          "rounding: numbers may have changed in their last digits",
                                          numbers.slightly_off.count, numbers.seen, describe.group())));
  }
  if (numbers.off.count == 0) return;
  const std::string what =
      fmt::format("{} of {} sites have links off {}", numbers.off.count, numbers.seen, describe.group());
  if (!is_other_kind) {
    nature.damage.push_back(describe.at(numbers.off, what));
  } else if (is_proven || numbers.huge.count == 0) {
    nature.remarks.push_back(describe(
        what +
        ": smeared or rescaled links, or the numbers are not stored as the header states; `lq diagnose` shows which"));
  }
}

}  // namespace

bool may_be_boundary(const engine::TransferStats& stats, const Box& moved) {
  return stats.numbers && place_of_zeros(stats.numbers->found, moved) == Zeros::whole_borders;
}

double tolerance_of(double stated, Precision precision) {
  if (precision == Precision::single) return largest_tolerance;
  const std::string text = fmt::format("{}", stated);  // the fewest digits that represent this number
  const std::size_t point = text.find('.'), exponent = text.find('e');
  const std::size_t end = std::min(exponent, text.size());
  int decimals = point < end ? static_cast<int>(end - point) - 1 : 0;
  if (exponent != std::string::npos) decimals -= std::stoi(text.substr(exponent + 1));
  return std::clamp(std::pow(10.0, -decimals), least_tolerance, largest_tolerance);
}

std::optional<Estimate> estimate(ScannedFile& file, const FieldEntry& entry, bool whole,
                                 const Communicator& communicator) {
  const Payload& payload = entry.payload;
  const bool is_u1 = physics::can_be_u1(payload.spec, payload.extents);
  const bool has_all = payload.stored == lq::whole(payload.extents);
  if (!entry.plaquette || !has_all || (!is_u1 && !can_be_measured(payload.spec, payload.extents))) return {};
  if (is_u1 || whole || volume(payload.extents) <= few_sites) {
    return Estimate{observe(file, entry, communicator, format::Observables::measured)};
  }
  comm::Comm& comm = communicator.engine();
  std::array<double, 2> numbers{};
  comm::agree_at_root(comm, [&] {
    const PayloadFiles files(file.files(), file.catalog(), payload);
    const Estimate found = sample(files.sequence(), payload);
    numbers = {*found.value.plaquette, found.uncertainty};
  });
  comm.broadcast(std::as_writable_bytes(std::span(numbers)), 0);
  return Estimate{{numbers[0], {}}, numbers[1]};
}

std::string text_of(const physics::Joints::Broken& broken, const Extents& extents) {
  constexpr std::string_view names = "xyzt";
  const auto direction = static_cast<std::size_t>(broken.direction);
  return fmt::format(
      "plaquettes between {} = {} and the next sites average to {:.3g}, elsewhere to {:.3g} ({} such place{}): slices, "
      "sites or links are exchanged or belong to another configuration, or boundaries are not periodic",
      extents.size() == 4 ? std::string(names.substr(direction, 1)) : fmt::format("x[{}]", direction), broken.below,
      broken.plaquette, broken.usual, broken.places, broken.places == 1 ? "" : "s");
}

std::optional<physics::Joints::Broken> broken_joint(ScannedFile& file, const FieldEntry& entry,
                                                    const engine::TransferStats& stats,
                                                    const Communicator& communicator) {
  const Payload& payload = entry.payload;
  const bool is_whole = payload.stored == whole(payload.extents);
  const bool is_vouched_for = entry.plaquette || has_exact_sum(entry);
  if (is_vouched_for || !is_whole || !can_be_measured(payload.spec, payload.extents)) return {};
  if (volume(payload.extents) > few_sites || !stats.numbers) return {};
  if (stats.numbers->found.zero_links.count > 0 || stats.numbers->found.off.count > 0) return {};
  comm::Comm& comm = communicator.engine();
  physics::Joints::Broken found;
  comm::agree_at_root(comm, [&] {
    const PayloadFiles files(file.files(), file.catalog(), payload);
    const std::vector<double> links = read_box(files.sequence(), payload, payload.stored);
    const physics::Joints joints = physics::sum_joints(payload.extents, payload.spec.colors, links);
    found = joints.broken(payload.spec.colors).value_or(found);
  });
  comm.broadcast(std::as_writable_bytes(std::span(&found, 1)), 0);
  return found.places > 0 ? std::optional(found) : std::nullopt;
}

Nature nature_of(const Catalog& catalog, const FieldEntry& entry, const Box& moved, const engine::TransferStats& stats,
                 const std::optional<Estimate>& measured, const std::optional<physics::Joints::Broken>& broken) {
  Nature nature;
  const Description describe(catalog, entry);
  if (stats.numbers) {
    const engine::OddNumbers& numbers = stats.numbers->found;
    const bool is_proven = has_exact_sum(entry);
    if (numbers.not_finite.count > 0) {
      // Links are never written so on purpose.
      (is_proven && entry.payload.spec.kind != FieldKind::gauge ? nature.remarks : nature.damage)
          .push_back(describe.at(numbers.not_finite, fmt::format("{} sites have numbers that are NaN or infinite",
                                                                 numbers.not_finite.count)));
    }
    judge_zeros(describe, entry, moved, stats, measured, nature);
    judge_links(describe, numbers, is_proven, nature);
  }
  if (broken) nature.damage.push_back(describe(text_of(*broken, entry.payload.extents)));
  // Zeros and NaN explain the difference. Of numbers that are no links in SU(N), a checksum proves all that they are.
  if (!measured || !nature.damage.empty()) return nature;
  const bool are_other_numbers = has_exact_sum(entry) && stats.numbers &&
                                 static_cast<double>(stats.numbers->found.off.count) >
                                     most_damaged_links * static_cast<double>(stats.numbers->found.seen);
  std::ranges::move(wrong_statements(catalog, entry, *measured),
                    std::back_inserter(are_other_numbers ? nature.remarks : nature.damage));
  return nature;
}

std::vector<std::string> wrong_statements(const Catalog& catalog, const FieldEntry& entry, const Estimate& measured) {
  std::vector<std::string> wrong;
  const Description describe(catalog, entry);
  const auto compare = [&](std::string_view what, const std::optional<double>& stated,
                           const std::optional<double>& found, double uncertainty) {
    if (!differs(entry, stated, found, uncertainty)) return;
    const std::string about =
        uncertainty > 0 ? fmt::format("about {:.4g}, estimated from a sample", *found) : fmt::format("{:.12g}", *found);
    wrong.push_back(describe(fmt::format("the {} of the links is {}, the file states {:.12g}", what, about, *stated)));
  };
  compare("plaquette", entry.plaquette, measured.value.plaquette, measured.uncertainty);
  compare("link trace", entry.link_trace, measured.value.link_trace, 0);
  return wrong;
}

void require_undamaged(const Catalog& catalog, const FieldEntry& entry, const std::vector<std::string>& damage,
                       bool accept_damage) {
  if (damage.empty() || accept_damage) return;
  std::string what = damage.front();
  for (std::size_t k = 1; k < damage.size(); ++k) what += "; " + damage[k];
  throw Error(Code::checksum_mismatch,
              what +
                  ". The new file would have valid checksums over the damage: use a good copy, or override "
                  "(options.accept_damage = true)",
              {.path = catalog.path, .record = entry.name, .offset = entry.payload.offset});
}

namespace {

using Names = std::span<const std::string_view>;

// Spelt without case, spaces and punctuation. Short names with other meanings, such as t0 and Q, are excluded.
constexpr std::string_view polyakov_names[] = {"polyakovloop", "polyakov", "ploop", "polyakovlinetrace"};
constexpr std::string_view charge_names[] = {"topologicalcharge", "topcharge", "qtop"};
constexpr std::string_view t0_names[] = {"flowt0", "t0overa2", "t0a2", "wilsonflowt0", "gradientflowt0"};
constexpr std::string_view w0_names[] = {"floww0", "w0overa", "w0a", "wilsonfloww0", "gradientfloww0"};
constexpr std::string_view anisotropy_names[] = {
    "anisotropy", "xi", "xi0", "baregaugeanisotropy", "bareanisotropy", "anisotropyfactor", "xig", "xir"};

std::string bare_name(std::string_view name) {
  std::string bare;
  for (const char c : name) {
    if (c >= 'A' && c <= 'Z') bare += static_cast<char>(c - 'A' + 'a');
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) bare += c;
  }
  return bare;
}

const base::Property* find_property(const std::vector<base::Property>& properties, Names names) {
  const auto is_named = [&](const base::Property& property) {
    return std::ranges::find(names, bare_name(property.key)) != names.end();
  };
  const auto found = std::ranges::find_if(properties, is_named);
  return found == properties.end() ? nullptr : &*found;
}

// "0.1", "(0.1, 0.2)", "0.1 0.2": one or two numbers; empty if the text contains anything else.
std::vector<double> numbers_in(std::string_view text) {
  std::vector<double> numbers;
  constexpr std::string_view separators = " \t,;()";
  while (true) {
    const std::size_t begin = text.find_first_not_of(separators);
    if (begin == std::string_view::npos) return numbers;
    text.remove_prefix(begin);
    const std::size_t end = std::min(text.find_first_of(separators), text.size());
    const auto number = base::parse_double(text.substr(0, end));
    if (!number || !std::isfinite(*number) || numbers.size() == 2) return {};
    numbers.push_back(*number);
    text.remove_prefix(end);
  }
}

std::string shown(const base::Property& property) {
  return fmt::format("{} = {}", base::printable(property.key), base::printable(property.value));
}

// The sum over colours instead of their average, or the reverse.
std::string normalisation(double stated, double measured, int colors, double tolerance) {
  for (const double factor : {static_cast<double>(colors), 1.0 / colors}) {
    if (std::abs(measured) > 10 * tolerance && std::abs(stated - factor * measured) <= factor * tolerance) {
      return "in another normalisation";
    }
  }
  return {};
}

ComparedObservable compare_polyakov(const base::Property& property, std::span<const double> stated,
                                    const std::complex<double>& measured, const FieldSpec& spec) {
  const double tolerance = tolerance_of(stated.front(), spec.precision);
  ComparedObservable result{"Polyakov loop", shown(property),
                            fmt::format("{:.12g} {:+.12g} i", measured.real(), measured.imag())};
  // Programs differ in the direction of links, which changes the sign of the imaginary part.
  const bool has_imaginary = stated.size() > 1;
  const bool is_real = std::abs(stated.front() - measured.real()) <= tolerance;
  const bool is_imaginary = !has_imaginary || std::abs(std::abs(stated[1]) - std::abs(measured.imag())) <=
                                                  tolerance_of(stated[1], spec.precision);
  const bool is_size = !has_imaginary && std::abs(stated.front() - std::abs(measured)) <= tolerance;
  result.agrees = (is_real && is_imaginary) || is_size;
  if (!result.agrees) result.remark = normalisation(stated.front(), measured.real(), spec.colors, tolerance);
  return result;
}

// The text does not state the flow time of the measurement.
ComparedObservable compare_charge(const base::Property& property, double stated, const Observables& measured) {
  const FlowPoint& last = measured.flow.back();
  ComparedObservable result{"topological charge", shown(property),
                            measured.flow.size() == 1
                                ? fmt::format("{:.12g} without flow", *last.charge)
                                : fmt::format("{:.12g} without flow and {:.12g} at flow time {:g}", *measured.charge(),
                                              *last.charge, last.time)};
  const double tolerance = std::max(tolerance_of(stated, Precision::double_), 1e-8 * std::abs(stated));
  constexpr double near_integer = 0.3;  // discretisation effects of smooth fields
  const bool is_rounded =
      stated == std::round(stated) && measured.flow.size() > 1 && std::abs(*last.charge - stated) < near_integer;
  result.agrees = is_rounded || std::ranges::any_of(measured.flow, [&](const FlowPoint& point) {
                    return std::abs(*point.charge - stated) <= tolerance;
                  });
  if (!result.agrees) result.remark = "it may belong to another flow time or smearing";
  return result;
}

// For either of two definitions of the energy.
ComparedObservable compare_scale(std::string name, const base::Property& property, double stated,
                                 const std::optional<double>& clover, const std::optional<double>& plaquette) {
  constexpr double relative = 2e-3;  // for the interpolation of other programs
  const auto is_near = [&](const std::optional<double>& value) {
    return value && std::abs(*value - stated) <= relative * std::abs(stated);
  };
  ComparedObservable result{std::move(name), shown(property), {}};
  if (clover) result.measured = fmt::format("{:.8g} of the clover", *clover);
  if (plaquette) {
    result.measured += fmt::format("{}{:.8g} of the plaquette", clover ? ", " : "", *plaquette);
  }
  result.agrees = is_near(clover) || is_near(plaquette);
  if (!result.agrees) result.remark = "it may belong to another flow, or be in other units";
  return result;
}

}  // namespace

std::vector<ComparedObservable> compare_observables(const Metadata& texts, const Observables& measured,
                                                    const FieldSpec& spec) {
  const std::vector<base::Property> properties = base::properties_of(texts);
  std::vector<ComparedObservable> compared;
  // Calls compare(property, numbers) if the texts have numbers of that name.
  const auto with = [&](Names names, const auto& compare) {
    const base::Property* const property = find_property(properties, names);
    if (property == nullptr) return;
    const std::vector<double> numbers = numbers_in(property->value);
    if (!numbers.empty()) compared.push_back(compare(*property, numbers));
  };
  if (measured.polyakov_loop) {
    with(polyakov_names, [&](const base::Property& property, const std::vector<double>& stated) {
      return compare_polyakov(property, stated, *measured.polyakov_loop, spec);
    });
  }
  if (measured.charge()) {
    with(charge_names, [&](const base::Property& property, const std::vector<double>& stated) {
      return compare_charge(property, stated.front(), measured);
    });
  }
  if (measured.t0 || measured.t0_plaquette) {
    with(t0_names, [&](const base::Property& property, const std::vector<double>& stated) {
      return compare_scale("t0", property, stated.front(), measured.t0, measured.t0_plaquette);
    });
  }
  if (measured.w0 || measured.w0_plaquette) {
    with(w0_names, [&](const base::Property& property, const std::vector<double>& stated) {
      return compare_scale("w0", property, stated.front(), measured.w0, measured.w0_plaquette);
    });
  }
  return compared;
}

std::optional<std::string> stated_anisotropy(const Metadata& texts) {
  for (const base::Property& property : base::properties_of(texts)) {
    const std::string name = bare_name(property.key);
    if (name == "anisop" && bare_name(property.value) == "true") return shown(property);
    if (std::ranges::find(anisotropy_names, name) == std::end(anisotropy_names)) continue;
    const auto number = base::parse_double(property.value);
    if (number && *number != 1) return shown(property);
  }
  return std::nullopt;
}

}  // namespace lq::io
