// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The documents that describe the data of a SciDAC file: the private XML, and the sums of slices.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <limequat/lattice.hpp>
#include <limequat/report.hpp>
#include <limequat/sums.hpp>

namespace lq::format::scidac {

// The private XML of SciDAC files (formats/scidac.md 3): written like QIO's, read with tolerance.

// scidac-private-file-xml
struct FileInfo {
  Extents extents;
  std::uint64_t volume_format = 0;  // 0: one file; 1 to 3: the sites are spread over several files (describe.hpp)
};

enum class RecordType { field = 0, global = 1, hypercube = 2 };

// scidac-private-record-xml
struct RecordInfo {
  RecordType type = RecordType::field;
  Coord lower, upper;  // hypercube: inclusive bounds
  std::string date;    // empty: omitted
  std::string datatype;
  std::string precision;  // "F", "D", and inventions of other programs
  std::uint64_t colors = 0;
  std::uint64_t spins = 0;
  std::uint64_t typesize = 0;   // bytes of one datum
  std::uint64_t datacount = 0;  // data per site
};

// Documents with the terminating NUL that QIO counts in the length.
std::string encode(const FileInfo& info);
std::string encode(const RecordInfo& info);
std::string encode(const Checksum& checksum);  // sums with eight digits: the length is known before the sums

// Throw Error(malformed) that states what is missing or wrong; the caller adds the place.
FileInfo decode_file_info(std::string_view document);
RecordInfo decode_record_info(std::string_view document);
// Empty if a sum is missing: QIO omits sums that happen to be zero.
std::optional<Checksum> decode_checksum(std::string_view document);

// limequat-slices: the SciDAC checksum and the weighted sum of each slice of the slowest dimension, as text of a length
// that is known before the data (formats/scidac.md 5.1).

inline constexpr std::uint64_t slices_limit = 1ULL << 20;  // bytes; longer records are not written

// The length of the text for the given number of slices; above slices_limit it is not exact, but also above it.
std::uint64_t slices_length(std::uint64_t slices) noexcept;
// The sums in the record.
inline constexpr SumName slice_checksums{SumKind::scidac, SumOf::slices};
inline constexpr SumName slice_weights{SumKind::weighted, SumOf::slices};
// Both sums, for the same number of slices.
std::string encode_slices(const Sums& sums);
// Version 1.0 has the checksums only. Throws Error(malformed).
Sums decode_slices(std::string_view text);

// limequat-description: the sum of what determines the meaning of the numbers of a generic field
// (formats/scidac.md 5.5). Texts without terminating NUL.
std::string encode_description(const Extents& extents, std::string_view record_xml, std::string_view name,
                               std::string_view site_shape);
// The same in steps: extents as in <dims>, what the sum is of, and the sum.
std::string extents_text(const Extents& extents);
std::string described_text(std::string_view extents, std::string_view record_xml, std::string_view name,
                           std::string_view site_shape);
std::string sum_of_description(std::string_view described);

}  // namespace lq::format::scidac
