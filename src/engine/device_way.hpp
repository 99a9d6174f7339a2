// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Which way the sites of a rank go that lie in the memory of a GPU. No memory is asked for when ranks compare.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <limequat/report.hpp>

namespace lq::engine {

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

}  // namespace lq::engine
