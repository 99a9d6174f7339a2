// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "compat/qio/site_form.hpp"

#include <algorithm>
#include <bit>

namespace lq::compat::qio {
namespace {

constexpr std::uint64_t scratch_bytes = 32 * 1024;
constexpr bool is_little = std::endian::native == std::endian::little;

kernels::SiteForm numbers_of(const SiteCall& call) {
  kernels::SiteForm form;
  form.swap = is_little;
  form.memory = form.file = call.word_bytes == 8 ? Precision::double_ : Precision::single;
  const bool is_number = call.word_bytes == 4 || call.word_bytes == 8;
  const auto word = static_cast<std::uint64_t>(call.word_bytes);
  form.numbers = is_number && call.site_bytes % word == 0 ? call.site_bytes / word : 0;
  return form;
}

}  // namespace

void turn_words(std::byte* bytes, std::uint64_t size, int word_bytes) noexcept {
  if (!is_little || word_bytes < 2) return;
  const auto word = static_cast<std::uint64_t>(word_bytes);
  for (std::uint64_t at = 0; at + word <= size; at += word) std::reverse(bytes + at, bytes + at + word);
}

SiteForm::SiteForm(const SiteCall& call)
    : call_(call),
      numbers_(numbers_of(call)),
      crc_(call.site_bytes),
      scratch_sites_(std::max<std::uint64_t>(1, scratch_bytes / std::max<std::uint64_t>(1, call.site_bytes))),
      scratch_(std::make_unique<std::byte[]>(static_cast<std::size_t>(scratch_sites_ * call.site_bytes))) {}

void SiteForm::get(const NodeSites& from, const SiteRun& run, std::uint64_t skip, std::uint64_t sites,
                   std::byte* file) {
  const std::uint64_t bytes = call_.site_bytes;
  for (std::uint64_t done = 0; done < sites;) {
    const std::uint64_t now = std::min(scratch_sites_, sites - done);
    std::byte* const out = file + done * bytes;
    std::byte* const in = has_kernel() ? scratch_.get() : out;
    for (std::uint64_t k = 0; k < now; ++k) {
      call_.function(reinterpret_cast<char*>(in + k * bytes), from.index(run.first + skip + done + k), call_.count,
                     call_.arg);
    }
    const std::uint64_t rank = run.rank + skip + done;
    if (has_kernel()) {
      kernels::pack_and_sum(numbers_, crc_, in, static_cast<std::ptrdiff_t>(bytes), now, out, rank, 1, sum_);
    } else {
      turn_words(out, now * bytes, call_.word_bytes);
      kernels::add_sites(sum_, {out, static_cast<std::size_t>(now * bytes)}, crc_, rank, 1);
    }
    done += now;
  }
}

void SiteForm::put(const NodeSites& to, const SiteRun& run, std::uint64_t skip, std::uint64_t sites, std::byte* file) {
  const std::uint64_t bytes = call_.site_bytes;
  for (std::uint64_t done = 0; done < sites;) {
    const std::uint64_t now = std::min(scratch_sites_, sites - done);
    std::byte* const at = file + done * bytes;
    const std::uint64_t rank = run.rank + skip + done;
    if (has_kernel()) {
      kernels::turn_and_sum(numbers_, crc_, at, now, rank, 1, sum_);
    } else {
      kernels::add_sites(sum_, {at, static_cast<std::size_t>(now * bytes)}, crc_, rank, 1);
      turn_words(at, now * bytes, call_.word_bytes);
    }
    for (std::uint64_t k = 0; k < now; ++k) {
      call_.function(reinterpret_cast<char*>(at + k * bytes), to.index(run.first + skip + done + k), call_.count,
                     call_.arg);
    }
    done += now;
  }
}

}  // namespace lq::compat::qio
