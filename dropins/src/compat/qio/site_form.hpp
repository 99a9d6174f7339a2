// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sites between the form that a program's function gives or takes, with the machine's order of bytes, and that of a
// file, which is big-endian; and their checksum.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "base/bytes.hpp"
#include "compat/qio/node_sites.hpp"
#include "kernels/fused.hpp"

namespace lq::compat::qio {

// What a call gives or takes: get() or put() with what belongs to it.
struct SiteCall {
  void (*function)(char* buf, size_t index, int count, void* arg) = nullptr;
  void* arg = nullptr;
  int count = 0;
  std::uint64_t site_bytes = 0;
  int word_bytes = 0;
};

// Whether words of the given number of bytes are of a kind that QIO writes: bytes, single or double precision.
inline bool is_word(int bytes) noexcept { return bytes == 1 || bytes == 4 || bytes == 8; }

// Reverses the bytes of each word where the machine is little-endian; bytes beyond the last whole word stay.
void turn_words(std::byte* bytes, std::uint64_t size, int word_bytes) noexcept;

class SiteForm {
 public:
  explicit SiteForm(const SiteCall& call);
  std::uint64_t site_bytes() const noexcept { return call_.site_bytes; }

  // Sites skip .. skip + sites - 1 of a run, from the program to a file's bytes.
  void get(const NodeSites& from, const SiteRun& run, std::uint64_t skip, std::uint64_t sites, std::byte* file);
  // The reverse; the file's bytes are changed.
  void put(const NodeSites& to, const SiteRun& run, std::uint64_t skip, std::uint64_t sites, std::byte* file);

  Checksum checksum() const noexcept { return sum_; }

 private:
  bool has_kernel() const noexcept { return numbers_.numbers > 0; }

  SiteCall call_;
  kernels::SiteForm numbers_;  // none: words of other sizes
  kernels::SiteCrc crc_;
  std::uint64_t scratch_sites_;
  std::unique_ptr<std::byte[]> scratch_;
  Checksum sum_;
};

}  // namespace lq::compat::qio
