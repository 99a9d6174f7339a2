// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sites of described memory moved to file form or back, stripe by stripe, with the CRC-32 of each site (that of the
// bytes in file form) in the same pass. Nothing here allocates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/isa/loops.hpp"
#include "kernels/pack.hpp"
#include "kernels/site_crc.hpp"

namespace lq::kernels {

using isa::Stripe;

// Whether there are loops for it; the stripes have to be as StripeRun says.
bool has_stripe_loops(const SiteForm& form, const SiteCrc& crc) noexcept;

// The bytes of each stripe where these are 8 or 16 for all, and they follow one another in the site; else 0.
std::size_t equal_pieces(std::span<const Stripe> stripes) noexcept;

// `pieces` as equal_pieces() answers.
void take_stripes(const SiteForm& form, const SiteCrc& crc, std::size_t pieces, const isa::StripeRun& run) noexcept;
void give_stripes(const SiteForm& form, const SiteCrc& crc, std::size_t pieces, const isa::StripeRun& run) noexcept;

}  // namespace lq::kernels
