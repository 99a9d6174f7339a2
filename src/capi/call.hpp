// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Exceptions become codes here only: every function of the C API runs its body in guarded().
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <limequat.h>
#include <limequat/error.hpp>

#include "base/inner.hpp"

namespace lq::capi {

// Call inside a catch block: stores the current exception as this thread's last failure and returns its code. Exported
// because limequat_mpi also needs it.
LQ_API lq_status remember_failure() noexcept;

// A call of this API, during which the program is polled for an interruption.
class LQ_API Call {
 public:
  Call() noexcept;
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
};

template <class Body>
lq_status guarded(Body&& body) noexcept {
  const Call call;
  try {
    body();
    return LQ_OK;
  } catch (...) {
    return remember_failure();
  }
}

[[noreturn]] inline void reject(const std::string& sentence) { throw Error(Code::invalid_argument, sentence); }

// invalid_argument, naming the argument, if `pointer` is NULL.
template <class T>
T* given(T* pointer, const char* argument) {
  if (pointer == nullptr) reject(std::string(argument) + " is NULL");
  return pointer;
}

// Texts in and out of the C API.

// A required text.
inline std::string text(const char* value, const char* argument) { return given(value, argument); }

// An optional text; NULL means empty.
inline std::string optional_text(const char* value) { return value == nullptr ? std::string() : std::string(value); }

// `count` required texts.
inline std::vector<std::string> texts(const char* const* values, std::uint64_t count, const char* argument) {
  if (count > 0) given(values, argument);
  std::vector<std::string> result;
  for (std::uint64_t k = 0; k < count; ++k) result.push_back(text(values[k], argument));
  return result;
}

// Memory of the caller, which may be NULL if the size is 0.
inline std::span<const std::byte> bytes_at(const void* memory, std::uint64_t bytes, const char* argument) {
  if (bytes > 0) given(memory, argument);
  return {static_cast<const std::byte*>(memory), static_cast<std::size_t>(bytes)};
}
inline std::span<std::byte> writable_bytes_at(void* memory, std::uint64_t bytes, const char* argument) {
  if (bytes > 0) given(memory, argument);
  return {static_cast<std::byte*>(memory), static_cast<std::size_t>(bytes)};
}

// Sets *out to a copy for lq_text_free.
LQ_INNER void hand_out(const std::string& value, char** out);

// The same for a result as JSON; skipped if `json` is nullptr.
template <class Answer>
void hand_out_json(const Answer& answer, char** json) {
  if (json != nullptr) hand_out(to_json(answer), json);
}

// The body of a function whose only result is JSON.
template <class Ask>
lq_status answered(char** json, const Ask& ask) noexcept {
  return guarded([&] {
    given(json, "json");
    hand_out_json(ask(), json);
  });
}

}  // namespace lq::capi
