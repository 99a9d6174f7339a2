// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/flat/binary_header.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <limits>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/text.hpp"

namespace lq::format::flat {
namespace {

constexpr std::size_t most_bytes = 4096;

template <class Word>
Word load(const std::byte* at, ByteOrder order) noexcept {
  return order == ByteOrder::big ? base::load_be<Word>(at) : base::load_le<Word>(at);
}

}  // namespace

HeaderReader::HeaderReader(base::ByteSource& file, ByteOrder order, std::string section, std::uint64_t begin)
    : start_(most_bytes), order_(order), section_(std::move(section)), begin_(begin) {
  start_.resize(file.read_at(begin, start_));
}

base::Bytes HeaderReader::take_bytes(std::size_t length) {
  if (length > start_.size() - next_) {
    throw Error(Code::truncated, fmt::format("the file ends within its header, at byte {}; copy it again from its "
                                             "source",
                                             begin_ + start_.size()));
  }
  const base::Bytes taken = base::Bytes(start_).subspan(next_, length);
  next_ += length;
  return taken;
}

void HeaderReader::annotate(std::size_t length, std::string_view name, std::string value) {
  parts_.push_back({end() - length, length, std::string(name), std::move(value), section_});
}

template <class Word>
Word HeaderReader::take_word() {
  return load<Word>(take_bytes(sizeof(Word)).data(), order_);
}

std::int32_t HeaderReader::integer(std::string_view name) {
  const auto value = static_cast<std::int32_t>(take_word<std::uint32_t>());
  annotate(4, name, fmt::format("{}", value));
  return value;
}

std::uint32_t HeaderReader::word(std::string_view name) {
  const auto value = take_word<std::uint32_t>();
  annotate(4, name, fmt::format("{:08x}", value));
  return value;
}

double HeaderReader::real(std::string_view name) {
  const auto value = std::bit_cast<double>(take_word<std::uint64_t>());
  annotate(8, name, fmt::format("{:.15g}", value));
  return value;
}

std::string HeaderReader::text(std::string_view name, std::size_t length) {
  std::string value(base::as_text(take_bytes(length)));
  value.resize(std::min(value.find('\0'), value.size()));
  annotate(length, name, fmt::format("\"{}\"", base::printable(value)));
  return value;
}

Extents HeaderReader::extents(std::initializer_list<int> directions) {
  Extents extents = Coord::filled(static_cast<int>(directions.size()), 0);
  for (const int d : directions) {
    extents[d] = integer(fmt::format("extent in {}", std::string(1, "xyzt"[d])));
    if (extents[d] < 1) {
      throw Error(Code::malformed,
                  fmt::format("the header states the extent {} in {}; extents are 1 and more", extents[d], "xyzt"[d]));
    }
  }
  return extents;
}

template <class Word>
HeaderWriter& HeaderWriter::put(Word value) {
  std::array<std::byte, sizeof(Word)> bytes;
  order_ == ByteOrder::big ? base::store_be(bytes.data(), value) : base::store_le(bytes.data(), value);
  bytes_ += base::as_text(bytes);
  return *this;
}

HeaderWriter& HeaderWriter::integer(std::int64_t value) {
  if (value < 0 || value > std::numeric_limits<std::int32_t>::max()) {
    throw Error(Code::unsupported, fmt::format("the header has 32 bits for {}; use ildg, scidac or hdf5", value));
  }
  return put(static_cast<std::uint32_t>(value));
}

HeaderWriter& HeaderWriter::word(std::uint32_t value) { return put(value); }

HeaderWriter& HeaderWriter::real(double value) { return put(std::bit_cast<std::uint64_t>(value)); }

HeaderWriter& HeaderWriter::text(std::string_view value, std::size_t length) {
  const std::size_t end = bytes_.size() + length;
  bytes_ += value.substr(0, length);
  bytes_.resize(end, '\0');
  return *this;
}

HeaderWriter& HeaderWriter::extents(const Extents& extents, std::initializer_list<int> directions) {
  for (const int d : directions) integer(extents[d]);
  return *this;
}

std::uint32_t first_word(base::ByteSource& file, ByteOrder order) {
  std::array<std::byte, 4> start{};
  return file.read_at(0, start) == start.size() ? load<std::uint32_t>(start.data(), order) : 0;
}

std::optional<ByteOrder> order_of_magic(base::ByteSource& file, std::uint32_t magic) {
  for (const ByteOrder order : {ByteOrder::little, ByteOrder::big}) {
    if (first_word(file, order) == magic) return order;
  }
  return {};
}

bool begins_unitary(base::ByteSource& file, std::uint64_t offset, ByteOrder order, int colors, int matrices) {
  constexpr double tolerance = 1e-3;
  const auto n = static_cast<std::size_t>(colors);
  std::vector<std::byte> bytes(2 * n * n * 8);
  std::vector<std::complex<double>> u(n * n);
  for (int m = 0; m < matrices; ++m) {
    if (file.read_at(offset + static_cast<std::uint64_t>(m) * bytes.size(), bytes) < bytes.size()) return false;
    const auto number = [&](std::size_t k) { return std::bit_cast<double>(load<std::uint64_t>(&bytes[8 * k], order)); };
    for (std::size_t k = 0; k < u.size(); ++k) u[k] = {number(2 * k), number(2 * k + 1)};
    if (std::ranges::all_of(u, [](const auto& element) { return element == 0.0; })) continue;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        std::complex<double> product = i == j ? -1 : 0;
        for (std::size_t k = 0; k < n; ++k) product += u[i * n + k] * std::conj(u[j * n + k]);
        if (!(std::abs(product) <= tolerance)) return false;
      }
    }
  }
  return true;
}

}  // namespace lq::format::flat
