// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The functions that all structs of options have.
#pragma once

#include <cstring>

#include "capi/options.hpp"

namespace lq::capi {

// By way of options of C++, which know what a text means; a text itself is lent as it is.
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
