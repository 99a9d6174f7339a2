// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
// The elements of arrays of whatever type.
#pragma once

#include <complex>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include <limequat/hdf5.hpp>

namespace lq::hdf5 {

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

// Calls `use` with a Tag of the type of the elements, and the elements.
template <class Use>
decltype(auto) with_elements(const Array& array, const Use& use) {
  return std::visit([&]<class T>(const std::vector<T>& elements) -> decltype(auto) { return use(Tag<T>(), elements); },
                    array.elements);
}

}  // namespace lq::hdf5
