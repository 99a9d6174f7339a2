// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// See properties.hpp.
#include "cli/properties.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.hpp"
#include "cli/text.hpp"

namespace lq::cli {
namespace {

constexpr std::size_t most_per_text = 64;   // a text of data is no list of facts
constexpr std::size_t longest_value = 240;  // of what fits a line or two
constexpr std::size_t longest_key = 48;

// How tmLQCD, QIO and others call the same fact.
std::string unified(std::string_view key) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 6> names = {
      {{"plaq", "plaquette"},
       {"linktr", "link_trace"},
       {"link trace", "link_trace"},
       {"trajectory nr", "trajectory"},
       {"PLAQUETTE", "plaquette"},
       {"LINK_TRACE", "link_trace"}}};
  for (const auto& [theirs, ours] : names) {
    if (key == theirs) return std::string(ours);
  }
  return std::string(key);
}

class Collector {
 public:
  Collector(std::string source, std::vector<Property>& properties)
      : source_(std::move(source)), properties_(properties), limit_(properties.size() + most_per_text) {}

  bool full() const { return properties_.size() >= limit_; }
  void add(std::string_view key, std::string_view value) {
    key = base::trim(key);
    value = base::trim(value);
    if (key == "version") return;  // of an XML schema
    if (key.empty() || value.empty() || key.size() > longest_key || value.size() > longest_value || full()) return;
    properties_.push_back({unified(key), std::string(value), source_});
  }

 private:
  std::string source_;
  std::vector<Property>& properties_;
  std::size_t limit_;
};

// "plaquette = 0.58\n beta = 6.0, kappa = 0.1": a comma separates where another "=" follows.
void key_value_lines(std::string_view text, Collector& collector) {
  for (const std::string& line : split(text, '\n')) {
    std::string pending;
    for (const std::string& piece : split(line, ',')) {
      const bool starts_another = piece.find('=') != std::string::npos;
      if (!starts_another) {
        pending += (pending.empty() ? "" : ",") + piece;
        continue;
      }
      if (const std::size_t equals = pending.find('='); equals != std::string::npos) {
        collector.add(std::string_view(pending).substr(0, equals), std::string_view(pending).substr(equals + 1));
      }
      pending = piece;
    }
    if (const std::size_t equals = pending.find('='); equals != std::string::npos) {
      collector.add(std::string_view(pending).substr(0, equals), std::string_view(pending).substr(equals + 1));
    }
    if (collector.full()) return;
  }
}

// Elements that hold text and no other elements. Not a parser: whatever looks otherwise is passed over.
void xml_leaves(std::string_view text, Collector& collector) {
  std::size_t at = 0;
  while (!collector.full() && (at = text.find('<', at)) != std::string_view::npos) {
    const std::size_t close = text.find('>', at);
    if (close == std::string_view::npos) return;
    const std::string_view inside = text.substr(at + 1, close - at - 1);
    const std::string_view tag = inside.substr(0, inside.find_first_of(" \t\n\r/"));
    const std::size_t next = text.find('<', close);
    if (next == std::string_view::npos) return;
    const std::string_view end = text.substr(next);
    const bool is_leaf = !tag.empty() && end.starts_with("</") && end.substr(2).starts_with(tag);
    if (is_leaf) collector.add(tag, text.substr(close + 1, next - close - 1));
    at = next;
  }
}

}  // namespace

std::vector<Property> properties_of(const Metadata& metadata) {
  std::vector<Property> properties;
  for (const auto& [name, contents] : metadata) {
    const std::string_view text = base::trim(contents);
    Collector collector(name, properties);
    const std::size_t before = properties.size();
    if (text.starts_with('<')) {
      xml_leaves(text, collector);
    } else if (text.find('=') != std::string_view::npos) {
      key_value_lines(text, collector);
    }
    // A short text that is neither is a fact by itself: "ildg-data-lfn".
    const bool one_line = text.find('\n') == std::string_view::npos && !text.starts_with('<');
    if (properties.size() == before && one_line) collector.add(name, text);
  }
  return properties;
}

}  // namespace lq::cli
