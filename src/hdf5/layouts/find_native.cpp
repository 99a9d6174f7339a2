// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Our own layout: docs/formats/hdf5.md 3.
#include <algorithm>

#include <fmt/format.h>

#include "base/text.hpp"
#include "hdf5/layouts/folder.hpp"
#include "hdf5/layouts/native_names.hpp"

namespace lq::hdf5 {
namespace {

std::optional<std::string> text_named(const Member& member, std::string_view name) {
  const Value* value = find(member.attributes, name);
  return value != nullptr ? text_of(*value) : std::nullopt;
}

std::optional<FieldSpec> spec_named(std::string_view kind, const Numbers& numbers, std::size_t rank) {
  const auto site = numbers.behind(rank);
  if (kind == name(FieldKind::generic)) {
    return site.size() <= 1 ? generic_site(site, numbers.is_complex, numbers.precision) : std::nullopt;
  }
  if (!numbers.is_complex) return {};
  if (kind == name(FieldKind::gauge)) return gauge_site(site, numbers.precision);
  if (kind == name(FieldKind::spinor)) return spinor_site(site, numbers.precision);
  if (kind == name(FieldKind::propagator)) return propagator_site(site, numbers.precision);
  return {};
}

// x, y, z, t as stated; empty: nothing usable is.
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

// Two numbers for each slice, in whatever shape; nothing where they are not.
template <class Word>
std::optional<std::vector<Word>> pairs_of(const Member& member, std::string_view name, std::uint64_t slices) {
  const Value* value = find(member.attributes, name);
  if (value == nullptr || value->type.bytes != sizeof(Word)) return {};
  const auto* numbers = std::get_if<std::vector<std::uint64_t>>(&value->elements);
  if (numbers == nullptr || numbers->size() % 2 != 0 || numbers->size() / 2 != slices) return {};
  return std::vector<Word>(numbers->begin(), numbers->end());
}

void take_slices(const Member& member, std::uint64_t slices, Finds& finds, Sums& sums) {
  const bool states_them = find(member.attributes, native::slice_checksums) != nullptr;
  const bool states_weights = find(member.attributes, native::slice_weights) != nullptr;
  const auto pairs = pairs_of<std::uint32_t>(member, native::slice_checksums, slices);
  const auto weights = pairs_of<std::uint64_t>(member, native::slice_weights, slices);
  if ((states_them && !pairs) || (states_weights && !weights)) {
    finds.warning("hdf5-native-slices", member,
                  fmt::format("sums of slices that are not two for each of {} slices are left out", slices));
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

Sums stated_sums(const Member& member, std::uint64_t slices, Finds& finds) {
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

void refuse(const Member& member, Finds& finds, const std::string& message) {
  finds.warning("hdf5-native-shape", member, message + "; it is not a field");
}

void find_one(Member& member, Finds& finds) {
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
               .metadata = metadata_of(member.attributes, native::all)});
}

}  // namespace

void find_native(Folder& folder, Finds& finds) {
  for (Member& member : folder.members) {
    if (!member.is_taken && find(member.attributes, native::marker) != nullptr) find_one(member, finds);
  }
}

}  // namespace lq::hdf5
