// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/read_ahead.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/xml.hpp"

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
  // Binary records show it early; they are not read to the end.
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
  throw Error(
      Code::too_large,
      fmt::format("{} bytes are more than the {} that such a record may have", record.data_length, limit),
      {.expected = fmt::format("at most {} bytes", limit), .found = fmt::format("{} bytes", record.data_length)});
}

}  // namespace lq::format
