// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The sites of a rank in memory by description: moved by stripes, whose places come from the description.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <limequat/field.hpp>

#include "base/processor.hpp"
#include "device/sites.hpp"
#include "lattice/bundles.hpp"
#include "lattice/row_walk.hpp"
#include "lattice/site_places.hpp"

namespace lq::lattice {

// Start addresses of the arrays of a described field, and the numbers that each must hold.
struct Arrays {
  std::vector<std::byte*> begin;
  std::uint64_t numbers = 0;
};

// Local. For a field that is not plain; `box` is the box of the rank. With norms their array is the last, with one
// number for each site. invalid_argument if the description does not fit, an array is missing, or only some arrays are
// on a GPU.
Arrays arrays_of(const MemoryLayout& layout, const FieldSpec& spec, const Extents& box, const void* data);

enum class Way { take, give };

// The sites of a box in memory by description. Not thread-safe.
class DescribedSites {
 public:
  // Fields of `beyond_caches` bytes or more are written with non-temporal stores: no cache holds them until they are
  // read.
  DescribedSites(const MemoryLayout& layout, const FieldSpec& spec, const Box& box, const void* data, Way way,
                 std::size_t beyond_caches);
  ~DescribedSites();
  DescribedSites(DescribedSites&&) noexcept;

  // Sets the next sites: those of parts inside the box, one part after the other. Returns the memory worth prefetching,
  // except long streams, which processors prefetch on their own.
  std::span<base::PrefetchList> aim_at(std::span<const RowPart> parts);
  // Moves these sites from memory and into it; complete when finish() returns.
  void take(std::byte* out);
  void give(const std::byte* in);
  // True if they can be moved to file form and back in one pass.
  bool go_in_one_pass() const noexcept { return one_pass_.has_value(); }
  // In one pass. Returns the CRC-32 of each, valid until sites are moved again.
  std::span<const std::uint32_t> take(const SummedForm& form, const FileParts<std::byte>& to);
  std::span<const std::uint32_t> give(const SummedForm& form, const FileParts<const std::byte>& from);
  void finish();
  // The best number of bytes of sites to move at a time; for memory of a GPU, the maximum.
  std::size_t best_bytes(bool in_one_pass) const noexcept;

 private:
  struct Norms;
  // The address in a buffer of the stripe of the next site of a run.
  struct Staged {
    std::byte* at = nullptr;
    std::size_t step = 0;
  };

  DescribedSites(const MemoryLayout& layout, const FieldSpec& spec, const Box& box, std::span<std::byte* const> arrays,
                 std::size_t number_bytes, Way way, std::size_t beyond_caches);
  void use_device(std::byte* memory);
  void use_one_pass(std::size_t most);
  OnePass::Sites sites_at(std::span<const std::int64_t> places) const noexcept;
  OnePass::Sites sites_in_memory() const noexcept;
  std::span<const std::uint32_t> give_image(const SummedForm& form, const FileParts<const std::byte>& from);
  void find_runs();
  void take_numbers(std::byte* out);
  void give_numbers(const std::byte* in);
  void fetch_from_device();
  void take_from_device(std::byte* out);
  void give_to_device(const std::byte* in);
  std::byte* stage(const Bundle& bundle, const SiteRun& run, std::byte* at) noexcept;
  std::size_t begin_copies(device::Direction direction, const Bundle& bundle, const SiteRun& run, std::size_t offset);
  template <class Byte, class Copy>
  void move(Byte* row, const Copy& copy);
  template <class Byte, class Copy>
  void move_bundle(const Bundle& bundle, std::span<const std::int64_t> places, Byte* row, const Copy& copy);
  std::span<const std::int64_t> vectors() const noexcept;
  template <class Byte, class Copy>
  void move_vectors(const Bundle& bundle, std::span<const std::int64_t> places, Byte* row, const Copy& copy);
  void give_image(const std::byte* in);
  Piece near_piece(const Bundle& bundle) const noexcept;
  std::size_t lanes_at_once() const noexcept;
  template <std::size_t bytes, class Byte, class Copy>
  void move_lines(Byte* row, const Copy& copy);
  std::uintptr_t memory_behind(const Bundle& bundle, const SiteRun& run) const noexcept;
  std::size_t stripe_bytes_in_lines() const noexcept;
  template <class Work>
  void for_each_run(const Work& work);
  void stage_at(const Bundle& bundle, std::size_t piece, std::byte* at) noexcept;
  template <class Byte, class Copy>
  void move_run(const Bundle& bundle, const SiteRun& run, Byte* row, const Copy& copy);

  RowPlaces places_;  // of the current sites
  std::vector<Bundle> bundles_;
  std::vector<base::PrefetchList> ahead_;
  std::size_t number_bytes_ = 0, site_bytes_ = 0;
  bool has_absent_ = false;
  std::size_t lanes_ = 1;          // per vector
  std::size_t lanes_at_once_ = 1;  // all of them, if the current sites are those of whole vectors, lane by lane
  std::size_t turns_ = 1;          // 2: sites of two parities
  Way way_ = Way::take;
  std::size_t in_lines_ = 0;  // on the host: size of a stripe, if bundles are moved in lines of memory
  // For a GPU, where evenly spaced memory is moved in one copy; and if bundles are moved in lines.
  std::vector<SiteRuns> runs_;  // group after group
  std::vector<Staged> staged_;  // stripe after stripe
  std::unique_ptr<device::Copies> copies_;
  std::unique_ptr<MemoryImage> image_;  // for writes to memory that no cache holds
  bool goes_by_image_ = false;          // the current sites use it
  std::size_t turn_ = 0;                // the block of the current sites
  std::unique_ptr<Norms> norms_;        // for half precision
  std::optional<OnePass> one_pass_;     // unless sites are absent, have norms or are on a GPU
  std::optional<OnePass> image_pass_;   // for the image
  std::vector<std::int64_t> in_image_;  // for the sites of vectors
  std::uint64_t bytes_ = 0;             // for all sites
};

}  // namespace lq::lattice
