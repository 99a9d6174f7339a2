// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The file with the fields of a set while it is written: one message per field, each complete and on its way to the
// disk before the next begins. Names of files are given by the set.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include <limequat/grid.hpp>
#include <limequat/options.hpp>
#include <limequat/report.hpp>

#include "comm/comm.hpp"
#include "sets/checkpoint/record.hpp"
#include "storage/transport.hpp"

namespace lq::sets {

class FieldsWriter {
 public:
  // What is there already.
  struct Start {
    std::string name;  // of the file in the end: NAME.fields
    std::string at;    // what it is called now; it exists
    std::uint64_t end = 0;
    std::set<std::string> names;
  };

  // Local. All arguments are the same on all ranks.
  FieldsWriter(storage::Transport& transport, const Communicator& communicator, const Generation& generation, Sync sync,
               Start start);

  // Collective. As MultifileWriter::write_field().
  Report write(const std::string& name, const Grid& grid, const Field& field, const WriteOptions& options);
  // Collective. Nothing more is written.
  void finish();

  const std::string& at() const noexcept { return at_; }
  const std::string& name() const noexcept { return name_; }
  std::uint64_t fields() const noexcept { return names_.size(); }

 private:
  void require_writable(const std::string& name, const Grid& grid, const WriteOptions& options) const;
  void cut_off_what_failed();

  storage::Transport& transport_;
  Communicator communicator_;
  Generation generation_;
  Sync sync_;
  std::string name_, at_;
  std::uint64_t end_ = 0;
  std::set<std::string> names_;
  Extents lattice_;  // of the field before
  bool has_failed_ = false;
};

// Local. An empty file for the first fields of the set `path`. exists: there is a NAME.fields, of a set that is not to
// be replaced, or of no set.
FieldsWriter::Start create_fields(storage::Transport& transport, const std::string& path, const Generation& generation,
                                  bool overwrite);
// Local. The file of a set with the given number of fields, to go on after the last of them. malformed: they are not
// all there.
FieldsWriter::Start behind_fields(storage::Transport& transport, const std::string& path, const Generation& generation,
                                  std::uint64_t fields);
// Collective. That of rank 0 on all ranks.
void share(comm::Comm& comm, FieldsWriter::Start& start);

}  // namespace lq::sets
