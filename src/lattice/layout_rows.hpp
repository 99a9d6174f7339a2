// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Rows of sites taken out of memory that does not hold them as files do, and given back to it: memory by description,
// and functions of the application. Sites come and go contiguous, each in its natural form.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <limequat/field.hpp>

#include "base/processor.hpp"
#include "device/site_job.h"
#include "lattice/described_sites.hpp"
#include "lattice/row_walk.hpp"

namespace lq::lattice {

// Whether sites lie in `data` contiguous in their natural form, in some order.
inline bool is_plain(const Field& field) noexcept {
  return !field.fetch && !field.fetch_rows && field.memory.is_plain();
}
inline bool is_plain(const MutableField& field) noexcept {
  return !field.store && !field.store_rows && field.memory.is_plain();
}
// Whether functions of the application are called for its sites, which its own thread alone may do.
inline bool has_function(const Field& field) noexcept { return field.fetch || field.fetch_rows; }
inline bool has_function(const MutableField& field) noexcept { return field.store || field.store_rows; }

// How many bytes of sites are best taken at once; of functions, a row that a cache holds.
inline std::size_t best_bytes(const std::optional<DescribedSites>& sites, bool in_one_pass) noexcept {
  return sites ? sites->best_bytes(in_one_pass) : 16384;
}

class RowsOut {
 public:
  // `field` resolved and not plain, of the sites of `box` in the coordinates that take() is called with.
  RowsOut(const Field& field, const Box& box);
  // The sites of parts inside the box are next, one part after the other; the parts stay until they are taken. Answers
  // which memory they lie in, as far as it is worth to fetch it ahead.
  std::span<base::PrefetchList> aim_at(std::span<const RowPart> parts);
  // Absent sites (of the parity that is not there) are zeros.
  void take(std::byte* out);
  void take(std::span<const RowPart> parts, std::byte* out) {
    aim_at(parts);
    take(out);
  }
  void take(const RowPart& part, std::byte* out) { take({&part, 1}, out); }
  // As DescribedSites has it; never through functions.
  bool go_in_one_pass() const noexcept { return sites_ && sites_->go_in_one_pass(); }
  std::span<const std::uint32_t> take(const SummedForm& form, const FileParts<std::byte>& to) {
    return sites_->take(form, to);
  }
  std::size_t best_bytes(bool in_one_pass = false) const noexcept {
    return lq::lattice::best_bytes(sites_, in_one_pass);
  }

 private:
  Field field_;
  std::optional<DescribedSites> sites_;  // of memory by description
  std::span<const RowPart> parts_;
};

class RowsIn {
 public:
  // `beyond_caches` as of DescribedSites.
  static constexpr std::size_t large_field = std::size_t{32} << 20;
  RowsIn(const MutableField& field, const Box& box, std::size_t beyond_caches = large_field);
  // As above.
  std::span<base::PrefetchList> aim_at(std::span<const RowPart> parts);
  // Absent sites are passed over.
  void give(const std::byte* in);
  void give(std::span<const RowPart> parts, const std::byte* in) {
    aim_at(parts);
    give(in);
  }
  void give(const RowPart& part, const std::byte* in) { give({&part, 1}, in); }
  // As above.
  bool go_in_one_pass() const noexcept { return sites_ && sites_->go_in_one_pass(); }
  std::span<const std::uint32_t> give(const SummedForm& form, const FileParts<const std::byte>& from) {
    return sites_->give(form, from);
  }
  // Until all that was given is in its place.
  void finish() {
    if (sites_) sites_->finish();
  }
  std::size_t best_bytes(bool in_one_pass = false) const noexcept {
    return lq::lattice::best_bytes(sites_, in_one_pass);
  }

 private:
  MutableField field_;
  std::optional<DescribedSites> sites_;  // of memory by description
  std::span<const RowPart> parts_;
};

// Memory by description as a GPU is told of it that moves its numbers itself.

// Whether a GPU can: numbers lie there as they are, without norms.
inline bool is_moved_by_number(const MemoryLayout& layout) noexcept { return layout.norms == NormPlaces::none; }

// Where the numbers of a site lie, number by number as files and plain memory have them: addresses after its places.
// `data` as in a field.
std::vector<device::NumberPlace> numbers_of(const MemoryLayout& layout, const FieldSpec& spec, const Extents& box,
                                            const void* data);

}  // namespace lq::lattice
