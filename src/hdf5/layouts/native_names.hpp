// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Names of the attributes of our own layout (docs/formats/hdf5.md 3.2).
#pragma once

#include <array>
#include <string_view>

namespace lq::hdf5::native {

inline constexpr int version = 1;
inline constexpr std::string_view marker = "limequat_layout";  // of a dataset: the version
inline constexpr std::string_view file_marker = "limequat";    // of the root group
inline constexpr std::string_view file_marker_text = "native 1";

inline constexpr std::string_view kind = "kind";
inline constexpr std::string_view dimensions = "dimensions";
inline constexpr std::string_view extents = "extents";
inline constexpr std::string_view site_order = "site_order";
inline constexpr std::string_view site_order_text = "x fastest";
inline constexpr std::string_view precision = "precision";
inline constexpr std::string_view colors = "colors";
inline constexpr std::string_view spins = "spins";
inline constexpr std::string_view gauge_group = "gauge_group";
inline constexpr std::string_view checksum = "checksum";
inline constexpr std::string_view slice_checksums = "slice_checksums";
inline constexpr std::string_view slice_weights = "slice_weights";
inline constexpr std::string_view created = "created";
inline constexpr std::string_view time = ".time";
inline constexpr std::string_view creator = "creator";

// Those that are no metadata of the field.
inline constexpr std::array<std::string_view, 15> all = {
    marker,      kind,     dimensions,      extents,       site_order, precision, colors, spins,
    gauge_group, checksum, slice_checksums, slice_weights, created,    time,      creator};

}  // namespace lq::hdf5::native
