// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Reading: records are found by who leads a family of nodes, sites are taken by all.
#include <qio.h>

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "compat/qio/nodes.hpp"
#include "compat/qio/open_reader.hpp"
#include "compat/qio/open_writer.hpp"
#include "compat/qio/outcome.hpp"

using namespace lq;
using namespace lq::compat::qio;

namespace {

OpenReader& open_of(QIO_Reader& reader) { return *static_cast<OpenReader*>(reader.limequat); }

void destroy(QIO_Reader* reader) {
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

template <class Facts>
void broadcast_facts(comm::Comm& comm, Facts& facts, int from) {
  comm.broadcast(std::as_writable_bytes(std::span(&facts, 1)), from);
}

// Collective. The master's text on all nodes.
void broadcast_text(comm::Comm& comm, std::string& text, int from) {
  std::uint64_t bytes = text.size();
  broadcast_facts(comm, bytes, from);
  comm::agree(comm, [&] { text.resize(static_cast<std::size_t>(bytes)); });
  comm.broadcast(std::as_writable_bytes(std::span(text)), from);
}

// --- Opening ---------------------------------------------------------------------------------------------------------

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
  if (!open.knows_sites) return;
  const auto found = site_list_of_bytes(open.records->bytes_of(*record), open.family.sites);
  if (found == open.family.site_list) return;
  throw Refusal(QIO_ERR_BAD_SITELIST, open.file->path() + ": its sites are not those of these nodes");
}

void open_parts(QIO_Reader& reader, OpenReader& open, const std::string& name, FileBeginning&& beginning,
                const QIO_Layout& layout, const QIO_Filesystem* fs) {
  comm::Comm& nodes = *open.nodes;
  open.knows_sites = layout.latdim != 0;
  if (open.knows_sites) {
    open.family = make_family(nodes, reader.volfmt, IoNodes(fs), layout);
  } else {
    const IoNodes io_nodes(fs);
    const int file_node = reader.volfmt == QIO_MULTIFILE ? nodes.rank() : io_nodes.of(nodes.rank());
    open.family.comm = &nodes;
    open.family.leader = open.master;
    open.family.file_node = is_in_parts(reader.volfmt) ? file_node : 0;
  }
  if (open.is_master()) {
    open.file = std::move(beginning.file);
    open.records = std::move(beginning.records);
    return;
  }
  if (!open.knows_sites) return;
  const bool has_headers = open.family.leads() && is_in_parts(reader.volfmt);
  const std::string path = name_of_part(name, reader.volfmt, open.family.file_node);
  open.file = transport::resolve(path).open_read(path);
  if (has_headers) open.records = std::make_unique<RecordsIn>(*open.file);
}

// Collective. A code, the same everywhere.
int open_file(QIO_Reader& reader, OpenReader& open, const std::string& name, const QIO_Layout& layout,
              const QIO_Filesystem* fs, const QIO_Iflag* iflag, QIO_String* xml_file) {
  comm::Comm& nodes = *open.nodes;
  FileBeginning beginning;
  const int begun = agree_code(nodes, QIO_ERR_OPEN_READ, [&] {
    if (!open.is_master()) return;
    beginning = read_beginning(name, iflag, open.master, nodes.size() == 1);
    if (layout.latdim != 0) check_extents(beginning.facts, *reader.layout);
  });
  if (begun != QIO_SUCCESS) return begun;
  FileFacts facts = beginning.facts;
  broadcast_facts(nodes, facts, open.master);
  reader.volfmt = facts.volfmt;
  reader.format = facts.format;
  reader.ildgstyle = facts.ildgstyle;
  reader.ildg_precision = facts.ildg_precision;
  std::string xml = beginning.xml;
  const int opened = agree_code(nodes, QIO_ERR_OPEN_READ, [&] {
    if (!set_extents(*reader.layout, facts.latsize, facts.latdim)) throw std::bad_alloc();
  });
  if (opened != QIO_SUCCESS) return opened;
  const int parts =
      agree_code(nodes, QIO_ERR_OPEN_READ, [&] { open_parts(reader, open, name, std::move(beginning), layout, fs); });
  if (parts != QIO_SUCCESS) return parts;
  const int checked = agree_code(nodes, QIO_ERR_BAD_SITELIST, [&] {
    check_site_list(open, reader);
    if (!open.is_master() || reader.format != QIO_SCIDAC_NATIVE) return;
    const auto record = open.records->next();
    if (!record || record->type != QIO_LIMETYPE_FILE_XML) {
      throw Refusal(QIO_ERR_PRIVATE_FILE_INFO, open.file->path() + ": no file XML");
    }
    xml = open.records->text_of(*record);
  });
  if (checked != QIO_SUCCESS) return checked;
  broadcast_text(nodes, xml, open.master);
  QIO_string_set(xml_file, xml.c_str());
  return QIO_SUCCESS;
}

// --- Records ---------------------------------------------------------------------------------------------------------

int read_information(QIO_Reader& reader) {
  OpenReader& open = open_of(reader);
  comm::Comm& nodes = *open.nodes;
  RecordBeginning found;
  const int code = agree_code(nodes, QIO_ERR_OPEN_READ, [&] {
    if (open.is_master()) read_beginning_of_record(*open.records, reader, found);
  });
  if (code != QIO_SUCCESS) return code;
  broadcast_facts(nodes, found.facts, open.master);
  broadcast_text(nodes, found.xml, open.master);
  broadcast_text(nodes, found.lfn, open.master);
  const int subset = agree_code(nodes, QIO_ERR_BAD_SUBSET, [&] { set_record(*reader.layout, found.facts.info); });
  if (subset != QIO_SUCCESS) return subset;
  reader.record_info = found.facts.info;
  QIO_string_set(reader.xml_record, found.xml.c_str());
  if (found.facts.is_ildg != 0) reader.ildgstyle = QIO_ILDGLAT;
  if (!found.lfn.empty()) QIO_string_set(reader.ildgLFN, found.lfn.c_str());
  reader.read_state = QIO_RECORD_DATA_NEXT;
  return QIO_SUCCESS;
}

int need_information(QIO_Reader& reader) {
  return reader.read_state == QIO_RECORD_INFO_PRIVATE_NEXT ? read_information(reader) : QIO_SUCCESS;
}

Outcome read_global(const QIO_Reader& reader, OpenReader& open, const SiteCall& call, Checksum& sum) {
  comm::Comm& nodes = *open.nodes;
  std::vector<std::byte> bytes;
  const int code = agree_code(nodes, QIO_ERR_BAD_READ_BYTES, [&] {
    bytes.resize(static_cast<std::size_t>(call.site_bytes));
    if (!open.is_master()) return;
    const FoundRecord record = next_data(*open.records);
    if (record.bytes != call.site_bytes) {
      throw Refusal(QIO_ERR_BAD_READ_BYTES, fmt::format("{}: the record has {} bytes, asked for are {}",
                                                        open.file->path(), record.bytes, call.site_bytes));
    }
    bytes = open.records->bytes_of(record);
    kernels::add_sites(sum, bytes, call.site_bytes, 0, 1);
  });
  if (code != QIO_SUCCESS) return {code, {}};
  const bool is_for_all = reader.layout->broadcast_globaldata != 0;
  if (is_for_all) nodes.broadcast(bytes, open.master);
  if (!is_for_all && !open.is_master()) return {};
  turn_words(bytes.data(), bytes.size(), call.word_bytes);
  call.function(reinterpret_cast<char*>(bytes.data()), 0, call.count, call.arg);
  return {};
}

Outcome read_sites(const QIO_Reader& reader, OpenReader& open, const SiteCall& call, Checksum& sum) {
  comm::Comm& nodes = *open.nodes;
  if (!open.knows_sites) return {QIO_ERR_BAD_SITELIST, "the file was opened without a lattice"};
  const RecordSites sites = sites_of_record(nodes, open.family, *reader.layout, reader.volfmt);
  SitePlace place{open.file.get(), 0, sites.of_family, open.family.leader, {}};
  const int found = agree_code(nodes, QIO_ERR_OPEN_READ, [&] {
    if (!open.leads()) return;
    const FoundRecord record = next_data(*open.records);
    place.offset = record.payload;
    if (record.bytes == sites.of_family * call.site_bytes) return;
    throw Refusal(QIO_ERR_BAD_READ_BYTES,
                  fmt::format("{}: the record has {} bytes, {} sites of {} were asked for", open.file->path(),
                              record.bytes, sites.of_family, call.site_bytes));
  });
  if (found != QIO_SUCCESS) return {found, {}};
  broadcast_facts(*open.family.comm, place.offset, open.family.leader);
  std::exception_ptr failure;
  sum = comm::agree(nodes, [&] {
    SiteExchange exchange(*open.family.comm, *sites.order, place, call);
    failure = exchange.read();
    return exchange.checksum();
  });
  return outcome_of_failure(QIO_ERR_BAD_READ_BYTES, failure);
}

int read_data(QIO_Reader& reader, const SiteCall& call) {
  OpenReader& open = open_of(reader);
  comm::Comm& nodes = *open.nodes;
  const QIO_RecordInfo& info = reader.record_info;
  const Outcome checked = outcome_of(QIO_BAD_ARG, [&] {
    if (reader.read_state != QIO_RECORD_DATA_NEXT) {
      throw Refusal(QIO_ERR_INFO_MISSED, "data are read before the record information");
    }
    const auto bytes = static_cast<std::uint64_t>(info.typesize.value) * static_cast<std::uint64_t>(call.count);
    if (call.count < 1 || info.typesize.value < 0 || call.site_bytes != bytes) {
      throw Refusal(QIO_ERR_BAD_READ_BYTES, fmt::format("{} bytes are asked for, the record says {} times {}",
                                                        call.site_bytes, info.typesize.value, call.count));
    }
    if (call.function == nullptr) throw Refusal(QIO_BAD_ARG, "no function that takes the data");
    if (!is_word(call.word_bytes)) throw Refusal(QIO_BAD_ARG, fmt::format("words of {} bytes", call.word_bytes));
  });
  if (const int code = agree_on(nodes, checked); code != QIO_SUCCESS) return code;
  Agreement().add(info).add(call.site_bytes).add(static_cast<std::uint64_t>(call.word_bytes)).check(nodes);
  Checksum sum;
  const Outcome read =
      info.recordtype.value == QIO_GLOBAL ? read_global(reader, open, call, sum) : read_sites(reader, open, call, sum);
  if (const int code = agree_on(nodes, read); code != QIO_SUCCESS) return code;
  reader.last_checksum = combined(nodes, sum);
  reader.read_state = QIO_RECORD_INFO_PRIVATE_NEXT;
  return agree_code(nodes, QIO_ERR_CHECKSUM_INFO, [&] {
    if (!open.is_master() || reader.format != QIO_SCIDAC_NATIVE) return;
    compare_with_stored(*open.records, reader.last_checksum, open.file->path());
  });
}

// Behind the message in which the file's headers stand.
void skip_message(RecordsIn& records) {
  while (const auto record = records.next()) {
    if (record->ends) return;
  }
  throw Refusal(QIO_ERR_SKIP, "no further record");
}

int skip_record(QIO_Reader& reader) {
  OpenReader& open = open_of(reader);
  // Global data are in the master's file alone.
  const int code = need_information(reader);
  if (code != QIO_SUCCESS) return code == QIO_EOF ? QIO_ERR_SKIP : code;
  reader.read_state = QIO_RECORD_INFO_PRIVATE_NEXT;
  const bool is_global = reader.record_info.recordtype.value == QIO_GLOBAL;
  return agree_code(*open.nodes, QIO_ERR_SKIP, [&] {
    if (open.leads() && (open.is_master() || !is_global)) skip_message(*open.records);
  });
}

}  // namespace

extern "C" {

QIO_Reader* QIO_open_read(QIO_String* xml_file, const char* filename, QIO_Layout* layout, QIO_Filesystem* fs,
                          QIO_Iflag* iflag) {
  if (layout == nullptr || filename == nullptr) return nullptr;
  QIO_Reader* reader = nullptr;
  const int code = code_of_call(QIO_ERR_OPEN_READ, [&] {
    auto open = std::make_unique<OpenReader>();
    open->nodes = nodes_of_layout(layout->number_of_nodes, layout->this_node);
    open->master = IoNodes(fs).master();
    const int made = agree_code(*open->nodes, QIO_ERR_ALLOC, [&] { reader = make_reader(*layout, iflag); });
    if (made != QIO_SUCCESS) return made;
    reader->limequat = open.release();
    return open_file(*reader, open_of(*reader), filename, *layout, fs, iflag, xml_file);
  });
  if (code == QIO_SUCCESS) {
    if (QIO_verbosity() >= QIO_VERB_MED && layout->this_node == 0) std::printf("QIO_open_read: %s\n", filename);
    return reader;
  }
  destroy(reader);
  return nullptr;
}

int QIO_read_record_info(QIO_Reader* in, QIO_RecordInfo* record_info, QIO_String* xml_record) {
  if (in == nullptr) return QIO_BAD_ARG;
  return code_of_call(QIO_ERR_OPEN_READ, [&] {
    const int code = need_information(*in);
    if (code != QIO_SUCCESS) return code;
    if (record_info != nullptr) *record_info = in->record_info;
    if (xml_record != nullptr) QIO_string_copy(xml_record, in->xml_record);
    return code;
  });
}

int QIO_read_record_data(QIO_Reader* in, void (*put)(char* buf, size_t index, int count, void* arg), size_t datum_size,
                         int word_size, void* arg) {
  if (in == nullptr) return QIO_BAD_ARG;
  return code_of_call(QIO_ERR_BAD_READ_BYTES, [&] {
    return read_data(*in, {put, arg, in->record_info.datacount.value, datum_size, word_size});
  });
}

int QIO_read(QIO_Reader* in, QIO_RecordInfo* record_info, QIO_String* xml_record,
             void (*put)(char* buf, size_t index, int count, void* arg), size_t datum_size, int word_size, void* arg) {
  const int code = QIO_read_record_info(in, record_info, xml_record);
  return code == QIO_SUCCESS ? QIO_read_record_data(in, put, datum_size, word_size, arg) : code;
}

QIO_ChecksumInfo* QIO_read_checksum(QIO_Reader* in) {
  if (in == nullptr || in->read_state != QIO_RECORD_CHECKSUM_NEXT) return nullptr;
  in->read_state = QIO_RECORD_INFO_PRIVATE_NEXT;
  QIO_ChecksumInfo* info = nullptr;
  code_of_call(QIO_ERR_CHECKSUM_INFO, [&] {
    OpenReader& open = open_of(*in);
    return agree_code(*open.nodes, QIO_ERR_CHECKSUM_INFO, [&] {
      if (!open.is_master()) return;
      if (in->format != QIO_SCIDAC_NATIVE) {
        info = QIO_create_checksum_info(0, 0);
        return;
      }
      const QIO_ChecksumInfo stored = read_stored(*open.records, open.file->path());
      info = QIO_create_checksum_info(stored.suma.value, stored.sumb.value);
    });
  });
  return info;
}

int QIO_compare_checksum(int this_node, QIO_ChecksumInfo* checksum_info_expect, DML_Checksum* checksum) {
  QIO_ChecksumInfo found = QIO_CHECKSUM_INFO_TEMPLATE;
  QIO_insert_suma_sumb(&found, checksum->suma, checksum->sumb);
  char name[] = "QIO_compare_checksum";
  return QIO_compare_checksum_info(&found, checksum_info_expect, name, this_node);
}

int QIO_next_record(QIO_Reader* in) {
  if (in == nullptr) return QIO_BAD_ARG;
  return code_of_call(QIO_ERR_SKIP, [&] { return skip_record(*in); });
}

int QIO_close_read(QIO_Reader* in) {
  destroy(in);
  return QIO_SUCCESS;
}

int QIO_get_reader_latdim(QIO_Reader* in) { return in->layout->latdim; }
int* QIO_get_reader_latsize(QIO_Reader* in) { return in->layout->latsize; }
uint32_t QIO_get_reader_last_checksuma(QIO_Reader* in) { return in->last_checksum.suma; }
uint32_t QIO_get_reader_last_checksumb(QIO_Reader* in) { return in->last_checksum.sumb; }
char* QIO_get_ILDG_LFN(QIO_Reader* qio_in) { return QIO_string_ptr(qio_in->ildgLFN); }
int QIO_get_ildgstyle(QIO_Reader* in) { return in->ildgstyle; }
int QIO_get_reader_volfmt(QIO_Reader* in) { return in->volfmt; }
int QIO_get_reader_format(QIO_Reader* in) { return in->format; }
void QIO_set_record_info(QIO_Reader* in, QIO_RecordInfo* rec_info) { in->record_info = *rec_info; }
void QIO_suppress_global_broadcast(QIO_Reader* qio_in) { qio_in->layout->broadcast_globaldata = 0; }

off_t QIO_get_reader_pointer(QIO_Reader* qio_in) {
  const OpenReader& open = open_of(*qio_in);
  return open.leads() ? static_cast<off_t>(open.records->position()) : 0;
}

int QIO_set_reader_pointer(QIO_Reader* qio_in, off_t offset) {
  if (qio_in == nullptr || offset < 0) return QIO_ERR_BAD_SEEK;
  const OpenReader& open = open_of(*qio_in);
  if (open.leads()) open.records->move_to(static_cast<std::uint64_t>(offset));
  return QIO_SUCCESS;
}

}  // extern "C"
