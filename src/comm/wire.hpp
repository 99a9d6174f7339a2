// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Values on their way between ranks, which run on machines of one kind: appended to a message, taken from its front.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <limequat/error.hpp>

#include "base/bytes.hpp"

namespace lq::comm {

template <class T>
requires std::is_trivially_copyable_v<T> std::vector<std::byte> to_bytes(const T& value) {
  const auto bytes = std::as_bytes(std::span(&value, 1));
  return {bytes.begin(), bytes.end()};
}

// The value at the front of `bytes`, which are those after it afterwards.
template <class T>
requires std::is_trivially_copyable_v<T> T take(base::Bytes& bytes) {
  if (bytes.size() < sizeof(T)) throw Error(Code::communication, "a message from another rank arrived incomplete");
  T value;
  std::memcpy(&value, bytes.data(), sizeof(T));
  bytes = bytes.subspan(sizeof(T));
  return value;
}

template <class T>
T from_bytes(base::Bytes bytes) {
  return take<T>(bytes);
}

template <class T>
void append_all(std::vector<std::byte>& bytes, std::span<T> values) {
  const std::size_t before = bytes.size();
  bytes.resize(before + values.size_bytes());
  if (!values.empty()) std::memcpy(bytes.data() + before, values.data(), values.size_bytes());
}

template <class T>
requires std::is_trivially_copyable_v<T>
void append(std::vector<std::byte>& bytes, const T& value) { append_all(bytes, std::span(&value, 1)); }

// So many values at the front of `bytes`.
template <class T>
std::vector<T> take_all(base::Bytes& bytes, std::size_t count) {
  if (bytes.size() / sizeof(T) < count)
    throw Error(Code::communication, "a message from another rank arrived incomplete");
  std::vector<T> values(count);
  if (count > 0) std::memcpy(values.data(), bytes.data(), count * sizeof(T));
  bytes = bytes.subspan(count * sizeof(T));
  return values;
}

inline void append_text(std::vector<std::byte>& bytes, std::string_view text) {
  append(bytes, std::uint64_t{text.size()});
  append_all(bytes, base::as_bytes(text));
}
inline std::string take_text(base::Bytes& bytes) {
  const auto length = take<std::uint64_t>(bytes);
  if (bytes.size() < length) throw Error(Code::communication, "a message from another rank arrived incomplete");
  std::string text(base::as_text(bytes.first(static_cast<std::size_t>(length))));
  bytes = bytes.subspan(text.size());
  return text;
}

// All that is left, as values.
template <class T>
requires std::is_trivially_copyable_v<T> std::vector<T> take_all(base::Bytes bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

}  // namespace lq::comm
