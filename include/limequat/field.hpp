// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Fields: what one site holds and where this rank's sites are in memory. A field borrows the user's memory
// and never copies it. In memory x runs fastest unless `order` says otherwise, and one site is a contiguous
// array of real numbers (re, im interleaved); describe other memory (memory.hpp). For memory that no description
// covers, provide a function that passes a row of sites, or one site.
//   gauge       [mu][row][column], mu in x, y, z, t order; U_mu(x) transports from x+mu to x
//   spinor      [spin][color]
//   propagator  [sink spin][source spin][sink color][source color]
//   generic     any n numbers
#pragma once

#include <limequat/language.hpp>

#include <array>
#include <complex>
#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <ranges>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include <limequat/lattice.hpp>
#include <limequat/memory.hpp>

namespace lq {

enum class Precision : int { single = 32, double_ = 64 };
enum class FieldKind : int { gauge = 0, spinor = 1, propagator = 2, generic = 3 };

LQ_API std::string_view name(Precision precision) noexcept;  // "single", "double"
LQ_API std::string_view name(FieldKind kind) noexcept;       // "gauge", "spinor", "propagator", "generic"

// What one site holds.
struct LQ_API FieldSpec {
  FieldKind kind = FieldKind::generic;
  int colors = 0;             // N of SU(N); 0 for generic
  int spins = 0;              // spinor and propagator
  int links = 0;              // gauge: links per site; 0 until the lattice is known
  std::uint64_t numbers = 0;  // real numbers per site; 0 until the lattice is known
  bool is_complex = true;
  Precision precision = Precision::double_;

  std::uint64_t number_bytes() const noexcept { return precision == Precision::single ? 4 : 8; }
  std::uint64_t site_bytes() const noexcept { return numbers * number_bytes(); }
  friend bool operator==(const FieldSpec&, const FieldSpec&) = default;
};

// Local. invalid_argument for colors below 2 or numbers below 1. `links` 0 means one link per lattice dimension.
LQ_API FieldSpec gauge_spec(Precision precision, int colors = 3, int links = 0);
LQ_API FieldSpec spinor_spec(Precision precision, int colors = 3, int spins = 4);
LQ_API FieldSpec propagator_spec(Precision precision, int colors = 3, int spins = 4);
LQ_API FieldSpec generic_spec(Precision precision, std::uint64_t numbers, bool is_complex);

// Fills `site` (spec.numbers reals of spec.precision) with the numbers of the site at global coordinate x.
using SiteFetch = std::function<void(const Coord& x, void* site)>;
// Takes the numbers of the site at global coordinate x.
using SiteStore = std::function<void(const Coord& x, const void* site)>;

// The same for the `sites` sites at x, x + 1, ... along dimension `axis`, contiguous in `row`; all of them belong to
// this rank. Rows are as long as the file's order allows, so that few calls are made.
using RowFetch = std::function<void(const Coord& x, int axis, std::uint64_t sites, void* row)>;
using RowStore = std::function<void(const Coord& x, int axis, std::uint64_t sites, const void* row)>;

// A field to be written: memory or a function, never both.
struct Field {
  FieldSpec spec = {};
  const void* data = nullptr;
  std::uint64_t available = 0;  // real numbers in `data`; in each of its arrays, if `memory` has several
  SiteOrder order = {};         // of the sites in `data`, fastest dimension first
  SiteFetch fetch = {};
  MemoryLayout memory = {};  // of `data`, if it is not plain; `order` is then empty
  RowFetch fetch_rows = {};
};

// A field to be read into.
struct MutableField {
  FieldSpec spec = {};
  void* data = nullptr;
  std::uint64_t available = 0;
  SiteOrder order = {};
  SiteStore store = {};
  MemoryLayout memory = {};
  RowStore store_rows = {};

  // The same memory, to be written or measured; only for fields in memory.
  operator Field() const { return Field{spec, data, available, order, {}, memory, {}}; }
};

struct GaugeShape {
  int colors = 3;
  int links = 0;  // 0: one per lattice dimension
  SiteOrder order = {};
  MemoryLayout memory = {};
};
struct SpinShape {
  int colors = 3;
  int spins = 4;
  SiteOrder order = {};
  MemoryLayout memory = {};
};

// The real numbers in an element type: float, double, std::complex and arrays of those. Declare a type of your own that
// holds only numbers in one line, in the global namespace:
//   template <> struct lq::Reals<SU3> : lq::PlainReals<double, 18> {};
// and templates with one line each: template <class T> struct lq::Reals<Spin<T>> : lq::RepeatedReals<T, 4> {};
template <class T>
struct Reals;

// `numbers` reals of type Real in memory order, re and im alternating if they are complex.
template <class Real, std::uint64_t numbers, bool complex = true>
requires std::same_as<Real, float> || std::same_as<Real, double>
struct PlainReals {
  using type = Real;
  static constexpr std::uint64_t count = numbers;
  static constexpr bool is_complex = complex;
};
// `times` elements of type T, for which Reals<T> is defined.
template <class T, std::uint64_t times>
struct RepeatedReals : PlainReals<typename Reals<T>::type, times * Reals<T>::count, Reals<T>::is_complex> {};

template <>
struct Reals<float> : PlainReals<float, 1, false> {};
template <>
struct Reals<double> : PlainReals<double, 1, false> {};
template <class T>
struct Reals<std::complex<T>> : PlainReals<T, 2> {};
template <class T, std::size_t N>
struct Reals<std::array<T, N>> : RepeatedReals<T, N> {};
template <class T, std::size_t N>
struct Reals<T[N]> : RepeatedReals<T, N> {};

template <class T>
concept KnownElement = requires {
  typename Reals<T>::type;
  Reals<T>::count;
};

// Checks the element type of a field's memory; the compiler reports the condition that fails. This is a class, because
// its body is instantiated before later code.
template <class T>
struct Element {
  static_assert(KnownElement<T>,
                "Limequat does not know how many numbers this element type holds; say so in one line: "
                "template <> struct lq::Reals<YourType> : lq::PlainReals<double, 18> {};");
  static_assert(
      std::is_standard_layout_v<T>,
      "an element type of a field must have standard layout: no virtual functions, members of one access only");
  static constexpr std::uint64_t number_bytes() {
    if constexpr (KnownElement<T>) return Reals<T>::count * sizeof(typename Reals<T>::type);
    return sizeof(T);
  }
  static_assert(
      sizeof(T) == number_bytes(),
      "an element type of a field holds nothing but its numbers: lq::Reals states another number of them than "
      "fill its size");
  using Numbers = Reals<T>;
};

template <class T>
requires std::same_as<T, float> || std::same_as<T, double>
inline constexpr Precision precision_of = sizeof(T) == 4 ? Precision::single : Precision::double_;

template <class R>
concept SiteMemory = std::ranges::contiguous_range<R> && std::ranges::sized_range<R>;

// Local. Describes contiguous memory of `sites` elements: a Field for const memory, otherwise a MutableField. An
// element may be a site, a link or a number, in the order of the field.
template <SiteMemory R>
auto field_in(R&& sites, FieldSpec spec, SiteOrder order = {}, MemoryLayout memory = {}) {
  using Entry = std::remove_reference_t<std::ranges::range_reference_t<R>>;
  using Numbers = typename Element<std::remove_const_t<Entry>>::Numbers;
  spec.precision = precision_of<typename Numbers::type>;
  const std::uint64_t available = std::ranges::size(sites) * Numbers::count;
  if constexpr (std::is_const_v<Entry>) {
    return Field{spec, std::ranges::data(sites), available, std::move(order), {}, std::move(memory), {}};
  } else {
    return MutableField{spec, std::ranges::data(sites), available, std::move(order), {}, std::move(memory), {}};
  }
}

// Local. A gauge field of SU(colors) in contiguous memory: a vector of sites, of complex or of real numbers.
template <SiteMemory R>
auto gauge(R&& sites, const GaugeShape& shape = {}) {
  return field_in(sites, gauge_spec(Precision::double_, shape.colors, shape.links), shape.order, shape.memory);
}
// Local. A gauge field with one array for each direction (LinkPlaces::in_arrays, as in QUDA and QDP++): `arrays` are
// pointers to real numbers, which must outlive the field. A Field for T = const double, otherwise a MutableField.
// `available`: numbers in each array.
template <class T>
requires std::same_as < std::remove_const_t<T>,
float > || std::same_as<std::remove_const_t<T>, double> auto gauge_in_arrays(std::span<T* const> arrays,
                                                                             std::uint64_t available,
                                                                             MemoryLayout memory, int colors = 3) {
  const FieldSpec spec = gauge_spec(precision_of<std::remove_const_t<T>>, colors, static_cast<int>(arrays.size()));
  if constexpr (std::is_const_v<T>) {
    return Field{spec, arrays.data(), available, {}, {}, std::move(memory), {}};
  } else {
    return MutableField{spec, const_cast<T**>(arrays.data()), available, {}, {}, std::move(memory), {}};
  }
}
template <SiteMemory R>
auto spinor(R&& sites, const SpinShape& shape = {}) {
  return field_in(sites, spinor_spec(Precision::double_, shape.colors, shape.spins), shape.order, shape.memory);
}
template <SiteMemory R>
auto propagator(R&& sites, const SpinShape& shape = {}) {
  return field_in(sites, propagator_spec(Precision::double_, shape.colors, shape.spins), shape.order, shape.memory);
}
// `sites` has one element per site: a number, a complex number, an array of those, a type of your own.
template <SiteMemory R>
auto sites(R&& values, SiteOrder order = {}) {
  using Numbers = typename Element<std::ranges::range_value_t<R>>::Numbers;
  return field_in(values, generic_spec(Precision::double_, Numbers::count, Numbers::is_complex), std::move(order));
}

// Local. A field whose sites are fetched one at a time: fetch(const Coord& x, std::span<T, n> site).
template <class T, std::uint64_t Numbers, class Fetch>
Field field_from(FieldSpec spec, Fetch fetch) {
  spec.precision = precision_of<T>;
  spec.numbers = Numbers;
  return Field{spec, nullptr, 0, {}, [fetch = std::move(fetch)](const Coord& x, void* site) {
                 fetch(x, std::span<T, Numbers>(static_cast<T*>(site), Numbers));
               }};
}
template <class T, int Colors = 3, int Links = 4, class Fetch>
Field gauge_from(Fetch fetch) {
  return field_from<T, 2ULL * Links * Colors * Colors>(gauge_spec(precision_of<T>, Colors, Links), std::move(fetch));
}
template <class T, int Colors = 3, int Spins = 4, class Fetch>
Field spinor_from(Fetch fetch) {
  return field_from<T, 2ULL * Spins * Colors>(spinor_spec(precision_of<T>, Colors, Spins), std::move(fetch));
}

// Local. A field whose sites are passed one at a time: store(const Coord& x, std::span<const T, n> site).
template <class T, std::uint64_t Numbers, class Store>
MutableField field_into(FieldSpec spec, Store store) {
  spec.precision = precision_of<T>;
  spec.numbers = Numbers;
  return MutableField{spec, nullptr, 0, {}, [store = std::move(store)](const Coord& x, const void* site) {
                        store(x, std::span<const T, Numbers>(static_cast<const T*>(site), Numbers));
                      }};
}
template <class T, int Colors = 3, int Links = 4, class Store>
MutableField gauge_into(Store store) {
  return field_into<T, 2ULL * Links * Colors * Colors>(gauge_spec(precision_of<T>, Colors, Links), std::move(store));
}
template <class T, int Colors = 3, int Spins = 4, class Store>
MutableField spinor_into(Store store) {
  return field_into<T, 2ULL * Spins * Colors>(spinor_spec(precision_of<T>, Colors, Spins), std::move(store));
}

}  // namespace lq
