// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "compat/qio/open_reader.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#include "compat/qio/nodes.hpp"
#include "compat/qio/open_writer.hpp"
#include "compat/qio/records.hpp"

namespace lq::compat::qio {
namespace {

// One of the possible names of the file: that of a single file first.
std::unique_ptr<storage::File> open_by_name(FilesOfSet& files, const std::string& name, int wanted, int node,
                                            int& volfmt) {
  std::vector<int> tries;
  if (wanted == QIO_UNKNOWN || wanted == QIO_SINGLEFILE) tries.push_back(QIO_SINGLEFILE);
  if (wanted != QIO_PARTFILE_DIR) tries.push_back(QIO_PARTFILE);
  tries.push_back(QIO_PARTFILE_DIR);
  for (const int one : tries) {
    const std::string path = name_of_part(name, one, node);
    volfmt = one;
    try {
      return files.open(path);
    } catch (const Error& error) {
      if (error.code() != Code::not_found || one == tries.back()) throw;
    }
  }
  return nullptr;
}

void take_file_info(FileFacts& facts, std::string text, const std::string& path) {
  QIO_FileInfo info = QIO_FILE_INFO_TEMPLATE;
  if (decoded(QIO_decode_file_info, info, std::move(text)) != QIO_SUCCESS) {
    throw Refusal(QIO_ERR_PRIVATE_FILE_INFO, path + ": its record of file information is not complete");
  }
  facts.format = QIO_SCIDAC_NATIVE;
  facts.volfmt = info.volfmt.value;
  facts.latdim = info.dims.n;
  std::copy_n(info.dims.value, info.dims.n, facts.latsize);
}

void take_ildg_format(FileFacts& facts, std::string text, const std::string& path) {
  QIO_ILDGFormatInfo info = QIO_ILDG_FORMAT_INFO_TEMPLATE;
  if (decoded(QIO_decode_ILDG_format_info, info, std::move(text)) != QIO_SUCCESS) {
    throw Refusal(QIO_ERR_PRIVATE_FILE_INFO, path + ": its ildg-format record is not complete");
  }
  facts.format = QIO_ILDG_ALIEN;
  facts.ildgstyle = QIO_ILDGLAT;
  facts.ildg_precision = info.precision.value;
  facts.latdim = 4;
  const int extents[4] = {info.lx.value, info.ly.value, info.lz.value, info.lt.value};
  std::copy_n(extents, 4, facts.latsize);
}

QIO_RecordInfo alien_info(int precision) {
  const bool is_single = precision == 32;
  char single_type[] = "USQCD_F3_ColorMatrix", double_type[] = "USQCD_D3_ColorMatrix", f[] = "F", d[] = "D";
  QIO_RecordInfo* const made =
      QIO_create_record_info(QIO_FIELD, nullptr, nullptr, 0, is_single ? single_type : double_type, is_single ? f : d,
                             3, 0, is_single ? 72 : 144, 4);
  if (made == nullptr) throw std::bad_alloc();
  const QIO_RecordInfo info = *made;
  QIO_destroy_record_info(made);
  return info;
}

}  // namespace

void FilesOfSet::tell_replacement(comm::Comm& nodes, int master) {
  std::string record, text;
  comm::agree(nodes, [&] {
    if (nodes.rank() != master || !replacement()) return;
    record = replacement()->record;
    text = base::as_text(replacement()->bytes);
  });
  broadcast_all(nodes, record, master);
  if (record.empty()) return;
  broadcast_all(nodes, text, master);
  comm::agree(nodes, [&] { replaced_.take(io::decode_replacement(base::as_bytes(text), record)); });
}

bool FilesOfSet::has(const std::string& path) {
  const auto is_it = [&](const io::Replacement::Member& member) { return member.to == path; };
  if (replacement() && std::ranges::any_of(replacement()->members, is_it)) return true;
  return storage::resolve(path).kind(path) == storage::PathKind::file;
}

bool FilesOfSet::stand_still(bool is_master) const {
  bool is_so = !files_.has_seen_replacement() && files_.mean_the_same();
  const Outcome looked = outcome_of(QIO_ERR_OPEN_READ, [&] {
    if (is_master && !replaced_.is_still_so(first_)) is_so = false;
  });
  return is_so && looked.code == QIO_SUCCESS;
}

bool FilesOfSet::were_replaced(comm::Comm& nodes, int master) const {
  std::uint64_t other = stand_still(nodes.rank() == master) ? 0 : 1;
  nodes.all_reduce({&other, 1}, comm::Reduce::max);
  return other != 0;
}

int OpenReader::find(const DML_Layout& record, int volfmt, std::uint64_t site_bytes, Volumes::Next next,
                     RecordPart& part) {
  part.sites = sites_of_record(*nodes, family, record, volfmt);
  FoundRecord found;
  const int code = agree_code(*nodes, QIO_ERR_OPEN_READ, [&] {
    if (!leads()) return;
    found = next(*records);
    require_sites(found, file->path(), part.sites.of_family, site_bytes);
  });
  if (code == QIO_SUCCESS) part.place_at(found, *family.comm, family.leader);
  return code;
}

FileBeginning read_beginning(FilesOfSet& files, const std::string& name, const QIO_Iflag* iflag, int node,
                             bool is_alone) {
  FileBeginning found;
  int volfmt = QIO_SINGLEFILE;
  // One node writes single files, whatever was requested.
  const int wanted = is_alone || iflag == nullptr ? QIO_UNKNOWN : iflag->volfmt;
  found.file = open_by_name(files, name, wanted, node, volfmt);
  found.records = std::make_unique<RecordsIn>(*found.file);
  const std::string& path = found.file->path();
  found.facts.volfmt = volfmt;
  while (const auto record = found.records->next()) {
    if (record->type == QIO_LIMETYPE_ILDG_FORMAT) {
      take_ildg_format(found.facts, found.records->text_of(*record), path);
      found.xml = QIO_NONSCIDAC_FILE;
      return found;
    }
    if (record->type == QIO_LIMETYPE_PRIVATE_FILE_XML) {
      take_file_info(found.facts, found.records->text_of(*record), path);
      return found;
    }
  }
  throw Refusal(QIO_ERR_PRIVATE_FILE_INFO, path + ": neither a SciDAC nor an ILDG file");
}

void take_file_information(RecordsIn& records, FileFacts& facts, const std::string& path) {
  const auto record = records.next();
  if (!record || record->type != QIO_LIMETYPE_PRIVATE_FILE_XML) {
    throw Refusal(QIO_ERR_PRIVATE_FILE_INFO, path + ": no record of file information");
  }
  take_file_info(facts, records.text_of(*record), path);
}

void read_beginning_of_record(RecordsIn& records, const QIO_Reader& reader, RecordBeginning& found) {
  const bool is_native = reader.format == QIO_SCIDAC_NATIVE;
  bool has_information = !is_native;
  bool is_any = false;
  if (!is_native) {
    found.facts.info = alien_info(reader.ildg_precision);
    found.xml = QIO_NONSCIDAC_RECORD;
  }
  while (const auto record = records.peek()) {
    if (record->is_data()) {
      if (has_information) return;
      throw Refusal(QIO_ERR_PRIVATE_REC_INFO, "data without record information");
    }
    records.next();
    if (!is_native) continue;
    is_any = is_any || record->type == QIO_LIMETYPE_PRIVATE_RECORD_XML;
    if (record->type == QIO_LIMETYPE_PRIVATE_RECORD_XML) {
      if (decoded(QIO_decode_record_info, found.facts.info, records.text_of(*record)) != QIO_SUCCESS) {
        throw Refusal(QIO_ERR_PRIVATE_REC_INFO, "a record of record information is not complete");
      }
      has_information = true;
    } else if (record->type == QIO_LIMETYPE_RECORD_XML) {
      found.xml = records.text_of(*record);
    } else if (record->type == QIO_LIMETYPE_ILDG_FORMAT) {
      found.facts.is_ildg = 1;
    } else if (record->type == QIO_LIMETYPE_ILDG_DATA_LFN) {
      found.lfn = records.text_of(*record);
    }
  }
  if (is_any) throw Refusal(QIO_ERR_PRIVATE_REC_INFO, "record information without data");
  throw Refusal(QIO_EOF, "no further record");
}

FoundRecord next_data(RecordsIn& records) {
  while (const auto record = records.next()) {
    if (record->is_data()) return *record;
  }
  throw Refusal(QIO_EOF, "no further data");
}

QIO_ChecksumInfo read_stored(RecordsIn& records, const std::string& path) {
  std::optional<FoundRecord> record = records.next();
  while (record && record->type != "scidac-checksum" && !record->ends) record = records.next();
  if (!record || record->type != "scidac-checksum") {
    throw Refusal(QIO_ERR_CHECKSUM_INFO, path + ": no checksum after the data");
  }
  QIO_ChecksumInfo info = QIO_CHECKSUM_INFO_TEMPLATE;
  const int code = decoded(QIO_decode_checksum_info, info, records.text_of(*record));
  // The original writes neither sum if one of them is 0.
  const bool has_none = info.suma.occur == 0 && info.sumb.occur == 0;
  if (code == QIO_SUCCESS || (code != QIO_BAD_XML && has_none)) return info;
  throw Refusal(QIO_ERR_CHECKSUM_INFO, path + ": the record of the checksum is not complete");
}

void compare_with_stored(RecordsIn& records, const DML_Checksum& sum, const std::string& path) {
  const QIO_ChecksumInfo info = read_stored(records, path);
  const bool has_sums = info.suma.occur == 1;
  if (!has_sums && (sum.suma == 0 || sum.sumb == 0)) return;
  if (!has_sums) throw Refusal(QIO_ERR_CHECKSUM_INFO, path + ": the record of the checksum has no sums");
  if (info.suma.value == sum.suma && info.sumb.value == sum.sumb) return;
  throw Refusal(QIO_CHECKSUM_MISMATCH, fmt::format("{}: the data have checksum {:x} {:x}, the file says {:x} {:x}",
                                                   path, sum.suma, sum.sumb, info.suma.value, info.sumb.value));
}

}  // namespace lq::compat::qio

// Opens a file for reading: the master's findings go to all nodes, then each leader opens the file of its
// family. In one call, or in the steps used by programs for other machines.

using namespace lq;
using namespace lq::compat::qio;

namespace {

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
  throw Refusal(QIO_ERR_FILE_INFO, "the file has a lattice with other extents");
}

// By a leader: checks that the file has the sites of its family.
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

// Collective. True if the file of each family has its sites: the nodes are those that wrote it.
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

// Collective. Determines which node reads what.
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
  broadcast_all(nodes, open.file_xml, open.master);
  QIO_string_set(xml_file, open.file_xml.c_str());
  return QIO_SUCCESS;
}

// One attempt to open it. If the files are not of one version, because they were replaced, another attempt follows.
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
    OpenReader& open = open_of(*reader);
    const int begun = read_file_information(*reader, open, iflag);
    const int done = begun == QIO_SUCCESS ? rest(*reader, open) : begun;
    was_replaced = open.files->were_replaced(*nodes, open.master);
    return done == QIO_SUCCESS && was_replaced ? QIO_ERR_OPEN_READ : done;
  });
  if (code == QIO_SUCCESS) return reader;
  destroy_reader(reader);
  return nullptr;
}

// Calls rest(reader, internal state) after the first step. NULL after any error.
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
