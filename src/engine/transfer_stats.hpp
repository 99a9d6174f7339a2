// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a transfer saw of the sites that passed: sums, zeros, odd numbers, bytes, seconds.
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <vector>

#include <limequat/catalog.hpp>
#include <limequat/report.hpp>

#include "comm/comm.hpp"
#include "engine/device_way.hpp"
#include "engine/number_watch.hpp"
#include "engine/site_sums.hpp"

namespace lq::engine {

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
