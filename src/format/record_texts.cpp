// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/record_texts.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace lq::format {

base::Bytes ReadAhead::view(std::uint64_t offset, std::size_t length) {
  if (offset >= size_) return {};
  length = static_cast<std::size_t>(std::min<std::uint64_t>(length, size_ - offset));
  const bool held = offset >= start_ && offset + length <= start_ + held_;
  if (!held) {
    // The window grows while the reader moves on in small steps, and is small again after a jump.
    const bool nearby = offset >= start_ && offset - start_ <= held_ + largest_window;
    next_window_ = nearby ? std::min(next_window_ * 2, largest_window) : std::size_t{4096};
    window_.resize(std::max(length, next_window_));
    start_ = offset;
    held_ = file_.read_at(offset, window_);
  }
  const auto from = static_cast<std::size_t>(offset - start_);
  if (from >= held_) return {};  // the file became shorter
  return base::Bytes(window_).subspan(from, std::min(length, held_ - from));
}

namespace {

constexpr std::size_t sample_bytes = 4096;

bool is_text(std::string_view bytes) noexcept {
  return std::ranges::all_of(bytes, [](char c) {
    const auto u = static_cast<unsigned char>(c);
    return u >= 0x20 ? u != 0x7f : (u >= '\t' && u <= '\r');
  });
}

std::string_view without_nuls(std::string_view text) noexcept {
  const std::size_t last = text.find_last_not_of('\0');
  return text.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

}  // namespace

std::string TextReader::contents(const Record& record) {
  std::string text;
  if (record.data_length <= ReadAhead::largest_window) {
    text = base::as_text(file_.view(record.offset, static_cast<std::size_t>(record.data_length)));
  } else {
    text.resize(static_cast<std::size_t>(record.data_length));
    text.resize(file_.file().read_at(record.offset, std::as_writable_bytes(std::span(text))));
  }
  text.resize(without_nuls(text).size());
  return text;
}

std::optional<std::string> TextReader::text(const Record& record) {
  if (record.data_length > std::min(text_bytes_, budget_)) return std::nullopt;
  // Binary records are recognised early and not read to the end.
  const std::uint64_t sample = std::min<std::uint64_t>(record.data_length, sample_bytes);
  const base::Bytes first = file_.view(record.offset, static_cast<std::size_t>(sample));
  if (!is_text(without_nuls(base::as_text(first)))) return std::nullopt;
  std::string text = contents(record);
  if (!is_text(text)) return std::nullopt;
  budget_ -= record.data_length;
  return text;
}

std::string TextReader::document(const Record& record) {
  constexpr std::uint64_t limit = base::xml::Limits{}.bytes;
  if (record.data_length <= limit) return contents(record);
  base::fail(Code::too_large,
             {.expected = fmt::format("at most {} bytes", limit), .found = fmt::format("{} bytes", record.data_length)},
             "{} bytes are more than the {} that such a record may have", record.data_length, limit);
}

namespace {

constexpr std::uint64_t coord_limit = 1ULL << 62;

[[noreturn]] void fail(const std::string& sentence, std::string expected = {}, std::string found = {}) {
  throw Error(Code::malformed, sentence, {.expected = std::move(expected), .found = std::move(found)});
}

std::string_view required_text(const base::xml::Element& parent, std::string_view name) {
  const auto text = parent.text_of(name);
  if (!text) fail(fmt::format("<{}> has no element <{}>", parent.name, name), fmt::format("<{}>", name), "nothing");
  return *text;
}

std::uint64_t number_from(std::string_view text, std::string_view name) {
  const auto number = base::parse_u64(text);
  if (number) return *number;
  const std::string found = base::printable(text);
  fail(fmt::format("<{}> holds \"{}\", which is not a number of at most 64 bits", name, found), "a decimal number",
       found);
}

}  // namespace

base::xml::Element parse_document(std::string_view document, std::string_view root) {
  base::xml::Element element = base::xml::parse(document);
  if (element.name == root) return element;
  const std::string found = base::printable(element.name);
  fail(fmt::format("the root element is <{}>, not <{}>", found, root), fmt::format("<{}>", root),
       fmt::format("<{}>", found));
}

std::uint64_t required_number(const base::xml::Element& parent, std::string_view name) {
  return number_from(required_text(parent, name), name);
}

std::optional<std::uint64_t> optional_number(const base::xml::Element& parent, std::string_view name) {
  const auto text = parent.text_of(name);
  if (!text || text->empty()) return std::nullopt;
  return number_from(*text, name);
}

Coord required_coord(const base::xml::Element& parent, std::string_view name) {
  std::array<std::int64_t, max_dimensions> values{};
  std::size_t count = 0;
  for (const std::string_view word : base::split_words(required_text(parent, name))) {
    if (count == values.size()) fail(fmt::format("<{}> holds more than {} numbers", name, max_dimensions));
    const std::uint64_t value = number_from(word, name);
    if (value >= coord_limit) fail(fmt::format("<{}> holds {}, which is not a possible position", name, value));
    values[count++] = static_cast<std::int64_t>(value);
  }
  if (count == 0) fail(fmt::format("<{}> holds no number", name));
  return Coord(std::span<const std::int64_t>(values).first(count));
}

void check_extents(const Extents& extents, std::string_view where) {
  std::uint64_t sites = 1;
  for (const std::int64_t extent : extents) {
    const auto product = base::checked_multiply(sites, static_cast<std::uint64_t>(extent));
    if (extent < 1 || !product || *product >= coord_limit) {
      fail(fmt::format("<{}> describes a lattice of {}, which is none that a file can hold", where, to_string(extents)),
           "extents of 1 and more, fewer than 2^62 sites", to_string(extents));
    }
    sites = *product;
  }
}

namespace {

// Plaquette and link trace as other programs state them in texts (formats/scidac.md 6.2).
struct StatedObservables {
  std::optional<double> plaquette;   // average of Re Tr U_P / N
  std::optional<double> link_trace;  // average of Re Tr U / N
};

// "plaquette = 0.5862": the first number after `key` and an equals sign.
std::optional<double> number_behind(std::string_view text, std::string_view key) {
  const std::size_t at = text.find(key);
  if (at == std::string_view::npos) return {};
  text = base::trim(text.substr(at + key.size()));
  if (!text.starts_with('=')) return {};
  text = base::trim(text.substr(1));
  return base::parse_double(text.substr(0, text.find_first_of(" ,\t\r\n")));
}

std::optional<double> number_in(const base::xml::Element& root, std::string_view name) {
  const auto text = root.text_of(name);
  return text ? base::parse_double(*text) : std::nullopt;
}

struct StatedNames {
  std::string_view text, plaquette, link_trace;
};
constexpr StatedNames stated_names[] = {
    {"xlf-info", "plaquette", "link_trace"},
    {"scidac-record-xml", "plaq", "linktr"},     // usqcdInfo
    {"grid-format", "plaquette", "link_trace"},  // FieldMetaData
};

void read_text(StatedObservables& found, const StatedNames& names, std::string_view text) {
  std::optional<double> plaquette, link_trace;
  if (base::trim(text).starts_with('<')) {
    try {
      const base::xml::Element root = base::xml::parse(text);
      plaquette = number_in(root, names.plaquette);
      link_trace = number_in(root, names.link_trace);
    } catch (const Error&) {
      return;
    }
  } else {
    plaquette = number_behind(text, names.plaquette);
    link_trace = number_behind(text, names.link_trace);
  }
  if (!found.plaquette) found.plaquette = plaquette;
  if (!found.link_trace) found.link_trace = link_trace;
}

StatedObservables find_observables(const Metadata& metadata) {
  StatedObservables found;
  for (const StatedNames& names : stated_names) {
    for (const auto& [name, text] : metadata) {
      if (name == names.text) read_text(found, names, text);
    }
  }
  // A number that is a text of its own, such as an attribute of HDF5.
  for (const auto& [name, text] : metadata) {
    if (!found.plaquette && name == "plaquette") found.plaquette = base::parse_double(base::trim(text));
    if (!found.link_trace && name == "link_trace") found.link_trace = base::parse_double(base::trim(text));
  }
  return found;
}

}  // namespace

// From the field's own texts, else from the file's (tmLQCD's xlf-info is a separate message).
void state_observables(Catalog& catalog) {
  const StatedObservables of_file = find_observables(catalog.metadata);
  for (FieldEntry& field : catalog.fields) {
    if (field.payload.spec.kind != FieldKind::gauge) continue;
    const StatedObservables own = find_observables(field.metadata);
    field.plaquette = own.plaquette ? own.plaquette : of_file.plaquette;
    field.link_trace = own.link_trace ? own.link_trace : of_file.link_trace;
  }
}

}  // namespace lq::format
