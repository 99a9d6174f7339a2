// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "diagnosis/declared_sites.hpp"

#include <algorithm>

namespace lq::diagnosis {

DeclaredSites::DeclaredSites(const Sequence& found, const Ordering& found_ordering, const Encoding& declared,
                             const Ordering& declared_ordering)
    : path_(found.file->path()),
      found_ordering_(found_ordering),
      declared_ordering_(declared_ordering),
      declared_(declared),
      reader_(found.encoding, *found.file),
      found_numbers_(reader_.site_numbers()),
      numbers_(reader_.site_numbers()),
      site_(static_cast<std::size_t>(declared.site_bytes())) {}

void DeclaredSites::encode_site(std::uint64_t number) {
  const Coord x = site_of(declared_ordering_.sites, number);
  reader_.read(number_of(found_ordering_.sites, x), found_numbers_);
  reorder_links(declared_, found_ordering_, declared_ordering_, found_numbers_.data(), numbers_.data());
  encode(declared_, numbers_, site_);
}

std::size_t DeclaredSites::read_at(std::uint64_t offset, base::MutableBytes buffer) {
  std::size_t done = 0;
  while (done < buffer.size() && offset + done < size()) {
    const std::uint64_t at = offset + done;
    encode_site(at / site_.size());
    const auto within = static_cast<std::size_t>(at % site_.size());
    const std::size_t wanted = std::min(site_.size() - within, buffer.size() - done);
    std::copy_n(site_.data() + within, wanted, buffer.data() + done);
    done += wanted;
  }
  return done;
}

void reorder_links(const Encoding& encoding, const Ordering& from, const Ordering& to, const double* numbers,
                   double* reordered) {
  const std::size_t link_numbers = encoding.numbers();
  const auto n = static_cast<std::size_t>(encoding.colors);
  for (std::size_t link = 0; link < to.links.size(); ++link) {
    const auto place = static_cast<std::size_t>(std::ranges::find(from.links, to.links[link]) - from.links.begin());
    const double* const u = numbers + place * link_numbers;
    double* const out = reordered + link * link_numbers;
    if (from.is_transposed == to.is_transposed) {
      std::copy_n(u, link_numbers, out);
      continue;
    }
    for (std::size_t row = 0; row < n; ++row) {
      for (std::size_t column = 0; column < n; ++column) {
        std::copy_n(u + 2 * (column * n + row), 2, out + 2 * (row * n + column));
      }
    }
  }
}

}  // namespace lq::diagnosis
