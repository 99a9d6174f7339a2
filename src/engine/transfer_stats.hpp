// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Statistics of the sites that were transferred: sums, zeros, odd numbers, bytes, seconds.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <limequat/catalog.hpp>
#include <limequat/report.hpp>

#include "base/bytes.hpp"
#include "comm/comm.hpp"
#include "engine/site_sums.hpp"
#include "kernels/digest.hpp"

namespace lq::engine {

// Inspection of passing numbers that no checksum proves: NaNs and infinities, and links that are not in SU(N). The sum
// of squares of every link is checked, which costs a few per cent of a read; one link of each block is checked fully.

// The first byte of each kind is the first byte of the site.
struct OddNumbers {
  struct Sites {
    std::uint64_t count = 0;
    std::uint64_t first_offset = 0;
    void note(std::uint64_t offset) noexcept;
    void add(const Sites& others) noexcept;
  };

  std::uint64_t seen = 0;  // sites
  Sites not_finite;        // with numbers that are NaN or infinite
  Sites huge;              // with numbers outside the range of any convention for links
  Sites off;               // with a link off SU(N) that is not zero
  Sites slightly_off;      // by more than rounding of double precision, not of single
  // Zero links of any site, and those of the first and the last slice of the last dimension, by direction: boundaries
  // may have them.
  Sites zero_links;
  std::array<std::array<std::uint64_t, max_dimensions>, 2> zero_at_border = {};

  void add(const OddNumbers& others) noexcept;
};

class NumberWatch {
 public:
  explicit NumberWatch(const Payload& payload);

  // Inspects sites in file form, of a field with such a payload, from number `file_site` on.
  void look(const Payload& payload, base::Bytes sites, std::uint64_t file_site);

  OddNumbers found;

 private:
  void look_at_magnitudes(const Payload& payload, base::Bytes sites, std::uint64_t file_site);
  void look_closely(const Payload& payload, base::Bytes site, std::uint64_t file_site);
  void judge_links(const Payload& payload, std::uint64_t file_site, std::uint64_t offset);
  bool is_in_group(std::size_t link) const noexcept;
  bool is_other_kind() const noexcept;
  void set_bounds(double of_link) noexcept;

  bool has_magnitudes_ = false;              // sites in fixed point: only magnitudes are checked
  kernels::SiteNumbers form_;                // numbers 0: nothing is checked
  SiteOrder order_;                          // order of the sites, resolved
  std::vector<std::uint32_t> places_ = {};   // places in memory of the numbers of a site
  std::size_t colors_ = 0, links_ = 0;       // links 0: not a gauge field
  std::size_t link_numbers_ = 0, held_ = 0;  // numbers of a link in memory, and in the file
  double least_ = 0, most_ = 0;              // bounds of the sum of the squares of a site
  bool is_tight_ = false;                    // the bounds are for double precision
  std::vector<double> site_ = {};            // in memory order; numbers missing from the file are 0
};

// How the sites of a rank in the memory of a GPU are converted. Allocates no memory when ranks compare.
class DeviceUsage {
 public:
  void gpu_computes() noexcept { computing_ = 1; }
  void host_computes(std::string_view reason) noexcept {
    copying_ = 1;
    reason_.fill('\0');
    reason.copy(reason_.data(), reason_.size() - 1);
  }

  // Adds the usage of another thread of the rank.
  void add(const DeviceUsage& other) noexcept {
    computing_ = std::max(computing_, other.computing_);
    if (copying_ == 0 && other.copying_ != 0) host_computes(other.reason_.data());
  }
  std::uint64_t computing() const noexcept { return computing_; }
  std::uint64_t copying() const noexcept { return copying_; }
  std::span<std::byte> reason() noexcept { return std::as_writable_bytes(std::span(reason_)); }
  // Sets the totals over all ranks.
  void set_ranks(std::uint64_t computing, std::uint64_t copying) noexcept {
    computing_ = computing;
    copying_ = copying;
  }

  DeviceReport report() const { return {computing_, copying_, reason_.data()}; }

 private:
  std::uint64_t computing_ = 0, copying_ = 0;  // ranks
  std::array<char, 256> reason_{};
};

void add(ZeroRegion& zeros, const ZeroRegion& more) noexcept;

struct TransferStats {
  // `wanted`: the sums to compute; `watches`: numbers that are read are also inspected.
  TransferStats(const Payload& payload, const std::vector<SumName>& wanted, bool watches = false)
      : sums(payload, wanted) {
    if (watches) numbers.emplace(payload);
    make_terms();
  }

  // For another thread of the same transfer.
  TransferStats empty(const Payload& payload) const { return {payload, sums.wanted(), numbers.has_value()}; }

  SiteSums sums;
  ZeroRegion zeros;  // gauge fields only
  std::optional<NumberWatch> numbers;
  std::uint64_t bytes = 0;
  std::uint64_t ranks_at_file = 0;  // 1 on a rank that opens it
  DeviceUsage device;
  double open_seconds = 0;  // set by the function that opened the file
  double pack_seconds = 0;
  double exchange_seconds = 0;
  double storage_seconds = 0;

  // Adds the statistics of another thread; the longer times count, as for ranks.
  void add(TransferStats& other) noexcept;
  // Collective, in one operation. Throws on all ranks if one has failed; else it becomes the total over all ranks:
  // sums, zeros, bytes, and the seconds of the slowest.
  void reduce(comm::Comm& comm, const std::exception_ptr& failure = nullptr);

 private:
  void make_terms();

  std::vector<comm::Term> terms_;  // exchanged between ranks; the first one is the agreement's
};

}  // namespace lq::engine
