// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Opening a file for reading: what the master finds in it is for all nodes, then each leader opens the file of its
// family. At once, or in the steps that programs for other machines take.
#include <qio.h>

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "compat/qio/nodes.hpp"
#include "compat/qio/open_reader.hpp"
#include "compat/qio/open_writer.hpp"

using namespace lq;
using namespace lq::compat::qio;

namespace {

OpenReader& opened(QIO_Reader& reader) { return *static_cast<OpenReader*>(reader.limequat); }

void destroy_reader(QIO_Reader* reader) {
  if (reader == nullptr) return;
  delete static_cast<OpenReader*>(reader->limequat);
  free_layout(reader->layout);
  QIO_string_destroy(reader->xml_record);
  QIO_string_destroy(reader->ildgLFN);
  std::free(reader);
}

QIO_Reader* make_reader(const QIO_Layout& layout, const QIO_Iflag* iflag) {
  auto* reader = static_cast<QIO_Reader*>(std::calloc(1, sizeof(QIO_Reader)));
  if (reader == nullptr) throw std::bad_alloc();
  reader->serpar = iflag == nullptr ? QIO_SERIAL : iflag->serpar;
  reader->read_state = QIO_RECORD_INFO_PRIVATE_NEXT;
  try {
    reader->layout = copy_layout(layout);
  } catch (...) {
    std::free(reader);
    throw;
  }
  reader->xml_record = QIO_string_create();
  reader->ildgLFN = QIO_string_create();
  return reader;
}

std::unique_ptr<OpenReader> make_open_reader(const std::shared_ptr<comm::Comm>& nodes, const char* filename,
                                             const QIO_Layout& layout, const QIO_Filesystem* fs) {
  auto open = std::make_unique<OpenReader>();
  open->nodes = nodes;
  open->name = filename;
  open->layout = layout;
  if (fs != nullptr) open->filesystem = *fs;
  open->master = open->io_nodes().master();
  open->files = std::make_unique<FilesOfSet>(storage::resolve(open->name), open->name);
  return open;
}

void check_extents(const FileFacts& facts, const DML_Layout& layout) {
  if (facts.latdim == layout.latdim && std::equal(facts.latsize, facts.latsize + facts.latdim, layout.latsize)) return;
  throw Refusal(QIO_ERR_FILE_INFO, "the file is for a lattice of other extents");
}

// By a leader: that the file's sites are those of its family.
void check_site_list(OpenReader& open, const QIO_Reader& reader) {
  if (!is_in_parts(reader.volfmt) || reader.format != QIO_SCIDAC_NATIVE || !open.leads()) return;
  const auto record = open.records->next();
  if (!record || record->type != QIO_LIMETYPE_SITELIST) {
    throw Refusal(QIO_ERR_BAD_SITELIST, open.file->path() + ": no list of sites");
  }
  if (!open.knows_sites || open.volumes != nullptr) return;
  const auto found = site_list_of_bytes(open.records->bytes_of(*record), open.family.sites);
  if (found == open.family.site_list) return;
  throw Refusal(QIO_ERR_BAD_SITELIST, open.file->path() + ": its sites are not those of these nodes");
}

// --- The steps; collective, a code that is the same everywhere -------------------------------------------------------

int read_file_information(QIO_Reader& reader, OpenReader& open, const QIO_Iflag* iflag) {
  comm::Comm& nodes = *open.nodes;
  FileBeginning beginning;
  const int begun = agree_code(nodes, QIO_ERR_OPEN_READ, [&] {
    if (!open.is_master()) return;
    open.files->look();
    beginning = read_beginning(*open.files, open.name, iflag, open.master, nodes.size() == 1);
    if (open.layout.latdim != 0) check_extents(beginning.facts, *reader.layout);
  });
  if (begun != QIO_SUCCESS) return begun;
  FileFacts facts = beginning.facts;
  broadcast_facts(nodes, facts, open.master);
  reader.volfmt = facts.volfmt;
  reader.format = facts.format;
  reader.ildgstyle = facts.ildgstyle;
  reader.ildg_precision = facts.ildg_precision;
  open.file = std::move(beginning.file);
  open.records = std::move(beginning.records);
  open.file_xml = std::move(beginning.xml);
  return agree_code(nodes, QIO_ERR_OPEN_READ, [&] {
    if (!set_extents(*reader.layout, facts.latsize, facts.latdim)) throw std::bad_alloc();
  });
}

// Collective. Whether the file of each family has its sites: the nodes are those that have written it.
bool fits(const QIO_Reader& reader, const OpenReader& open) {
  const Outcome mine = outcome_of(QIO_ERR_BAD_SITELIST, [&] {
    if (!open.family.leads()) return;
    const std::string path = name_of_part(open.name, reader.volfmt, open.family.file_node);
    const auto file = open.files->open(path);
    RecordsIn records(*file);
    auto record = records.next();
    while (record && record->type != QIO_LIMETYPE_SITELIST) record = records.next();
    if (record && site_list_of_bytes(records.bytes_of(*record), open.family.sites) == open.family.site_list) return;
    throw Refusal(QIO_ERR_BAD_SITELIST, path + ": its sites are not those of these nodes");
  });
  std::uint64_t is_right = mine.code == QIO_SUCCESS ? 1 : 0;
  open.nodes->all_reduce({&is_right, 1}, comm::Reduce::min);
  return is_right == 1;
}

// Collective. Who reads what.
void find_family(const QIO_Reader& reader, OpenReader& open) {
  comm::Comm& nodes = *open.nodes;
  open.knows_sites = open.layout.latdim != 0;
  if (!open.knows_sites) {
    const int file_node = reader.volfmt == QIO_MULTIFILE ? nodes.rank() : open.io_nodes().of(nodes.rank());
    open.family.comm = &nodes;
    open.family.leader = open.master;
    open.family.file_node = is_in_parts(reader.volfmt) ? file_node : 0;
    return;
  }
  open.family = make_file_nodes(nodes, reader.volfmt, open.io_nodes(), open.layout);
  if (!is_in_parts(reader.volfmt) || reader.format != QIO_SCIDAC_NATIVE || fits(reader, open)) return;
  open.family = make_file_nodes(nodes, QIO_SINGLEFILE, open.io_nodes(), open.layout);
  open.volumes =
      comm::agree(nodes, [&] { return std::make_unique<Volumes>(nodes, open.master, open.family.order, *open.files); });
  open.volumes->look_for(open.name, reader.volfmt, open.records.get());
}

// Local. The file of this node.
void open_part(const QIO_Reader& reader, OpenReader& open) {
  if (open.is_master() || !open.knows_sites || open.volumes != nullptr) return;
  const bool has_headers = open.family.leads() && is_in_parts(reader.volfmt);
  const std::string path = name_of_part(open.name, reader.volfmt, open.family.file_node);
  open.file = open.files->open(path);
  if (has_headers) open.records = std::make_unique<RecordsIn>(*open.file);
}

// Collective. All nodes open the file that the master has opened.
void tell_file(const QIO_Reader& reader, OpenReader& open) {
  open.files->tell_replacement(*open.nodes, open.master);
  if (is_in_parts(reader.volfmt)) return;
  std::string path;
  storage::Identity identity;
  comm::agree(*open.nodes, [&] {
    path = name_of_part(open.name, reader.volfmt, 0);
    identity = open.files->opened(path);
  });
  broadcast_facts(*open.nodes, identity, open.master);
  comm::agree(*open.nodes, [&] {
    if (identity.inode != 0) open.files->expect(path, identity);
  });
}

int open_others(QIO_Reader& reader, OpenReader& open) {
  const int told = agree_code(*open.nodes, QIO_ERR_OPEN_READ, [&] { tell_file(reader, open); });
  if (told != QIO_SUCCESS) return told;
  const int found = agree_code(*open.nodes, QIO_ERR_BAD_SITELIST, [&] { find_family(reader, open); });
  return found == QIO_SUCCESS ? agree_code(*open.nodes, QIO_ERR_OPEN_READ, [&] { open_part(reader, open); }) : found;
}

int check_sites(QIO_Reader& reader, OpenReader& open) {
  return agree_code(*open.nodes, QIO_ERR_BAD_SITELIST, [&] { check_site_list(open, reader); });
}

int read_file_xml(QIO_Reader& reader, OpenReader& open, QIO_String* xml_file) {
  comm::Comm& nodes = *open.nodes;
  const int code = agree_code(nodes, QIO_ERR_PRIVATE_FILE_INFO, [&] {
    if (!open.is_master() || reader.format != QIO_SCIDAC_NATIVE) return;
    const auto record = open.records->next();
    if (!record || record->type != QIO_LIMETYPE_FILE_XML) {
      throw Refusal(QIO_ERR_PRIVATE_FILE_INFO, open.file->path() + ": no file XML");
    }
    open.file_xml = open.records->text_of(*record);
  });
  if (code != QIO_SUCCESS) return code;
  broadcast_text(nodes, open.file_xml, open.master);
  QIO_string_set(xml_file, open.file_xml.c_str());
  return QIO_SUCCESS;
}

// One attempt to open it. What is not of one version, because it was replaced meanwhile, is worth another one.
template <class Rest>
QIO_Reader* try_to_open(const char* filename, const QIO_Layout* layout, const QIO_Filesystem* fs,
                        const QIO_Iflag* iflag, bool& was_replaced, Rest&& rest) {
  QIO_Reader* reader = nullptr;
  const int code = code_of_call(QIO_ERR_OPEN_READ, [&] {
    const std::shared_ptr<comm::Comm> nodes = nodes_of_layout(layout->number_of_nodes, layout->this_node);
    const int made = agree_code(*nodes, QIO_ERR_ALLOC, [&] {
      reader = make_reader(*layout, iflag);
      set_io_nodes(*reader->layout, fs);
      reader->limequat = make_open_reader(nodes, filename, *layout, fs).release();
    });
    if (made != QIO_SUCCESS) return made;
    OpenReader& open = opened(*reader);
    const int begun = read_file_information(*reader, open, iflag);
    const int done = begun == QIO_SUCCESS ? rest(*reader, open) : begun;
    was_replaced = open.files->were_replaced(*nodes, open.master);
    return done == QIO_SUCCESS && was_replaced ? QIO_ERR_OPEN_READ : done;
  });
  if (code == QIO_SUCCESS) return reader;
  destroy_reader(reader);
  return nullptr;
}

// Calls rest(reader, what belongs to it) after the first step. NULL where anything fails.
template <class Rest>
QIO_Reader* open_reader(const char* filename, const QIO_Layout* layout, const QIO_Filesystem* fs,
                        const QIO_Iflag* iflag, const Rest& rest) {
  if (layout == nullptr || filename == nullptr) return nullptr;
  constexpr int attempts = 20;
  QIO_Reader* reader = nullptr;
  bool was_replaced = true;
  for (int attempt = 0; attempt < attempts && was_replaced && reader == nullptr; ++attempt) {
    was_replaced = false;
    reader = try_to_open(filename, layout, fs, iflag, was_replaced, rest);
  }
  return reader;
}

}  // namespace

extern "C" {

QIO_Reader* QIO_open_read(QIO_String* xml_file, const char* filename, QIO_Layout* layout, QIO_Filesystem* fs,
                          QIO_Iflag* iflag) {
  QIO_Reader* const reader = open_reader(filename, layout, fs, iflag, [&](QIO_Reader& begun, OpenReader& open) {
    int code = open_others(begun, open);
    if (code == QIO_SUCCESS) code = check_sites(begun, open);
    return code == QIO_SUCCESS ? read_file_xml(begun, open, xml_file) : code;
  });
  if (reader != nullptr && QIO_verbosity() >= QIO_VERB_MED && layout->this_node == 0) {
    std::printf("QIO_open_read: %s\n", filename);
  }
  return reader;
}

QIO_Reader* QIO_open_read_master(const char* filename, QIO_Layout* layout, QIO_Iflag* iflag, int (*io_node)(int),
                                 int (*master_io_node)(void)) {
  QIO_Filesystem fs{};
  fs.my_io_node = io_node;
  fs.master_io_node = master_io_node;
  return open_reader(filename, layout, &fs, iflag, [](QIO_Reader&, OpenReader&) { return QIO_SUCCESS; });
}

int QIO_close_read(QIO_Reader* in) {
  destroy_reader(in);
  return QIO_SUCCESS;
}

}  // extern "C"
