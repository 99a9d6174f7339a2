// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Values in transit between ranks, which run on machines of one kind: appended to a message, taken from its front.
#pragma once

#include <cstdint>
#include <cstring>
#include <exception>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <limequat/error.hpp>

#include "base/bytes.hpp"
#include "base/function_ref.hpp"
#include "base/inner.hpp"

namespace lq::comm {

template <class T>
requires std::is_trivially_copyable_v<T> std::vector<std::byte> to_bytes(const T& value) {
  const auto bytes = std::as_bytes(std::span(&value, 1));
  return {bytes.begin(), bytes.end()};
}

// Extracts the value at the front of `bytes`, which then begins after it.
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

// Extracts the given number of values from the front of `bytes`.
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

// Extracts all remaining bytes as values.
template <class T>
requires std::is_trivially_copyable_v<T> std::vector<T> take_all(base::Bytes bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

// An Error as bytes, complete with its facts, so that all ranks can throw an error that one rank caught. Without memory
// for the message, all throw a preallocated error.

std::vector<std::byte> pack_error(const Error& error);
// `bytes` come from pack_error; anything else gives Error(communication).
Error unpack_error(base::Bytes bytes);

// std::bad_alloc, or std::length_error: more than a container can ever hold.
bool is_lack_of_memory(const std::exception_ptr& failure) noexcept;
// The form exchanged by ranks: a lack of memory is out_of_memory, an error of the file system what its errno means, any
// other foreign exception internal.
LQ_INNER Error error_of(const std::exception_ptr& failure);
// The error that all ranks throw if one has no memory for the message. Created by the first call, which the creation of
// a Communicator makes, because memory is available then.
const std::exception_ptr& preallocated_out_of_memory() noexcept;

// A failure, or none, in the form sent to other ranks.
struct RemoteError {
  explicit RemoteError(const std::exception_ptr& failure) noexcept;

  bool has_failed = false;
  std::vector<std::byte> words;  // empty: no failure, or no memory
  // The error that all receivers of `words` throw.
  std::exception_ptr error() const noexcept;
};
// The error for the received words of a RemoteError with a failure.
std::exception_ptr received_error(base::Bytes words) noexcept;

// One rank of a group informs the others of a failure, or of success: `spread` broadcasts its bytes. All throw the
// same.
void broadcast_error(bool is_source, const std::exception_ptr& failure,
                     base::FunctionRef<void(base::MutableBytes)> spread);

}  // namespace lq::comm
