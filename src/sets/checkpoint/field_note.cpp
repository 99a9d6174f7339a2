// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "sets/checkpoint/field_note.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/text.hpp"

namespace lq::sets {
namespace {

constexpr std::string_view ending = ".fields";
constexpr std::size_t longest_name = 255;

// Takes the line "key = value" off the front of `text`.
std::optional<std::string_view> take_line(std::string_view& text, std::string_view key) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  std::string_view line = text.substr(0, end);
  if (!line.starts_with(key) || !line.substr(key.size()).starts_with(" = ")) return std::nullopt;
  text.remove_prefix(end + 1);
  return line.substr(key.size() + 3);
}

std::optional<Extents> extents_in(std::string_view text) {
  try {
    return parse_extents(text);
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::optional<Precision> precision_in(std::string_view text) noexcept {
  for (const Precision one : {Precision::single, Precision::double_}) {
    if (text == name(one)) return one;
  }
  return std::nullopt;
}

// Why it is none, or nothing.
std::string objection(std::string_view name) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (name.empty()) return "it is empty";
  if (name.size() > longest_name) return fmt::format("it has {} bytes, {} are allowed", name.size(), longest_name);
  if (std::ranges::any_of(name, is_control)) return "it holds control characters";
  if (base::trim(name).size() != name.size()) return "it begins or ends with white space";
  for (std::string_view rest = name; !rest.empty(); rest.remove_prefix(base::utf8_length(rest))) {
    if (base::utf8_length(rest) == 0) return "it is not UTF-8";
  }
  return {};
}

}  // namespace

std::string encode(const FieldNote& note) {
  return fmt::format("version = 1\ngeneration = {}\nlattice = {}\nprocesses = {}\nprecision = {}\nname = {}\n",
                     note.generation.text(), to_string(note.lattice), to_string(note.processes), name(note.precision),
                     note.name);
}

std::optional<FieldNote> decode_note(std::string_view text) {
  const auto version = take_line(text, "version");
  const auto generation_text = take_line(text, "generation");
  const auto lattice_text = take_line(text, "lattice");
  const auto processes_text = take_line(text, "processes");
  const auto precision_text = take_line(text, "precision");
  const auto name = take_line(text, "name");
  if (version != "1" || !generation_text || !lattice_text || !processes_text || !precision_text || !name) {
    return std::nullopt;
  }
  const auto generation = parse_generation(*generation_text);
  const auto lattice = extents_in(*lattice_text), processes = extents_in(*processes_text);
  const auto precision = precision_in(*precision_text);
  if (!generation || !lattice || !processes || !precision || !objection(*name).empty()) return std::nullopt;
  return FieldNote{*generation, *lattice, *processes, *precision, std::string(*name)};
}

void require_field_name(const std::string& path, const std::string& name) {
  const std::string why = objection(name);
  if (why.empty()) return;
  throw Error(Code::invalid_argument,
              fmt::format("{}: a field cannot be called \"{}\": {}", path, base::printable(name), why), {.path = path});
}

std::string fields_name(const std::string& path) { return path + std::string(ending); }

std::optional<std::string> set_of_fields(std::string_view path) {
  if (path.size() <= ending.size() || !path.ends_with(ending)) return std::nullopt;
  return std::string(path.substr(0, path.size() - ending.size()));
}

}  // namespace lq::sets
