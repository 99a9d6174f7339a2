// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Lists of named sums, and sums as text.
#include <limequat/sums.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace lq {
namespace {

struct KindFacts {
  std::string_view name;
  std::size_t words;
};

constexpr std::array<KindFacts, 10> kinds{{{"scidac", 2},
                                           {"weighted", 4},
                                           {"nersc", 1},
                                           {"milc", 2},
                                           {"sha256", 8},
                                           {"crc32", 1},
                                           {"pyquda", 2},
                                           {"norm", 2},
                                           {"sha256_padded", 8},
                                           {"momentum_action", 2}}};
constexpr std::array<std::string_view, 4> extents{"field", "slices", "tiles", "arrays"};

constexpr SumName field_checksum{SumKind::scidac, SumOf::field};
constexpr SumName slice_checksums{SumKind::scidac, SumOf::slices};

// Pairs of words are shown separated, as everywhere; more words are one number.
std::string digits(const Sum& sum) {
  std::string text;
  for (const std::uint32_t word : sum.words) {
    text += fmt::format("{}{:08x}", !text.empty() && sum.words.size() == 2 ? "/" : "", word);
  }
  return text;
}

// The double that is stored in the words of a norm.
double norm_of(const Sum& sum) noexcept {
  return sum.words.size() < 2 ? 0 : std::bit_cast<double>(std::uint64_t{sum.words[0]} << 32 | sum.words[1]);
}

bool is_real(const SumName& name) noexcept {
  return name.of == SumOf::field && (name.kind == SumKind::norm || name.kind == SumKind::momentum_action);
}

}  // namespace

bool agree(const Sum& a, const Sum& b) noexcept {
  constexpr double rounding = 1e-12;
  if (!is_real(a.name)) return a == b;
  if (a.name != b.name || !std::isfinite(norm_of(a)) || !std::isfinite(norm_of(b))) return false;
  return std::abs(norm_of(a) - norm_of(b)) <= rounding * std::abs(norm_of(a));
}

std::string to_string(const Checksum& checksum) { return fmt::format("{:08x}/{:08x}", checksum.suma, checksum.sumb); }

std::string_view name(SumKind kind) noexcept { return kinds[static_cast<std::size_t>(kind)].name; }

std::string_view name(SumOf of) noexcept { return extents[static_cast<std::size_t>(of)]; }

std::string to_string(const SumName& sum) {
  return sum.of == SumOf::field ? std::string(name(sum.kind)) : fmt::format("{} of {}", name(sum.kind), name(sum.of));
}

std::size_t words_of(SumKind kind) noexcept { return kinds[static_cast<std::size_t>(kind)].words; }

std::string to_string(const Sum& sum) {
  if (sum.name == field_checksum) return digits(sum);
  if (is_real(sum.name)) return fmt::format("{} {:.15g}", name(sum.name.kind), norm_of(sum));
  if (sum.name.of == SumOf::field) return fmt::format("{} {}", name(sum.name.kind), digits(sum));
  return fmt::format("{} of {} {}", name(sum.name.kind), sum.values(), name(sum.name.of));
}

const Sum* Sums::find(const SumName& name) const noexcept {
  const auto found = std::ranges::find(all, name, &Sum::name);
  return found == all.end() ? nullptr : &*found;
}

void Sums::set(Sum sum) {
  const auto found = std::ranges::find(all, sum.name, &Sum::name);
  if (found == all.end()) {
    all.push_back(std::move(sum));
  } else {
    *found = std::move(sum);
  }
}

std::vector<SumName> Sums::names() const {
  std::vector<SumName> names;
  for (const Sum& sum : all) names.push_back(sum.name);
  return names;
}

std::optional<Checksum> Sums::checksum() const noexcept {
  const Sum* const sum = find(field_checksum);
  return sum == nullptr ? std::nullopt : std::optional(Checksum{sum->words.at(0), sum->words.at(1)});
}

std::vector<Checksum> Sums::slices() const {
  std::vector<Checksum> slices;
  const Sum* const sum = find(slice_checksums);
  if (sum == nullptr) return slices;
  for (std::size_t i = 0; i < sum->values(); ++i) slices.push_back({sum->words[2 * i], sum->words[2 * i + 1]});
  return slices;
}

std::optional<Checksum> Sums::total_of_slices() const {
  const std::vector<Checksum> values = slices();
  if (values.empty()) return std::nullopt;
  Checksum total;
  for (const Checksum& slice : values) {
    total.suma ^= slice.suma;
    total.sumb ^= slice.sumb;
  }
  return total;
}

void Sums::set_checksum(const Checksum& checksum) { set({field_checksum, {checksum.suma, checksum.sumb}}); }

void Sums::set_slices(const std::vector<Checksum>& slices) {
  Sum sum{slice_checksums};
  for (const Checksum& slice : slices) sum.words.insert(sum.words.end(), {slice.suma, slice.sumb});
  set(std::move(sum));
}

bool operator==(const Sums& a, const Sums& b) noexcept { return std::ranges::is_permutation(a.all, b.all); }

std::string to_string(const Sums& sums) {
  std::string text;
  for (const Sum& sum : sums.all) {
    const bool covers_all = sum.name.of == SumOf::field || sum.name.of == SumOf::arrays;
    if (covers_all) text += fmt::format("{}{}", text.empty() ? "" : ", ", to_string(sum));
  }
  return text.empty() ? "none" : text;
}

}  // namespace lq
