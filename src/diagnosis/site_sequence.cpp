// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "diagnosis/site_sequence.hpp"

#include <algorithm>
#include <vector>

namespace lq::diagnosis {

std::size_t SiteSequence::read_at(std::uint64_t offset, base::MutableBytes buffer) {
  if (offset >= size() || buffer.empty()) return 0;
  const std::uint64_t site_bytes = arrays_ * run_bytes_;
  const std::uint64_t end = std::min(size(), offset + buffer.size());
  const std::uint64_t first = offset / site_bytes, last = (end - 1) / site_bytes;
  const auto sites = static_cast<std::size_t>(last - first + 1), run = static_cast<std::size_t>(run_bytes_);
  std::vector<std::byte> array(sites * run), gathered(sites * static_cast<std::size_t>(site_bytes));
  for (std::uint64_t k = 0; k < arrays_; ++k) {
    if (file_.read_at(offset_ + (k * sites_ + first) * run_bytes_, array) < array.size()) return 0;
    for (std::size_t site = 0; site < sites; ++site) {
      std::copy_n(array.data() + site * run, run,
                  gathered.data() + site * static_cast<std::size_t>(site_bytes) + static_cast<std::size_t>(k) * run);
    }
  }
  const auto wanted = static_cast<std::size_t>(end - offset);
  std::copy_n(gathered.data() + (offset - first * site_bytes), wanted, buffer.data());
  return wanted;
}

}  // namespace lq::diagnosis
