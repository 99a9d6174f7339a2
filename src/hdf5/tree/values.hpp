// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Datatypes and small values: the type and the contents of an element of a dataset or an attribute, in host numbers.
#pragma once

#include <complex>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <limequat/catalog.hpp>

#include "base/bytes.hpp"
#include "hdf5/driver/library.hpp"

namespace lq::hdf5 {

// Datatypes as values: the type of one element of a dataset or an attribute, as stored in the file.

enum class TypeClass {
  integer,
  real,     // IEEE, 4 or 8 bytes
  complex,  // two such numbers, real part first
  boolean,  // an enumeration of FALSE (0) and TRUE (1), as h5py writes
  string,
  array,
  compound,
  enumeration,
  bits,
  opaque,
  reference,
  list,   // a sequence of variable length
  other,  // numbers of other sizes, times, types of later versions of HDF5
};

enum class Padding { nul_terminated, nul_padded, space_padded };

struct Type {
  TypeClass kind = TypeClass::other;
  std::uint64_t bytes = 0;  // size of an element in the file; 0 if it varies
  ByteOrder order = ByteOrder::little;
  bool is_signed = false;                     // integers and enumerations
  bool is_utf8 = false;                       // strings
  bool is_variable = false;                   // strings of variable length
  Padding padding = Padding::nul_terminated;  // for other strings
  std::vector<std::uint64_t> extents = {};    // extents of an array, slowest first
  // Array, list, enumeration: the type of which they consist. Complex: the type of both numbers. Compound: the types of
  // its members.
  std::vector<Type> parts = {};
  std::vector<std::string> names = {};      // of the members of a compound, enumeration or complex number
  std::vector<std::uint64_t> offsets = {};  // of the members of a compound
  std::vector<std::int64_t> values = {};    // of the members of an enumeration
  std::string tag = {};                     // of an opaque type
};

// Under a Lock. malformed: too deeply nested, or too many members.
Type describe_type(hid_t type, const ErrorPlace& where);

// An element as numbers in an array: extents of nested arrays concatenated, and their base type.
struct Stripped {
  std::vector<std::uint64_t> extents;
  const Type* base;  // part of the type that was stripped
};
Stripped strip(const Type& type);

bool is_number(const Type& type) noexcept;  // real or complex
// "float64", "int32 big-endian", "array 3x3 of complex128 {r,i}".
std::string to_string(const Type& type);

struct Value {
  // Element by element, the last extent fastest. Numbers of single precision stay single. std::byte: elements of any
  // other type, as stored; empty: types whose elements are stored elsewhere in the file.
  using Elements =
      std::variant<std::monostate, std::vector<std::int64_t>, std::vector<std::uint64_t>, std::vector<float>,
                   std::vector<double>, std::vector<std::complex<float>>, std::vector<std::complex<double>>,
                   std::vector<bool>, std::vector<std::string>, std::vector<std::byte>>;

  Type type;                           // type in the file
  std::vector<std::uint64_t> extents;  // slowest first, those of array types last; empty: a scalar
  bool is_null = false;                // the dataspace has no elements
  Elements elements;

  std::uint64_t count() const noexcept;  // number of elements
};

// Ordered by name.
using Attributes = std::vector<std::pair<std::string, Value>>;
const Value* find(const Attributes& attributes, std::string_view name) noexcept;

// `extents` of the dataspace; `raw`: that many elements of the type. Not for strings of variable length.
Value decode(Type type, std::vector<std::uint64_t> extents, base::Bytes raw);

// A text, a number, several numbers; empty if the value is something else.
std::optional<std::string> text_of(const Value& value);
std::optional<std::int64_t> integer_of(const Value& value);
std::optional<std::vector<std::int64_t>> integers_of(const Value& value);
// For display and metadata: "4 4 4 8", "0.25", "(1,-2)"; texts one per line. Empty for values that are neither.
std::optional<std::string> shown(const Value& value);

}  // namespace lq::hdf5
