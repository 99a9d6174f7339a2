// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Part files and multifiles that other nodes have written: each file is read by all nodes together, one file after the
// other, and says itself which sites it has.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/function_ref.hpp"
#include "compat/qio/record_sites.hpp"
#include "compat/qio/records.hpp"

namespace lq::compat::qio {

class FilesOfSet;

// Local. The files of a set in parts that are there, by the name of the master's one.
std::vector<std::string> parts_beside(storage::Transport& transport, const std::string& first);

class Volumes {
 public:
  // Local. All of it outlives the object.
  Volumes(comm::Comm& nodes, int master, const NodeSites& sites, FilesOfSet& files)
      : nodes_(nodes), master_(master), sites_(sites), files_(files) {}

  // Collective. The files of a set beside the master's one, which is open. QIO_ERR_BAD_SITELIST on all nodes where they
  // do not have each site of the lattice once.
  void look_for(const std::string& name, int volfmt, RecordsIn* masters_records);

  // Collective. The next data of each file, for the record that the layout is set to. Refusals agree; what went wrong
  // in the sites is kept in `failure`.
  void read(const DML_Layout& layout, const SiteCall& call, Moved& moved, std::exception_ptr& failure);
  // Collective. Where the next data of each file are that `next` finds in it, for that record.
  using Next = base::FunctionRef<FoundRecord(RecordsIn&)>;
  std::vector<RecordPart> find(const DML_Layout& layout, std::uint64_t site_bytes, Next next);
  // Collective. Past the data of a record in all files but the master's.
  int skip();

 private:
  struct Volume {
    std::string path;
    int leader = 0;                       // who reads its headers
    std::unique_ptr<storage::File> file;  // of the leader, unless it is the master's
    std::unique_ptr<RecordsIn> own;
    RecordsIn* records = nullptr;  // of the leader
  };

  // Local. By its leader.
  std::vector<std::uint64_t> read_list(const Volume& volume) const;
  // Collective. The ranks of its sites on all nodes.
  std::vector<std::uint64_t> list_of(const Volume& volume);
  RecordPart find_in(const Volume& volume, const DML_Layout& layout, std::uint64_t site_bytes, Next next);

  comm::Comm& nodes_;
  int master_;
  const NodeSites& sites_;
  FilesOfSet& files_;
  std::vector<Volume> volumes_;
};

}  // namespace lq::compat::qio
