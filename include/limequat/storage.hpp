// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sites at a place in a file that the caller owns: no headers, no temporary name, no sync. For codes that keep their
// own container format or their own MPI_File (<limequat/mpi.hpp> makes a Storage of one).
#pragma once

#include <limequat/language.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <limequat/catalog.hpp>
#include <limequat/field.hpp>
#include <limequat/grid.hpp>
#include <limequat/options.hpp>
#include <limequat/report.hpp>

namespace lq {

// An open file. Calls are independent of other ranks and may come from another thread than the one that made it.
class LQ_API Storage {
 public:
  virtual ~Storage();
  virtual std::string path() const = 0;                                               // for error messages
  virtual void write_at(std::uint64_t offset, std::span<const std::byte> bytes) = 0;  // all of them, or throws Error
  // Returns how many bytes there were; less than asked for only at the end of the file.
  virtual std::size_t read_at(std::uint64_t offset, std::span<std::byte> bytes) = 0;
};

// Local. Where a whole lattice in natural order lies: x fastest, sites one behind the other.
LQ_API Payload payload_at(std::uint64_t offset, const FieldSpec& spec, const Extents& extents,
                          ByteOrder byte_order = ByteOrder::big);

// What happens to the sites on their way.
struct SiteOptions {
  bool checksum = true;
  std::uint64_t block_bytes = 0;  // as in WriteOptions
  RouteOptions route = {};
};

// Collective. Sites in `field` to (from) the payload's place; the report has their checksum. Nothing is synced.
LQ_API Report write_sites(Storage& storage, const Payload& payload, const Grid& grid, const Field& field,
                          const SiteOptions& options = {});
LQ_API Report read_sites(Storage& storage, const Payload& payload, const Grid& grid, const MutableField& field,
                         const SiteOptions& options = {});

}  // namespace lq
