// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sites one by one, or all at once where memory has no gaps between them.
#include "kernels/pack.hpp"

namespace lq::kernels {
namespace {

std::ptrdiff_t site_bytes(const SiteForm& form, Precision precision) noexcept {
  return static_cast<std::ptrdiff_t>(form.numbers * (precision == Precision::single ? sizeof(float) : sizeof(double)));
}

}  // namespace

void pack_sites(const SiteForm& form, const std::byte* memory, std::ptrdiff_t stride_bytes, std::uint64_t sites,
                std::byte* file) noexcept {
  const isa::CopyNumbers copy = copy_loop(active_instruction_set(), {form.memory, false}, {form.file, form.swap});
  if (stride_bytes == site_bytes(form, form.memory)) return copy(memory, file, form.numbers * sites);
  for (std::uint64_t site = 0; site < sites; ++site) {
    const auto k = static_cast<std::ptrdiff_t>(site);
    copy(memory + k * stride_bytes, file + k * site_bytes(form, form.file), form.numbers);
  }
}

void unpack_sites(const SiteForm& form, const std::byte* file, std::uint64_t sites, std::byte* memory,
                  std::ptrdiff_t stride_bytes) noexcept {
  const isa::CopyNumbers copy = copy_loop(active_instruction_set(), {form.file, form.swap}, {form.memory, false});
  if (stride_bytes == site_bytes(form, form.memory)) return copy(file, memory, form.numbers * sites);
  for (std::uint64_t site = 0; site < sites; ++site) {
    const auto k = static_cast<std::ptrdiff_t>(site);
    copy(file + k * site_bytes(form, form.file), memory + k * stride_bytes, form.numbers);
  }
}

void turn_sites(const SiteForm& form, std::byte* sites_at, std::uint64_t sites) noexcept {
  if (form.swap) turn_loop(active_instruction_set(), form.file)(sites_at, form.numbers * sites);
}

}  // namespace lq::kernels
