// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "diagnosis/readings.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "base/byte_source.hpp"
#include "base/bytes.hpp"
#include "diagnosis/words.hpp"

namespace lq::diagnosis {

// The sites in sequence, for a file that distributes their numbers over several arrays: links of one direction, real
// parts.
class SiteSequence final : public base::ByteSource {
 public:
  // Each site has `run_bytes` in each array; the first array begins at `offset`.
  SiteSequence(base::ByteSource& file, std::uint64_t offset, std::uint64_t arrays, std::uint64_t run_bytes,
               std::uint64_t sites)
      : file_(file), offset_(offset), arrays_(arrays), run_bytes_(run_bytes), sites_(sites) {}

  const std::string& path() const noexcept override { return file_.path(); }
  std::uint64_t size() const override { return sites_ * arrays_ * run_bytes_; }
  std::size_t read_at(std::uint64_t offset, base::MutableBytes buffer) override;

 private:
  base::ByteSource& file_;
  std::uint64_t offset_, arrays_, run_bytes_, sites_;
};

std::size_t SiteSequence::read_at(std::uint64_t offset, base::MutableBytes buffer) {
  if (offset >= size() || buffer.empty()) return 0;
  const std::uint64_t site_bytes = arrays_ * run_bytes_;
  const std::uint64_t end = std::min(size(), offset + buffer.size());
  const std::uint64_t first = offset / site_bytes, last = (end - 1) / site_bytes;
  const auto sites = static_cast<std::size_t>(last - first + 1), run = static_cast<std::size_t>(run_bytes_);
  std::vector<std::byte> array(sites * run), gathered(sites * static_cast<std::size_t>(site_bytes));
  for (std::uint64_t k = 0; k < arrays_; ++k) {
    if (file_.read_at(offset_ + (k * sites_ + first) * run_bytes_, array) < array.size()) return 0;
    for (std::size_t site = 0; site < sites; ++site) {
      std::copy_n(array.data() + site * run, run,
                  gathered.data() + site * static_cast<std::size_t>(site_bytes) + static_cast<std::size_t>(k) * run);
    }
  }
  const auto wanted = static_cast<std::size_t>(end - offset);
  std::copy_n(gathered.data() + (offset - first * site_bytes), wanted, buffer.data());
  return wanted;
}

namespace {

constexpr std::uint64_t ordering_sites = 512;
constexpr std::uint64_t all_sites = 1 << 16, many_sites = 4096;  // up to this many, all are measured; else a sample
constexpr std::uint64_t largest_header = 64 * base::kibi;
constexpr std::size_t most_measured = 24, most_others = 4;
constexpr double far_apart = 6;    // in standard errors, for one of two plaquettes to count as larger
constexpr double rounding = 1e-9;  // in averages of the same plaquettes
// Smallest fraction of the largest plaquette that a correct declared order has.
constexpr double least_part = 0.5;
constexpr double little = 0.05;
// Fraction of the sampled links by which a reading is worse than another one.
constexpr double little_less = 0.02;
// Readings that are slightly more unusual are equally likely.
constexpr int little_more = 1;
// Links in an order that no known program uses.
constexpr int too_odd = 4;

bool is_right(const Extraction& way) { return way.fit.is_precise(way.encoding.precision); }

bool is_about_as_long(const Extraction& one, const Extraction& other) {
  return one.encoding.site_bytes() * 8 >= other.encoding.site_bytes() * 7;
}

bool is_smaller(const Average& one, const Average& other) {
  return one.value + far_apart * std::hypot(one.noise, other.noise) + rounding < other.value;
}

class Finder {
 public:
  Finder(const Subject& subject, base::ByteSource& file)
      : subject_(subject), file_(file), sites_(volume(subject.extents)), declared_(*subject.declared) {}

  Readings run() {
    find_ways();
    if (result_.ways.empty()) return std::move(result_);
    std::vector<Sequence> sequences;
    for (const Extraction& way : result_.ways) sequences.push_back(way.sequence);
    ranked_ = rank_orderings(sequences, subject_.extents, ordering_sites);
    result_.sampled_sites = std::min(sites_, ordering_sites);
    const Average& largest = ranked_.front().plaquette;
    result_.is_order_known = largest.value >= far_apart * largest.noise;
    if (result_.is_order_known) {
      choose();
    } else {
      take_declared();
    }
    add_others();
    return std::move(result_);
  }

 private:
  void find_ways();
  void add_way(const StoredAs& stored, base::ByteSource& file, const RecordChain* marks, const Place& place);
  void find_in_records();
  bool is_known(const RecordChain& chain, const Encoding& encoding) const;
  void find_where_it_ends();
  void choose();
  void take_declared();
  bool prefer_declared();
  Choice declared_choice() const;
  void measure(Choice& choice) const;
  std::vector<Choice> choices_for(const Ranked& ranked) const;
  void add_new(std::vector<Choice>& all, Choice one) const;
  void add_others();

  const Subject& subject_;
  base::ByteSource& file_;
  std::uint64_t sites_;
  Encoding declared_;
  Readings result_;
  std::vector<Ranked> ranked_;
};

void Finder::add_way(const StoredAs& stored, base::ByteSource& file, const RecordChain* marks, const Place& place) {
  Extraction& way = result_.ways.emplace_back();
  way.encoding = stored.encoding;
  way.fit = stored.fit;
  way.marks = marks;
  way.sequence = {way.encoding, &file};
  const std::uint64_t arrays = way.encoding.arrays();
  if (arrays > 1) {
    way.sites =
        std::make_unique<SiteSequence>(file, way.encoding.offset, arrays, way.encoding.site_bytes() / arrays, sites_);
    way.sequence = {way.encoding.as_sequence(0), way.sites.get()};
  }
  way.goes_on = !subject_.is_described && goes_on(place, way.encoding, sites_);
}

void Finder::find_ways() {
  const Place place{&file_, subject_.begin, subject_.end};
  std::vector<StoredAs> found;
  if (subject_.is_described) {
    found = try_encoding(place, declared_, sites_);
    const bool fits = !found.empty() && found.front().fit.is_precise(declared_.precision);
    if (fits && declared_.axes == natural_axes) {
      Encoding by_direction = declared_;
      std::swap(by_direction.axes[0], by_direction.axes[1]);
      for (const StoredAs& one : try_encoding(place, by_direction, sites_)) found.push_back(one);
    }
    if (!fits || found.front().bad_ends > 0) {
      std::vector<StoredAs> better = find_encodings({place}, {sites_, declared_, true});
      const auto is_precise = [](const StoredAs& one) { return one.fit.is_precise(one.encoding.precision); };
      if (found.empty() || std::ranges::any_of(better, is_precise)) found = std::move(better);
    }
  } else {
    found = find_encodings({place}, {sites_, declared_, true});
  }
  for (const StoredAs& one : found) add_way(one, file_, nullptr, place);
  const bool is_read = subject_.is_described && std::ranges::any_of(result_.ways, is_right);
  if (!is_read) find_in_records();
  // If marks are read as numbers, most links are correct, but not all. A damaged field is still more likely
  // than a smaller one within it.
  std::vector<bool> is_worse;
  for (const Extraction& way : result_.ways) {
    is_worse.push_back(std::ranges::any_of(result_.ways, [&](const Extraction& other) {
      return is_about_as_long(other, way) &&
             (way.fit.share + little_less < other.fit.share || (is_right(other) && !is_right(way)));
    }));
  }
  auto next = is_worse.begin();
  std::erase_if(result_.ways, [&](const Extraction&) { return *next++; });
  if (result_.ways.empty()) find_where_it_ends();
}

void Finder::find_in_records() {
  const std::uint64_t length = subject_.end - subject_.begin;
  // The smallest possible field on the lattice.
  const Encoding least{.colors = 2, .links = declared_.links, .precision = Precision::single};
  if (sites_ > length / least.site_bytes()) return;
  for (RecordChain& chain :
       find_chains(file_, subject_.begin, subject_.end, largest_header, sites_ * least.site_bytes())) {
    const RecordChain& kept = result_.chains.emplace_back(std::move(chain));
    base::ByteSource& records = *result_.unmarked.emplace_back(std::make_unique<RecordContents>(file_, kept));
    const Place within{&records, 0, kept.bytes};
    for (const StoredAs& one : find_encodings({within}, {sites_, declared_, true})) {
      if (!is_known(kept, one.encoding)) add_way(one, records, &kept, within);
    }
  }
}

// True if these numbers were found already without regard to the marks: in one record, or within one.
bool Finder::is_known(const RecordChain& chain, const Encoding& encoding) const {
  const std::uint64_t first = chain.in_file(encoding.offset), bytes = sites_ * encoding.site_bytes();
  if (chain.in_file(encoding.offset + bytes - 1) != first + bytes - 1) return false;
  Encoding in_file = encoding;
  in_file.offset = first;
  return std::ranges::any_of(result_.ways,
                             [&](const Extraction& way) { return way.marks == nullptr && way.encoding == in_file; });
}

// Truncated files are read as far as possible, in the usual form.
void Finder::find_where_it_ends() {
  const Place place{&file_, subject_.begin, subject_.end};
  for (const bool two_rows : {declared_.third_rows_missing, !declared_.third_rows_missing}) {
    if (two_rows && declared_.colors != 3) continue;
    for (const Precision precision :
         {declared_.precision, declared_.precision == Precision::single ? Precision::double_ : Precision::single}) {
      for (const ByteOrder order : {ByteOrder::big, ByteOrder::little}) {
        Encoding one = declared_;
        one.third_rows_missing = two_rows;
        one.precision = precision;
        one.byte_order = order;
        if (one.offset >= subject_.end) continue;
        const std::uint64_t there = (subject_.end - one.offset) / one.site_bytes();
        if (there == 0 || there >= sites_) continue;
        for (const StoredAs& stored : try_encoding(place, one, there)) {
          if (result_.ways.empty() && stored.fit.is_precise(precision)) add_way(stored, file_, nullptr, place);
        }
      }
    }
  }
}

void Finder::measure(Choice& choice) const {
  choice.plaquette =
      average_plaquette(choice.way->sequence.encoding, choice.ordering, *choice.way->sequence.file,
                        sample_of(choice.ordering.sites.extents, sites_ <= all_sites ? sites_ : many_sites));
}

Choice Finder::declared_choice() const {
  const Extraction* way = &result_.ways.front();
  for (const Extraction& one : result_.ways) {
    if (one.encoding == declared_ && one.marks == nullptr) way = &one;
  }
  Choice choice{.way = way, .ordering = subject_.ordering, .plaquette = {}};
  choice.is_declared = way->encoding == declared_ && way->marks == nullptr;
  return choice;
}

// Without information from plaquettes the order of the header is used, if there is one.
void Finder::take_declared() {
  Choice choice = declared_choice();
  measure(choice);
  result_.is_proven = subject_.is_described;
  result_.fitting.push_back(std::move(choice));
}

// Links with a pattern may have larger plaquettes in a wrong order: a header's statement takes precedence.
bool Finder::prefer_declared() {
  if (!subject_.is_described) return false;
  Choice choice = declared_choice();
  measure(choice);
  const double largest = ranked_.front().plaquette.value;
  const bool is_kept = subject_.plaquette ? factor_of(choice.plaquette, *subject_.plaquette) != 0
                                          : choice.plaquette.value >= least_part * largest;
  if (!is_kept) return false;
  if (!subject_.plaquette && is_smaller(choice.plaquette, ranked_.front().plaquette)) result_.larger = largest;
  result_.fitting.push_back(std::move(choice));
  return true;
}

std::vector<Choice> Finder::choices_for(const Ranked& ranked) const {
  const Extraction& way = result_.ways[ranked.sequence];
  std::vector<Choice> all;
  const Ordering* const declared = subject_.is_described ? &subject_.ordering : nullptr;
  for (Naming& naming : namings_of(ranked, subject_.extents, declared)) {
    // i times the complex conjugate of a matrix is in SU(4), too.
    Choice one{.way = &way,
               .ordering = std::move(naming.ordering),
               .plaquette = ranked.plaquette,
               .oddity = naming.oddity + (way.encoding.imaginary_first ? 1 : 0)};
    one.is_declared = way.encoding == declared_ && way.marks == nullptr && are_same(one.ordering, subject_.ordering);
    all.push_back(std::move(one));
  }
  return all;
}

void Finder::add_new(std::vector<Choice>& all, Choice one) const {
  const bool is_known = std::ranges::any_of(
      all, [&](const Choice& other) { return other.way == one.way && are_same(other.ordering, one.ordering); });
  if (!is_known) all.push_back(std::move(one));
}

void Finder::choose() {
  if (prefer_declared()) {
    result_.is_proven = true;
    return;
  }
  // All that the sample cannot distinguish from the best.
  std::vector<std::pair<const Ranked*, Average>> best;
  for (const Ranked& one : ranked_) {
    if (best.size() == most_measured || is_smaller(one.plaquette, ranked_.front().plaquette)) break;
    std::vector<Choice> named = choices_for(one);
    if (named.empty()) continue;
    measure(named.front());
    best.emplace_back(&one, named.front().plaquette);
  }
  const auto by_value = [](const auto& one) { return one.second.value; };
  const Average largest = std::ranges::max_element(best, {}, by_value)->second;
  std::erase_if(best, [&](const auto& one) { return is_smaller(one.second, largest); });
  // Partly correct orders, as for sites written process by process, have small plaquettes in many ways.
  if (best.size() > 1 && largest.value < little) {
    result_.is_order_known = false;
    return take_declared();
  }
  std::vector<Choice> all;
  for (const auto& [ranked, plaquette] : best) {
    for (Choice& one : choices_for(*ranked)) {
      one.plaquette = plaquette;
      add_new(all, std::move(one));
    }
  }
  std::ranges::stable_sort(all, {}, &Choice::oddity);
  const int least = all.front().oddity;
  const auto is_told = [&](const Choice& one) { return one.ordering.sites.extents == subject_.extents; };
  const auto as_told = std::ranges::find_if(all, is_told);
  for (auto one = all.begin(); one != all.end(); ++one) {
    if (one->oddity <= least + little_more || one == as_told) result_.fitting.push_back(*one);
  }
  const bool is_usual = subject_.is_described || least < too_odd;
  result_.is_proven = result_.fitting.size() == 1 && is_usual && is_told(result_.fitting.front());
}

void Finder::add_others() {
  std::vector<Choice> all = result_.fitting;
  if (subject_.is_described) {
    Choice declared = declared_choice();
    measure(declared);
    if (declared.is_declared) add_new(all, std::move(declared));
  }
  for (const Ranked& one : ranked_) {
    if (all.size() >= result_.fitting.size() + most_others) break;
    std::vector<Choice> named = choices_for(one);
    const auto as_told = std::ranges::find_if(
        named, [&](const Choice& choice) { return choice.ordering.sites.extents == subject_.extents; });
    if (as_told != named.end()) add_new(all, std::move(*as_told));
  }
  for (std::size_t k = result_.fitting.size(); k < all.size(); ++k) result_.others.push_back(std::move(all[k]));
}

}  // namespace

Readings find_readings(const Subject& subject, base::ByteSource& file) { return Finder(subject, file).run(); }

Reading reading_of(const Subject& subject, const Choice& one, bool is_proven) {
  const Encoding& encoding = one.way->encoding;
  Reading reading{.offset = one.way->offset(),
                  .precision = encoding.precision,
                  .byte_order = encoding.byte_order,
                  .halves_exchanged = encoding.halves_exchanged,
                  .parts = encoding.parts(),
                  .third_rows_missing = encoding.third_rows_missing,
                  .is_transposed = one.ordering.is_transposed,
                  .sites = one.ordering.order,
                  .links = one.ordering.links,
                  .colors = encoding.colors,
                  .lattice = one.ordering.sites.extents,
                  .axes = axes_text(encoding, one.ordering),
                  .parity = std::string(parity_name(one.ordering.sites.parity)),
                  .record_marks = one.way->marks ? one.way->marks->mark_bytes : 0,
                  .is_declared = one.is_declared && !subject.said,
                  .is_proven = is_proven,
                  .is_single_in_double = one.way->fit.is_single_in_double,
                  .unitarity = one.way->fit.unitarity,
                  .determinant = one.way->fit.determinant};
  if (one.plaquette.plaquettes > 0) {
    reading.plaquette = one.plaquette.value;
    reading.plaquette_error = one.plaquette.error;
    if (subject.plaquette) reading.factor = factor_of(one.plaquette, *subject.plaquette);
  }
  return reading;
}

}  // namespace lq::diagnosis
