// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One part of a file, used like a file: a window on elements that need not be contiguous, whatever the partition of the
// file itself, which may be a single file, a set of subfiles or part files.
#pragma once

#include <limequat/language.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include <limequat/grid.hpp>
#include <limequat/partition.hpp>
#include <limequat/storage.hpp>

namespace lq {

struct ViewOptions {
  bool writable = false;
  // The array of the file that is distributed; without extents the array of the set, or the sites of a lattice file's
  // first field.
  FileArray array = {};
};

// Options for views that many processes read or write together.
struct CollectiveOptions {
  std::uint64_t chunk_bytes = 4 * 1024 * 1024;  // of a subfile, read or written at a time by the process that serves it
};

// Local: any process opens the part that it needs. The bytes of the view are the part's elements, contiguous in the
// order of the file. read_at() and write_at() may be called by any thread.
class LQ_API View final : public Storage {
 public:
  // The whole file, with the bytes before and after its array.
  explicit View(const std::string& path, const ViewOptions& options = {});
  // Part number `part` of a partition, as for Partition::parse. not_found, malformed, truncated, invalid_argument,
  // unsupported, wrong_state (it has a journal).
  View(const std::string& path, const std::string& partition, std::uint64_t part, const ViewOptions& options = {});
  ~View() override;
  View(View&&) noexcept;
  View& operator=(View&&) noexcept;

  std::uint64_t size() const;           // in bytes; it does not change
  const Partition& partition() const;   // whose part this is
  const PartitionedFile& file() const;  // where the bytes are

  // Reads from where the last call ended. Less than requested only at the end of the view.
  std::size_t read(std::span<std::byte> bytes);
  // Writes all bytes. invalid_argument: beyond the end of the view; wrong_state: it is not writable.
  void write(std::span<const std::byte> bytes);
  void seek(std::uint64_t offset);  // the next byte read or written; may be at the end, or beyond
  std::uint64_t tell() const;

  std::string path() const override;
  void write_at(std::uint64_t offset, std::span<const std::byte> bytes) override;
  std::size_t read_at(std::uint64_t offset, std::span<std::byte> bytes) override;

  // Collective, directed by the disks: reads all bytes of each process's view (`bytes` has its size). Each process
  // reads a contiguous part of the subfiles once, from front to back, and sends to the others the bytes that they need
  // (in writing, it gathers theirs). Views may be different parts of different partitions, which may overlap, of the
  // file's own array. A process holds a chunk, and its own bytes of the chunks of a round. invalid_argument: another
  // size or array.
  void read_all(std::span<std::byte> bytes, const Communicator& communicator, const CollectiveOptions& options = {});
  // Nothing is synced. If several views contain an element, one of their values is stored.
  void write_all(std::span<const std::byte> bytes, const Communicator& communicator,
                 const CollectiveOptions& options = {});

  // sync() waits until written data have reached the disk; close() ends all access. The destructor closes silently.
  void sync();
  void close();

 private:
  struct State;
  State& open() const;
  void require_writable() const;
  State& open_for_all(const Communicator& communicator, std::uint64_t bytes, bool writes);
  std::unique_ptr<State> state_;
};

}  // namespace lq
