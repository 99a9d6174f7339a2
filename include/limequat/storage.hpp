// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Bytes that are not in a file of the file system. Sites at a place in a file that the caller owns: no headers, no
// temporary name, no sync; for codes that keep their own container format or their own MPI_File (<limequat/mpi.hpp>
// makes a Storage of one). And files that are read by functions of the caller: object stores, URLs, archives.
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

// How the bytes of a CallbackFile are read.
struct ReadCallbacks {
  // Up to bytes.size() bytes from `offset` on; returns how many, fewer only at the end. What it throws fails the call
  // that reads, as Error(io) unless it is an Error.
  std::function<std::size_t(std::uint64_t offset, std::span<std::byte> bytes)> read_at;
  std::uint64_t bytes = 0;  // size of the file
  // Such as "conf.0010.ildg": suffixes help to recognise formats, and messages name it. No "/" and no NUL; but an
  // address, with "://" in it, becomes the path as it is.
  std::string name = "file";
  std::int64_t modified = 0;  // when, in nanoseconds since 1970, or another number for other contents; 0: not known
  std::uint64_t request_bytes = 0;  // that one call should ask for where so many are needed; 0: any number
  bool concurrent = false;          // read_at may be called by several threads at once
};

// A file that the caller's functions read. As long as it lives, path() can be given wherever this process opens a file
// for reading: lq::read, open, verify, convert (from), inspect, ... It cannot be written to. With several ranks each of
// them makes one of the same bytes, all in the same order, so that the paths are the same. It outlives every lq::File
// and transfer that was opened by its path.
class LQ_API CallbackFile {
 public:
  // Local. Error(invalid_argument): no read_at, or a name that cannot be one; wrong_state: an address that another one
  // has.
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
