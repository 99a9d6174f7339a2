// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "base/read_twice.hpp"

#include <algorithm>
#include <cstring>
#include <memory>

#include <fmt/format.h>
#include <limequat/error.hpp>

namespace lq::base {

void require_same_again(ByteSource& source, std::uint64_t offset, Bytes bytes) {
  constexpr std::size_t piece_bytes = std::size_t{64} * 1024;  // stays in cache
  const auto again = std::make_unique_for_overwrite<std::byte[]>(std::min(piece_bytes, bytes.size()));
  while (!bytes.empty()) {
    const Bytes piece = bytes.first(std::min(piece_bytes, bytes.size()));
    const std::size_t got = source.read_at(offset, MutableBytes(again.get(), piece.size()));
    if (got < piece.size() || std::memcmp(piece.data(), again.get(), piece.size()) != 0) {
      throw Error(Code::io,
                  fmt::format("{}: bytes {} to {} were read twice with different results: memory, a bus, the network "
                              "or the storage changed them in transit, or another program is writing to the file. They "
                              "were not used; try again, and have the machine examined if it happens again",
                              source.path(), offset, offset + piece.size() - 1),
                  {.path = source.path(), .offset = offset});
    }
    offset += piece.size();
    bytes = bytes.subspan(piece.size());
  }
}

std::size_t read_twice(ByteSource& source, std::uint64_t offset, MutableBytes buffer) {
  constexpr std::size_t piece_bytes = std::size_t{256} * 1024;
  std::size_t done = 0;
  while (done < buffer.size()) {
    const MutableBytes piece = buffer.subspan(done, std::min(piece_bytes, buffer.size() - done));
    const std::size_t got = source.read_at(offset + done, piece);
    require_same_again(source, offset + done, piece.first(got));
    done += got;
    if (got < piece.size()) break;
  }
  return done;
}

std::size_t ReadTwice::read_at(std::uint64_t offset, MutableBytes buffer) {
  return read_twice(source_, offset, buffer);
}

std::unique_ptr<ByteSource> ReadTwice::open_other(const std::string& path) const {
  return std::make_unique<ReadTwice>(source_.open_other(path));
}

}  // namespace lq::base
