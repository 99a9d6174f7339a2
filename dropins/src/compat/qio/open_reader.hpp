// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What belongs to a QIO_Reader beside what programs see.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/function_ref.hpp"
#include "compat/qio/record_sites.hpp"
#include "compat/qio/records.hpp"
#include "io/replacement.hpp"
#include "storage/pinned_transport.hpp"

namespace lq::compat::qio {

// What the master finds at the beginning of a file, for all nodes.
struct FileFacts {
  int volfmt = 0, format = 0, ildgstyle = 0, ildg_precision = 0, latdim = 0;
  int latsize[QIO_MAXINTARRAY] = {};
};

// What it finds before the data of a record.
struct RecordFacts {
  QIO_RecordInfo info;
  int is_ildg = 0;
};

// The files of a set, all of one version: a name means the file that it meant first, or that is to have it.
class FilesOfSet {
 public:
  FilesOfSet(storage::Transport& transport, std::string name)
      : replaced_(transport), files_(replaced_), first_(name_of_part(name, QIO_PARTFILE, 0)) {}

  std::unique_ptr<storage::File> open(const std::string& path) { return files_.open_read(path); }
  // What a name means on the node that opened it first.
  storage::Identity opened(const std::string& path) const { return files_.opened(path).value_or(storage::Identity{}); }
  void expect(const std::string& path, const storage::Identity& identity) { files_.expect(path, identity); }
  // Local. A replacement of which not all files have their names.
  void look() { replaced_.look(first_); }
  const std::optional<io::Replacement>& replacement() const noexcept { return replaced_.replacement(); }
  // Collective. The master's one, on all nodes.
  void tell_replacement(comm::Comm& nodes, int master);
  // Local. Those that are about to be removed.
  std::vector<std::string> surplus() { return io::files_to_be_removed(replaced_, first_); }
  // Local. Whether there is such a file, or is to be.
  bool has(const std::string& path);
  // Local. The names of those that were opened mean them still; the replacement, too, where this is the master.
  bool stand_still(bool is_master) const;
  // Collective. Whether any name of them has come to mean another file. Files that were opened before, all by name, are
  // of one version if not.
  bool were_replaced(comm::Comm& nodes, int master) const;

 private:
  io::ReplacedFiles replaced_;
  storage::PinnedTransport files_;
  std::string first_;
};

// Part files and multifiles that other nodes have written: each file is read by all nodes together, one file after the
// other, and says itself which sites it has.

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

struct OpenReader {
  std::shared_ptr<comm::Comm> nodes;
  int master = 0;
  std::unique_ptr<FilesOfSet> files;  // outlives what is open
  FileNodes family;                   // without sites while extents are being found out
  std::unique_ptr<storage::File> file;
  std::unique_ptr<RecordsIn> records;  // of the family's leader
  std::unique_ptr<Volumes> volumes;    // of files that other nodes have written; the family is all nodes then
  bool knows_sites = false;
  SingleSites single;
  // What it was opened with.
  std::string name;
  QIO_Layout layout{};
  std::optional<QIO_Filesystem> filesystem = {};
  std::string file_xml;

  IoNodes io_nodes() const { return IoNodes(filesystem ? &*filesystem : nullptr); }

  bool is_master() const noexcept { return nodes->rank() == master; }
  bool leads() const noexcept { return records != nullptr; }
  // Collective. What the family's file has of the record that the layout is set to: the one that `next` finds for its
  // leader. A code, the same everywhere.
  int find(const DML_Layout& record, int volfmt, std::uint64_t site_bytes, Volumes::Next next, RecordPart& part);
};

inline OpenReader& open_of(const QIO_Reader& reader) noexcept { return *static_cast<OpenReader*>(reader.limequat); }

// By the master: the file by the name that is there, its format, its extents, its file XML.
struct FileBeginning {
  std::unique_ptr<storage::File> file;
  std::unique_ptr<RecordsIn> records;
  FileFacts facts;
  std::string xml;
};
FileBeginning read_beginning(FilesOfSet& files, const std::string& name, const QIO_Iflag* iflag, int node,
                             bool is_alone);

// Passes the record of file information, which must come next.
void take_file_information(RecordsIn& records, FileFacts& facts, const std::string& path);

// By the master: the records of a message up to its data; QIO_EOF where there are none.
struct RecordBeginning {
  RecordFacts facts;
  std::string xml, lfn;
};
void read_beginning_of_record(RecordsIn& records, const QIO_Reader& reader, RecordBeginning& found);

// By who leads a family: the next data record.
FoundRecord next_data(RecordsIn& records);
// By the master: after the data. QIO_ERR_CHECKSUM_INFO, QIO_CHECKSUM_MISMATCH.
QIO_ChecksumInfo read_stored(RecordsIn& records, const std::string& path);
void compare_with_stored(RecordsIn& records, const DML_Checksum& sum, const std::string& path);

}  // namespace lq::compat::qio
