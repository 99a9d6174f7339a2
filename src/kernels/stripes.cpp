// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/stripes.hpp"

#include <algorithm>

#include "kernels/copy_numbers.hpp"

namespace lq::kernels {
namespace {

isa::StripeLoop loop_of(const isa::StripeLoops& loops, std::size_t pieces) noexcept {
  return pieces == 8 ? loops.of_8 : pieces == 16 ? loops.of_16 : loops.any;
}

}  // namespace

bool has_stripe_loops(const SiteForm& form, const SiteCrc& crc) noexcept {
  return form.swap && form.memory == form.file && crc.is_dot_product() && crc.site_bytes() % 16 == 0 &&
         crc.loops().take_stripes[0].any != nullptr;
}

std::size_t equal_pieces(std::span<const Stripe> stripes) noexcept {
  const std::size_t bytes = stripes.front().bytes;
  std::size_t at = stripes.front().in_site;
  const bool follow = std::ranges::all_of(stripes, [&](const Stripe& stripe) {
    const bool follows = stripe.bytes == bytes && stripe.in_site == at;
    at += bytes;
    return follows;
  });
  return follow && (bytes == 8 || bytes == 16) ? bytes : 0;
}

void take_stripes(const SiteForm& form, const SiteCrc& crc, std::size_t pieces, const isa::StripeRun& run) noexcept {
  loop_of(crc.loops().take_stripes[index_of(form.file)], pieces)(crc.table(), run);
}

void give_stripes(const SiteForm& form, const SiteCrc& crc, std::size_t pieces, const isa::StripeRun& run) noexcept {
  loop_of(crc.loops().give_stripes[index_of(form.file)], pieces)(crc.table(), run);
}

}  // namespace lq::kernels
