// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Any bytes as the record of a replacement: it names nothing but files of its set and their temporary names, in its
// folder or below, and is written as it was. The checksum is put right first, or no input would come far.
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "io/replacement.hpp"
#include "kernels/crc32.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lq;
  const auto* begin = reinterpret_cast<const std::byte*>(data);
  std::vector<std::byte> bytes(begin, begin + size);
  const std::string record = io::replacement_path("/run/a.scidac");
  io::decode_replacement(bytes, record);
  constexpr std::size_t crc = 4;
  if (size < crc) return 0;
  base::store_le(bytes.data() + size - crc, kernels::crc32(0, base::Bytes(bytes).first(size - crc)));
  const std::optional<io::Replacement> found = io::decode_replacement(bytes, record);
  if (!found) return 0;
  const auto require_below = [](const std::string& path) {
    if (!path.starts_with("/run/") || path.find("/../") != std::string::npos) throw std::logic_error("it leads out");
  };
  for (const io::Replacement::Member& member : found->members) {
    require_below(member.from);
    require_below(member.to);
  }
  for (const std::string& path : found->surplus) require_below(path);
  const auto again = io::decode_replacement(io::encode_replacement(*found), record);
  if (!again || again->members.size() != found->members.size() || again->surplus != found->surplus) {
    throw std::logic_error("what is read is written and read again");
  }
  return 0;
}
