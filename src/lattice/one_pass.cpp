// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "lattice/one_pass.hpp"

#include <algorithm>
#include <utility>

namespace lq::lattice {
namespace {

constexpr std::size_t word_bytes = 8;
// So much of a site is moved at once: a line of memory for each piece, and longer ones as they are.
constexpr std::size_t pieces_at_once = 8;

// Matrices by columns number by number, in the order of the site.
std::vector<kernels::Stripe> stripes_of(const Bundle& bundle) {
  if (!bundle.is_transposed) return bundle.stripes;
  constexpr std::size_t n = 3;
  std::vector<kernels::Stripe> stripes;
  for (const Stripe& matrix : bundle.stripes) {
    const std::size_t bytes = matrix.bytes / (n * n);
    for (std::size_t k = 0; k < n * n; ++k) {
      stripes.push_back({matrix.memory + (k % n * n + k / n) * bytes, matrix.in_site + k * bytes, bytes});
    }
  }
  return stripes;
}

bool is_of_words(const kernels::Stripe& stripe) noexcept {
  return stripe.in_site % word_bytes == 0 && stripe.bytes % word_bytes == 0;
}

}  // namespace

OnePass::OnePass(std::size_t number_bytes, std::size_t site_bytes, std::size_t most)
    : number_bytes_(number_bytes), site_bytes_(site_bytes) {
  make_room(most);
}

void OnePass::make_room(std::size_t sites) {
  if (sites <= sums_.size()) return;
  sums_.resize(sites);
  crcs_.resize(sites);
  order_.resize(sites);
  file_at_.resize(sites);
}

std::optional<OnePass> OnePass::find(std::span<const Bundle> bundles, std::size_t number_bytes, std::size_t site_bytes,
                                     std::size_t most, const MemoryImage* image) {
  OnePass found(number_bytes, site_bytes, most);
  found.image_ = image;
  for (const Bundle& bundle : bundles) {
    if (!std::ranges::all_of(bundle.stripes, is_of_words)) return std::nullopt;
    found.add(bundle);
  }
  return found;
}

// To the one before where they are alike: long stripes of a site all at once, short ones as far as the caches allow. An
// image holds one bundle at a time.
void OnePass::add(const Bundle& bundle) {
  Stripes added{stripes_of(bundle), 0, bundle.group};
  added.pieces = kernels::equal_pieces(added.stripes);
  const bool is_alike = !bundles_.empty() && image_ == nullptr && bundles_.back().group == added.group &&
                        bundles_.back().pieces == added.pieces;
  const std::size_t before = is_alike ? bundles_.back().stripes.size() : 0;
  if (is_alike && (added.pieces == 0 || before + added.stripes.size() <= pieces_at_once)) {
    bundles_.back().stripes.insert(bundles_.back().stripes.end(), added.stripes.begin(), added.stripes.end());
  } else {
    bundles_.push_back(std::move(added));
  }
}

// Sites that share lines of memory next to each other. False where the file's order is to be kept.
bool OnePass::sort(const Sites& sites, const FileParts<std::byte>& file) noexcept {
  const std::size_t of_part = sites.count / file.count, of_lane = sites.count / sites.lanes;
  if (sites.lanes > 1 && of_part % of_lane == 0) {
    for (std::size_t lane = 0; lane < sites.lanes; ++lane) {
      std::size_t number = lane * of_lane;
      std::size_t at = number / of_part * file.apart + number % of_part * site_bytes_;
      for (std::size_t k = lane; k < sites.count; k += sites.lanes, ++number, at += site_bytes_) {
        order_[k] = number;
        file_at_[k] = at;
      }
    }
    return true;
  }
  if (sites.parted_at == 0 || file.count > 1) return false;
  std::size_t first = 0, other = 0;
  for (std::size_t number = 0; number < sites.count; ++number) other += sites.places[number] < sites.parted_at ? 1 : 0;
  for (std::size_t number = 0; number < sites.count; ++number) {
    std::size_t& k = sites.places[number] < sites.parted_at ? first : other;
    order_[k] = number;
    file_at_[k++] = number * site_bytes_;
  }
  return true;
}

template <class Move>
std::span<const std::uint32_t> OnePass::move(const Sites& sites, const FileParts<std::byte>& file, const Move& move) {
  make_room(sites.count);
  const bool is_sorted = sort(sites, file);
  const std::size_t runs = is_sorted ? 1 : file.count, of_run = sites.count / runs;
  for (const Stripes& bundle : bundles_) {
    const std::int64_t* const places = sites.places.data() + bundle.group * sites.count;
    for (std::size_t run = 0; run < runs; ++run) {
      move(bundle.pieces,
           kernels::isa::StripeRun{.stripes = bundle.stripes.data(),
                                   .count = bundle.stripes.size(),
                                   .places = places + run * of_run,
                                   .number_bytes = static_cast<std::ptrdiff_t>(number_bytes_),
                                   .sites = of_run,
                                   .file = file.begin + run * file.apart,
                                   .order = is_sorted ? order_.data() : nullptr,
                                   .file_at = file_at_.data(),
                                   .site_bytes = site_bytes_,
                                   .ahead = sites.ahead,
                                   .shared_by = sites.shared_by,
                                   .sums = sums_.data() + run * of_run,
                                   .is_first = &bundle == &bundles_.front(),
                                   .crcs = &bundle == &bundles_.back() ? crcs_.data() + run * of_run : nullptr});
    }
    if (image_ != nullptr) image_->put(static_cast<std::size_t>(&bundle - bundles_.data()));
  }
  return std::span(crcs_).first(sites.count);
}

std::span<const std::uint32_t> OnePass::take(const SummedForm& form, const Sites& sites,
                                             const FileParts<std::byte>& to) {
  return move(sites, to, [&](std::size_t pieces, const kernels::isa::StripeRun& run) {
    kernels::take_stripes(form.form, form.crc, pieces, run);
  });
}

std::span<const std::uint32_t> OnePass::give(const SummedForm& form, const Sites& sites,
                                             const FileParts<const std::byte>& from) {
  // The loops that give write nothing to the file.
  const FileParts<std::byte> file{const_cast<std::byte*>(from.begin), from.count, from.apart};
  return move(sites, file, [&](std::size_t pieces, const kernels::isa::StripeRun& run) {
    kernels::give_stripes(form.form, form.crc, pieces, run);
  });
}

}  // namespace lq::lattice
