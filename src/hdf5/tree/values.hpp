// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Small values: what an attribute or a small dataset holds, as numbers and texts of the host.
#pragma once

#include <complex>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/bytes.hpp"
#include "hdf5/tree/types.hpp"

namespace lq::hdf5 {

struct Value {
  // Element after element, the last extent fastest. Numbers of single precision stay what they are. std::byte: elements
  // of any other type, as they lie in the file; no values: of types whose elements lie elsewhere in the file.
  using Elements =
      std::variant<std::monostate, std::vector<std::int64_t>, std::vector<std::uint64_t>, std::vector<float>,
                   std::vector<double>, std::vector<std::complex<float>>, std::vector<std::complex<double>>,
                   std::vector<bool>, std::vector<std::string>, std::vector<std::byte>>;

  Type type;                           // of the file
  std::vector<std::uint64_t> extents;  // slowest first, those of array types last; empty: a scalar
  bool is_null = false;                // of a dataspace without elements
  Elements elements;

  std::uint64_t count() const noexcept;  // of elements
};

// By name.
using Attributes = std::vector<std::pair<std::string, Value>>;
const Value* find(const Attributes& attributes, std::string_view name) noexcept;

// `extents` of the dataspace; `raw`: as many elements of the type as these say. Not for strings of variable length.
Value decode(Type type, std::vector<std::uint64_t> extents, base::Bytes raw);

// One text, one number, several of them; nothing where the value is something else.
std::optional<std::string> text_of(const Value& value);
std::optional<std::int64_t> integer_of(const Value& value);
std::optional<std::vector<std::int64_t>> integers_of(const Value& value);
// For people and metadata: "4 4 4 8", "0.25", "(1,-2)"; texts one in each line. Nothing for what is no text or number.
std::optional<std::string> shown(const Value& value);

}  // namespace lq::hdf5
