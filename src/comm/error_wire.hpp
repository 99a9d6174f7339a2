// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// An Error as bytes, complete with its facts, so that all ranks can throw what one rank caught. Where memory has run
// out there are no words; then all throw an error that was made before.
#pragma once

#include <exception>
#include <vector>

#include <limequat/error.hpp>

#include "base/bytes.hpp"
#include "base/function_ref.hpp"

namespace lq::comm {

std::vector<std::byte> pack_error(const Error& error);
// `bytes` come from pack_error; anything else gives Error(communication).
Error unpack_error(base::Bytes bytes);

// std::bad_alloc and std::length_error: more than a container can ever hold.
bool is_lack_of_memory(const std::exception_ptr& failure) noexcept;
// As ranks tell it each other: a lack of memory is out_of_memory, any other foreign exception internal.
Error error_of(const std::exception_ptr& failure);
// What all throw where one has no memory for words. It is made by the first call: whoever makes a Communicator calls
// it, because there is memory then.
const std::exception_ptr& preallocated_out_of_memory() noexcept;

// A failure, or none, as it is told to others.
struct RemoteError {
  explicit RemoteError(const std::exception_ptr& failure) noexcept;

  bool has_failed = false;
  std::vector<std::byte> words;  // none: no failure, or no memory
  // What all throw to whom `words` were told.
  std::exception_ptr error() const noexcept;
};
// What is thrown for words of a RemoteError that has failed.
std::exception_ptr received_error(base::Bytes words) noexcept;

// One of a group makes a failure known to all, or that there is none: `spread` brings its bytes to the others. All
// throw the same.
void broadcast_error(bool is_teller, const std::exception_ptr& failure,
                     base::FunctionRef<void(base::MutableBytes)> spread);

}  // namespace lq::comm
