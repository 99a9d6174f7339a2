// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Every value is stored as 64-bit words that combine by XOR or by addition, whatever its kind.
#include "engine/site_sums.hpp"

#include <bit>
#include <utility>

#include "base/error.hpp"
#include "kernels/crc32.hpp"
#include "lattice/site_order.hpp"

namespace lq::engine {
namespace {

constexpr std::int64_t max_slices = 1 << 16;  // a few MiB on every rank

bool is_of_crcs(SumKind kind) { return kind == SumKind::scidac || kind == SumKind::weighted; }

bool is_of_squares(SumKind kind) { return kind == SumKind::norm || kind == SumKind::momentum_action; }

comm::Reduce operation_of(SumKind kind) {
  return kind == SumKind::nersc || is_of_squares(kind) ? comm::Reduce::sum : comm::Reduce::bit_xor;
}

constexpr std::uint64_t pair_of(std::uint32_t high, std::uint32_t low) { return (std::uint64_t{high} << 32) | low; }

// 64-bit words that hold the 32-bit words of a kind.
std::size_t held_words(SumKind kind) {
  return is_of_squares(kind) ? kernels::square_sum_words : (words_of(kind) + 1) / 2;
}

void append(std::vector<std::uint32_t>& words, std::uint64_t held) {
  words.push_back(static_cast<std::uint32_t>(held >> 32));
  words.push_back(static_cast<std::uint32_t>(held));
}

void append(std::vector<std::uint32_t>& words, SumKind kind, const Checksum& checksum,
            const kernels::WeightedSum& weighted) {
  if (kind == SumKind::scidac) return append(words, pair_of(checksum.suma, checksum.sumb));
  append(words, weighted.plain);
  append(words, weighted.weighted);
}

bool is_hash(SumKind kind) noexcept { return kind == SumKind::sha256 || kind == SumKind::sha256_padded; }

void require_kept(const SumName& name, const Payload& payload) {
  const bool tiles_are_runs = payload.block.size() == 0 && payload.arrays == 1;
  const bool is_kept = name.of == SumOf::tiles    ? tiles_are_runs && !is_of_crcs(name.kind)
                       : name.of == SumOf::arrays ? is_hash(name.kind) || name.kind == SumKind::pyquda
                                                  : true;
  if (is_kept) return;
  base::fail(Code::unsupported, {}, "sums of kind {} are not kept for {}", lq::name(name.kind),
             name.of == SumOf::tiles && !is_of_crcs(name.kind) ? "tiles that are blocks, or of one of several arrays"
                                                               : lq::name(name.of));
}

}  // namespace

SiteSums::SiteSums(const Payload& payload, const std::vector<SumName>& wanted)
    : wanted_(wanted),
      extents_(payload.extents),
      sites_(payload.stored.volume()),
      site_bytes_(payload.site_bytes()),
      number_bytes_(payload.spec.number_bytes()),
      big_endian_(payload.byte_order == ByteOrder::big),
      slice_sites_(sites_),
      keeps_slices_(std::ranges::find(wanted, SumOf::slices, &SumName::of) != wanted.end()) {
  const SiteOrder order = lattice::resolve_order(payload.order, payload.stored.extents.size());
  const std::int64_t slices = payload.stored.extents[order.back()];
  keeps_slices_ = keeps_slices_ && slices >= 1 && slices <= max_slices;
  if (keeps_slices_) slice_sites_ = sites_ / static_cast<std::uint64_t>(slices);
  for (const SumName& name : wanted) want(name, payload);
  terms_ = checksums_.size() + 2 * weighted_.size();
  for (const FileSum& sum : others_) terms_ += sum.values.size();
}

void SiteSums::want(const SumName& name, const Payload& payload) {
  require_kept(name, payload);
  if (is_of_crcs(name.kind)) {
    const auto slices = static_cast<std::size_t>(keeps_slices_ ? sites_ / slice_sites_ : 1);
    checksums_.resize(slices);
    if (name.kind == SumKind::weighted) weighted_.resize(slices);
    return;
  }
  if (name.of == SumOf::slices && !keeps_slices_) return;
  const std::uint64_t part = name.of == SumOf::slices  ? slice_sites_
                             : name.of == SumOf::tiles ? payload.tile_sites
                                                       : sites_;
  FileSum sum{name, part == 0 ? sites_ : part, name.of == SumOf::arrays ? payload.arrays : 1};
  const std::uint64_t parts = sum.part_sites == 0 ? 1 : (sites_ + sum.part_sites - 1) / sum.part_sites;
  sum.values.resize(static_cast<std::size_t>(parts * sum.arrays) * held_words(name.kind));
  others_.push_back(std::move(sum));
}

std::uint64_t SiteSums::part_end(const FileSum& sum, std::uint64_t site) const noexcept {
  return std::min((site / sum.part_sites + 1) * sum.part_sites, sites_);
}

void SiteSums::add(FileSum& sum, base::Bytes sites, const Run& run) noexcept {
  for (std::uint64_t skip = 0; skip < run.sites;) {
    const std::uint64_t site = run.file_site + skip;
    const std::uint64_t part = std::min(run.sites - skip, part_end(sum, site) - site);
    add_part(sum,
             sites.subspan(static_cast<std::size_t>(skip * site_bytes_), static_cast<std::size_t>(part * site_bytes_)),
             {site, part, run.site_rank + skip * run.rank_stride, run.rank_stride});
    skip += part;
  }
}

void SiteSums::add_part(FileSum& sum, base::Bytes sites, const Run& run) noexcept {
  std::uint64_t* const value =
      sum.values.data() + run.file_site / sum.part_sites * sum.arrays * held_words(sum.name.kind);
  switch (sum.name.kind) {
    case SumKind::nersc:
      *value += kernels::sum_of_words(sites, big_endian_);
      break;
    case SumKind::milc: {
      const Checksum words = kernels::rotated_words(sites, big_endian_, run.file_site * site_bytes_ / 4);
      *value ^= pair_of(words.suma, words.sumb);
      break;
    }
    case SumKind::sha256:
    case SumKind::sha256_padded:
    case SumKind::pyquda:
      add_sites(sum, value, sites, run);
      break;
    case SumKind::norm:
      kernels::add_squares(kernels::SquareSum(value, kernels::square_sum_words), sites,
                           static_cast<std::size_t>(number_bytes_), big_endian_);
      break;
    case SumKind::momentum_action:
      kernels::add_momentum_action(kernels::SquareSum(value, kernels::square_sum_words), sites,
                                   static_cast<std::size_t>(number_bytes_), big_endian_);
      break;
    case SumKind::crc32:
      if (run.file_site != sum.crc_end || run.file_site % sum.part_sites == 0) {
        settle_crc(sum);
        sum.crc = 0;
        sum.crc_begin = run.file_site;
      }
      sum.crc = kernels::crc32(sum.crc, sites);
      sum.crc_end = run.file_site + run.sites;
      break;
    case SumKind::scidac:
    case SumKind::weighted:
      break;  // made of CRCs, see for_each_slice()
  }
}

// Kinds that are computed from the values of sites, or of the parts of sites in an array.
void SiteSums::add_sites(const FileSum& sum, std::uint64_t* value, base::Bytes sites, const Run& run) const noexcept {
  const auto bytes = static_cast<std::size_t>(site_bytes_ / sum.arrays);
  for (std::uint64_t k = 0; k < run.sites; ++k) {
    const std::uint64_t rank = run.site_rank + k * run.rank_stride;
    std::uint64_t* of_array = value;
    for (std::uint64_t a = 0; a < sum.arrays;
         ++a, sites = sites.subspan(bytes), of_array += held_words(sum.name.kind)) {
      const base::Bytes part = sites.first(bytes);
      if (is_hash(sum.name.kind)) {
        add_hash(of_array, part, rank, sum.name.kind == SumKind::sha256_padded);
      } else {
        const std::uint32_t words = kernels::xor_of_words(part, big_endian_);
        *of_array ^=
            pair_of(std::rotl(words, static_cast<int>(rank % 29)), std::rotl(words, static_cast<int>(rank % 31)));
      }
    }
  }
}

void SiteSums::add_hash(std::uint64_t* value, base::Bytes site, std::uint64_t site_rank,
                        bool is_padded) const noexcept {
  const Coord x = lattice::site_of_rank(site_rank, extents_);
  const auto hash = kernels::sha256_of_site(site, number_bytes_, big_endian_,
                                            {x.begin(), static_cast<std::size_t>(x.size())}, is_padded);
  for (std::size_t i = 0; i < hash.size() / 2; ++i) value[i] ^= pair_of(hash[2 * i], hash[2 * i + 1]);
}

// Turns the CRC accumulated so far into a contribution to the CRC-32 of its part.
void SiteSums::settle_crc(FileSum& sum) const noexcept {
  if (sum.crc_end == sum.crc_begin) return;
  const std::uint64_t behind = part_end(sum, sum.crc_begin) - sum.crc_end;
  sum.values[static_cast<std::size_t>(sum.crc_begin / sum.part_sites)] ^=
      kernels::crc32_contribution(sum.crc, (sum.crc_end - sum.crc_begin) * site_bytes_, behind * site_bytes_);
  sum.crc_begin = sum.crc_end = 0;
}

// Calls visit(word, how it combines) for all words, which it may change.
template <class Visit>
void SiteSums::each_word(const Visit& visit) noexcept {
  for (Checksum& sum : checksums_) {
    std::uint64_t word = pair_of(sum.suma, sum.sumb);
    visit(word, comm::Reduce::bit_xor);
    sum = {static_cast<std::uint32_t>(word >> 32), static_cast<std::uint32_t>(word)};
  }
  for (kernels::WeightedSum& sum : weighted_) {
    visit(sum.plain, comm::Reduce::sum);
    visit(sum.weighted, comm::Reduce::sum);
  }
  for (FileSum& sum : others_) {
    for (std::uint64_t& word : sum.values) visit(word, operation_of(sum.name.kind));
  }
}

void SiteSums::add(SiteSums& others) noexcept {
  for (std::size_t i = 0; i < checksums_.size(); ++i) kernels::combine(checksums_[i], others.checksums_[i]);
  for (std::size_t i = 0; i < weighted_.size(); ++i) {
    weighted_[i].plain += others.weighted_[i].plain;
    weighted_[i].weighted += others.weighted_[i].weighted;
  }
  for (std::size_t k = 0; k < others_.size(); ++k) {
    settle_crc(others.others_[k]);
    const bool is_added = operation_of(others_[k].name.kind) == comm::Reduce::sum;
    std::vector<std::uint64_t>& mine = others_[k].values;
    const std::vector<std::uint64_t>& theirs = others.others_[k].values;
    for (std::size_t i = 0; i < mine.size(); ++i) mine[i] = is_added ? mine[i] + theirs[i] : mine[i] ^ theirs[i];
  }
}

void SiteSums::tell(std::span<comm::Term> terms) noexcept {
  for (FileSum& sum : others_) settle_crc(sum);
  std::size_t next = 0;
  each_word([&](std::uint64_t word, comm::Reduce operation) { terms[next++] = {word, operation}; });
}

void SiteSums::take(std::span<const comm::Term> terms) noexcept {
  std::size_t next = 0;
  each_word([&](std::uint64_t& word, comm::Reduce) { word = terms[next++].value; });
}

Sums SiteSums::values() const {
  Sums sums;
  for (const SumName& name : wanted_) {
    if (name.of == SumOf::slices && !keeps_slices_) continue;
    sums.set({name, words(name)});
  }
  return sums;
}

std::vector<std::uint32_t> SiteSums::words(const SumName& name) const {
  std::vector<std::uint32_t> words;
  if (!is_of_crcs(name.kind)) {
    add_words(*std::ranges::find(others_, name, &FileSum::name), words);
  } else if (name.of == SumOf::field) {
    append(words, name.kind, total(), weighted_total());
  } else {
    for (std::size_t i = 0; i < checksums_.size(); ++i) {
      append(words, name.kind, checksums_[i], weighted_.empty() ? kernels::WeightedSum{} : weighted_[i]);
    }
  }
  return words;
}

void SiteSums::add_words(const FileSum& sum, std::vector<std::uint32_t>& words) const {
  if (is_of_squares(sum.name.kind)) {
    constexpr std::size_t held = kernels::square_sum_words;
    for (std::size_t i = 0; i < sum.values.size(); i += held) {
      const double value = kernels::value_of(std::span<const std::uint64_t, held>(sum.values.data() + i, held));
      append(words, std::bit_cast<std::uint64_t>(value));
    }
    return;
  }
  for (std::size_t i = 0; i < sum.values.size(); ++i) {
    if (words_of(sum.name.kind) > 1) {
      append(words, sum.values[i]);
      continue;
    }
    words.push_back(static_cast<std::uint32_t>(sum.values[i]));
    if (sum.name.kind != SumKind::crc32) continue;
    const std::uint64_t begin = i * sum.part_sites;
    words.back() ^= kernels::crc32_of_zeros((part_end(sum, begin) - begin) * site_bytes_);
  }
}

Checksum SiteSums::total() const noexcept {
  Checksum total;
  for (const Checksum& sum : checksums_) kernels::combine(total, sum);
  return total;
}

kernels::WeightedSum SiteSums::weighted_total() const noexcept {
  kernels::WeightedSum total;
  for (const kernels::WeightedSum& sum : weighted_) {
    total.plain += sum.plain;
    total.weighted += sum.weighted;
  }
  return total;
}

}  // namespace lq::engine
