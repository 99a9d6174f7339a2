// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Rows of sites moved from and to memory that is not arranged as in files: memory by description, and functions of the
// application. Sites are passed contiguously, each in its natural form.
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

// True if sites are contiguous in `data` in their natural form, in some order.
inline bool is_plain(const Field& field) noexcept {
  return !field.fetch && !field.fetch_rows && field.memory.is_plain();
}
inline bool is_plain(const MutableField& field) noexcept {
  return !field.store && !field.store_rows && field.memory.is_plain();
}
// True if sites are accessed through functions of the application, which only its own thread may call.
inline bool has_function(const Field& field) noexcept { return field.fetch || field.fetch_rows; }
inline bool has_function(const MutableField& field) noexcept { return field.store || field.store_rows; }

// The best number of bytes of sites to move at a time; for functions, a row that fits in a cache.
inline std::size_t best_bytes(const std::optional<DescribedSites>& sites, bool in_one_pass) noexcept {
  return sites ? sites->best_bytes(in_one_pass) : 16384;
}

class RowsOut {
 public:
  // `field` is resolved and not plain, with the sites of `box` in the coordinates used in calls of take().
  RowsOut(const Field& field, const Box& box);
  // Sets the next sites: those of parts inside the box, one part after the other; the parts must stay valid until the
  // sites are taken. Returns the memory worth prefetching.
  std::span<base::PrefetchList> aim_at(std::span<const RowPart> parts);
  // Absent sites (of the parity that is not stored) are zeros.
  void take(std::byte* out);
  void take(std::span<const RowPart> parts, std::byte* out) {
    aim_at(parts);
    take(out);
  }
  void take(const RowPart& part, std::byte* out) { take({&part, 1}, out); }
  // As in DescribedSites; false for functions.
  bool go_in_one_pass() const noexcept { return sites_ && sites_->go_in_one_pass(); }
  std::span<const std::uint32_t> take(const SummedForm& form, const FileParts<std::byte>& to) {
    return sites_->take(form, to);
  }
  std::size_t best_bytes(bool in_one_pass = false) const noexcept {
    return lq::lattice::best_bytes(sites_, in_one_pass);
  }

 private:
  Field field_;
  std::optional<DescribedSites> sites_;  // for memory by description
  std::span<const RowPart> parts_;
};

class RowsIn {
 public:
  // `beyond_caches` of DescribedSites.
  static constexpr std::size_t large_field = std::size_t{32} << 20;
  RowsIn(const MutableField& field, const Box& box, std::size_t beyond_caches = large_field);
  // As above.
  std::span<base::PrefetchList> aim_at(std::span<const RowPart> parts);
  // Absent sites are skipped.
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
  // Waits until everything given is in its place.
  void finish() {
    if (sites_) sites_->finish();
  }
  std::size_t best_bytes(bool in_one_pass = false) const noexcept {
    return lq::lattice::best_bytes(sites_, in_one_pass);
  }

 private:
  MutableField field_;
  std::optional<DescribedSites> sites_;  // for memory by description
  std::span<const RowPart> parts_;
};

// Memory by description for a GPU that moves its numbers itself.

// True if a GPU can: numbers are stored unchanged, without norms.
inline bool is_moved_by_number(const MemoryLayout& layout) noexcept { return layout.norms == NormPlaces::none; }

// The addresses of the numbers of a site, in the order of files and plain memory, relative to its places. `data` as in
// a field.
std::vector<device::NumberPlace> numbers_of(const MemoryLayout& layout, const FieldSpec& spec, const Extents& box,
                                            const void* data);

}  // namespace lq::lattice
