// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hdf5/layouts/layout_writer.hpp"

#include <algorithm>
#include <array>
#include <ctime>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "hdf5/layouts/folder.hpp"

namespace lq::hdf5 {

std::span<const LayoutWriter* const> layout_writers() {
  static const std::array<const LayoutWriter*, 3> all{&native_writer(), &qdp_writer(), &qlua_writer()};
  return all;
}

const LayoutWriter& layout_writer(std::string_view name) {
  const auto all = layout_writers();
  if (name.empty()) return *all.front();
  const auto found = std::ranges::find(all, name, &LayoutWriter::name);
  if (found != all.end()) return **found;
  std::string known;
  for (const LayoutWriter* layout : all) known += fmt::format("{}{}", known.empty() ? "" : ", ", layout->name());
  base::fail(Code::invalid_argument, {.expected = known, .found = std::string(name)},
             "unknown layout \"{}\" of HDF5 files; choose from {}", base::printable(name), known);
}

std::vector<hsize_t> dataspace_of(const Extents& extents, const SiteOrder& order) {
  std::vector<hsize_t> dims;
  for (auto d = order.rbegin(); d != order.rend(); ++d) dims.push_back(static_cast<hsize_t>(extents[*d]));
  return dims;
}

std::vector<std::uint32_t> words_of(const FieldFacts& facts, const SumName& name, std::size_t values) {
  const Sum* sum = facts.digest.sums.find(name);
  return sum != nullptr ? sum->words : std::vector<std::uint32_t>(values * lq::words_of(name.kind));
}

bool is_reserved(std::string_view name) noexcept {
  constexpr std::array<std::string_view, 6> of_others{"CLASS",          "NAME",  "DIMENSION_LIST",
                                                      "REFERENCE_LIST", ".kind", ".sha256"};
  return std::ranges::find(native::all, name) != native::all.end() ||
         std::ranges::find(of_others, name) != of_others.end();
}

void put_metadata(hid_t object, const Metadata& metadata, const ErrorPlace& where) {
  for (const auto& [name, text] : metadata) {
    if (name.empty() || name.find('\0') != std::string::npos || is_reserved(name)) {
      base::fail(
          Code::invalid_argument, {.path = where.path, .record = where.object, .found = name},
          "{}: metadata cannot be called \"{}\", which layouts of HDF5 files use themselves; choose another name",
          where.object, base::printable(name));
    }
    put_text(object, name, text, where);
  }
}

std::vector<SumName> scidac_sums(const format::FieldRequest& request) {
  if (!request.checksum) return {};
  if (!request.slice_checksums) return {{SumKind::scidac, SumOf::field}};
  return {{SumKind::scidac, SumOf::field}, {SumKind::scidac, SumOf::slices}, {SumKind::weighted, SumOf::slices}};
}

void put_scidac_sums(hid_t dataset, const FieldFacts& facts, const ErrorPlace& where) {
  const std::vector<std::uint32_t> sum = words_of(facts, {SumKind::scidac, SumOf::field}, 1);
  put_text(dataset, native::checksum, to_string(Checksum{sum[0], sum[1]}), where);
  if (!facts.request.slice_checksums) return;
  const Extents& lattice = facts.request.extents;
  const auto slices = static_cast<std::uint64_t>(lattice[lattice.size() - 1]);
  const auto sums = words_of(facts, {SumKind::scidac, SumOf::slices}, slices);
  const auto halves = words_of(facts, {SumKind::weighted, SumOf::slices}, slices);
  if (sums.size() != 2 * slices || halves.size() != 4 * slices) return;  // too many slices to keep
  // One-dimensional, because netCDF rejects files with attributes of more dimensions.
  const std::array<hsize_t, 1> extents{2 * slices};
  put_numbers(dataset, native::slice_checksums, H5T_STD_U32LE, H5T_NATIVE_UINT32, sums.data(), extents, where);
  std::vector<std::uint64_t> weights;
  for (std::size_t i = 0; i < halves.size(); i += 2)
    weights.push_back((std::uint64_t{halves[i]} << 32) | halves[i + 1]);
  put_numbers(dataset, native::slice_weights, H5T_STD_U64LE, H5T_NATIVE_UINT64, weights.data(), extents, where);
}

void put_origin(hid_t dataset, const FieldFacts& facts, const ErrorPlace& where) {
  put_text(dataset, native::creator, fmt::format("Limequat {}", version()), where);
  if (!facts.microseconds) return;
  const std::time_t seconds = *facts.microseconds / 1'000'000;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  put_text(dataset, native::created,
           fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
                       parts.tm_hour, parts.tm_min, parts.tm_sec),
           where);
  put_numbers(dataset, native::time, H5T_STD_I64LE, H5T_NATIVE_INT64, &*facts.microseconds, {}, where);
}

}  // namespace lq::hdf5
