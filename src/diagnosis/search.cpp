// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Cheap tests come first: the size of numbers shows byte order, precision and alignment; then three links are
// tested wherever the field may begin, in every order of the axes; then a dozen sites of each remaining candidate.
#include "diagnosis/readings.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>
#include <tuple>

#include "diagnosis/record_marks.hpp"
#include "kernels/site_numbers.hpp"

namespace lq::diagnosis {
namespace {

// Offsets are tried byte by byte up to the first of these, then at multiples of 512 bytes.
constexpr std::uint64_t every_byte = 8192, every_block = base::mebi;
constexpr int most_colors = 10;
constexpr std::size_t most_candidates = 12;
constexpr std::uint64_t sampled_sites = 12;
// Fraction of the links of an undeclared reading. If three rows are read as two, two thirds fit, and three of
// the four links of some sites.
constexpr double share_that_fits = 0.8;

// Precision, byte order and words, and the first byte of the numbers modulo their length.
struct NumberForm {
  double mean_square = 0;
  Precision precision = Precision::double_;
  ByteOrder byte_order = ByteOrder::big;
  bool halves_exchanged = false;
  std::uint64_t remainder = 0;
};

void take(const NumberForm& form, Encoding& encoding) noexcept {
  encoding.precision = form.precision;
  encoding.byte_order = form.byte_order;
  encoding.halves_exchanged = form.halves_exchanged;
}

// Numbers of links are at most 1 and, except for zeros, not extremely small; misread bytes often are.
bool are_of_links(const NumberForm& form, CachedBytes& file, std::uint64_t at, bool& is_zero, double& mean_square) {
  constexpr std::uint64_t numbers = 64;
  Encoding encoding;
  take(form, encoding);
  const std::uint64_t width = encoding.number_bytes();
  at += (form.remainder + width - at % width) % width;
  const std::byte* const bytes = file.at(at, static_cast<std::size_t>(numbers * width));
  is_zero = true;
  if (bytes == nullptr) return false;
  std::uint64_t good = 0;
  double squares = 0;
  for (std::uint64_t k = 0; k < numbers; ++k) {
    const double x = number_at(encoding, bytes + k * width);
    is_zero = is_zero && x == 0;
    if (!(std::abs(x) <= 1.001) || (x != 0 && std::abs(x) < 1e-20)) continue;
    ++good;
    squares += x * x;
  }
  mean_square = squares / static_cast<double>(numbers);
  return 10 * good >= 9 * numbers && mean_square > 1e-5;
}

std::vector<NumberForm> number_forms(CachedBytes& file, const Place& place) {
  constexpr std::uint64_t windows = 64;
  std::vector<NumberForm> all;
  for (const Precision precision : {Precision::double_, Precision::single}) {
    for (const ByteOrder order : {ByteOrder::big, ByteOrder::little}) {
      for (const bool exchanged : {false, true}) {
        if (exchanged && precision == Precision::single) continue;
        const std::uint64_t width = precision == Precision::single ? 4 : 8;
        for (std::uint64_t remainder = 0; remainder < width; ++remainder) {
          NumberForm form{0, precision, order, exchanged, remainder};
          std::uint64_t good = 0, bad = 0;
          for (std::uint64_t k = 0; k < windows; ++k) {
            bool is_zero = false;
            const std::uint64_t at = place.begin + (place.end - place.begin) / (2 * windows) * (2 * k + 1);
            double mean_square = 0;
            const bool is_good = are_of_links(form, file, at, is_zero, mean_square);
            if (!is_zero) ++(is_good ? good : bad);
            if (is_good) form.mean_square += mean_square;
          }
          if (good == 0 || good < bad) continue;
          form.mean_square /= static_cast<double>(good);
          all.push_back(form);
        }
      }
    }
  }
  return all;
}

// Where a field of the given number of bytes may begin.
std::vector<std::uint64_t> offsets_for(const Place& place, std::uint64_t bytes, const NumberForm& form) {
  const std::uint64_t width = form.precision == Precision::single ? 4 : 8;
  const std::uint64_t slack = place.end - place.begin - bytes;
  std::vector<std::uint64_t> all;
  const auto add = [&](std::uint64_t from, std::uint64_t to, std::uint64_t step) {
    for (std::uint64_t at = from; at <= std::min(to, slack); at += step) {
      if ((place.begin + at) % width == form.remainder) all.push_back(place.begin + at);
    }
  };
  add(0, every_byte, 1);
  add(0, every_block, 512);
  add(slack - std::min(slack, every_byte), slack, 1);
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

// Reads links from the bytes of a file, wherever their numbers are.
class LinkPeek {
 public:
  LinkPeek(CachedBytes& file, const Encoding& encoding, std::uint64_t sites)
      : file_(file),
        encoding_(encoding),
        strides_(strides_of(encoding, sites)),
        numbers_(encoding.numbers()),
        u_(numbers_) {}

  void move_to(std::uint64_t offset) noexcept { encoding_.offset = offset; }
  const Encoding& encoding() const noexcept { return encoding_; }

  enum class Kind { good, bad, zero };
  // A link is examined in full only if its first row has length 1.
  Kind kind_of(std::uint64_t site, std::uint64_t link) {
    const std::uint64_t first = stride(Axis::site) * site + stride(Axis::link) * link;
    const auto columns = static_cast<std::uint64_t>(encoding_.colors);
    double norm = 0;
    if (!read_row(first, 0)) return Kind::bad;
    for (std::size_t k = 0; k < 2 * columns; ++k) norm += u_[k] * u_[k];
    if (norm != 0 && !(std::abs(norm - 1) < 1e-3)) return Kind::bad;
    for (std::uint64_t row = 1; row < encoding_.extent(Axis::row); ++row) {
      if (!read_row(first, row)) return Kind::bad;
    }
    if (norm == 0) {
      return std::all_of(u_.begin(), u_.begin() + static_cast<std::ptrdiff_t>(encoding_.stored_numbers()),
                         [](double x) { return x == 0; })
                 ? Kind::zero
                 : Kind::bad;
    }
    if (encoding_.third_rows_missing) {
      kernels::rebuild_third_rows(Precision::double_, reinterpret_cast<std::byte*>(u_.data()), 1);
    }
    far_ = distance_of(encoding_.colors, u_.data());
    return far_.unitarity < largest_distance && far_.determinant < largest_determinant ? Kind::good : Kind::bad;
  }
  const Distance& distance() const noexcept { return far_; }  // of the last good link examined
  bool is_single() const noexcept {
    return std::all_of(u_.begin(), u_.begin() + static_cast<std::ptrdiff_t>(encoding_.stored_numbers()),
                       [](double x) { return static_cast<double>(static_cast<float>(x)) == x; });
  }

 private:
  std::uint64_t stride(Axis axis) const noexcept { return strides_[static_cast<std::size_t>(axis)]; }
  bool read_row(std::uint64_t first, std::uint64_t row) {
    const std::uint64_t width = encoding_.number_bytes();
    const auto columns = static_cast<std::uint64_t>(encoding_.colors);
    for (std::uint64_t k = 0; k < 2 * columns; ++k) {
      const std::uint64_t part = (k % 2) ^ (encoding_.imaginary_first ? 1U : 0U);
      const std::uint64_t number =
          first + row * stride(Axis::row) + k / 2 * stride(Axis::column) + part * stride(Axis::part);
      const std::byte* const at = file_.at(encoding_.offset + number * width, static_cast<std::size_t>(width));
      if (at == nullptr) return false;
      u_[static_cast<std::size_t>(2 * row * columns + k)] = number_at(encoding_, at);
    }
    return true;
  }

  CachedBytes& file_;
  Encoding encoding_;
  std::array<std::uint64_t, 5> strides_;
  std::size_t numbers_;
  std::vector<double> u_;
  Distance far_;
};

// Of three links at least one is in the group, or all are zero.
bool may_fit(LinkPeek& links, std::uint64_t sites) {
  const auto count = static_cast<std::uint64_t>(links.encoding().links);
  const std::pair<std::uint64_t, std::uint64_t> some[] = {
      {sites / 3, 0}, {(sites / 2 + 1) % sites, 1 % count}, {2 * sites / 3, count - 1}};
  bool is_bad = false;
  for (const auto& [site, link] : some) {
    const LinkPeek::Kind kind = links.kind_of(site, link);
    if (kind == LinkPeek::Kind::good) return true;
    is_bad = is_bad || kind == LinkPeek::Kind::bad;
  }
  return !is_bad;
}

StoredAs examine(LinkPeek& links, std::uint64_t sites, std::size_t place) {
  StoredAs one{.place = place, .encoding = links.encoding(), .fit = {}};
  std::vector<double> distances, determinants;
  std::size_t bad = 0;
  bool are_single = links.encoding().precision == Precision::double_;
  const auto count = static_cast<std::uint64_t>(links.encoding().links);
  const auto look_at = [&](std::uint64_t site, bool is_end) {
    for (std::uint64_t link = 0; link < count; ++link) {
      const LinkPeek::Kind kind = links.kind_of(site, link);
      if (is_end) one.bad_ends += kind == LinkPeek::Kind::good ? 0 : 1;
      if (is_end || kind == LinkPeek::Kind::zero) continue;
      if (kind == LinkPeek::Kind::bad) {
        ++bad;
        continue;
      }
      distances.push_back(links.distance().unitarity);
      determinants.push_back(links.distance().determinant);
      are_single = are_single && links.is_single();
    }
  };
  const std::uint64_t taken = std::min(sites, sampled_sites);
  for (std::uint64_t k = 0; k < taken; ++k) {
    look_at(k * (sites / taken) + (sites > taken ? k * k % (sites / taken) : 0), false);
  }
  look_at(0, true);
  look_at(sites - 1, true);
  const std::size_t good = distances.size();
  if (good > 0) one.fit.share = static_cast<double>(good) / static_cast<double>(good + bad);
  one.fit.unitarity = median_of(distances);
  one.fit.determinant = median_of(determinants);
  one.fit.is_single_in_double = good > 0 && are_single;
  return one;
}

bool is_precise(const StoredAs& one) { return one.fit.is_precise(one.encoding.precision); }

// The same numbers offset by half a number: each made of two halves of neighbours, accurate to seven digits.
bool are_halves_of(const StoredAs& one, const StoredAs& other) {
  const std::uint64_t a = one.encoding.offset, b = other.encoding.offset;
  return one.place == other.place && one.encoding.precision == Precision::double_ &&
         other.encoding.precision == Precision::double_ &&
         one.encoding.halves_exchanged != other.encoding.halves_exchanged && (a > b ? a - b : b - a) % 8 == 4;
}

bool are_alike_but_for_offset(const StoredAs& one, const StoredAs& other) {
  Encoding moved = one.encoding;
  moved.offset = other.encoding.offset;
  return one.place == other.place && moved == other.encoding;
}

// If rows are the slowest axis, the first two of three come first.
bool are_its_first_rows(const StoredAs& one, const StoredAs& other) {
  Encoding whole = one.encoding;
  whole.third_rows_missing = false;
  return one.encoding.third_rows_missing && one.place == other.place && whole == other.encoding;
}

// Candidates that no other one surpasses.
std::vector<StoredAs> best_of(std::vector<StoredAs> all) {
  const bool is_any_precise = std::ranges::any_of(all, is_precise);
  std::erase_if(all, [&](const StoredAs& one) { return is_any_precise && !is_precise(one); });
  const std::vector<StoredAs> before = all;
  std::erase_if(all, [&](const StoredAs& one) {
    return std::ranges::any_of(before, [&](const StoredAs& other) {
      if (are_its_first_rows(one, other)) return true;
      if (are_halves_of(one, other)) return other.fit.unitarity < one.fit.unitarity;
      return are_alike_but_for_offset(one, other) && other.bad_ends < one.bad_ends;
    });
  });
  // Natural ones first, because the search tries them in that order.
  if (all.size() > most_candidates) all.resize(most_candidates);
  return all;
}

class Searching {
 public:
  Searching(const Place& place, std::size_t number, const EncodingQuery& sought)
      : place_(place), number_(number), sought_(sought), file_(*place.file) {}

  void run(std::vector<StoredAs>& found) {
    const std::vector<NumberForm> forms = number_forms(file_, place_);
    for (const NumberForm& form : forms) {
      for (const int colors : all_colors(form)) {
        for (const bool two_rows : {false, true}) {
          if (two_rows && colors != 3) continue;
          Encoding encoding{.colors = colors, .links = sought_.declared.links, .third_rows_missing = two_rows};
          take(form, encoding);
          try_axes(encoding, form, found);
        }
      }
    }
  }

 private:
  // The squares of the 2 N^2 numbers of a link add up to N; the error of a sample depends on its contents.
  std::vector<int> all_colors(const NumberForm& form) const {
    constexpr double most_off = 1.7;
    std::vector<int> all{sought_.declared.colors};
    for (int n = 2; n <= most_colors && sought_.any_colors; ++n) {
      const double off = 2 * n * form.mean_square;
      if (n != all.front() && off < most_off && 1 / off < most_off) all.push_back(n);
    }
    return all;
  }

  void try_axes(Encoding encoding, const NumberForm& form, std::vector<StoredAs>& found) {
    const std::uint64_t there = place_.end - place_.begin;
    if (sought_.sites == 0 || encoding.site_bytes() > there / sought_.sites) return;
    const std::vector<std::uint64_t> offsets = offsets_for(place_, sought_.sites * encoding.site_bytes(), form);
    for (const Axes& axes : all_axes()) {
      for (const bool imaginary_first : {false, true}) {
        if (imaginary_first && axes.back() != Axis::part) continue;
        encoding.axes = axes;
        encoding.imaginary_first = imaginary_first;
        LinkPeek links(file_, encoding, sought_.sites);
        for (const std::uint64_t offset : offsets) {
          links.move_to(offset);
          if (!may_fit(links, sought_.sites)) continue;
          const StoredAs one = examine(links, sought_.sites, number_);
          if (one.fit.is_group() && one.fit.share >= share_that_fits) found.push_back(one);
        }
      }
    }
  }

  const Place& place_;
  std::size_t number_;
  const EncodingQuery& sought_;
  CachedBytes file_;
};

}  // namespace

std::vector<StoredAs> find_encodings(const std::vector<Place>& places, const EncodingQuery& sought) {
  std::vector<StoredAs> found;
  for (std::size_t k = 0; k < places.size(); ++k) Searching(places[k], k, sought).run(found);
  return best_of(std::move(found));
}

std::vector<StoredAs> try_encoding(const Place& place, const Encoding& encoding, std::uint64_t sites) {
  if (encoding.offset > place.end || encoding.site_bytes() > (place.end - encoding.offset) / sites) return {};
  CachedBytes file(*place.file);
  LinkPeek links(file, encoding, sites);
  links.move_to(encoding.offset);
  const StoredAs one = examine(links, sites, 0);
  return one.fit.is_group() ? std::vector<StoredAs>{one} : std::vector<StoredAs>{};
}

bool goes_on(const Place& place, const Encoding& encoding, std::uint64_t sites) {
  // With several arrays only the first or the last would continue, and it holds only a part of a link.
  if (encoding.arrays() > 1) return false;
  const std::uint64_t bytes = encoding.site_bytes();
  CachedBytes file(*place.file);
  LinkPeek links(file, encoding, 1);
  const auto is_site_at = [&](std::uint64_t offset) {
    links.move_to(offset);
    for (std::uint64_t link = 0; link < static_cast<std::uint64_t>(encoding.links); ++link) {
      if (links.kind_of(0, link) != LinkPeek::Kind::good) return false;
    }
    return true;
  };
  const std::uint64_t end = encoding.offset + sites * bytes;
  return (encoding.offset >= place.begin + bytes && is_site_at(encoding.offset - bytes)) ||
         (end + bytes <= place.end && is_site_at(end));
}

}  // namespace lq::diagnosis
