// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Any bytes as a file of a set with records: read, verified and repaired, as they are and with a whole set record put
// behind the header, so that what lies behind it is reached. What is not refused is read to the end.
#include <algorithm>
#include <cstdint>
#include <stdexcept>

#include <limequat/error.hpp>

#include "format/sion/geometry.hpp"
#include "format/sion/head.hpp"
#include "sets/checkpoint/open_set.hpp"
#include "sets/checkpoint/record.hpp"
#include "sets/checkpoint/repair.hpp"
#include "sets/checkpoint/set_fields.hpp"

namespace {

using namespace lq;
using namespace lq::sets;

template <class Function>
void attempt(Function&& function) {
  try {
    function();
  } catch (const Error& error) {
    if (error.code() == Code::internal) throw;
  }
}

void put(storage::Transport& files, const std::string& name, base::Bytes bytes) {
  const auto file = files.create(name);
  file->write_at(0, bytes);
}

// A set record that agrees with the header, and records at the ends of some chunks that agree with it.
std::vector<std::byte> marked(base::Bytes bytes) {
  std::vector<std::byte> all(bytes.begin(), bytes.end());
  const format::sion::FixedHead head = format::sion::decode_fixed(bytes, "fuzz");
  if (head.tasks < 1 || head.tasks > 64) return all;
  const std::uint64_t at = format::sion::head_bytes(head.tasks);
  all.resize(std::max<std::size_t>(all.size(), at + 2 * record_bytes));
  SetRecord record;
  record.compression = static_cast<Compression>(std::to_integer<int>(all[8]) % 3);
  record.file = static_cast<std::uint32_t>(head.file_number);
  record.tasks = static_cast<std::uint32_t>(head.tasks);
  base::MemorySource source(all, "fuzz");
  const std::uint64_t tables = format::sion::ranks_offset();
  record.tables = checksum_of(source, tables, format::sion::closing_offset(head.tasks) - tables).value_or(0);
  std::ranges::copy(encode(record), all.begin() + static_cast<std::ptrdiff_t>(at));
  return all;
}

// Files in memory have no holes: a table behind chunks of terabytes is not for them.
bool is_small(base::Bytes bytes) {
  bool is = false;
  attempt([&] {
    base::MemorySource source(bytes, "fuzz");
    const format::sion::Geometry geometry(format::sion::read_head(source), "fuzz");
    is = geometry.start(0) + geometry.skip() < (1 << 24);
  });
  return is;
}

void run(base::Bytes bytes) {
  const auto files = storage::make_memory();
  put(*files, "set", bytes);
  put(*files, ".set.00000000", bytes);
  put(*files, "set.fields", bytes);
  attempt([&] { check_fields(*files, "set.fields", {}); });
  if (const auto note = decode_note({reinterpret_cast<const char*>(bytes.data()), bytes.size()})) {
    if (decode_note(encode(*note)) != note) throw std::logic_error("a note that is not read back");
  }
  attempt([&] { verify(*files, "set", 1); });
  attempt([&] {
    const auto opened = OpenSet::open(*files, "set", {}, {});
    const OpenSet& set = *opened;
    for (std::int64_t task = 0; task < std::min<std::int64_t>(set.info().tasks, 64); ++task) {
      attempt([&] {
        const auto window = set.task(task);
        std::vector<std::byte> buffer(4096);
        std::uint64_t at = 0;
        for (std::size_t got = 1; got > 0 && at < (1 << 20); at += got) got = window->read_at(at, buffer);
        if (at > window->size()) throw std::logic_error("more bytes than the stream has");
      });
    }
  });
  if (!is_small(bytes)) return;
  attempt([&] {
    repair(*files, ".set.00000000", {.output = "other"});
    verify(*files, "other", 1);  // what was repaired can be read
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const base::Bytes bytes(reinterpret_cast<const std::byte*>(data), std::min<std::size_t>(size, 1 << 16));
  if (bytes.size() >= record_bytes) {
    const auto one = decode_chunk_record(bytes);
    if (one && decode_chunk_record(encode(*one)) != one) throw std::logic_error("a record reads back");
  }
  run(bytes);
  attempt([&] { run(marked(bytes)); });
  return 0;
}
