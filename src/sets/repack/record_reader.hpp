// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The bytes of a record of a file of any format, in pieces: where they lie in several places of several files, and
// where they are the stream of a checkpoint, which is compared with its checksums and decompressed. Any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include <limequat/catalog.hpp>
#include <limequat/options.hpp>

#include "base/function_ref.hpp"
#include "comm/team.hpp"
#include "format/format.hpp"
#include "sets/checkpoint/found_set.hpp"
#include "sets/checkpoint/stream_reader.hpp"
#include "storage/pinned_transport.hpp"
#include "storage/twice_read.hpp"

namespace lq::sets {

class RecordReader {
 public:
  // How bytes are read that are not compared with checksums.
  enum class Reads { once, twice };
  // Throws what opening and scanning throw.
  RecordReader(storage::Transport& transport, const std::string& path, const Limits& limits, Reads reads);

  const Catalog& catalog() const noexcept { return catalog_; }
  // The checkpoint that the file belongs to; nullptr where it is something else. Throws what find_set() throws.
  const sets::FoundSet* checkpoint();
  // Of what is read: of a compressed stream more than the file holds.
  std::uint64_t bytes(const Record& record);
  // Whether several threads gain anything by reading it together.
  bool is_shared(const Record& record) { return !task_of(record); }
  // `work` gets every byte once, in order. truncated: the file ends within the record; checksum_mismatch.
  void for_each_piece(const Record& record, const std::function<void(base::Bytes piece)>& work);
  // The same by the threads of a team, in any order: `position` is in the record. A stream of a checkpoint, and
  // what is decoded on the way, are read by the caller's thread.
  using Work = base::FunctionRef<void(int thread, std::uint64_t position, base::Bytes piece)>;
  void share_pieces(const Record& record, comm::Team& team, Work work);

 private:
  // Where headers, tables and plain records are read.
  storage::Transport& place() noexcept;
  void look_for_set();
  std::optional<std::int32_t> task_of(const Record& record);
  void read_stream(std::int32_t task, Work work);
  std::shared_ptr<base::ByteSource> source(int number);

  storage::PinnedTransport transport_;
  storage::TwiceRead twice_;
  Reads reads_;
  std::shared_ptr<storage::File> file_;
  Catalog catalog_;
  const format::Format& format_;
  std::once_flag has_looked_;
  std::optional<sets::FoundSet> found_;  // where the file is a multifile with records
  std::shared_ptr<sets::OpenFiles> files_;
};

}  // namespace lq::sets
