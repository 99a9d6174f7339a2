// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Records of QIO's files through the objects of LRL's (qio.h): a second handle on a node's file, which begins where QIO
// stands; QIO goes on behind the record.
#include <qio.h>

#include <fmt/format.h>

#include "compat/qio/ildg_record.hpp"
#include "compat/qio/open_reader.hpp"
#include "compat/qio/open_writer.hpp"
#include "compat/qio/outcome.hpp"

using namespace lq;
using namespace lq::compat::qio;

namespace {

OpenReader& behind(QIO_Reader& reader) { return *static_cast<OpenReader*>(reader.limequat); }
OpenWriter& behind(QIO_Writer& writer) { return *static_cast<OpenWriter*>(writer.limequat); }

// Local. NULL and success on nodes that read no headers.
LRL_RecordReader* open_record(QIO_Reader& in, LIME_type* types, int count, LIME_type* type, std::uint64_t* bytes,
                              int* status) {
  LRL_RecordReader* record = nullptr;
  const Outcome opened = outcome_of(QIO_ERR_OPEN_READ, [&] {
    OpenReader& open = behind(in);
    if (!open.leads()) return;
    if (in.lrl_file_in == nullptr) in.lrl_file_in = LRL_open_read_file(open.file->path().c_str());
    if (LRL_set_reader_pointer(in.lrl_file_in, static_cast<off_t>(open.records->position())) != LRL_SUCCESS) {
      throw Refusal(QIO_ERR_OPEN_READ, open.file->path() + ": cannot be opened once more");
    }
    int code = LRL_SUCCESS;
    record = LRL_open_read_target_record(in.lrl_file_in, types, count, bytes, type, &code);
    if (record == nullptr) throw Refusal(code == LRL_EOF ? QIO_EOF : QIO_ERR_OPEN_READ, "no further record");
    open.records->move_to(static_cast<std::uint64_t>(LRL_get_reader_pointer(in.lrl_file_in)));
  });
  *status = opened.code;
  return record;
}

bool is_global(const DML_Layout& layout) { return layout.recordtype == QIO_GLOBAL; }

// Local. The record's header, by both handles: it is the same twice.
LRL_RecordWriter* begin_record_below(QIO_Writer& out, const MessagePlace& place, std::uint64_t bytes,
                                     const char* type) {
  OpenWriter& open = behind(out);
  const std::uint64_t header = open.records->end();
  open.records->begin(type, place, bytes);
  open.records->finish();
  if (out.lrl_file_out == nullptr) out.lrl_file_out = LRL_open_write_file(open.path.c_str(), LRL_NOTRUNC);
  if (out.lrl_file_out == nullptr || ::fseeko(out.lrl_file_out->file, static_cast<off_t>(header), SEEK_SET) != 0) {
    throw Refusal(QIO_ERR_OPEN_WRITE, open.path + ": cannot be opened once more");
  }
  // What one handle wrote says nothing of where the next record is in a message.
  limeDestroyWriter(out.lrl_file_out->dg);
  out.lrl_file_out->dg = limeCreateWriter(out.lrl_file_out->file);
  LRL_RecordWriter* const record =
      LRL_open_write_record(out.lrl_file_out, place.begins, place.ends, bytes, const_cast<LIME_type>(type));
  if (record == nullptr) throw Refusal(QIO_ERR_OPEN_WRITE, open.path + ": no record could be begun");
  return record;
}

}  // namespace

extern "C" {

LRL_RecordReader* QIO_read_record_type(QIO_Reader* in, LIME_type* lime_type, uint64_t* expected_rec_size, int* status) {
  return open_record(*in, nullptr, 0, lime_type, expected_rec_size, status);
}

LRL_RecordReader* QIO_open_read_target_record(QIO_Reader* in, LIME_type* lime_type_list, int ntypes,
                                              LIME_type* lime_type, uint64_t* expected_rec_size, int* status) {
  return open_record(*in, lime_type_list, ntypes, lime_type, expected_rec_size, status);
}

int QIO_read_string_data(QIO_Reader*, LRL_RecordReader* lrl_record_in, QIO_String* xml, uint64_t expected_rec_size) {
  if (QIO_string_length(xml) <= expected_rec_size) QIO_string_realloc(xml, expected_rec_size + 1);
  const bool has_room = QIO_string_length(xml) > expected_rec_size;
  uint64_t bytes = 0;
  if (has_room) {
    bytes = LRL_read_bytes(lrl_record_in, QIO_string_ptr(xml), expected_rec_size);
    QIO_string_ptr(xml)[bytes] = '\0';
  }
  LRL_close_read_record(lrl_record_in);
  if (!has_room) return QIO_ERR_ALLOC;
  return bytes == expected_rec_size ? QIO_SUCCESS : QIO_ERR_BAD_READ_BYTES;
}

int QIO_read_string(QIO_Reader* in, QIO_String* xml, LIME_type* lime_type) {
  uint64_t bytes = 0;
  int status = QIO_SUCCESS;
  LRL_RecordReader* const record = QIO_read_record_type(in, lime_type, &bytes, &status);
  return record == nullptr ? status : QIO_read_string_data(in, record, xml, bytes);
}

int QIO_close_read_record(LRL_RecordReader* lrl_record_in) {
  return LRL_close_read_record(lrl_record_in) == LRL_SUCCESS ? QIO_SUCCESS : QIO_ERR_SKIP;
}
int QIO_skip_data(LRL_RecordReader* lrl_record_in) { return QIO_close_read_record(lrl_record_in); }

DML_SiteList* QIO_create_sitelist(DML_Layout* layout, int volfmt, int serpar) {
  DML_SiteList* const sites = DML_init_sitelist(volfmt, serpar, layout);
  if (sites == nullptr || DML_fill_sitelist(sites, volfmt, serpar, layout) == 0) return sites;
  DML_free_sitelist(sites);
  return nullptr;
}

LRL_RecordReader* QIO_open_read_field(QIO_Reader* in, size_t datum_size, LIME_type* lime_type_list, int ntypes,
                                      LIME_type* lime_type, int* status) {
  LRL_RecordReader* record = nullptr;
  *status = code_of_call(QIO_ERR_OPEN_READ, [&] {
    OpenReader& open = behind(*in);
    // Who reads from the record of a file takes it for that of this node's sites; so the original does not open it.
    if (open.volumes != nullptr && !is_global(*in->layout)) return QIO_ERR_BAD_SITELIST;
    const bool has_record = open.leads() && (open.is_master() || !is_global(*in->layout));
    return agree_code(*open.nodes, QIO_ERR_OPEN_READ, [&] {
      if (!has_record) return;
      std::uint64_t bytes = 0;
      int code = QIO_SUCCESS;
      record = open_record(*in, lime_type_list, ntypes, lime_type, &bytes, &code);
      if (record == nullptr) throw Refusal(code, "no further record of these types");
      if (!is_global(*in->layout) || bytes == datum_size) return;
      throw Refusal(QIO_ERR_BAD_READ_BYTES, fmt::format("a record of {} bytes instead of {}", bytes, datum_size));
    });
  });
  if (*status == QIO_SUCCESS || record == nullptr) return record;
  LRL_close_read_record(record);
  return nullptr;
}

int QIO_read_field_data(QIO_Reader* in, LRL_RecordReader* lrl_record_in,
                        void (*put)(char* buf, size_t index, int count, void* arg), int count, size_t datum_size,
                        int word_size, void* arg, DML_Checksum* checksum, uint64_t* nbytes) {
  DML_Layout& layout = *in->layout;
  *nbytes = DML_stream_in(lrl_record_in, layout.recordtype, put, count, datum_size, word_size, arg, &layout, in->sites,
                          in->volfmt, in->serpar, layout.broadcast_globaldata, checksum);
  return code_of_call(QIO_ERR_BAD_READ_BYTES, [&] {
    return agree_code(*behind(*in).nodes, QIO_ERR_BAD_READ_BYTES, [&] {
      if (lrl_record_in == nullptr) return;
      const bool is_whole = *nbytes == limeReaderBytes(lrl_record_in->fr->dr);
      LRL_close_read_record(lrl_record_in);
      if (!is_whole) throw Refusal(QIO_ERR_BAD_READ_BYTES, "not all of a record could be read");
    });
  });
}

LRL_RecordWriter* QIO_open_write_field(QIO_Writer* out, int msg_begin, int msg_end, size_t datum_size,
                                       const LIME_type lime_type, int* do_output, int* status) {
  LRL_RecordWriter* record = nullptr;
  OpenWriter& open = behind(*out);
  *do_output = !is_global(*out->layout) || open.is_master() ? 1 : 0;
  *status = code_of_call(QIO_ERR_OPEN_WRITE, [&] {
    std::uint64_t sites = 1;
    if (!is_global(*out->layout)) {
      sites = sites_of_record(*open.nodes, open.family, *out->layout, out->volfmt).of_family;
    }
    return agree_code(*open.nodes, QIO_ERR_OPEN_WRITE, [&] {
      if (!open.family.leads() || *do_output == 0) return;
      const MessagePlace place =
          open.is_master() ? MessagePlace{msg_begin != 0, msg_end != 0} : MessagePlace{true, true};
      record = begin_record_below(*out, place, sites * datum_size, lime_type);
    });
  });
  return record;
}

int QIO_write_field_data(QIO_Writer* out, LRL_RecordWriter* lrl_record_out,
                         void (*get)(char* buf, size_t index, int count, void* arg), int count, size_t datum_size,
                         int word_size, void* arg, DML_Checksum* checksum, uint64_t* nbytes) {
  *nbytes = DML_stream_out(lrl_record_out, out->layout->recordtype, get, count, datum_size, word_size, arg, out->layout,
                           out->sites, out->volfmt, out->serpar, checksum);
  const auto close = [&] {
    if (lrl_record_out == nullptr) return;
    const LRL_FileWriter& below = *lrl_record_out->fw;
    const bool is_whole = *nbytes == below.dg->bytes_total;
    const bool is_closed = LRL_close_write_record(lrl_record_out) == LRL_SUCCESS && std::fflush(below.file) == 0;
    if (!is_whole || !is_closed) throw Refusal(QIO_ERR_BAD_WRITE_BYTES, "not all of a record could be written");
  };
  // Data of the whole lattice are the master's business.
  if (is_global(*out->layout)) return outcome_of(QIO_ERR_BAD_WRITE_BYTES, close).code;
  return code_of_call(QIO_ERR_BAD_WRITE_BYTES,
                      [&] { return agree_code(*behind(*out).nodes, QIO_ERR_BAD_WRITE_BYTES, close); });
}

}  // extern "C"
