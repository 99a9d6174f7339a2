// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The site profile: a Machine as an editable TOML text. One table of keys is used for reading and writing;
// docs/guide/doctor.md lists them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <limequat/machine.hpp>

namespace lq::storage {

inline constexpr std::size_t largest_profile = std::size_t{64} * 1024;

enum class Bound { none, positive, not_negative };

using Member = std::variant<std::string Machine::*, std::uint64_t Machine::*, double Machine::*, bool Machine::*,
                            std::vector<std::string> Machine::*>;

struct Key {
  std::string_view section;
  std::string_view name;
  Member member;
  Bound bound;
  std::string_view meaning;  // with unit, for comments
};

// In the order of the text.
std::span<const Key> profile_keys();

// The expected form of the value of `key`, if the value in `machine` does not have it.
std::optional<std::string> problem_with(const Key& key, const Machine& machine);

// The section of Machine::targets, whose keys are chosen by the site.
inline constexpr std::string_view targets_section = "targets";
std::optional<std::string> complaint_about_target(std::string_view name, const std::vector<std::string>& folders);

// malformed, with line and key; `path` is for messages. unsupported: built without toml++.
Machine parse_profile(std::string_view text, const std::string& path);

// Reads back as the same machine.
std::string profile_text(const Machine& machine);

// Machine descriptions that come with the library: the profiles in machines/, by name.
struct BuiltinMachine {
  std::string_view name;  // "frontier-like"
  std::string_view text;  // of a profile
};
std::span<const BuiltinMachine> builtin_machines();

// nullptr: none has this name.
const BuiltinMachine* find_builtin_machine(std::string_view name);
// "alice-pvfs, bluegene-p, frontier-like, jaguar-xt4, jugene"
std::string builtin_machine_names();

}  // namespace lq::storage
