// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sites one after the other, of a file that deals their numbers into several arrays: links of one direction, real
// parts.
#pragma once

#include <cstdint>
#include <string>

#include "base/byte_source.hpp"

namespace lq::diagnosis {

class SiteSequence final : public base::ByteSource {
 public:
  // Of each site there are `run_bytes` in each array; the first one begins at `offset`.
  SiteSequence(base::ByteSource& file, std::uint64_t offset, std::uint64_t arrays, std::uint64_t run_bytes,
               std::uint64_t sites)
      : file_(file), offset_(offset), arrays_(arrays), run_bytes_(run_bytes), sites_(sites) {}

  const std::string& path() const noexcept override { return file_.path(); }
  std::uint64_t size() const override { return sites_ * arrays_ * run_bytes_; }
  std::size_t read_at(std::uint64_t offset, base::MutableBytes buffer) override;

 private:
  base::ByteSource& file_;
  std::uint64_t offset_, arrays_, run_bytes_, sites_;
};

}  // namespace lq::diagnosis
