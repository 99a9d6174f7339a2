// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Any bytes as the description of a set of subfiles, and any text as a partition: what is read is written as the same
// text again. The checksum is put right, or no input would come far.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <limequat/partition.hpp>

#include "answers.hpp"
#include "base/text.hpp"
#include "kernels/crc32.hpp"
#include "storage/subfiles.hpp"

namespace {

using lq::Code;
using lq::fuzz::attempt;
using lq::fuzz::require;

void try_description(const std::string& text) {
  attempt<Code::malformed, Code::checksum_mismatch, Code::unsupported>([&] {
    const lq::PartitionedFile set = lq::storage::decode_description(lq::base::as_bytes(text), "any.set");
    const lq::PartitionedFile again =
        lq::storage::decode_description(lq::base::as_bytes(lq::storage::encode_description(set)), "any.set");
    require(again.partition == set.partition && again.files == set.files && again.bytes == set.bytes,
            "a description that is read is written as it was");
    const lq::PartPlace place = set.partition.place_of(set.partition.array().elements() - 1);
    require(set.partition.element_at(place) == set.partition.array().elements() - 1, "places are a bijection");
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  try_description(text);
  constexpr std::size_t last_line = 15;  // "crc32 xxxxxxxx\n"
  if (size > last_line) {
    text.resize(size - last_line);
    text += "crc32 " + lq::base::hex32(lq::kernels::crc32(0, lq::base::as_bytes(text))) + "\n";
    try_description(text);
  }
  attempt<Code::invalid_argument, Code::too_large, Code::unsupported>([&] {
    const auto partition = lq::Partition::parse({.extents = {12, 8, 4, 16}}, text.substr(0, size));
    require(lq::Partition::parse(partition.array(), partition.text()) == partition, "a partition is spelled as read");
  });
  return 0;
}
