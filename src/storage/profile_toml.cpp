// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Reading profiles with toml++, which only this file includes.
#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "storage/profile.hpp"

// Version 3.3 asserts, or lets the compiler assume, conditions that a broken text can violate ("[`"), although later
// code would report the error. Input must be checked, never asserted.
#include <toml++/impl/preprocessor.h>
#undef TOML_ASSERT
#undef TOML_ASSERT_ASSUME
#define TOML_ASSERT(condition) static_assert(true)
#define TOML_ASSERT_ASSUME(condition) static_assert(true)
#include <toml++/toml.h>

namespace lq::storage {
namespace {

constexpr std::string_view remedy = "correct the line, or have \"lq doctor --save-profile\" write a new profile";

std::string full_name(std::string_view section, std::string_view name) {
  return section.empty() ? std::string(name) : fmt::format("{}.{}", section, name);
}

class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path) {}

  Machine read(const toml::table& root) {
    read_section(root, "");
    return machine_;
  }

 private:
  [[noreturn]] void fail(const toml::node& node, const std::string& key, const std::string& found,
                         const std::string& expected) const {
    base::fail(Code::malformed, {.path = path_, .record = key, .expected = expected, .found = found},
               "line {}: {}: {}, expected {} ({})", node.source().begin.line, key, found, expected, remedy);
  }

  [[noreturn]] void fail_unknown(const toml::node& node, const std::string& key) const {
    std::vector<std::string> known;
    for (const Key& k : profile_keys()) known.push_back(full_name(k.section, k.name));
    const std::optional<std::string> near = base::nearest(key, known);
    fail(node, base::printable(key), "an unknown key", near ? *near : "a key of docs/guide/doctor.md");
  }

  void read_section(const toml::table& table, std::string_view section) {
    const auto keys = profile_keys();
    for (const auto& entry : table) {
      const std::string_view name = entry.first.str();
      const toml::node& node = entry.second;
      const std::string shown = full_name(section, name);
      if (section.empty() && name == targets_section) {
        read_targets(node);
        continue;
      }
      const bool names_section = section.empty() && std::any_of(keys.begin(), keys.end(), [&](const Key& k) {
                                   return !k.section.empty() && k.section == name;
                                 });
      if (names_section) {
        if (!node.is_table()) fail(node, shown, "a value", fmt::format("a section [{}]", name));
        read_section(*node.as_table(), name);
        continue;
      }
      const auto found =
          std::find_if(keys.begin(), keys.end(), [&](const Key& k) { return k.section == section && k.name == name; });
      if (found == keys.end()) fail_unknown(node, shown);
      std::visit([&](auto member) { take(node, shown, machine_.*member); }, found->member);
      if (const auto expected = problem_with(*found, machine_)) fail(node, shown, "a value out of range", *expected);
    }
  }

  // One folder, or several.
  void read_targets(const toml::node& node) {
    const std::string section(targets_section);
    if (!node.is_table()) fail(node, section, "a value", fmt::format("a section [{}]", section));
    for (const auto& entry : *node.as_table()) {
      const std::string name(entry.first.str()), shown = full_name(section, name);
      std::vector<std::string>& folders = machine_.targets[name];
      if (entry.second.is_string()) {
        take(entry.second, shown, folders.emplace_back());
      } else {
        take(entry.second, shown, folders);
      }
      if (const auto expected = complaint_about_target(name, folders)) {
        fail(entry.second, shown, "a value out of range", *expected);
      }
    }
  }

  void take(const toml::node& node, const std::string& key, std::string& target) const {
    const auto* value = node.as_string();
    if (value == nullptr) fail(node, key, "something else", "a text in quotes");
    target = value->get();
  }
  void take(const toml::node& node, const std::string& key, bool& target) const {
    const auto* value = node.as_boolean();
    if (value == nullptr) fail(node, key, "something else", "true or false");
    target = value->get();
  }
  void take(const toml::node& node, const std::string& key, std::uint64_t& target) const {
    const auto* value = node.as_integer();
    if (value == nullptr) fail(node, key, "something else", "a positive integer");
    if (value->get() < 0) fail(node, key, std::to_string(value->get()), "a positive integer");
    target = static_cast<std::uint64_t>(value->get());
  }
  void take(const toml::node& node, const std::string& key, double& target) const {
    if (const auto* integer = node.as_integer()) {
      target = static_cast<double>(integer->get());
    } else if (const auto* real = node.as_floating_point()) {
      target = real->get();
    } else {
      fail(node, key, "something else", "a number");
    }
  }
  void take(const toml::node& node, const std::string& key, std::vector<std::string>& target) const {
    const auto* values = node.as_array();
    if (values == nullptr) fail(node, key, "something else", "an array of texts");
    target.clear();
    for (const toml::node& value : *values) take(value, key, target.emplace_back());
  }

  std::string path_;
  Machine machine_;
};

// Line of the first byte that is not ASCII; 0: none. In version 3.3 such bytes outside of texts and comments cause
// undefined behaviour.
std::size_t line_beyond_ascii(std::string_view text) {
  const auto at = std::find_if(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
  return at == text.end() ? 0 : 1 + static_cast<std::size_t>(std::count(text.begin(), at, '\n'));
}

}  // namespace

Machine parse_profile(std::string_view text, const std::string& path) {
  if (text.size() > largest_profile) {
    base::fail(Code::malformed, {.path = path}, "larger than {} bytes, which no site profile is ({})", largest_profile,
               remedy);
  }
  if (const std::size_t line = line_beyond_ascii(text); line != 0) {
    base::fail(Code::malformed, {.path = path},
               "line {}: a character that is not ASCII; in a text write it as \\uXXXX ({})", line, remedy);
  }
  try {
    return Reader(path).read(toml::parse(text));
  } catch (const toml::parse_error& error) {
    base::fail(Code::malformed, {.path = path}, "line {}: not TOML: {} ({})", error.source().begin.line,
               base::printable(error.description(), 200), remedy);
  }
}

}  // namespace lq::storage
