// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Conversion of C option structs to C++ options, using the rows of their tables.
#pragma once

#include <algorithm>
#include <cstring>
#include <string_view>

#include "capi/call.hpp"
#include "options/structs.hpp"

namespace lq::capi {

// Structs that may grow: the caller states the size of the struct with which it was compiled, and both sides use the
// common members.

inline constexpr std::size_t largest_struct = 4096;  // larger sizes are assumed to be garbage

// The body of every init function; `make` returns the default options.
template <class Options>
lq_status init_options(Options* options, std::size_t struct_size, Options (*make)()) noexcept {
  return guarded([&] {
    given(options, "options");
    if (struct_size < sizeof(std::size_t) || struct_size > largest_struct) {
      reject("struct_size is " + std::to_string(struct_size) + ", expected sizeof(the struct)");
    }
    Options defaults = make();
    defaults.struct_size = struct_size;
    std::memset(static_cast<void*>(options), 0, struct_size);
    std::memcpy(static_cast<void*>(options), &defaults, std::min(struct_size, sizeof(Options)));
  });
}

// The given options, or the defaults for NULL. Members missing from the caller's version get their defaults; members
// missing from this version must be 0.
template <class Options>
Options given_options(const Options* options, Options defaults) {
  if (options == nullptr) return defaults;
  const std::size_t size = options->struct_size;
  if (size < sizeof(std::size_t) || size > largest_struct) {
    reject("struct_size of the options is " + std::to_string(size) + ": call the init function first");
  }
  const auto* bytes = reinterpret_cast<const unsigned char*>(options);
  if (size > sizeof(Options) && std::any_of(bytes + sizeof(Options), bytes + size, [](auto b) { return b != 0; })) {
    throw Error(Code::unsupported, "the options use members that library " + std::string(version()) + " does not know");
  }
  std::memcpy(static_cast<void*>(&defaults), options, std::min(size, sizeof(Options)));
  return defaults;
}

using options::Meaning;

template <class C>
const options::Table& table_of() {
  static const options::Table& table = options::table_named(Meaning<C>::name);
  return table;
}

// Converts C++ options.
template <class C>
C defaults() {
  const typename Meaning<C>::Options meant{};
  C c{};
  c.struct_size = sizeof c;
  for (const options::Option& row : table_of<C>().rows) row.member.to_c(&meant, &c);
  return c;
}

template <class C>
C given_options(const C* options) {
  return given_options(options, defaults<C>());
}

template <class C>
typename Meaning<C>::Options options_of(const C* options) {
  const C c = given_options(options);
  typename Meaning<C>::Options meant{};
  for (const options::Option& row : table_of<C>().rows) row.member.from_c(&meant, &c, row);
  return meant;
}

// ... including the options of the file that is written.
ConvertOptions convert_options(const lq_convert_options* options);
// The options of a plan, without lattice, process grid and field; and the machine.
PlanRequest plan_request(const lq_plan_options* options, int dimensions);
Machine machine_of(const lq_plan_options* options);

}  // namespace lq::capi

// Functions that all option structs have.

namespace lq::capi {

// Converts through C++ options, which parse the text; texts themselves are borrowed unchanged.
template <class C>
lq_status set_option(C* options, const char* name, const char* value) noexcept {
  return guarded([&] {
    C known = given_options(given(options, "options"));
    const options::Option& row = options::row_of(table_of<C>(), given(name, "name"));
    const std::string_view text = given(value, "value");
    if (row.member.kind == options::Kind::texts) options::reject(row.name, text, "a text: set the members instead");
    typename Meaning<C>::Options meant{};
    row.member.take(&meant, text, row, row.name);
    if (row.member.lend != nullptr) {
      row.member.lend(&known, value);
    } else {
      row.member.to_c(&meant, &known);
    }
    const std::size_t offset = row.member.c.back().offset;
    if (offset >= options->struct_size) {
      throw Error(Code::unsupported,
                  "the struct of options that the program was compiled with has no member " + std::string(row.name));
    }
    std::memcpy(static_cast<void*>(options), &known, std::min(options->struct_size, sizeof(C)));
  });
}

}  // namespace lq::capi

#define LQ_OPTION_STRUCT(name)                                                     \
  lq_status name##_init(name* options, size_t struct_size) {                       \
    return lq::capi::init_options(options, struct_size, lq::capi::defaults<name>); \
  }                                                                                \
  lq_status name##_set(name* options, const char* option, const char* value) {     \
    return lq::capi::set_option(options, option, value);                           \
  }
