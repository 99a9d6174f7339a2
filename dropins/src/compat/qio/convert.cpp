// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Converts single files into part files and back, in one process that has the nodes' layout (qio.h).
#include <qio.h>

#include <algorithm>

#include <fmt/format.h>

#include "compat/qio/nodes.hpp"
#include "compat/qio/open_reader.hpp"
#include "compat/qio/open_writer.hpp"
#include "compat/qio/records.hpp"

using namespace lq;
using namespace lq::compat::qio;

namespace {

constexpr std::uint64_t copy_bytes = 1024 * 1024;

// The file of an I/O node; open only while it is processed, because there may be thousands.
struct Part {
  int node = 0;
  std::string path;
  std::vector<std::uint64_t> ranks;  // of its sites, ascending
  std::uint64_t position = 0;        // of its next record
};

std::string path_of_part(const QIO_Filesystem& fs, const std::string& name, int volfmt, int entry, int node) {
  std::string base = name;
  if (fs.type == QIO_MULTI_PATH && fs.node_path != nullptr && fs.node_path[entry][0] != '\0') {
    base = fmt::format("{}/{}", fs.node_path[entry], name);
  }
  return name_of_part(base, volfmt, node);
}

// The master's part comes first.
std::vector<Part> parts_of(const QIO_Filesystem& fs, const QIO_Layout& layout, const std::string& name, int volfmt) {
  const IoNodes io_nodes(&fs);
  std::vector<Part> parts;
  for (int entry = 0; entry < fs.number_io_nodes; ++entry) {
    const int node = fs.io_node != nullptr ? fs.io_node[entry] : entry;
    parts.push_back({node, path_of_part(fs, name, volfmt, entry, node), {}, 0});
  }
  for (int node = 0; node < layout.number_of_nodes; ++node) {
    QIO_Layout there = layout;
    there.this_node = node;
    const std::vector<std::uint64_t> ranks = NodeSites(there).ranks();
    const auto part = std::ranges::find(parts, io_nodes.of(node), &Part::node);
    if (part == parts.end()) throw Refusal(QIO_ERR_BAD_IONODE, fmt::format("node {} has no I/O node", node));
    part->ranks.insert(part->ranks.end(), ranks.begin(), ranks.end());
  }
  for (Part& part : parts) std::ranges::sort(part.ranks);
  const auto master = std::ranges::find(parts, io_nodes.master(), &Part::node);
  if (master == parts.end()) throw Refusal(QIO_ERR_BAD_IONODE, "the master node is no I/O node");
  std::rotate(parts.begin(), master, master + 1);
  return parts;
}

// Positions, in the whole record, of a part's sites.
std::vector<std::uint64_t> places_of(const Part& part, const Box& box, const Extents& extents) {
  std::vector<std::uint64_t> places;
  for (const std::uint64_t rank : part.ranks) {
    const auto place = place_within(rank, extents, box);
    if (place) places.push_back(*place);
  }
  return places;
}

// Copies pieces of the whole to or from a part, in which they are contiguous.
template <class Copy>
void for_each_piece(const std::vector<std::uint64_t>& places, std::uint64_t site_bytes, Copy&& copy) {
  const std::uint64_t most = std::max<std::uint64_t>(1, copy_bytes / std::max<std::uint64_t>(1, site_bytes));
  for (std::size_t begin = 0; begin < places.size();) {
    std::size_t end = begin + 1;
    while (end < places.size() && end - begin < most && places[end] == places[end - 1] + 1) ++end;
    copy(places[begin] * site_bytes, begin * site_bytes, (end - begin) * site_bytes);
    begin = end;
  }
}

void copy_piece(storage::File& from, std::uint64_t at, storage::File& to, std::uint64_t there, std::uint64_t bytes,
                std::vector<std::byte>& memory) {
  memory.resize(static_cast<std::size_t>(bytes));
  if (from.read_at(at, memory) != memory.size()) {
    throw Refusal(QIO_ERR_BAD_READ_BYTES, from.path() + ": the file ends within the sites of a record");
  }
  to.write_at(there, memory);
}

// The kind of a lattice record, from its own information.
struct RecordKind {
  QIO_RecordInfo info;
  Box box;  // of its sites
  std::uint64_t site_bytes = 0;
  bool is_global() const noexcept { return info.recordtype.value == QIO_GLOBAL; }
};

RecordKind kind_of(const std::string& text, const Extents& extents) {
  RecordKind kind;
  if (decoded(QIO_decode_record_info, kind.info, text) != QIO_SUCCESS) {
    throw Refusal(QIO_ERR_PRIVATE_REC_INFO, "a record of record information is not complete");
  }
  kind.site_bytes = static_cast<std::uint64_t>(std::max(0, kind.info.typesize.value)) *
                    static_cast<std::uint64_t>(std::max(0, kind.info.datacount.value));
  kind.box = whole(extents);
  if (kind.info.recordtype.value != QIO_HYPER) return kind;
  for (int d = 0; d < extents.size(); ++d) {
    const int lower = kind.info.hyperlower.value[d], upper = kind.info.hyperupper.value[d];
    kind.box.lower[d] = lower;
    kind.box.extents[d] = upper - lower + 1;
    if (lower < 0 || lower > upper || upper >= extents[d]) {
      throw Refusal(QIO_ERR_BAD_SUBSET, "the bounds of the hypercube are not inside the lattice");
    }
  }
  return kind;
}

std::string file_information(const Extents& extents, int volfmt) {
  int dims[QIO_MAXINTARRAY] = {};
  for (int d = 0; d < extents.size(); ++d) dims[d] = static_cast<int>(extents[d]);
  return encoded(QIO_encode_file_info, QIO_create_file_info(extents.size(), dims, volfmt));
}

std::unique_ptr<storage::File> emptied(const std::string& path) {
  storage::Transport& transport = storage::resolve(path);
  const bool is_there = transport.kind(path) != storage::PathKind::absent;
  std::unique_ptr<storage::File> file = is_there ? transport.open_write(path) : transport.create(path);
  file->resize(0);
  return file;
}

// Checks that the information of the file to convert fits this lattice and these volumes.
void check_information(const FileFacts& facts, const Extents& extents, bool in_parts) {
  if (facts.format != QIO_SCIDAC_NATIVE) throw Refusal(QIO_ERR_PRIVATE_FILE_INFO, "the file has no SciDAC information");
  const bool is_part = facts.volfmt == QIO_PARTFILE || facts.volfmt == QIO_PARTFILE_DIR;
  if (in_parts ? !is_part : facts.volfmt != QIO_SINGLEFILE) {
    throw Refusal(QIO_ERR_BAD_VOLFMT, "the file is in other volumes than those to convert");
  }
  if (facts.latdim != extents.size() || !std::equal(extents.begin(), extents.end(), facts.latsize)) {
    throw Refusal(QIO_ERR_FILE_INFO, "the file has a lattice with other extents");
  }
}

// --- Into parts ------------------------------------------------------------------------------------------------------

void begin_parts(std::vector<Part>& parts, const Extents& extents, int volfmt, const std::string& user) {
  for (Part& part : parts) {
    const bool is_master = &part == parts.data();
    if (volfmt == QIO_PARTFILE_DIR) make_folder_of(part.path);
    const auto file = emptied(part.path);
    RecordsOut out(*file, 0);
    if (is_master) out.write_text(QIO_LIMETYPE_PRIVATE_FILE_XML, {true, false}, file_information(extents, volfmt));
    out.write(QIO_LIMETYPE_SITELIST, {!is_master, !is_master}, bytes_of_site_list(part.ranks));
    if (is_master) out.write_text(QIO_LIMETYPE_FILE_XML, {false, true}, user);
    part.position = out.end();
    file->close();
  }
}

void deal_out(storage::File& from, const FoundRecord& record, const RecordKind& kind, const Extents& extents,
              std::vector<Part>& parts) {
  std::vector<std::byte> memory;
  for (Part& part : parts) {
    const bool is_master = &part == parts.data();
    const std::vector<std::uint64_t> places = places_of(part, kind.box, extents);
    const auto file = storage::resolve(part.path).open_write(part.path);
    RecordsOut out(*file, part.position);
    const std::uint64_t offset = out.begin(record.type, {!is_master, !is_master}, places.size() * kind.site_bytes);
    for_each_piece(places, kind.site_bytes, [&](std::uint64_t whole, std::uint64_t here, std::uint64_t bytes) {
      copy_piece(from, record.payload + whole, *file, offset + here, bytes, memory);
    });
    out.finish();
    part.position = out.end();
    file->close();
  }
}

void copy_to_master(RecordsIn& in, const FoundRecord& record, Part& master) {
  const auto file = storage::resolve(master.path).open_write(master.path);
  RecordsOut out(*file, master.position);
  out.write(record.type, {record.begins, record.ends}, in.bytes_of(record));
  master.position = out.end();
  file->close();
}

void single_to_parts(const std::string& name, const QIO_Filesystem& fs, const QIO_Layout& layout, int volfmt) {
  if (volfmt != QIO_PARTFILE && volfmt != QIO_PARTFILE_DIR) throw Refusal(QIO_BAD_ARG, "only part files are made");
  const Extents extents = extents_of(layout);
  QIO_Iflag flags = {QIO_SERIAL, QIO_SINGLEFILE};
  FilesOfSet files(storage::resolve(name), name);
  FileBeginning beginning = read_beginning(files, name, &flags, 0, false);
  check_information(beginning.facts, extents, false);
  RecordsIn& in = *beginning.records;
  const auto user = in.next();
  if (!user || user->type != QIO_LIMETYPE_FILE_XML) throw Refusal(QIO_ERR_PRIVATE_FILE_INFO, name + ": no file XML");
  settle_parts(name);
  std::vector<Part> parts = parts_of(fs, layout, name, volfmt);
  begin_parts(parts, extents, volfmt, in.text_of(*user));
  std::optional<RecordKind> kind;
  while (const auto record = in.next()) {
    if (record->type == QIO_LIMETYPE_PRIVATE_RECORD_XML) kind = kind_of(in.text_of(*record), extents);
    if (!record->is_data() || !kind || kind->is_global()) {
      copy_to_master(in, *record, parts.front());
      continue;
    }
    require_sites(*record, name, kind->box.volume(), kind->site_bytes);
    deal_out(*beginning.file, *record, *kind, extents, parts);
  }
}

// --- Back ------------------------------------------------------------------------------------------------------------

FoundRecord next_binary(RecordsIn& in, const std::string& path) {
  while (const auto record = in.next()) {
    if (record->is_data()) return *record;
  }
  throw Refusal(QIO_ERR_BAD_READ_BYTES, path + ": fewer records than in the master's file");
}

void check_part(Part& part, RecordsIn& in) {
  const auto record = in.next();
  if (!record || record->type != QIO_LIMETYPE_SITELIST ||
      site_list_of_bytes(in.bytes_of(*record), part.ranks.size()) != part.ranks) {
    throw Refusal(QIO_ERR_BAD_SITELIST, part.path + ": its sites differ from those of these nodes");
  }
  part.position = in.position();
}

void collect(FilesOfSet& files, std::vector<Part>& parts, const RecordKind& kind, const Extents& extents,
             storage::File& to, std::uint64_t offset) {
  std::vector<std::byte> memory;
  for (Part& part : parts) {
    const std::vector<std::uint64_t> places = places_of(part, kind.box, extents);
    const auto file = files.open(part.path);
    RecordsIn in(*file);
    in.move_to(part.position);
    const FoundRecord record = next_binary(in, part.path);
    require_sites(record, part.path, places.size(), kind.site_bytes);
    for_each_piece(places, kind.site_bytes, [&](std::uint64_t whole, std::uint64_t here, std::uint64_t bytes) {
      copy_piece(*file, record.payload + here, to, offset + whole, bytes, memory);
    });
    part.position = in.position();
  }
}

// If `lfn` is empty, the parts' own LFN is kept.
void parts_to_single(const std::string& name, int ildgstyle, std::string lfn, const QIO_Filesystem& fs,
                     const QIO_Layout& layout) {
  const Extents extents = extents_of(layout);
  std::vector<Part> parts = parts_of(fs, layout, name, QIO_PARTFILE);
  FilesOfSet files(storage::resolve(name), name);
  files.look();
  const bool in_folders = !files.has(parts[0].path);
  if (in_folders) parts = parts_of(fs, layout, name, QIO_PARTFILE_DIR);
  Part& master = parts.front();
  const auto source = files.open(master.path);
  RecordsIn in(*source);
  FileFacts facts;
  take_file_information(in, facts, master.path);
  check_information(facts, extents, true);
  for (Part& part : parts) {
    if (&part == &master) {
      check_part(part, in);
      continue;
    }
    const auto file = files.open(part.path);
    RecordsIn others(*file);
    check_part(part, others);
  }
  if (!files.stand_still(true)) {
    throw Refusal(QIO_ERR_OPEN_READ, name + ": its files were replaced while they were opened; convert it again");
  }
  const auto target = emptied(name);
  RecordsOut out(*target, 0);
  out.write_text(QIO_LIMETYPE_PRIVATE_FILE_XML, {true, false}, file_information(extents, QIO_SINGLEFILE));
  std::optional<RecordKind> kind;
  while (const auto record = in.next()) {
    if (record->type == QIO_LIMETYPE_PRIVATE_RECORD_XML) kind = kind_of(in.text_of(*record), extents);
    if (record->type == QIO_LIMETYPE_ILDG_DATA_LFN && lfn.empty()) lfn = in.text_of(*record);
    if (record->type == QIO_LIMETYPE_ILDG_DATA_LFN || record->type == QIO_LIMETYPE_ILDG_FORMAT) continue;
    if (!record->is_data() || !kind || kind->is_global()) {
      out.write(record->type, {record->begins, record->ends}, in.bytes_of(*record));
      if (record->is_data()) master.position = in.position();
      continue;
    }
    const int precision = ildgstyle == QIO_ILDGLAT ? ildg_precision(kind->info, extents.size()) : 0;
    QIO_String text{lfn.data(), lfn.size() + 1};
    if (precision != 0) write_ildg_information(out, precision, extents, lfn.empty() ? nullptr : &text);
    master.position = record->header;
    const std::uint64_t offset = out.begin(precision != 0 ? QIO_LIMETYPE_ILDG_BINARY_DATA : QIO_LIMETYPE_BINARY_DATA,
                                           {false, false}, kind->box.volume() * kind->site_bytes);
    collect(files, parts, *kind, extents, *target, offset);
    out.finish();
  }
  target->close();
}

int told(const char* function, const Outcome& outcome) {
  if (outcome.code != QIO_SUCCESS) std::fprintf(stderr, "%s: %s (%d)\n", function, outcome.text.c_str(), outcome.code);
  return outcome.code;
}

}  // namespace

extern "C" {

int QIO_single_to_part(const char filename[], QIO_Filesystem* fs, QIO_Layout* layout, int volfmt) {
  if (filename == nullptr || fs == nullptr || layout == nullptr) return QIO_BAD_ARG;
  return told(__func__, outcome_of(QIO_ERR_OPEN_WRITE, [&] { single_to_parts(filename, *fs, *layout, volfmt); }));
}

int QIO_part_to_single(const char filename[], int ildgstyle, QIO_String* ildgLFN, QIO_Filesystem* fs,
                       QIO_Layout* layout) {
  if (filename == nullptr || fs == nullptr || layout == nullptr) return QIO_BAD_ARG;
  return told(__func__, outcome_of(QIO_ERR_OPEN_READ,
                                   [&] { parts_to_single(filename, ildgstyle, text_of(ildgLFN), *fs, *layout); }));
}

}  // extern "C"
