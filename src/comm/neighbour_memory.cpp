// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "comm/neighbour_memory.hpp"

#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace lq::comm {
namespace {

constexpr std::size_t max_pieces = 256;                      // in one call
constexpr std::uint64_t max_bytes = std::uint64_t{1} << 30;  // in one call

}  // namespace

int pull(std::int64_t process, std::span<const NeighbourPiece> pieces, std::byte* to) noexcept {
  std::uint64_t skip = 0;  // of the first piece
  while (!pieces.empty()) {
    std::array<iovec, max_pieces> remote;
    std::size_t count = 0;
    std::uint64_t bytes = 0;
    while (count < std::min(max_pieces, pieces.size()) && bytes < max_bytes) {
      const NeighbourPiece& piece = pieces[count];
      const std::uint64_t before = count == 0 ? skip : 0;
      const std::uint64_t part = std::min(piece.bytes - before, max_bytes - bytes);
      remote[count++] = {reinterpret_cast<void*>(piece.address + before), static_cast<std::size_t>(part)};
      bytes += part;
    }
    const iovec local{to, static_cast<std::size_t>(bytes)};
    const ssize_t got = ::process_vm_readv(static_cast<pid_t>(process), &local, 1, remote.data(), count, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno;
    if (got == 0 && bytes > 0) return EFAULT;
    to += got;
    // Short reads end at a piece's end or within it.
    for (auto left = static_cast<std::uint64_t>(got) + skip; !pieces.empty();) {
      if (left < pieces.front().bytes) {
        skip = left;
        break;
      }
      left -= pieces.front().bytes;
      pieces = pieces.subspan(1);
      skip = 0;
    }
  }
  return 0;
}

}  // namespace lq::comm
