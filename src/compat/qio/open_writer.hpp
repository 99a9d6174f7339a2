// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What belongs to a QIO_Writer beside what programs see.
#pragma once

#include "compat/qio/record_sites.hpp"
#include "compat/qio/records.hpp"

namespace lq::compat::qio {

struct OpenWriter {
  std::shared_ptr<comm::Comm> nodes;
  int master = 0;
  Family family;
  std::string path;                       // of the family's file
  std::unique_ptr<transport::File> file;  // on every node that may write sites
  std::unique_ptr<RecordsOut> records;    // of the family's leader
  transport::Unit unit;
  SingleSites single;
  bool appends = false;

  bool is_master() const noexcept { return nodes->rank() == master; }
  // Local. The file, empty or with the records that it has.
  void open_at_leader(const QIO_Writer& writer, int mode);
  // Local. The same file on the other nodes of the family.
  void open_elsewhere();
  // Local. What failed on the way is cut off.
  void close();

 private:
  // Where records can be appended: behind the last message.
  std::uint64_t end_of_records(const QIO_Writer& writer);
};

// Local. Of a file in a folder of its own; it may be there.
void make_folder_of(const std::string& path);

// As in a file: 32 bits each where that is enough.
std::vector<std::byte> bytes_of_site_list(std::span<const std::uint64_t> ranks);
std::vector<std::uint64_t> site_list_of_bytes(base::Bytes bytes, std::uint64_t sites);

}  // namespace lq::compat::qio
