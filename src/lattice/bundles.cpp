// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "lattice/bundles.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace lq::lattice {
namespace {

// Stripes at most this far apart form one bundle: they share cache lines and pages.
constexpr std::int64_t close_bytes = 8192;

// Split into equal lengths, for which there are special loops.
void make_equal(std::vector<NumberRun>& number_runs) {
  std::uint64_t length = 0;
  for (const NumberRun& number_run : number_runs) length = std::gcd(length, number_run.length);
  if (length < 8) return;
  std::vector<NumberRun> equal;
  for (NumberRun number_run : number_runs) {
    for (std::uint64_t left = number_run.length; left > 0; left -= length) {
      number_run.length = length;
      equal.push_back(number_run);
      number_run.number += length;
      number_run.place += static_cast<std::int64_t>(length);
    }
  }
  number_runs = std::move(equal);
}

bool is_close(const std::vector<NumberRun>& number_runs, std::size_t number_bytes) {
  const auto [low, high] = std::minmax_element(
      number_runs.begin(), number_runs.end(), [](const NumberRun& a, const NumberRun& b) { return a.place < b.place; });
  return number_runs.front().array == number_runs.back().array &&
         number_runs.front().group == number_runs.back().group &&
         (high->place - low->place) * static_cast<std::int64_t>(number_bytes) < close_bytes;
}

// One piece from the first stripe to the last, if there is nothing else between them.
void find_pieces(Bundle& bundle) {
  const auto before = [](const Stripe& a, const Stripe& b) { return a.memory < b.memory; };
  const auto [low, high] = std::minmax_element(bundle.stripes.begin(), bundle.stripes.end(), before);
  const auto bytes = static_cast<std::size_t>(high->memory - low->memory) + high->bytes;
  std::size_t of_stripes = 0;
  for (const Stripe& stripe : bundle.stripes) of_stripes += stripe.bytes;
  if (bytes == of_stripes) {
    bundle.pieces.push_back({low->memory, bytes});
  } else {
    for (const Stripe& stripe : bundle.stripes) bundle.pieces.push_back({stripe.memory, stripe.bytes});
  }
}

// Determines if they are equally spaced in memory, and contiguous in a site.
void find_step(Bundle& bundle) {
  const Stripe& first = bundle.stripes.front();
  if (bundle.stripes.size() < 2 || bundle.bytes_each == 0) return;
  const std::ptrdiff_t step = bundle.stripes[1].memory - first.memory;
  for (std::size_t k = 1; k < bundle.stripes.size(); ++k) {
    const Stripe &stripe = bundle.stripes[k], &before = bundle.stripes[k - 1];
    if (stripe.memory - before.memory != step || stripe.in_site - before.in_site != bundle.bytes_each) return;
  }
  bundle.step = step;
}

}  // namespace

std::vector<Bundle> bundles_of(const SitePlaces& places, std::span<std::byte* const> arrays, std::size_t number_bytes) {
  std::vector<NumberRun> number_runs = places.number_runs();
  const bool close = is_close(number_runs, number_bytes), has_own_places = number_runs.back().group > 0;
  if (close && !number_runs.front().is_transposed) make_equal(number_runs);
  std::sort(number_runs.begin(), number_runs.end(),
            [](const NumberRun& a, const NumberRun& b) { return a.number < b.number; });
  std::vector<Bundle> bundles;
  std::size_t held = 0;
  for (const NumberRun& number_run : number_runs) {
    const Stripe stripe{arrays[static_cast<std::size_t>(number_run.array)] +
                            number_run.place * static_cast<std::ptrdiff_t>(number_bytes),
                        static_cast<std::size_t>(number_run.number) * number_bytes,
                        static_cast<std::size_t>(number_run.length) * number_bytes};
    if (bundles.empty() || number_run.group != bundles.back().group || (!close && held + stripe.bytes > line_bytes)) {
      bundles.push_back(
          {.bytes_each = stripe.bytes, .is_transposed = number_run.is_transposed, .group = number_run.group});
      held = 0;
    }
    Bundle& bundle = bundles.back();
    if (bundle.bytes_each != stripe.bytes) bundle.bytes_each = 0;
    bundle.stripes.push_back(stripe);
    held += stripe.bytes;
  }
  for (Bundle& bundle : bundles) {
    find_pieces(bundle);
    find_step(bundle);
    bundle.is_near = (close || has_own_places) && bundle.pieces.size() == 1;
  }
  return bundles;
}

namespace {

constexpr std::size_t least_copy = 512;  // average; shorter copies write few whole lines

std::size_t pieces_of(const Bundle& bundle, std::size_t lanes) noexcept { return lanes > 1 ? 1 : bundle.pieces.size(); }

// The size of each piece if all are equal, else 0. A vector is one piece.
std::size_t piece_bytes_of(const Bundle& bundle, std::size_t lanes) noexcept {
  if (lanes > 1) {
    const std::size_t vector = lanes * bundle.bytes_each;
    return bundle.step == static_cast<std::ptrdiff_t>(vector) ? bundle.stripes.size() * vector : 0;
  }
  const std::size_t bytes = bundle.pieces.front().bytes;
  return std::ranges::all_of(bundle.pieces, [&](const Piece& piece) { return piece.bytes == bytes; }) ? bytes : 0;
}

}  // namespace

std::unique_ptr<MemoryImage> MemoryImage::find(std::span<const Bundle> bundles, std::size_t lanes,
                                               std::size_t number_bytes, std::size_t most) {
  const std::size_t bytes = piece_bytes_of(bundles.front(), lanes);
  const bool are_alike = std::ranges::all_of(
      bundles, [&](const Bundle& bundle) { return bundle.group == 0 && piece_bytes_of(bundle, lanes) == bytes; });
  if (kernels::around_caches().copy == nullptr || bytes == 0 || !are_alike) return nullptr;
  return std::unique_ptr<MemoryImage>(new MemoryImage(bundles, lanes, number_bytes, most, bytes));
}

MemoryImage::MemoryImage(std::span<const Bundle> bundles, std::size_t lanes, std::size_t number_bytes, std::size_t most,
                         std::size_t piece_bytes)
    : around_(kernels::around_caches()),
      most_(most),
      number_bytes_(number_bytes),
      piece_bytes_(piece_bytes),
      lines_of_piece_((most * piece_bytes + line_bytes - 1) / line_bytes) {
  std::size_t pieces = 0;
  for (const Bundle& bundle : bundles) pieces = std::max(pieces, pieces_of(bundle, lanes));
  lines_ = std::make_unique_for_overwrite<Line[]>(pieces * lines_of_piece_);
  for (const Bundle& bundle : bundles) add(bundle, lanes);
  runs_.reserve(most);
  places_.reserve(most);
}

void MemoryImage::add(Bundle bundle, std::size_t lanes) {
  const std::size_t pieces = pieces_of(bundle, lanes);
  std::vector<std::byte*>& memory = memory_.emplace_back();
  for (std::size_t k = 0; k < pieces; ++k) memory.push_back(bundle.pieces[k].memory);
  for (std::size_t s = 0; s < bundle.stripes.size(); ++s) {
    const std::size_t piece = pieces == 1 ? 0 : s;
    std::byte* const begin = lines_[piece * lines_of_piece_].bytes;
    bundle.stripes[s].memory = begin + (bundle.stripes[s].memory - memory[piece]);
  }
  if (pieces > 1 && bundle.step != 0) bundle.step = static_cast<std::ptrdiff_t>(lines_of_piece_ * line_bytes);
  images_.push_back(std::move(bundle));
}

// One if the sites of a run are neighbours in memory.
std::size_t MemoryImage::copies_of(const SiteRun& run) const noexcept {
  const bool is_dense = run.step * static_cast<std::int64_t>(number_bytes_) == static_cast<std::int64_t>(piece_bytes_);
  return is_dense ? 1 : run.sites;
}

bool MemoryImage::aim_at(std::span<const std::int64_t> places, std::int64_t dense, std::size_t turns) {
  if (places.size() > most_) return false;
  runs_.find(places, dense, turns);
  std::size_t sites = 0, copies = 0;
  for (const SiteRun& run : runs_.runs()) {
    sites += run.sites;
    copies += copies_of(run);
  }
  if (copies * least_copy > sites * piece_bytes_) return false;
  places_.assign(places.size(), SitePlaces::absent);
  std::int64_t next = 0;
  for (const SiteRun& run : runs_.runs()) {
    for (const std::size_t site : runs_.sites_of(run)) {
      places_[site] = next;
      next += static_cast<std::int64_t>(piece_bytes_ / number_bytes_);
    }
  }
  return true;
}

void MemoryImage::put(std::size_t number) const noexcept {
  const auto width = static_cast<std::ptrdiff_t>(number_bytes_);
  for (std::size_t k = 0; k < memory_[number].size(); ++k) {
    const std::byte* from = lines_[k * lines_of_piece_].bytes;
    for (const SiteRun& run : runs_.runs()) {
      std::byte* to = memory_[number][k] + run.place * width;
      const std::size_t copies = copies_of(run), bytes = run.sites / copies * piece_bytes_;
      for (std::size_t i = 0; i < copies; ++i, from += bytes, to += run.step * width) around_.copy(from, to, bytes);
    }
  }
}

namespace {

constexpr std::size_t word_bytes = 8;
// The amount of a site moved at a time: a line of memory for each piece; longer pieces whole.
constexpr std::size_t pieces_at_once = 8;

// Matrices by columns are split into single numbers, in the order of the site.
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

// Joins it to the previous one if they are alike: long stripes of a site all together, short ones up to the cache size.
// An image holds one bundle at a time.
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

// Places sites that share lines of memory next to each other. False if the file's order should be kept.
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
  // The loops in this direction do not write to the file.
  const FileParts<std::byte> file{const_cast<std::byte*>(from.begin), from.count, from.apart};
  return move(sites, file, [&](std::size_t pieces, const kernels::isa::StripeRun& run) {
    kernels::give_stripes(form.form, form.crc, pieces, run);
  });
}

}  // namespace lq::lattice
