// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/transfer_stats.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include "comm/agree.hpp"
#include "comm/terms.hpp"
#include "lattice/site_order.hpp"

namespace lq::engine {
namespace {

constexpr double tolerance = 1e-4;          // for the square of a link, beyond the rounding of single precision
constexpr double double_tolerance = 1e-10;  // the same for double precision, as in `lq verify`
constexpr double most_of_link = 1e10;       // no convention scales links so far; byte-swapped numbers have any size
// This many sites off SU(N), if they are most of all, mean another kind of links; the search ends.
constexpr std::uint64_t enough = 4096;

double number_at(const std::byte* at, const kernels::SiteNumbers& form) noexcept {
  if (form.number_bytes == sizeof(float)) {
    return std::bit_cast<float>(form.big_endian ? base::load_be<std::uint32_t>(at) : base::load_le<std::uint32_t>(at));
  }
  return std::bit_cast<double>(form.big_endian ? base::load_be<std::uint64_t>(at) : base::load_le<std::uint64_t>(at));
}

}  // namespace

void OddNumbers::Sites::note(std::uint64_t offset) noexcept { add({1, offset}); }

void OddNumbers::Sites::add(const Sites& others) noexcept {
  if (others.count == 0) return;
  first_offset = count == 0 ? others.first_offset : std::min(first_offset, others.first_offset);
  count += others.count;
}

void OddNumbers::add(const OddNumbers& others) noexcept {
  seen += others.seen;
  not_finite.add(others.not_finite);
  huge.add(others.huge);
  off.add(others.off);
  slightly_off.add(others.slightly_off);
  zero_links.add(others.zero_links);
  for (std::size_t border = 0; border < zero_at_border.size(); ++border) {
    for (std::size_t mu = 0; mu < zero_at_border[border].size(); ++mu) {
      zero_at_border[border][mu] += others.zero_at_border[border][mu];
    }
  }
}

NumberWatch::NumberWatch(const Payload& payload) {
  const FieldSpec& spec = payload.spec;
  has_magnitudes_ = payload.codec.fixed16;
  if (has_magnitudes_ || payload.extents.size() == 0 || spec.numbers == 0) return;
  form_ = {payload.site_bytes() / spec.number_bytes(), static_cast<std::size_t>(spec.number_bytes()),
           payload.byte_order == ByteOrder::big};
  order_ = lattice::resolve_order(payload.order, payload.stored.extents.size());
  places_ = payload.codec.order;
  for (std::uint64_t k = places_.size(); k < form_.numbers; ++k) places_.push_back(static_cast<std::uint32_t>(k));
  site_.resize(static_cast<std::size_t>(spec.numbers));
  least_ = 0;
  most_ = std::numeric_limits<double>::max();
  if (spec.kind != FieldKind::gauge || spec.colors < 2 || spec.links < 1 || !spec.is_complex) return;
  colors_ = static_cast<std::size_t>(spec.colors);
  link_numbers_ = 2 * colors_ * colors_;
  const auto links = static_cast<std::size_t>(spec.links);
  if (link_numbers_ * links != spec.numbers || form_.numbers % links != 0) return;
  links_ = links;
  held_ = static_cast<std::size_t>(form_.numbers) / links;
  is_tight_ = spec.precision == Precision::double_;
  set_bounds(is_tight_ ? double_tolerance : tolerance);
}

// Rows and columns have length 1, including those that remain of a link in the file.
void NumberWatch::set_bounds(double of_link) noexcept {
  const double square = static_cast<double>(links_ * colors_ * held_) / static_cast<double>(link_numbers_);
  least_ = square - of_link * static_cast<double>(links_);
  most_ = square + of_link * static_cast<double>(links_);
}

bool NumberWatch::is_other_kind() const noexcept {
  return found.off.count >= enough && 2 * found.off.count > found.seen;
}

void NumberWatch::look(const Payload& payload, base::Bytes sites, std::uint64_t file_site) {
  if ((form_.numbers == 0 && !has_magnitudes_) || is_other_kind()) return;
  const std::uint64_t site_bytes = payload.site_bytes(), count = sites.size() / site_bytes;
  if (count == 0) return;
  if (has_magnitudes_) return look_at_magnitudes(payload, sites, file_site);
  // Numbers that were in single precision before; the looser bounds still find those that are off.
  if (is_tight_ && found.slightly_off.count >= enough && 2 * found.slightly_off.count > found.seen) {
    is_tight_ = false;
    set_bounds(tolerance);
  }
  const auto closely = [&](std::uint64_t k) {
    look_closely(payload, sites.subspan(static_cast<std::size_t>(k * site_bytes), static_cast<std::size_t>(site_bytes)),
                 file_site + k);
  };
  found.seen += count;
  const std::uint64_t sample = links_ > 0 ? count / 2 : count;
  for (std::uint64_t k = 0;;) {
    k = kernels::first_beyond(sites, form_, k, least_, most_);
    if (k == count) break;
    if (k != sample) closely(k);
    ++k;
  }
  if (sample < count) closely(sample);
}

// A site with a number that fixed point cannot hold consists of NaNs, as its magnitude shows (formats/modes.md 5).
void NumberWatch::look_at_magnitudes(const Payload& payload, base::Bytes sites, std::uint64_t file_site) {
  const std::uint64_t site_bytes = payload.site_bytes(), count = sites.size() / site_bytes;
  found.seen += count;
  for (std::uint64_t k = 0; k < count; ++k) {
    if (std::isfinite(number_at(sites.data() + k * site_bytes, {1, sizeof(float), true}))) continue;
    found.not_finite.note(payload.origin() + (file_site + k) * site_bytes);
  }
}

void NumberWatch::look_closely(const Payload& payload, base::Bytes site, std::uint64_t file_site) {
  const std::uint64_t offset = payload.origin() + file_site * payload.site_bytes();
  double largest = 0;
  bool is_finite = true;
  for (std::size_t k = 0; k < form_.numbers; ++k) {
    const double number = number_at(site.data() + k * form_.number_bytes, form_);
    is_finite = is_finite && std::isfinite(number);
    largest = std::max(largest, std::abs(number));
    site_[places_[k]] = number;
  }
  if (!is_finite) return found.not_finite.note(offset);
  if (links_ == 0) return;
  if (largest > most_of_link) found.huge.note(offset);
  judge_links(payload, file_site, offset);
}

void NumberWatch::judge_links(const Payload& payload, std::uint64_t file_site, std::uint64_t offset) {
  bool is_off = false, has_zeros = false;
  double square = 0;
  for (const double number : site_) square += number * number;
  const int last = payload.extents.size() - 1;
  const Coord x = lattice::site_at(file_site, payload.stored, order_);
  for (std::size_t mu = 0; mu < links_; ++mu) {
    const double* const link = site_.data() + mu * link_numbers_;
    if (!std::all_of(link, link + link_numbers_, [](double number) { return number == 0; })) {
      is_off = is_off || !is_in_group(mu);
      continue;
    }
    has_zeros = true;
    found.zero_links.note(offset);
    if (mu >= max_dimensions) continue;
    if (x[last] == 0) ++found.zero_at_border[0][mu];
    if (x[last] == payload.extents[last] - 1) ++found.zero_at_border[1][mu];
  }
  if (is_off) return found.off.note(offset);
  if (is_tight_ && !has_zeros && !(square >= least_ && square <= most_)) found.slightly_off.note(offset);
}

// Checks the numbers of the link in the file: their lengths and, for whole rows, that these are orthogonal.
bool NumberWatch::is_in_group(std::size_t link) const noexcept {
  const double* const u = site_.data() + link * link_numbers_;
  double square = 0;
  for (std::size_t k = 0; k < link_numbers_; ++k) square += u[k] * u[k];
  const double expected = static_cast<double>(colors_ * held_) / static_cast<double>(link_numbers_);
  if (!(std::abs(square - expected) <= tolerance)) return false;
  const std::size_t row = 2 * colors_, rows = held_ / row;
  if (held_ % row != 0) return true;
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      double re = 0, im = 0;
      for (std::size_t k = 0; k < row; k += 2) {
        const double *const a = u + i * row + k, *const b = u + j * row + k;
        re += a[0] * b[0] + a[1] * b[1];
        im += a[1] * b[0] - a[0] * b[1];
      }
      if (!(std::abs(re) <= tolerance && std::abs(im) <= tolerance)) return false;
    }
  }
  return true;
}

void add(ZeroRegion& zeros, const ZeroRegion& more) noexcept {
  if (more.sites == 0) return;
  zeros.first_offset = zeros.sites == 0 ? more.first_offset : std::min(zeros.first_offset, more.first_offset);
  zeros.last_offset = std::max(zeros.last_offset, more.last_offset);
  zeros.sites += more.sites;
}

void TransferStats::add(TransferStats& other) noexcept {
  sums.add(other.sums);
  engine::add(zeros, other.zeros);
  if (numbers && other.numbers) numbers->found.add(other.numbers->found);
  bytes += other.bytes;
  device.add(other.device);
  pack_seconds = std::max(pack_seconds, other.pack_seconds);
  exchange_seconds = std::max(exchange_seconds, other.exchange_seconds);
  storage_seconds = std::max(storage_seconds, other.storage_seconds);
}

namespace {

constexpr std::uint64_t highest = std::numeric_limits<std::uint64_t>::max();

// Counts are summed; of the places of each kind the first one is kept.
template <class Terms>
void each_term(OddNumbers& found, Terms&& terms) {
  terms.sum(found.seen);
  for (OddNumbers::Sites* const kind :
       {&found.not_finite, &found.huge, &found.off, &found.slightly_off, &found.zero_links}) {
    std::uint64_t first = kind->count > 0 ? kind->first_offset : highest;
    terms.sum(kind->count);
    terms.combine(first, comm::Reduce::min);
    kind->first_offset = first;
  }
  for (auto& border : found.zero_at_border) {
    for (std::uint64_t& of_direction : border) terms.sum(of_direction);
  }
}
constexpr std::size_t odd_terms = 1 + 2 * 5 + 2 * max_dimensions;

// Except sums and odd numbers. `reporter`: a rank whose host computes for a GPU; the first such rank states the reason.
template <class Terms>
void each_term(TransferStats& stats, std::uint64_t& computing, std::uint64_t& copying, std::uint64_t& reporter,
               Terms&& terms) {
  std::uint64_t first = stats.zeros.sites > 0 ? stats.zeros.first_offset : highest;
  terms.sum(stats.zeros.sites);
  terms.combine(first, comm::Reduce::min);
  terms.combine(stats.zeros.last_offset, comm::Reduce::max);
  stats.zeros.first_offset = stats.zeros.sites > 0 ? first : 0;
  terms.sum(stats.bytes);
  terms.sum(stats.ranks_at_file);
  terms.sum(computing);
  terms.sum(copying);
  terms.combine(reporter, comm::Reduce::min);
  terms.max(stats.pack_seconds);
  terms.max(stats.exchange_seconds);
  terms.max(stats.storage_seconds);
  terms.max(stats.open_seconds);
}
constexpr std::size_t other_terms = 12;

}  // namespace

void TransferStats::make_terms() { terms_.resize(1 + sums.terms() + (numbers ? odd_terms : 0) + other_terms); }

void TransferStats::reduce(comm::Comm& comm, const std::exception_ptr& failure) {
  const std::size_t of_sums = sums.terms(), of_numbers = numbers ? odd_terms : 0;
  const std::span<comm::Term> all(terms_), theirs = all.subspan(1, of_sums), odd = all.subspan(1 + of_sums, of_numbers),
                                           others = all.subspan(1 + of_sums + of_numbers);
  std::uint64_t computing = device.computing(), copying = device.copying();
  std::uint64_t reporter = copying > 0 ? static_cast<std::uint64_t>(comm.rank()) : highest;
  const auto pass = [&](auto terms_of_odd, auto terms_of_others) {
    if (numbers) each_term(numbers->found, terms_of_odd);
    each_term(*this, computing, copying, reporter, terms_of_others);
  };
  sums.tell(theirs);
  pass(comm::SentTerms(odd), comm::SentTerms(others));
  comm::agree_on_success(comm, failure, all);
  sums.take(theirs);
  pass(comm::TermReader(odd), comm::TermReader(others));
  device.set_ranks(computing, copying);
  if (copying > 0) comm.broadcast(device.reason(), static_cast<int>(reporter));
}

}  // namespace lq::engine
