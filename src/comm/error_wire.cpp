// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "comm/error_wire.hpp"

#include "comm/wire.hpp"

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

}  // namespace lq::comm
