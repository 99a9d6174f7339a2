// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Any bytes as metadata block 1 of a multifile: a head, which written again reads back the same, or an Error.
#include <cstdint>
#include <stdexcept>

#include <limequat/error.hpp>

#include "format/sion/geometry.hpp"
#include "format/sion/head.hpp"

namespace {

using namespace lq;
using namespace lq::format::sion;

void require(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);
}

void check_places(const Head& head) {
  const Geometry geometry(head, "input");
  require(geometry.tasks() == head.tasks, "a place for each task");
  require(geometry.start(0) >= closing_offset(head.tasks, head.format_version), "chunks follow the head");
  for (std::int32_t task = 0; task < head.tasks; ++task) {
    const auto stored = static_cast<std::uint64_t>(head.widths[static_cast<std::size_t>(task)]);
    require(geometry.width(task) >= stored, "no chunk is narrower than stored");
  }
}

void check_round_trip(const Head& head) {
  const std::vector<std::byte> bytes = encode(head);
  base::MemorySource again(bytes, "again");
  const Head back = read_head(again);
  require(back.ranks == head.ranks && back.widths == head.widths, "tables read back");
  require(back.max_chunks == head.max_chunks && back.tail_offset == head.tail_offset, "the end reads back");
  require(back.prefix == head.prefix && back.flag1 == head.flag1 && back.flag2 == head.flag2, "texts read back");
  require(encode(back) == bytes, "bytes read back");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  base::MemorySource file({reinterpret_cast<const std::byte*>(data), size}, "input");
  try {
    const Head head = read_head(file);
    if (head.prefix.size() < prefix_bytes) check_round_trip(head);
    check_places(head);
  } catch (const Error& error) {
    require(error.code() != Code::internal && error.code() != Code::io, "only damage is found");
  }
  return 0;
}
