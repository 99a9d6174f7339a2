// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "storage/transport.hpp"

#include "base/error.hpp"

namespace lq::storage {

// Bounds and errors that all transports share, so that they report the same errors.

namespace {

std::string describe(const std::string& verb, std::uint64_t offset, std::uint64_t bytes) {
  return verb + " " + std::to_string(bytes) + " bytes at byte " + std::to_string(offset);
}

}  // namespace

void require_position(const std::string& path, const std::string& verb, std::uint64_t offset, std::uint64_t bytes) {
  if (offset <= largest_position && bytes <= largest_position - offset) return;
  base::fail(Code::too_large, {.path = path, .offset = offset, .expected = "an end below 2^63"},
             "cannot {}: files end below 2^63 bytes", describe(verb, offset, bytes));
}

Error position_error(const std::string& path, const std::string& verb, std::uint64_t offset, std::uint64_t bytes,
                     int system_errno) {
  const Error plain = base::errno_error(path, describe(verb, offset, bytes), system_errno);
  ErrorFacts facts = plain.facts();
  facts.offset = offset;
  return {plain.code(), plain.what(), facts};
}

Error not_regular(const std::string& path, const std::string& what, int system_errno) {
  std::string remedy;
  if (what == "a FIFO") remedy = "; `lq` reads a pipe as \"-\"; or store the data in a file first";
  if (what == "a directory") remedy = "; name files in it. `lq verify -r` and `lq index` look through folders";
  return {Code::io,
          path + ": cannot open: is " + what + ", expected a regular file" + remedy,
          {.path = path, .expected = "a regular file", .found = what, .system_errno = system_errno}};
}

}  // namespace lq::storage
