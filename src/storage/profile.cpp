// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Keys of the profile, and its text, which is written by hand because the comments are half of its value.
#include "storage/profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/json_writer.hpp"
#include "base/text.hpp"

namespace lq::storage {
namespace {

using M = Machine;
constexpr std::size_t longest_text = 1000;
constexpr std::size_t most_findings = 32;

const std::array key_table = {
    Key{"", "name", &M::name, Bound::none, "of the machine, for reports"},
    Key{"nodes", "nodes", &M::nodes, Bound::positive, "in the machine"},
    Key{"nodes", "ranks_per_node", &M::ranks_per_node, Bound::positive, "of a typical job"},
    Key{"nodes", "cores_per_node", &M::cores_per_node, Bound::positive, "that a job may use"},
    Key{"memory", "copy_rate", &M::copy_rate, Bound::positive, "B/s, memcpy of large arrays, one core"},
    Key{"memory", "pack_rate", &M::pack_rate, Bound::positive, "B/s, packing with checksum, one core"},
    Key{"memory", "copy_rate_node", &M::copy_rate_node, Bound::positive, "B/s, memcpy, all cores of a node together"},
    Key{"neighbours", "shared_rate", &M::shared_rate, Bound::positive, "B/s, through a shared buffer, one rank"},
    Key{"neighbours", "pull_rate", &M::pull_rate, Bound::not_negative,
        "B/s, out of a neighbour's memory, one rank; 0: not permitted"},
    Key{"neighbours", "handover_time", &M::handover_time, Bound::not_negative,
        "s, until a neighbour sees that a buffer is ready"},
    Key{"neighbours", "pull_permitted", &M::pull_permitted, Bound::none, "reading a neighbour's memory"},
    Key{"neighbours", "shared_memory_permitted", &M::shared_memory_permitted, Bound::none,
        "memory shared by the ranks of a node"},
    Key{"network", "latency", &M::latency, Bound::not_negative, "s, of a message between nodes"},
    Key{"network", "message_rate", &M::message_rate, Bound::positive, "B/s, one rank"},
    Key{"network", "link_rate", &M::link_rate, Bound::positive, "B/s, one node"},
    Key{"storage", "file_system", &M::file_system, Bound::none, "its kind"},
    Key{"storage", "block_bytes", &M::block_bytes, Bound::positive, "B, which two writers should not share"},
    Key{"storage", "servers", &M::servers, Bound::positive, "that a large file is spread over"},
    Key{"storage", "write_rate", &M::write_rate, Bound::positive, "B/s, one rank, large pieces"},
    Key{"storage", "write_rate_total", &M::write_rate_total, Bound::positive, "B/s, all ranks"},
    Key{"storage", "write_call", &M::write_call, Bound::not_negative, "s, each call, beyond its bytes"},
    Key{"storage", "read_rate", &M::read_rate, Bound::positive, "B/s, one rank, large pieces"},
    Key{"storage", "read_rate_total", &M::read_rate_total, Bound::positive, "B/s, all ranks"},
    Key{"storage", "read_call", &M::read_call, Bound::not_negative, "s, each call, beyond its bytes"},
    Key{"storage", "open_time", &M::open_time, Bound::not_negative, "s, to create, close and rename a small file"},
    Key{"storage", "sync_time", &M::sync_time, Bound::not_negative, "s, to sync a small file"},
    Key{"doctor", "findings", &M::findings, Bound::none, "warnings and failures when the profile was made"},
};

// Code point of well-formed UTF-8; otherwise the first byte.
unsigned code_point(std::string_view character) noexcept {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned>(static_cast<unsigned char>(character[i])); };
  unsigned point = byte(0);
  if (character.size() > 1) point &= 0x7fu >> character.size();
  for (std::size_t i = 1; i < character.size(); ++i) point = point << 6 | (byte(i) & 0x3f);
  return point;
}

// A basic string of TOML, in ASCII.
std::string toml_quoted(std::string_view text) {
  std::string result = "\"";
  while (!text.empty()) {
    const std::size_t length = std::max<std::size_t>(base::utf8_length(text), 1);
    const unsigned point = code_point(text.substr(0, length));
    if (point == '"' || point == '\\') result += '\\';
    if (point >= 0x20 && point < 0x7f) {
      result += text.front();
    } else {
      result += point < 0x10000 ? fmt::format("\\u{:04x}", point) : fmt::format("\\U{:08x}", point);
    }
    text.remove_prefix(length);
  }
  return result + "\"";
}

std::string value_text(const std::string& value) { return toml_quoted(value); }
std::string value_text(std::uint64_t value) { return std::to_string(value); }
std::string value_text(bool value) { return value ? "true" : "false"; }
// At most seventeen digits, so that it reads back the same.
std::string value_text(double value) { return fmt::format("{}", value); }
std::string value_text(const std::vector<std::string>& values) {
  std::string result = "[";
  for (const std::string& value : values) result += "\n  " + toml_quoted(value) + ",";
  return result + (values.empty() ? "]" : "\n]");
}

std::optional<std::string> complaint(Bound, const std::string& value) {
  if (value.size() > longest_text) return fmt::format("at most {} bytes", longest_text);
  return std::nullopt;
}
std::optional<std::string> complaint(Bound, bool) { return std::nullopt; }
std::optional<std::string> complaint(Bound bound, std::uint64_t value) {
  constexpr std::uint64_t largest = std::numeric_limits<std::int64_t>::max();  // limit of TOML
  if ((bound == Bound::positive && value == 0) || value > largest) return "a positive integer";
  return std::nullopt;
}
std::optional<std::string> complaint(Bound bound, double value) {
  if (bound == Bound::positive && !(std::isfinite(value) && value > 0)) return "a positive number";
  if (bound == Bound::not_negative && !(std::isfinite(value) && value >= 0)) return "a number that is not negative";
  return std::nullopt;
}
std::optional<std::string> complaint(Bound bound, const std::vector<std::string>& values) {
  if (values.size() > most_findings) return fmt::format("at most {} texts", most_findings);
  for (const std::string& value : values) {
    if (auto wrong = complaint(bound, value)) return "texts of " + *wrong;
  }
  return std::nullopt;
}

}  // namespace

std::span<const Key> profile_keys() { return key_table; }

std::optional<std::string> problem_with(const Key& key, const Machine& machine) {
  return std::visit([&](auto member) { return complaint(key.bound, machine.*member); }, key.member);
}

std::optional<std::string> complaint_about_target(std::string_view name, const std::vector<std::string>& folders) {
  if (name.empty() || name.size() > longest_text || name.find_first_of(":/") != std::string_view::npos) {
    return "a name without colon and slash";
  }
  if (folders.empty()) return "a folder, or a list of folders";
  if (std::ranges::any_of(folders, [](const std::string& folder) { return folder.empty(); })) return "no empty text";
  return complaint(Bound::none, folders);
}

std::string profile_text(const Machine& machine) {
  std::string text =
      "# Site profile of Limequat: this machine in numbers. B/s: bytes per second, s: seconds.\n# Missing keys have "
      "defaults. \"lq doctor --save-profile\" measures them again.\n";
  std::string_view section;
  for (const Key& key : key_table) {
    if (key.section != section) text += fmt::format("\n[{}]\n", section = key.section);
    const std::string value = std::visit([&](auto member) { return value_text(machine.*member); }, key.member);
    const std::string line = fmt::format("{} = {}", key.name, value);
    // After a list of lines, a comment would seem to belong to its last line.
    text += line.find('\n') == std::string::npos ? fmt::format("{:<32}# {}\n", line + " ", key.meaning)
                                                 : fmt::format("# {}\n{}\n", key.meaning, line);
  }
  if (machine.targets.empty()) return text;
  text += fmt::format("\n# Folders that \"lq copy FILE NAME:\" copies to.\n[{}]\n", targets_section);
  for (const auto& [name, folders] : machine.targets)
    text += fmt::format("{} = {}\n", toml_quoted(name), value_text(folders));
  return text;
}

}  // namespace lq::storage

namespace lq {
namespace {

void write(base::JsonWriter& json, const std::vector<std::string>& values) { json.array(values); }
template <class T>
void write(base::JsonWriter& json, const T& value) {
  json.value(value);
}

}  // namespace

std::string to_json(const Machine& machine) {
  base::JsonWriter json;
  json.begin_object();
  for (const storage::Key& key : storage::profile_keys()) {
    json.key(key.name);
    std::visit([&](auto member) { write(json, machine.*member); }, key.member);
  }
  json.key(storage::targets_section).begin_object();
  for (const auto& [name, folders] : machine.targets) json.key(name).array(folders);
  return json.end_object().end_object().take();
}

}  // namespace lq
