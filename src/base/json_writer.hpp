// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Writes one JSON value as text, with correct commas and escapes. Numbers read back as the same double; NaN and
// infinities become null.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/inner.hpp"

namespace lq::base {

class LQ_INNER JsonWriter {
 public:
  JsonWriter& begin_object();
  JsonWriter& end_object();
  JsonWriter& begin_array();
  JsonWriter& end_array();
  JsonWriter& key(std::string_view name);
  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(double number);
  JsonWriter& value(std::uint64_t number);
  JsonWriter& value(std::int64_t number);
  JsonWriter& value(int number) { return value(static_cast<std::int64_t>(number)); }
  JsonWriter& value(bool truth);
  JsonWriter& null();
  template <class T>
  JsonWriter& value(const std::optional<T>& v) {
    return v ? value(*v) : null();
  }
  // For a type with a function put(JsonWriter&, const T&) next to it, defined once in the program.
  template <class T>
  requires requires(JsonWriter& json, const T& v) { put(json, v); }
  JsonWriter& value(const T& v) {
    put(*this, v);
    return *this;
  }
  template <std::ranges::range Range>
  requires(!std::convertible_to<const Range&, std::string_view>) JsonWriter& value(const Range& values) {
    return array(values);
  }
  JsonWriter& raw(std::string_view json);            // a value that is JSON already
  JsonWriter& raw_members(std::string_view object);  // its members, added to the open object
  template <class Range>
  JsonWriter& array(const Range& values) {
    const bool are_paths = is_value_of("paths");
    begin_array();
    for (const auto& v : values) value(v);
    end_array();
    using Element = std::ranges::range_reference_t<const Range&>;
    if constexpr (std::is_lvalue_reference_v<Element> && std::convertible_to<Element, std::string_view>) {
      if (are_paths) put_bytes_of_paths({values.begin(), values.end()});
    }
    return *this;
  }
  template <class T>
  JsonWriter& member(std::string_view name, const T& v) {
    return key(name).value(v);
  }

  // A text that may be unknown: null if empty.
  JsonWriter& text_member(std::string_view name, std::string_view text) {
    return text.empty() ? key(name).null() : member(name, text);
  }

  std::string take();  // the finished text; the writer is empty again

 private:
  void separate();
  bool is_value_of(std::string_view name) const;
  void put_bytes_of_paths(const std::vector<std::string_view>& paths);
  std::string text_;
  std::vector<bool> first_;  // per open bracket: true until a value is written
  bool after_key_ = false;
};

}  // namespace lq::base
