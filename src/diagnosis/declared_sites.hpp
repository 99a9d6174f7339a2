// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Numbers that were found in another form or order, as bytes of a file that has them as it says: what its sums were
// taken of, perhaps.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/byte_source.hpp"
#include "diagnosis/link_reader.hpp"
#include "diagnosis/ordering.hpp"

namespace lq::diagnosis {

// Not for several threads at once.
class DeclaredSites final : public base::ByteSource {
 public:
  // Both have the same numbers for each site, in the same precision; `declared.encoding` is of sites one by one.
  DeclaredSites(const Sequence& found, const Ordering& found_ordering, const Encoding& declared,
                const Ordering& declared_ordering);

  const std::string& path() const noexcept override { return path_; }
  std::uint64_t size() const override { return volume(declared_ordering_.sites.extents) * declared_.site_bytes(); }
  std::size_t read_at(std::uint64_t offset, base::MutableBytes buffer) override;

 private:
  void encode_site(std::uint64_t number);

  std::string path_;
  Ordering found_ordering_, declared_ordering_;
  Encoding declared_;
  LinkReader reader_;
  std::vector<double> found_numbers_, numbers_;
  std::vector<std::byte> site_;
};

// The links of a site in the order of `to`, out of those in the order of `from`.
void reorder_links(const Encoding& encoding, const Ordering& from, const Ordering& to, const double* numbers,
                   double* reordered);

}  // namespace lq::diagnosis
