// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Memory that a transfer in flight has borrowed, and the proof that nobody wrote to it meanwhile.
#pragma once

#include <cstdint>
#include <string>

#include <limequat/field.hpp>
#include <limequat/grid.hpp>

namespace lq::io {

// Builds for debugging pay for a pass over the field at both ends of a transfer.
#ifdef NDEBUG
inline constexpr bool guards_borrowed_memory = false;
#else
inline constexpr bool guards_borrowed_memory = true;
#endif

class BufferGuard {
 public:
  BufferGuard() = default;  // guards nothing
  // The grid's local sites in a field that was found to be whole; memory by description is not guarded.
  BufferGuard(const Grid& grid, const Field& field, bool guarded);

  // Throws wrong_state when the numbers are others than at the beginning.
  void require_unchanged(const std::string& path) const;

 private:
  std::uint32_t sum() const noexcept;

  const std::byte* data_ = nullptr;
  std::uint64_t bytes_ = 0;
  std::uint32_t sum_ = 0;
};

}  // namespace lq::io
