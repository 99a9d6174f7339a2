// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The public InStream is here, too.
#include "sets/checkpoint/window.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <limequat/error.hpp>

namespace lq {
namespace sets {

void Window::add(std::unique_ptr<StreamReader> reader, std::uint64_t from, std::uint64_t bytes) {
  if (bytes == 0) return;
  pieces_.push_back({std::move(reader), from});
  ends_.push_back(size() + bytes);
}

std::size_t Window::read_at(std::uint64_t where, base::MutableBytes buffer) {
  std::size_t done = 0;
  auto piece = static_cast<std::size_t>(std::ranges::upper_bound(ends_, where) - ends_.begin());
  for (; piece < pieces_.size() && done < buffer.size(); ++piece) {
    const std::uint64_t begin = piece == 0 ? 0 : ends_[piece - 1];
    const std::uint64_t inside = where + done - begin;
    const std::uint64_t rest = ends_[piece] - begin - inside;
    const base::MutableBytes part = buffer.subspan(done, std::min<std::uint64_t>(rest, buffer.size() - done));
    done += pieces_[piece].reader->read_at(pieces_[piece].from + inside, part);
  }
  return done;
}

}  // namespace sets

InStream::InStream(std::unique_ptr<sets::Window> window) : window_(std::move(window)) {}
InStream::~InStream() = default;
InStream::InStream(InStream&&) noexcept = default;
InStream& InStream::operator=(InStream&&) noexcept = default;

std::size_t InStream::read(std::span<std::byte> buffer) {
  const std::size_t got = window_->read_at(window_->position, buffer);
  window_->position += got;
  return got;
}

bool InStream::read_whole(std::span<std::byte> buffer) {
  const std::uint64_t begin = position();
  const std::size_t got = read(buffer);
  if (got == buffer.size()) return true;
  if (got == 0) return false;
  throw Error(Code::truncated, fmt::format("the stream ends at byte {}, but {} bytes were to be read from byte {}",
                                           size(), buffer.size(), begin));
}

std::vector<std::byte> InStream::read_all() {
  std::vector<std::byte> all;
  constexpr std::size_t step = 16 << 20;  // the size is what a table says; memory grows with what is there
  while (position() < size()) {
    const std::size_t before = all.size();
    all.resize(before + std::min<std::uint64_t>(size() - position(), std::max(step, before)));
    all.resize(before + read(std::span(all).subspan(before)));
  }
  return all;
}

bool InStream::read_line(std::string& line) {
  constexpr std::size_t longest = std::size_t{1} << 30;
  line.clear();
  if (position() >= size()) return false;
  std::array<std::byte, 4096> piece;
  while (line.size() < longest) {
    const std::size_t got = window_->read_at(position(), piece);
    const auto end = std::find(piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(got), std::byte{'\n'});
    const auto taken = static_cast<std::size_t>(end - piece.begin());
    line.append(base::as_text(base::Bytes(piece).first(taken)));
    window_->position += taken < got ? taken + 1 : taken;
    if (taken < got || got == 0) return true;
  }
  throw Error(Code::too_large, fmt::format("a line of more than {} bytes; read the stream as bytes", longest));
}

void InStream::seek(std::uint64_t position) {
  if (position > size()) {
    throw Error(Code::invalid_argument, fmt::format("cannot seek to byte {}: the stream has {}", position, size()));
  }
  window_->position = position;
}

std::uint64_t InStream::position() const noexcept { return window_->position; }
std::uint64_t InStream::size() const noexcept { return window_->size(); }

}  // namespace lq
