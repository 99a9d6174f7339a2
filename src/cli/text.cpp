// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/text.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

namespace lq::cli {
namespace {

std::optional<std::string> meant(std::string_view word, const std::vector<std::string>& candidates) {
  // An abbreviation matches even if many letters are missing.
  const auto continues = [&](const std::string& candidate) { return word.size() > 2 && candidate.starts_with(word); };
  const auto longer = std::find_if(candidates.begin(), candidates.end(), continues);
  return longer != candidates.end() ? *longer : base::nearest(word, candidates);
}

}  // namespace

std::size_t width_of(std::string_view text) noexcept {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end = 0; end != std::string_view::npos; begin = end + 1) {
    end = text.find(separator, begin);
    parts.emplace_back(text.substr(begin, end == std::string_view::npos ? end : end - begin));
  }
  return parts;
}

std::string count(std::uint64_t number, std::string_view noun) {
  return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

std::string human_seconds(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.3g} us", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.3g} ms", seconds * 1e3);
  return seconds < 1000 ? fmt::format("{:.3g} s", seconds) : fmt::format("{:.0f} s", seconds);
}

std::string describe(const FieldSpec& spec) {
  if (spec.kind != FieldKind::generic) return fmt::format("{} SU({})", name(spec.kind), spec.colors);
  if (spec.numbers == 0) return "bytes";
  const std::uint64_t numbers = spec.is_complex ? spec.numbers / 2 : spec.numbers;
  return count(numbers, spec.is_complex ? "complex number" : "real number");
}

std::string_view without_path(std::string_view message, std::string_view path) noexcept {
  if (!message.starts_with(path) || !message.substr(path.size()).starts_with(": ")) return message;
  return message.substr(path.size() + 2);
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  const std::optional<std::string> name = meant(word, candidates);
  return name ? fmt::format("; did you mean \"{}\"?", *name) : std::string();
}

std::string Table::text() const {
  std::vector<std::vector<std::string>> lines = {titles_};
  for (std::string& title : lines.front()) title.erase(0, title.starts_with('>') ? 1 : 0);
  lines.insert(lines.end(), rows_.begin(), rows_.end());

  std::vector<std::size_t> widths(titles_.size());
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], width_of(line[i]));
  }
  std::string text;
  for (const auto& line : lines) {
    std::string out;
    for (std::size_t i = 0; i < line.size(); ++i) {
      const std::string blanks(widths[i] - width_of(line[i]), ' ');
      if (titles_[i].empty()) continue;
      if (i > 0) out += "  ";
      out += titles_[i].starts_with('>') ? blanks + line[i] : line[i] + blanks;
    }
    out.erase(out.find_last_not_of(' ') + 1);
    text += out + "\n";
  }
  return text;
}

std::string stored_sums(const Sums& sums, std::string_view none) {
  std::vector<std::string> names;
  for (const SumName& name : sums.names()) names.push_back(to_string(name));
  return names.empty() ? std::string(none) : fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace lq::cli
