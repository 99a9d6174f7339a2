// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Internal state of a QIO_Writer.
#pragma once

#include <optional>

#include "compat/qio/record_sites.hpp"
#include "compat/qio/records.hpp"

namespace lq::compat::qio {

struct OpenWriter {
  std::shared_ptr<comm::Comm> nodes;
  int master = 0;
  FileNodes family;
  std::string path;                     // of the family's file, under its present name
  std::string final_path;               // its name when complete; empty: it has that name already
  std::unique_ptr<storage::File> file;  // on every node that may write sites
  std::unique_ptr<RecordsOut> records;  // of the family's leader
  storage::StorageTraits unit;
  SingleSites single;
  bool appends = false;
  bool lacks_record = false;  // a record could not be written

  OpenWriter() = default;
  OpenWriter(const OpenWriter&) = delete;
  OpenWriter& operator=(const OpenWriter&) = delete;
  // Removes files that were not renamed.
  ~OpenWriter();

  bool is_master() const noexcept { return nodes->rank() == master; }
  // Local. The file, empty or with its existing records. `number` for a temporary name; empty: its final name from
  // the beginning.
  void open_at_leader(const QIO_Writer& writer, int mode, std::optional<std::uint32_t> number);
  // Local. The same file on the other nodes of the family.
  void open_elsewhere(std::optional<std::uint32_t> number);
  // Local. Incomplete data are cut off.
  void close();
  // Collective. Renames the files to their final names, if necessary. A code, the same everywhere.
  int publish();

 private:
  // Collective. By the master, if it sees all of them: as one replacement. Returns true if so.
  bool publish_together(int& code);
  // Local. By the leader of the family.
  void publish_own();
  // Where records can be appended: after the last message.
  std::uint64_t end_of_records(const QIO_Writer& writer);
};

inline OpenWriter& open_of(const QIO_Writer& writer) noexcept { return *static_cast<OpenWriter*>(writer.limequat); }

// Collective. The number of a temporary name, if the environment of node 0 requests these.
std::optional<std::uint32_t> number_for_names(comm::Comm& nodes);

// Local. By the master. Assigns the names that a dead writer left unassigned, so that such a set is not mixed with
// the one being written.
void settle_parts(const std::string& name);

// Local. Creates the separate folder of a file if it does not exist.
void make_folder_of(const std::string& path);

// In file form: 32 bits each if that is enough.
std::vector<std::byte> bytes_of_site_list(std::span<const std::uint64_t> ranks);
std::vector<std::uint64_t> site_list_of_bytes(base::Bytes bytes, std::uint64_t sites);

}  // namespace lq::compat::qio
