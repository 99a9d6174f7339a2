// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// JSON objects made of answers that lq::to_json gives and of a few facts more.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <limequat/lattice.hpp>

namespace lq::cli {

// With quotes and escapes; bytes that are not UTF-8 become U+FFFD.
std::string json_text(std::string_view text);
std::string json_number(double number);  // null where JSON has no such number
std::string json_array(const std::vector<std::string>& values);
std::string json_array(const Coord& coord);

class JsonObject {
 public:
  JsonObject() = default;
  // Goes on after the members of `object`, which is JSON already.
  explicit JsonObject(std::string_view object) : members_(object.substr(1, object.size() - 2)) {}
  // `value` is JSON already.
  JsonObject& add(std::string_view name, std::string_view value);
  JsonObject& text(std::string_view name, std::string_view value) { return add(name, json_text(value)); }
  JsonObject& number(std::string_view name, double value) { return add(name, json_number(value)); }
  JsonObject& whole(std::string_view name, std::uint64_t value) { return add(name, std::to_string(value)); }
  JsonObject& truth(std::string_view name, bool value) { return add(name, value ? "true" : "false"); }
  std::string str() const { return "{" + members_ + "}"; }

 private:
  std::string members_;
};

}  // namespace lq::cli
