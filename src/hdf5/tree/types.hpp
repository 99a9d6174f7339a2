// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Datatypes as values: what one element of a dataset or an attribute is, as it lies in the file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <limequat/catalog.hpp>

#include "hdf5/driver/library.hpp"

namespace lq::hdf5 {

enum class TypeClass {
  integer,
  real,     // IEEE, of 4 or 8 bytes
  complex,  // two such numbers, real part first
  boolean,  // an enumeration of FALSE (0) and TRUE (1), as h5py writes it
  string,
  array,
  compound,
  enumeration,
  bits,
  opaque,
  reference,
  list,   // a sequence of variable length
  other,  // numbers of other sizes, times, what a later version of HDF5 brings
};

enum class Padding { nul_terminated, nul_padded, space_padded };

struct Type {
  TypeClass kind = TypeClass::other;
  std::uint64_t bytes = 0;  // of an element in the file; 0 where its length varies
  ByteOrder order = ByteOrder::little;
  bool is_signed = false;                     // integers and enumerations
  bool is_utf8 = false;                       // strings
  bool is_variable = false;                   // strings of variable length
  Padding padding = Padding::nul_terminated;  // of other strings
  std::vector<std::uint64_t> extents = {};    // of an array, slowest first
  // Array, list, enumeration: the one type that they are made of. Complex: the type of both numbers. Compound: of its
  // members.
  std::vector<Type> parts = {};
  std::vector<std::string> names = {};      // of the members of a compound, enumeration or complex number
  std::vector<std::uint64_t> offsets = {};  // of the members of a compound
  std::vector<std::int64_t> values = {};    // of the members of an enumeration
  std::string tag = {};                     // of an opaque type
};

// Under a Lock. malformed: nested more deeply or of more members than anybody needs.
Type describe_type(hid_t type, const Where& where);

// An element as numbers in an array: extents of nested arrays contiguous, and what is in them.
struct Stripped {
  std::vector<std::uint64_t> extents;
  const Type* base;  // part of the type that was stripped
};
Stripped strip(const Type& type);

bool is_number(const Type& type) noexcept;  // real or complex
// "float64", "int32 big-endian", "array 3x3 of complex128 {r,i}".
std::string to_string(const Type& type);

}  // namespace lq::hdf5
