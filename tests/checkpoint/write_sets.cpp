// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Writes the sets that plain_records.py reads, into a folder: one that is closed, two that have grown, one written anew
// with fields, one that is left unclosed.
// Byte i of task t is (31 i + 57 t + 7 (i div 256)) mod 256.
#include <cstdio>
#include <limequat/limequat.hpp>

namespace {

std::vector<std::byte> content(std::int64_t task, std::uint64_t begin, std::uint64_t bytes) {
  std::vector<std::byte> all(bytes);
  for (std::uint64_t i = 0; i < bytes; ++i) {
    const std::uint64_t at = begin + i;
    all[i] = static_cast<std::byte>((31 * at + 57 * static_cast<std::uint64_t>(task) + 7 * (at / 256)) % 256);
  }
  return all;
}

// 5000 bytes times the number of the task, so that task 0 is empty.
void fill(lq::MultifileWriter& writer) {
  for (std::size_t i = 0; i < writer.streams(); ++i) {
    lq::OutStream& stream = writer.stream(i);
    const std::uint64_t end = stream.size() + 5000 * i;
    for (std::uint64_t at = stream.size(); at < end; at += 100) stream.write(content(stream.task(), at, 100));
    stream.flush();
  }
}

lq::MultifileOptions options(std::int32_t streams) {
  lq::MultifileOptions options;
  options.streams = streams;
  options.expected_bytes = 3000;
  options.buffer_bytes = 1000;
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::string folder = std::string(argv[1]) + "/";
  try {
    lq::MultifileWriter closed(folder + "closed.sion", {}, options(4));
    fill(closed);
    closed.close();

    lq::MultifileWriter first(folder + "grown.sion", {}, options(2));
    fill(first);
    first.close();
    lq::MultifileWriter more = lq::MultifileWriter::append(folder + "grown.sion", {}, options(5));
    fill(more);
    more.close();

    // Tables of 188 tasks leave no room for a record in blocks of 4096 bytes.
    lq::MultifileWriter few(folder + "parted.sion", {}, options(1));
    few.close();
    lq::MultifileWriter many = lq::MultifileWriter::append(folder + "parted.sion", {}, options(1 + 188));
    for (std::size_t i = 0; i < many.streams(); ++i) many.stream(i).write(content(many.stream(i).task(), 0, 10 * i));
    many.close();

    const lq::Grid grid({2, 2, 1, 3});
    const std::vector<double> numbers(grid.local_volume(), 0.25);
    lq::MultifileWriter fields = lq::MultifileWriter::append(folder + "grown.sion", {}, options(0));
    for (const char* name : {"one", "another"}) fields.write_field(name, grid, lq::sites(numbers));
    fields.close();
    lq::defragment(folder + "grown.sion", folder + "anew.sion");

    lq::MultifileWriter left(folder + "left.sion", {}, options(3));
    fill(left);
  } catch (const lq::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
