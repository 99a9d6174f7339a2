// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Files that are written, from opening to closing, and their records: written by the leader of a family of nodes, their
// sites by all.
#include <cstring>
#include <utility>

#include <qio.h>

#include <fmt/format.h>

#include "compat/qio/nodes.hpp"
#include "compat/qio/open_writer.hpp"
#include "compat/qio/record_sites.hpp"
#include "compat/qio/records.hpp"

using namespace lq;
using namespace lq::compat::qio;

namespace {

// --- Records ---------------------------------------------------------------------------------------------------------

// By the master node.
void write_information(const QIO_Writer& writer, RecordsOut& records, QIO_RecordInfo& info, const QIO_String* user) {
  const std::string text = encoded(QIO_encode_record_info, info);
  records.write_text(QIO_LIMETYPE_PRIVATE_RECORD_XML, {true, false}, text);
  records.write_text(QIO_LIMETYPE_RECORD_XML, {false, false}, text_of(user));
  if (QIO_verbosity() >= QIO_VERB_REG) std::printf("QIO_write: record %s\n", text.c_str());
  if (writer.ildgstyle != QIO_ILDGLAT) return;
  Extents extents = Coord::filled(4, 0);
  for (int d = 0; d < 4; ++d) extents[d] = writer.layout->latsize[d];
  write_ildg_information(records, ildg_precision(info, writer.layout->latdim), extents, writer.ildgLFN);
}

const char* type_of_data(const QIO_Writer& writer) {
  return writer.ildgstyle == QIO_ILDGLAT ? QIO_LIMETYPE_ILDG_BINARY_DATA : QIO_LIMETYPE_BINARY_DATA;
}

void write_checksum(RecordsOut& records, const DML_Checksum& sum) {
  records.write_text("scidac-checksum", {false, true},
                     encoded(QIO_encode_checksum_info, QIO_create_checksum_info(sum.suma, sum.sumb)));
}

// One object, from the master node.
Outcome write_global(const QIO_Writer& writer, OpenWriter& open, const SiteCall& call, Moved& moved) {
  return outcome_of(QIO_ERR_BAD_WRITE_BYTES, [&] {
    if (!open.is_master()) return;
    std::vector<std::byte> bytes(static_cast<std::size_t>(call.site_bytes));
    call.function(reinterpret_cast<char*>(bytes.data()), 0, call.count, call.arg);
    turn_words(bytes.data(), bytes.size(), call.word_bytes);
    kernels::add_sites(moved.sum, bytes, call.site_bytes, 0, 1);
    moved.bytes = bytes.size();
    open.records->write(type_of_data(writer), {}, bytes);
  });
}

// Collective. The sites of a field or hypercube.
Outcome write_sites(const QIO_Writer& writer, OpenWriter& open, const SiteCall& call, Moved& moved) {
  comm::Comm& nodes = *open.nodes;
  const RecordSites sites = sites_of_record(nodes, open.family, *writer.layout, writer.volfmt);
  SitePlace place{open.file.get(), 0, sites.of_family, open.family.leader, open.unit, true};
  const Outcome begun = outcome_of(QIO_ERR_OPEN_WRITE, [&] {
    if (!open.family.leads()) return;
    // In files other than the master's the data are a separate message.
    const MessagePlace in_message{!open.is_master(), !open.is_master()};
    place.offset = open.records->begin(type_of_data(writer), in_message, sites.of_family * call.site_bytes);
    if (open.unit.reserve_first) open.file->reserve(place.offset, sites.of_family * call.site_bytes);
  });
  if (const int code = agree_on(nodes, begun); code != QIO_SUCCESS) return {code, {}};
  broadcast_facts(*open.family.comm, place.offset, open.family.leader);
  std::exception_ptr failure;
  moved.bytes = sites.order->count() * call.site_bytes;
  moved.sum = comm::agree(nodes, [&] { return move_sites(*open.family.comm, sites, place, call, failure); });
  return outcome_of(QIO_ERR_BAD_WRITE_BYTES, [&] {
    if (failure) std::rethrow_exception(failure);
    if (open.family.leads()) open.records->finish();
  });
}

void check_arguments(const QIO_RecordInfo* info, const SiteCall& call) {
  if (info == nullptr) throw Refusal(QIO_BAD_ARG, "no record information");
  check_call(call);
  const auto bytes = static_cast<std::uint64_t>(info->typesize.value) * static_cast<std::uint64_t>(call.count);
  if (info->typesize.value < 0 || call.site_bytes != bytes) {
    throw Refusal(QIO_ERR_BAD_WRITE_BYTES, fmt::format("{} bytes are to be written, but the record states {} times {}",
                                                       call.site_bytes, info->typesize.value, call.count));
  }
}

// Collective. Checks the record, and prepares the writer for it.
int begin_record(QIO_Writer& writer, const QIO_RecordInfo* info, const SiteCall& call, bool calls_back) {
  OpenWriter& open = open_of(writer);
  const Outcome checked = outcome_of(QIO_BAD_ARG, [&] {
    check_arguments(info, call);
    if (calls_back && call.function == nullptr && (info->recordtype.value != QIO_GLOBAL || open.is_master())) {
      throw Refusal(QIO_BAD_ARG, "no function that gives the data");
    }
    set_record(*writer.layout, *info);
  });
  if (const int code = agree_on(*open.nodes, checked); code != QIO_SUCCESS) return code;
  require_same_record(*open.nodes, *info, call);
  // A record that is not an ILDG gauge field ends ILDG style for the master, as with the original: in parts of other
  // nodes the data keep ILDG's type.
  if (open.is_master() && writer.ildgstyle == QIO_ILDGLAT && ildg_precision(*info, writer.layout->latdim) == 0) {
    writer.ildgstyle = QIO_ILDGNO;
  }
  return QIO_SUCCESS;
}

int write_information_alone(QIO_Writer& writer, QIO_RecordInfo* info, const QIO_String* user, const SiteCall& call) {
  OpenWriter& open = open_of(writer);
  if (const int code = begin_record(writer, info, call, false); code != QIO_SUCCESS) return code;
  return agree_code(*open.nodes, QIO_ERR_BAD_WRITE_BYTES, [&] {
    if (open.is_master()) write_information(writer, *open.records, *info, user);
  });
}

int write_record(QIO_Writer& writer, QIO_RecordInfo* info, const QIO_String* user, const SiteCall& call) {
  OpenWriter& open = open_of(writer);
  comm::Comm& nodes = *open.nodes;
  if (const int code = begin_record(writer, info, call, true); code != QIO_SUCCESS) return code;
  const std::uint64_t before = open.family.leads() ? open.records->end() : 0;
  const auto undo = [&](int code) {
    if (open.family.leads()) open.records->go_back(before);
    open.lacks_record = true;
    return code;
  };
  const int informed = agree_code(nodes, QIO_ERR_BAD_WRITE_BYTES, [&] {
    if (open.is_master()) write_information(writer, *open.records, *info, user);
  });
  if (informed != QIO_SUCCESS) return undo(informed);
  Moved moved;
  const bool is_global = writer.layout->recordtype == QIO_GLOBAL;
  Outcome mine;
  const Outcome all = outcome_of(QIO_ERR_BAD_WRITE_BYTES, [&] {
    mine = is_global ? write_global(writer, open, call, moved) : write_sites(writer, open, call, moved);
  });
  if (const int code = agree_on(nodes, all.code == QIO_SUCCESS ? mine : all); code != QIO_SUCCESS) return undo(code);
  writer.last_checksum = combined(nodes, moved.sum);
  const int summed = agree_code(nodes, QIO_ERR_BAD_WRITE_BYTES, [&] {
    if (open.is_master()) write_checksum(*open.records, writer.last_checksum);
  });
  return summed == QIO_SUCCESS ? summed : undo(summed);
}

}  // namespace

extern "C" {

int QIO_write(QIO_Writer* out, QIO_RecordInfo* record_info, QIO_String* xml_record,
              void (*get)(char* buf, size_t index, int count, void* arg), size_t datum_size, int word_size, void* arg) {
  if (out == nullptr) return QIO_BAD_ARG;
  return code_of_call(QIO_ERR_BAD_WRITE_BYTES, [&] {
    const int count = record_info == nullptr ? 0 : record_info->datacount.value;
    return write_record(*out, record_info, xml_record, {get, arg, count, datum_size, word_size});
  });
}

int QIO_write_record_info(QIO_Writer* out, QIO_RecordInfo* record_info, size_t datum_size, int word_size,
                          QIO_String* xml_record, int* msg_begin, int* msg_end) {
  if (out == nullptr || msg_begin == nullptr || msg_end == nullptr) return QIO_BAD_ARG;
  *msg_begin = *msg_end = 0;
  return code_of_call(QIO_ERR_BAD_WRITE_BYTES, [&] {
    const int count = record_info == nullptr ? 0 : record_info->datacount.value;
    return write_information_alone(*out, record_info, xml_record, {nullptr, nullptr, count, datum_size, word_size});
  });
}

int QIO_write_checksum(QIO_Writer* out, DML_Checksum* checksum) {
  if (out == nullptr || checksum == nullptr) return QIO_BAD_ARG;
  return code_of_call(QIO_ERR_BAD_WRITE_BYTES, [&] {
    OpenWriter& open = open_of(*out);
    out->last_checksum = *checksum;
    const int code = agree_code(*open.nodes, QIO_ERR_BAD_WRITE_BYTES, [&] {
      if (open.is_master()) write_checksum(*open.records, *checksum);
    });
    open.lacks_record |= code != QIO_SUCCESS;
    return code;
  });
}

uint32_t QIO_get_writer_last_checksuma(QIO_Writer* out) { return out->last_checksum.suma; }
uint32_t QIO_get_writer_last_checksumb(QIO_Writer* out) { return out->last_checksum.sumb; }

}  // extern "C"

// Files that are written, from opening to closing: by the leader of a family of nodes, for all of them.

namespace {

QIO_Writer* make_writer(int volfmt, const QIO_Layout& layout, const QIO_Oflag* oflag) {
  auto* writer = static_cast<QIO_Writer*>(std::calloc(1, sizeof(QIO_Writer)));
  if (writer == nullptr) throw std::bad_alloc();
  writer->volfmt = volfmt;
  writer->serpar = QIO_SERIAL;
  writer->ildgstyle = QIO_ILDGLAT;
  if (oflag != nullptr) {
    writer->serpar = oflag->serpar;
    QIO_reset_writer_ILDG_flags(writer, const_cast<QIO_Oflag*>(oflag));
  }
  try {
    writer->layout = copy_layout(layout);
  } catch (...) {
    QIO_string_destroy(writer->ildgLFN);
    std::free(writer);
    throw;
  }
  return writer;
}

void destroy_writer(QIO_Writer* writer) {
  if (writer == nullptr) return;
  delete static_cast<OpenWriter*>(writer->limequat);
  free_layout(writer->layout);
  QIO_string_destroy(writer->ildgLFN);
  std::free(writer);
}

// Nothing if existing contents are continued.
void write_file_header(const QIO_Writer& writer, OpenWriter& open, const QIO_String* xml_file) {
  if (!open.family.leads() || open.appends) return;
  RecordsOut& records = *open.records;
  const bool is_master = open.is_master();
  if (is_master) {
    const DML_Layout& layout = *writer.layout;
    records.write_text(
        QIO_LIMETYPE_PRIVATE_FILE_XML, {true, false},
        encoded(QIO_encode_file_info, QIO_create_file_info(layout.latdim, layout.latsize, writer.volfmt)));
  }
  if (is_in_parts(writer.volfmt)) {
    records.write(QIO_LIMETYPE_SITELIST, {!is_master, !is_master}, bytes_of_site_list(open.family.site_list));
  }
  if (is_master) records.write_text(QIO_LIMETYPE_FILE_XML, {false, true}, text_of(xml_file));
}

// Collective. A code, the same everywhere.
int open_files(QIO_Writer& writer, OpenWriter& open, const char* filename, const QIO_Layout& layout,
               const QIO_Filesystem* fs, int mode) {
  comm::Comm& nodes = *open.nodes;
  const IoNodes io_nodes(fs);
  open.master = io_nodes.master();
  open.family = make_file_nodes(nodes, writer.volfmt, io_nodes, layout);
  const int named =
      agree_code(nodes, QIO_BAD_ARG, [&] { open.path = name_of_part(filename, writer.volfmt, open.family.file_node); });
  if (named != QIO_SUCCESS) return named;
  const std::optional<std::uint32_t> number = number_for_names(nodes);
  const int settled = agree_code(nodes, QIO_ERR_OPEN_WRITE, [&] {
    if (open.is_master() && is_in_parts(writer.volfmt)) settle_parts(filename);
  });
  if (settled != QIO_SUCCESS) return settled;
  const int created = agree_code(nodes, QIO_ERR_OPEN_WRITE, [&] {
    if (open.family.leads()) open.open_at_leader(writer, mode, number);
  });
  if (created != QIO_SUCCESS) return created;
  return agree_code(nodes, QIO_ERR_OPEN_WRITE, [&] { open.open_elsewhere(number); });
}

bool is_right_volfmt(int volfmt) { return volfmt >= QIO_SINGLEFILE && volfmt <= QIO_PARTFILE_DIR; }

int close_writer(QIO_Writer* writer) {
  auto* const open = static_cast<OpenWriter*>(writer->limequat);
  const auto nodes = open->nodes;
  int code = agree_code(*nodes, QIO_ERR_CLOSE, [&] {
    open->close();
    if (open->lacks_record && !open->final_path.empty()) {
      throw Refusal(QIO_ERR_CLOSE, open->final_path + ": a record could not be written, so the file is not published");
    }
  });
  if (code == QIO_SUCCESS) code = open->publish();
  destroy_writer(writer);
  return code == QIO_SUCCESS ? QIO_SUCCESS : QIO_ERR_CLOSE;
}

// NULL after any error.
QIO_Writer* open_writer(const QIO_String* xml_file, const char* filename, int volfmt, const QIO_Layout* layout,
                        const QIO_Filesystem* fs, const QIO_Oflag* oflag) {
  if (layout == nullptr || filename == nullptr) return nullptr;
  QIO_Writer* writer = nullptr;
  const int code = code_of_call(QIO_ERR_OPEN_WRITE, [&] {
    const std::shared_ptr<comm::Comm> all = nodes_of_layout(layout->number_of_nodes, layout->this_node);
    comm::Comm& nodes = *all;
    if (nodes.size() == 1) volfmt = QIO_SINGLEFILE;
    const int mode = oflag == nullptr ? QIO_TRUNC : oflag->mode;
    const int made = agree_code(nodes, QIO_ERR_ALLOC, [&] {
      if (!is_right_volfmt(volfmt)) throw Refusal(QIO_ERR_BAD_VOLFMT, fmt::format("no volume format {}", volfmt));
      extents_of(*layout);
      writer = make_writer(volfmt, *layout, oflag);
      set_io_nodes(*writer->layout, fs);
      auto* const open = new OpenWriter;
      open->nodes = all;
      writer->limequat = open;
    });
    if (made != QIO_SUCCESS) return made;
    comm::require_same(nodes, [&] {
      return std::vector<comm::StatedArgument>{{"qio: the volume format", fmt::format("{}", volfmt)},
                                               {"qio: the mode", fmt::format("{}", mode)},
                                               {"qio: the lattice", to_string(extents_of(*layout))}};
    });
    OpenWriter& open = open_of(*writer);
    const int opened = open_files(*writer, open, filename, *layout, fs, mode);
    if (opened != QIO_SUCCESS) return opened;
    return agree_code(nodes, QIO_ERR_OPEN_WRITE, [&] { write_file_header(*writer, open, xml_file); });
  });
  if (code == QIO_SUCCESS) return writer;
  destroy_writer(writer);
  return nullptr;
}

}  // namespace

extern "C" {

QIO_Writer* QIO_open_write(QIO_String* xml_file, const char* filename, int volfmt, QIO_Layout* layout,
                           QIO_Filesystem* fs, QIO_Oflag* oflag) {
  QIO_Writer* const writer = open_writer(xml_file, filename, volfmt, layout, fs, oflag);
  if (writer != nullptr && QIO_verbosity() >= QIO_VERB_MED && layout->this_node == 0) {
    std::printf("QIO_open_write: %s\n", filename);
  }
  return writer;
}

int QIO_close_write(QIO_Writer* out) {
  if (out == nullptr) return QIO_BAD_ARG;
  return code_of_call(QIO_ERR_CLOSE, [&] { return close_writer(out); });
}

void QIO_reset_writer_ILDG_flags(QIO_Writer* out, QIO_Oflag* oflag) {
  if (out == nullptr || oflag == nullptr) return;
  out->ildgstyle = oflag->ildgstyle;
  QIO_string_destroy(out->ildgLFN);
  out->ildgLFN = nullptr;
  if (oflag->ildgLFN == nullptr) return;
  out->ildgLFN = QIO_string_create();
  QIO_string_copy(out->ildgLFN, oflag->ildgLFN);
}

}  // extern "C"
