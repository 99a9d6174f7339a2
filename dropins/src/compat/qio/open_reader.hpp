// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Internal state of a QIO_Reader.
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

// The master's findings at the beginning of a file, for all nodes.
struct FileFacts {
  int volfmt = 0, format = 0, ildgstyle = 0, ildg_precision = 0, latdim = 0;
  int latsize[QIO_MAXINTARRAY] = {};
};

// The master's findings before the data of a record.
struct RecordFacts {
  QIO_RecordInfo info;
  int is_ildg = 0;
};

// The files of a set, all of one version: a name stays bound to the file it first referred to, or to its replacement.
class FilesOfSet {
 public:
  FilesOfSet(storage::Transport& transport, std::string name)
      : replaced_(transport), files_(replaced_), first_(name_of_part(name, QIO_PARTFILE, 0)) {}

  std::unique_ptr<storage::File> open(const std::string& path) { return files_.open_read(path); }
  // The identity of the file on the node that opened it first.
  storage::Identity opened(const std::string& path) const { return files_.opened(path).value_or(storage::Identity{}); }
  void expect(const std::string& path, const storage::Identity& identity) { files_.expect(path, identity); }
  // Local. Finds a replacement whose files are not all renamed.
  void look() { replaced_.look(first_); }
  const std::optional<io::Replacement>& replacement() const noexcept { return replaced_.replacement(); }
  // Collective. Sends the master's replacement to all nodes.
  void tell_replacement(comm::Comm& nodes, int master);
  // Local. Files that are about to be removed.
  std::vector<std::string> surplus() { return io::files_to_be_removed(replaced_, first_); }
  // Local. True if there is such a file, or will be.
  bool has(const std::string& path);
  // Local. True if the names of the opened files still refer to them; the master also checks the replacement.
  bool stand_still(bool is_master) const;
  // Collective. True if any name now refers to another file. If not, files that were opened before, all by name, are
  // of one version.
  bool were_replaced(comm::Comm& nodes, int master) const;

 private:
  io::ReplacedFiles replaced_;
  storage::PinnedTransport files_;
  std::string first_;
};

// Part files and multifiles that other nodes have written: all nodes read each file together, one file after the
// other; each file lists its own sites.

// Local. The existing files of a set in parts, by the name of the master's file.
std::vector<std::string> parts_beside(storage::Transport& transport, const std::string& first);

class Volumes {
 public:
  // Local. All arguments must outlive the object.
  Volumes(comm::Comm& nodes, int master, const NodeSites& sites, FilesOfSet& files)
      : nodes_(nodes), master_(master), sites_(sites), files_(files) {}

  // Collective. The files of a set besides the master's, which is open. QIO_ERR_BAD_SITELIST on all nodes if they
  // do not have each site of the lattice exactly once.
  void look_for(const std::string& name, int volfmt, RecordsIn* masters_records);

  // Collective. Reads the next data of each file, for the record that the layout is set to. Refusals are agreed on;
  // errors in the sites are stored in `failure`.
  void read(const DML_Layout& layout, const SiteCall& call, Moved& moved, std::exception_ptr& failure);
  // Collective. Finds the next data of each file with `next`, for that record.
  using Next = base::FunctionRef<FoundRecord(RecordsIn&)>;
  std::vector<RecordPart> find(const DML_Layout& layout, std::uint64_t site_bytes, Next next);
  // Collective. Skips the data of a record in all files except the master's.
  int skip();

 private:
  struct Volume {
    std::string path;
    int leader = 0;                       // the node that reads its headers
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
  std::unique_ptr<FilesOfSet> files;  // outlives open files
  FileNodes family;                   // without sites while extents are being determined
  std::unique_ptr<storage::File> file;
  std::unique_ptr<RecordsIn> records;  // of the family's leader
  std::unique_ptr<Volumes> volumes;    // for files that other nodes have written; the family is then all nodes
  bool knows_sites = false;
  SingleSites single;
  // Arguments of the open.
  std::string name;
  QIO_Layout layout{};
  std::optional<QIO_Filesystem> filesystem = {};
  std::string file_xml;

  IoNodes io_nodes() const { return IoNodes(filesystem ? &*filesystem : nullptr); }

  bool is_master() const noexcept { return nodes->rank() == master; }
  bool leads() const noexcept { return records != nullptr; }
  // Collective. The family's file's part of the record that the layout is set to, found by the leader with `next`.
  // A code, the same everywhere.
  int find(const DML_Layout& record, int volfmt, std::uint64_t site_bytes, Volumes::Next next, RecordPart& part);
};

inline OpenReader& open_of(const QIO_Reader& reader) noexcept { return *static_cast<OpenReader*>(reader.limequat); }

// By the master: the file under its existing name, its format, its extents, its file XML.
struct FileBeginning {
  std::unique_ptr<storage::File> file;
  std::unique_ptr<RecordsIn> records;
  FileFacts facts;
  std::string xml;
};
FileBeginning read_beginning(FilesOfSet& files, const std::string& name, const QIO_Iflag* iflag, int node,
                             bool is_alone);

// Reads the record of file information, which must come next.
void take_file_information(RecordsIn& records, FileFacts& facts, const std::string& path);

// By the master: the records of a message up to its data; QIO_EOF if there are none.
struct RecordBeginning {
  RecordFacts facts;
  std::string xml, lfn;
};
void read_beginning_of_record(RecordsIn& records, const QIO_Reader& reader, RecordBeginning& found);

// By the leader of a family: the next data record.
FoundRecord next_data(RecordsIn& records);
// By the master: after the data. QIO_ERR_CHECKSUM_INFO, QIO_CHECKSUM_MISMATCH.
QIO_ChecksumInfo read_stored(RecordsIn& records, const std::string& path);
void compare_with_stored(RecordsIn& records, const DML_Checksum& sum, const std::string& path);

}  // namespace lq::compat::qio
