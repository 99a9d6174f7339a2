// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Reading: the leader of a family of nodes finds records, all nodes read sites.
#include <qio.h>

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "compat/qio/nodes.hpp"
#include "compat/qio/open_reader.hpp"
#include "compat/qio/open_writer.hpp"
#include "compat/qio/record_sites.hpp"

using namespace lq;
using namespace lq::compat::qio;

namespace {

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
  broadcast_all(nodes, found.xml, open.master);
  broadcast_all(nodes, found.lfn, open.master);
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

Outcome read_global(const QIO_Reader& reader, OpenReader& open, const SiteCall& call, Moved& moved) {
  comm::Comm& nodes = *open.nodes;
  std::vector<std::byte> bytes;
  const int code = agree_code(nodes, QIO_ERR_BAD_READ_BYTES, [&] {
    bytes.resize(static_cast<std::size_t>(call.site_bytes));
    if (!open.is_master()) return;
    const FoundRecord record = next_data(*open.records);
    if (record.bytes != call.site_bytes) {
      throw Refusal(QIO_ERR_BAD_READ_BYTES, fmt::format("{}: the record has {} bytes, but {} were requested",
                                                        open.file->path(), record.bytes, call.site_bytes));
    }
    bytes = open.records->bytes_of(record);
    kernels::add_sites(moved.sum, bytes, call.site_bytes, 0, 1);
    moved.bytes = bytes.size();
  });
  if (code != QIO_SUCCESS) return {code, {}};
  const bool is_for_all = reader.layout->broadcast_globaldata != 0;
  if (is_for_all) nodes.broadcast(bytes, open.master);
  if (!is_for_all && !open.is_master()) return {};
  turn_words(bytes.data(), bytes.size(), call.word_bytes);
  call.function(reinterpret_cast<char*>(bytes.data()), 0, call.count, call.arg);
  return {};
}

Outcome read_sites(const QIO_Reader& reader, OpenReader& open, const SiteCall& call, Moved& moved) {
  comm::Comm& nodes = *open.nodes;
  if (!open.knows_sites) throw Refusal(QIO_ERR_BAD_SITELIST, "the file was opened without a lattice");
  std::exception_ptr failure;
  if (open.volumes != nullptr) {
    open.volumes->read(*reader.layout, call, moved, failure);
    return outcome_of_failure(QIO_ERR_BAD_READ_BYTES, failure);
  }
  RecordPart part;
  const auto next = [](RecordsIn& records) { return next_data(records); };
  const int found = open.find(*reader.layout, reader.volfmt, call.site_bytes, next, part);
  if (found != QIO_SUCCESS) return {found, {}};
  const SitePlace place{open.file.get(), part.offset, part.sites.of_family, open.family.leader, {}};
  moved.bytes = part.sites.order->count() * call.site_bytes;
  moved.sum = comm::agree(nodes, [&] { return move_sites(*open.family.comm, part.sites, place, call, failure); });
  return outcome_of_failure(QIO_ERR_BAD_READ_BYTES, failure);
}

void check_taking(const QIO_Reader& reader, const SiteCall& call) {
  if (reader.read_state != QIO_RECORD_DATA_NEXT) {
    throw Refusal(QIO_ERR_INFO_MISSED, "data must not be read before the record information");
  }
  const int typesize = reader.record_info.typesize.value;
  const auto bytes = static_cast<std::uint64_t>(typesize) * static_cast<std::uint64_t>(call.count);
  if (call.count < 1 || typesize < 0 || call.site_bytes != bytes) {
    throw Refusal(QIO_ERR_BAD_READ_BYTES, fmt::format("{} bytes are requested, but the record states {} times {}",
                                                      call.site_bytes, typesize, call.count));
  }
  if (call.function == nullptr) throw Refusal(QIO_BAD_ARG, "no function that takes the data");
  check_call(call);
}

// Collective. The data of the record whose information was read.
int read_data(QIO_Reader& reader, const SiteCall& call) {
  OpenReader& open = open_of(reader);
  comm::Comm& nodes = *open.nodes;
  const int checked = agree_code(nodes, QIO_BAD_ARG, [&] { check_taking(reader, call); });
  if (checked != QIO_SUCCESS) return checked;
  require_same_record(nodes, reader.record_info, call);
  Moved moved;
  const bool is_global = reader.layout->recordtype == QIO_GLOBAL;
  const int code =
      agree_on(nodes, is_global ? read_global(reader, open, call, moved) : read_sites(reader, open, call, moved));
  if (code != QIO_SUCCESS) return code;
  reader.last_checksum = combined(nodes, moved.sum);
  reader.read_state = QIO_RECORD_INFO_PRIVATE_NEXT;
  return agree_code(nodes, QIO_ERR_CHECKSUM_INFO, [&] {
    if (!open.is_master() || reader.format != QIO_SCIDAC_NATIVE) return;
    compare_with_stored(*open.records, reader.last_checksum, open.file->path());
  });
}

// To the end of the message with the file's headers.
void skip_message(RecordsIn& records) {
  while (const auto record = records.next()) {
    if (record->ends) return;
  }
  throw Refusal(QIO_ERR_SKIP, "no further record");
}

int skip_record(QIO_Reader& reader) {
  OpenReader& open = open_of(reader);
  // Global data are in the master's file only.
  const int code = need_information(reader);
  if (code != QIO_SUCCESS) return code == QIO_EOF ? QIO_ERR_SKIP : code;
  reader.read_state = QIO_RECORD_INFO_PRIVATE_NEXT;
  const bool is_global = reader.record_info.recordtype.value == QIO_GLOBAL;
  if (open.volumes != nullptr && !is_global) {
    if (const int skipped = open.volumes->skip(); skipped != QIO_SUCCESS) return skipped;
  }
  return agree_code(*open.nodes, QIO_ERR_SKIP, [&] {
    if (open.leads() && (open.is_master() || !is_global)) skip_message(*open.records);
  });
}

}  // namespace

extern "C" {

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
