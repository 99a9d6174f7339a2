// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Storage of the caller. Sites at a place in a file that the caller owns: no headers, no temporary name, no sync; for
// codes with their own container format or their own MPI_File (<limequat/mpi.hpp> makes a Storage of one). And files
// that are read by functions of the caller: object stores, URLs, archives.
#pragma once

#include <limequat/language.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include <limequat/catalog.hpp>
#include <limequat/field.hpp>
#include <limequat/grid.hpp>
#include <limequat/options.hpp>
#include <limequat/report.hpp>

namespace lq {

// An open file. Calls are independent of other ranks and may come from a thread other than the one that created it.
class LQ_API Storage {
 public:
  virtual ~Storage();
  virtual std::string path() const = 0;                                               // for error messages
  virtual void write_at(std::uint64_t offset, std::span<const std::byte> bytes) = 0;  // all of them, or throws Error
  // Returns the number of bytes read; less than requested only at the end of the file.
  virtual std::size_t read_at(std::uint64_t offset, std::span<std::byte> bytes) = 0;
};

// Local. The placement of a whole lattice in natural order: x fastest, sites contiguous.
LQ_API Payload payload_at(std::uint64_t offset, const FieldSpec& spec, const Extents& extents,
                          ByteOrder byte_order = ByteOrder::big);

// How the sites are transferred.
struct SiteOptions {
  bool checksum = true;
  std::uint64_t block_bytes = 0;  // as in WriteOptions
  RouteOptions route = {};
};

// Collective. Writes (reads) the sites of `field` at the place of the payload; the report has their checksum. Nothing
// is synced.
LQ_API Report write_sites(Storage& storage, const Payload& payload, const Grid& grid, const Field& field,
                          const SiteOptions& options = {});
LQ_API Report read_sites(Storage& storage, const Payload& payload, const Grid& grid, const MutableField& field,
                         const SiteOptions& options = {});

// How the bytes of a CallbackFile are read.
struct ReadCallbacks {
  // Reads up to bytes.size() bytes from `offset` on; returns how many, fewer only at the end. An exception fails the
  // call that reads, as Error(io) unless it is an Error.
  std::function<std::size_t(std::uint64_t offset, std::span<std::byte> bytes)> read_at;
  std::uint64_t bytes = 0;  // size of the file
  // For example "conf.0010.ildg": suffixes help to recognise formats, and messages contain it. No "/" and no NUL,
  // except that an address, with "://" in it, becomes the path unchanged.
  std::string name = "file";
  std::int64_t modified = 0;        // nanoseconds since 1970, or another number for other contents; 0: not known
  std::uint64_t request_bytes = 0;  // preferred size of one request, if that many bytes are needed; 0: any size
  bool concurrent = false;          // several threads may call read_at at the same time
};

// A file that the caller's functions read. While it exists, path() can be given wherever this process opens a file for
// reading: lq::read, open, verify, convert (from), inspect, ... It cannot be written to. With several ranks, each
// creates one for the same bytes, all in the same order, so that the paths agree. It must outlive every lq::File and
// transfer that was opened by its path.
class LQ_API CallbackFile {
 public:
  // Local. Error(invalid_argument): no read_at, or an invalid name; wrong_state: another CallbackFile has that address.
  explicit CallbackFile(ReadCallbacks callbacks);
  ~CallbackFile();
  CallbackFile(const CallbackFile&) = delete;
  CallbackFile& operator=(const CallbackFile&) = delete;
  // "callback:NUMBER/NAME", or the address
  const std::string& path() const noexcept { return path_; }

 private:
  class Transport;
  std::string path_;
  std::unique_ptr<Transport> transport_;
};

}  // namespace lq
