// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a transfer saw of the sites that passed: sums, zeros, odd numbers, bytes, seconds.
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

#include "comm/comm.hpp"
#include "engine/number_watch.hpp"
#include "engine/site_sums.hpp"

namespace lq::engine {

// Which way the sites of a rank go that lie in the memory of a GPU. No memory is asked for when ranks compare.
class DeviceUsage {
 public:
  void gpu_computes() noexcept { computing_ = 1; }
  void host_computes(std::string_view reason) noexcept {
    copying_ = 1;
    reason_.fill('\0');
    reason.copy(reason_.data(), reason_.size() - 1);
  }

  // What another thread of the rank has.
  void add(const DeviceUsage& other) noexcept {
    computing_ = std::max(computing_, other.computing_);
    if (copying_ == 0 && other.copying_ != 0) host_computes(other.reason_.data());
  }
  std::uint64_t computing() const noexcept { return computing_; }
  std::uint64_t copying() const noexcept { return copying_; }
  std::span<std::byte> reason() noexcept { return std::as_writable_bytes(std::span(reason_)); }
  // Of all ranks.
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
  // `wanted`: the sums to be taken; `watches`: numbers that are read are looked at, too.
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
  double open_seconds = 0;  // told by who opened the file
  double pack_seconds = 0;
  double exchange_seconds = 0;
  double storage_seconds = 0;

  // Adds what another thread saw; of its seconds the longer ones count, as of ranks.
  void add(TransferStats& other) noexcept;
  // Collective, in one operation. Throws on all ranks where one has failed; else it becomes what all ranks saw: sums,
  // zeros, bytes, and the seconds of the slowest.
  void reduce(comm::Comm& comm, const std::exception_ptr& failure = nullptr);

 private:
  void make_terms();

  std::vector<comm::Term> terms_;  // on their way between ranks; the first one is the agreement's
};

}  // namespace lq::engine
