// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "comm/wire.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <new>
#include <stdexcept>

#include <fmt/format.h>

#include "base/error.hpp"

namespace lq::comm {

std::vector<std::byte> pack_error(const Error& error) {
  const ErrorFacts& facts = error.facts();
  std::vector<std::byte> bytes = to_bytes(error.code());
  append_text(bytes, error.what());
  append_text(bytes, facts.path);
  append_text(bytes, facts.record);
  append(bytes, facts.offset.has_value());
  append(bytes, facts.offset.value_or(0));
  append(bytes, facts.rank.has_value());
  append(bytes, facts.rank.value_or(0));
  append_text(bytes, facts.expected);
  append_text(bytes, facts.found);
  append(bytes, facts.system_errno);
  return bytes;
}

Error unpack_error(base::Bytes bytes) {
  const auto code = take<Code>(bytes);
  const std::string sentence = take_text(bytes);
  ErrorFacts facts;
  facts.path = take_text(bytes);
  facts.record = take_text(bytes);
  const auto has_offset = take<bool>(bytes);
  if (const auto offset = take<std::uint64_t>(bytes); has_offset) facts.offset = offset;
  const auto has_rank = take<bool>(bytes);
  if (const auto rank = take<int>(bytes); has_rank) facts.rank = rank;
  facts.expected = take_text(bytes);
  facts.found = take_text(bytes);
  facts.system_errno = take<int>(bytes);
  return Error(code, sentence, facts);
}

const std::exception_ptr& preallocated_out_of_memory() noexcept {
  static const std::exception_ptr words = []() noexcept {
    try {
      return std::make_exception_ptr(
          Error(Code::out_of_memory, "memory ran out on a rank; use more ranks or smaller blocks"));
    } catch (...) {
      return std::current_exception();  // possibly a lack of memory
    }
  }();
  return words;
}

bool is_lack_of_memory(const std::exception_ptr& failure) noexcept {
  try {
    if (failure) std::rethrow_exception(failure);
  } catch (const std::bad_alloc&) {
    return true;
  } catch (const std::length_error&) {
    return true;
  } catch (...) {
    return false;
  }
  return false;
}

Error error_of(const std::exception_ptr& failure) {
  if (is_lack_of_memory(failure)) {
    return Error(Code::out_of_memory, "memory for the work could not be allocated; use more ranks or smaller blocks");
  }
  try {
    std::rethrow_exception(failure);
  } catch (const Error& error) {
    return error;
  } catch (const std::filesystem::filesystem_error& error) {
    return base::errno_error(error.path1().string(), "access", error.code().value());
  } catch (const std::exception& error) {
    return Error(Code::internal, fmt::format("unexpected exception: {} (please report)", error.what()));
  } catch (...) {
    return Error(Code::internal, "unexpected exception of unknown type (please report)");
  }
}

RemoteError::RemoteError(const std::exception_ptr& failure) noexcept : has_failed(failure != nullptr) {
  if (!has_failed || is_lack_of_memory(failure)) return;
  try {
    words = pack_error(error_of(failure));
  } catch (...) {
    words.clear();
  }
}

std::exception_ptr RemoteError::error() const noexcept { return has_failed ? received_error(words) : nullptr; }

void broadcast_error(bool is_source, const std::exception_ptr& failure,
                     base::FunctionRef<void(base::MutableBytes)> spread) {
  constexpr std::int64_t all_is_well = 0, no_words = -1;
  RemoteError remote(is_source ? failure : nullptr);
  std::int64_t length = !remote.has_failed ? all_is_well : remote.words.empty() ? no_words : std::ssize(remote.words);
  spread(std::as_writable_bytes(std::span(&length, 1)));
  if (length == all_is_well) return;
  std::exception_ptr lack;
  if (!is_source)
    base::keep_failure(lack, [&] { remote.words.resize(length == no_words ? 0 : static_cast<std::size_t>(length)); });
  // In pieces, for which a rank without memory also has space.
  std::array<std::byte, 512> piece;
  for (std::size_t done = 0; length != no_words && done < static_cast<std::size_t>(length); done += piece.size()) {
    const auto part = std::span(piece).first(std::min(piece.size(), static_cast<std::size_t>(length) - done));
    if (is_source) std::ranges::copy(base::Bytes(remote.words).subspan(done, part.size()), part.begin());
    spread(part);
    if (!is_source && !lack) std::ranges::copy(part, remote.words.begin() + static_cast<std::ptrdiff_t>(done));
  }
  std::rethrow_exception(received_error(remote.words));
}

std::exception_ptr received_error(base::Bytes words) noexcept {
  if (words.empty()) return preallocated_out_of_memory();
  try {
    throw unpack_error(words);
  } catch (const Error&) {
    return std::current_exception();
  } catch (...) {
    return preallocated_out_of_memory();
  }
}

}  // namespace lq::comm
