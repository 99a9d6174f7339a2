// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What belongs to a QIO_Writer beside what programs see.
#pragma once

#include <optional>

#include "compat/qio/record_sites.hpp"
#include "compat/qio/records.hpp"

namespace lq::compat::qio {

struct OpenWriter {
  std::shared_ptr<comm::Comm> nodes;
  int master = 0;
  FileNodes family;
  std::string path;                     // of the family's file, as it is called now
  std::string final_path;               // as it is called when it is complete; empty: it is called so already
  std::unique_ptr<storage::File> file;  // on every node that may write sites
  std::unique_ptr<RecordsOut> records;  // of the family's leader
  storage::StorageTraits unit;
  SingleSites single;
  bool appends = false;
  bool lacks_record = false;  // one could not be written

  OpenWriter() = default;
  OpenWriter(const OpenWriter&) = delete;
  OpenWriter& operator=(const OpenWriter&) = delete;
  // What has not got its name by then is removed.
  ~OpenWriter();

  bool is_master() const noexcept { return nodes->rank() == master; }
  // Local. The file, empty or with the records that it has. `number` for a temporary name; none: it has its name from
  // the beginning.
  void open_at_leader(const QIO_Writer& writer, int mode, std::optional<std::uint32_t> number);
  // Local. The same file on the other nodes of the family.
  void open_elsewhere(std::optional<std::uint32_t> number);
  // Local. What failed on the way is cut off.
  void close();
  // Collective. Gives the files their names, if they have none yet. A code, the same everywhere.
  int publish();

 private:
  // Collective. By the master, which sees all of them: as one replacement. Whether it was so.
  bool publish_together(int& code);
  // Local. By the leader of the family.
  void publish_own();
  // Where records can be appended: after the last message.
  std::uint64_t end_of_records(const QIO_Writer& writer);
};

inline OpenWriter& open_of(const QIO_Writer& writer) noexcept { return *static_cast<OpenWriter*>(writer.limequat); }

// Collective. The number of a temporary name, if the environment of node 0 asks for these.
std::optional<std::uint32_t> number_for_names(comm::Comm& nodes);

// Local. By the master. Gives the names that a writer which died has left to be given; nobody may mix such a set with
// what is written to it.
void settle_parts(const std::string& name);

// Local. Of a file in a folder of its own; it may be there.
void make_folder_of(const std::string& path);

// As in a file: 32 bits each where that is enough.
std::vector<std::byte> bytes_of_site_list(std::span<const std::uint64_t> ranks);
std::vector<std::uint64_t> site_list_of_bytes(base::Bytes bytes, std::uint64_t sites);

}  // namespace lq::compat::qio
