// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Small objects: numbers, texts and arrays of them as datasets and attributes, in the forms of the layouts. Call all
// under a Lock.
#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include <limequat/hdf5.hpp>

#include "hdf5/tree/storage.hpp"
#include "hdf5/tree/values.hpp"
#include "kernels/sha256.hpp"

namespace lq::hdf5 {

// Types of the elements of arrays.

template <class T>
struct IsComplex : std::false_type {};
template <class T>
struct IsComplex<std::complex<T>> : std::true_type {};
template <class T>
inline constexpr bool is_text = std::is_same_v<T, std::string>;

template <class T>
struct Tag {
  using type = T;
};

// Calls `use` with a Tag for the type of the elements, and the elements.
template <class Use>
decltype(auto) with_elements(const Array& array, const Use& use) {
  return std::visit([&]<class T>(const std::vector<T>& elements) -> decltype(auto) { return use(Tag<T>(), elements); },
                    array.elements);
}

// SHA-256 of all numbers, each little-endian, integers as 8 bytes, complex ones real part first; of texts with a NUL
// after each (QLUA's rule for scalars, formats/hdf5.md 5). Padded: four zero bytes after each float, as in QLUA before
// 24 December 2014.
std::array<std::uint8_t, 32> digest_of(const Array& array, bool floats_are_padded = false);
// The same for elements that arrive in pieces.
class ArrayDigest {
 public:
  explicit ArrayDigest(bool floats_are_padded = false) : floats_are_padded_(floats_are_padded) {}
  void add(const Array& piece);
  std::array<std::uint8_t, 32> finish();

 private:
  kernels::Sha256 sum_;
  bool floats_are_padded_;
};

// invalid_argument: extents, axes and elements do not match.
void check_array(const Array& array, const std::string& path);

enum class SmallLayout { native, qdp, qlua };
// By name, empty means native; invalid_argument.
SmallLayout small_layout(const std::string& name);

// A dataset at where.object, an absolute path where nothing exists yet. Without `microseconds` no time stamp, or 1970
// in layout qlua. unsupported: the layout cannot store such an object.
void put_array(hid_t file, const Array& array, SmallLayout layout, std::optional<std::int64_t> microseconds,
               const ErrorPlace& where);
// Replaces an attribute of that name.
void put_attribute(hid_t object, const std::string& name, const Array& array, const ErrorPlace& where);

// unsupported: elements that are neither numbers nor texts.
Array array_of(const Value& value, const ErrorPlace& where);
// Axes whose scales are in the group of the dataset at where.object, or in one above it. Empty if these are damaged.
std::vector<Axis> axes_of(const Opened& file, hid_t dataset, std::size_t rank, const ErrorPlace& where);
// The SHA-256 stored in the attributes of a small object; "": absent or damaged.
std::string stored_digest(const Attributes& attributes);
bool is_digest_name(std::string_view name) noexcept;
// True if it has a digest attribute, perhaps with a damaged letter in its name; and true if the digest has the required
// 64 digits or 32 bytes.
bool has_digest(const Attributes& attributes);
bool is_digest_sound(const Attributes& attributes);
std::string digits_of(const std::array<std::uint8_t, 32>& digest);

}  // namespace lq::hdf5
