// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Background reads and prefetching for modules whose fields are more than sites of a file: they provide the start of
// such a transfer.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <limequat/async.hpp>
#include <limequat/field.hpp>
#include <limequat/file.hpp>
#include <limequat/grid.hpp>

#include "io/scan.hpp"
#include "io/transfer.hpp"

namespace lq {

// Implementation of the public File, shared with background transfers.

struct File::State {
  std::shared_ptr<io::ScannedFile> file;
};

struct FileAccess {
  // wrong_state: it was moved to another object.
  static const std::shared_ptr<io::ScannedFile>& file_of(const File& file);
};

}  // namespace lq

namespace lq::io {

// Collective. Reads the field that options.index names into the given memory, up to the point where its sites move.
using BeginRead =
    std::function<std::unique_ptr<Transfer>(const Grid& grid, const MutableField& field, const ReadOptions& options)>;

// Collective. As lq::read_async and lq::ReadAhead; `path` is for errors and arrivals.
Pending read_async(const std::string& path, const BeginRead& begin, const Grid& grid, const MutableField& field,
                   const ReadOptions& options);
ReadAhead read_ahead(const std::string& path, const BeginRead& begin, std::vector<std::uint64_t> indices,
                     const Grid& grid, std::vector<MutableField> buffers, const ReadOptions& options);

// Detects writes to the memory of a transfer in flight.

// Debug builds pay for a pass over the field at both ends of a transfer.
#ifdef NDEBUG
inline constexpr bool guards_borrowed_memory = false;
#else
inline constexpr bool guards_borrowed_memory = true;
#endif

class BufferGuard {
 public:
  BufferGuard() = default;  // guards nothing
  // The grid's local sites in a validated field; memory given by a description is not guarded.
  BufferGuard(const Grid& grid, const Field& field, bool guarded);

  // Throws wrong_state if the numbers have changed since the beginning.
  void require_unchanged(const std::string& path) const;

 private:
  std::uint32_t sum() const noexcept;

  const std::byte* data_ = nullptr;
  std::uint64_t bytes_ = 0;
  std::uint32_t sum_ = 0;
};

}  // namespace lq::io
