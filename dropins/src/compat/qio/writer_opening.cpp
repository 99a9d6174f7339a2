// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Files that are written, from opening to closing: by who leads a family of nodes, for all of them.
#include <qio.h>

#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "compat/qio/ildg_record.hpp"
#include "compat/qio/nodes.hpp"
#include "compat/qio/open_writer.hpp"
#include "compat/qio/outcome.hpp"

using namespace lq;
using namespace lq::compat::qio;

namespace {

OpenWriter& opened(QIO_Writer& writer) { return *static_cast<OpenWriter*>(writer.limequat); }

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

void write_file_header(const QIO_Writer& writer, OpenWriter& open, const QIO_String* xml_file) {
  if (!open.family.leads() || open.appends) return;
  RecordsOut& records = *open.records;
  const bool is_master = open.is_master();
  if (is_master) {
    QIO_FileInfo* const info = QIO_create_file_info(writer.layout->latdim, writer.layout->latsize, writer.volfmt);
    if (info == nullptr) throw std::bad_alloc();
    const std::string text = encoded(QIO_encode_file_info, *info);
    QIO_destroy_file_info(info);
    records.write_text(QIO_LIMETYPE_PRIVATE_FILE_XML, {true, false}, text);
  }
  if (is_in_parts(writer.volfmt)) {
    records.write(QIO_LIMETYPE_SITELIST, {!is_master, !is_master}, bytes_of_site_list(open.family.site_list));
  }
  if (is_master) records.write_text(QIO_LIMETYPE_FILE_XML, {false, true}, text_of(xml_file));
}

// Collective. Nothing where a file goes on after what is there.
int write_file_headers(const QIO_Writer& writer, OpenWriter& open, const QIO_String* xml_file) {
  return agree_code(*open.nodes, QIO_ERR_OPEN_WRITE, [&] { write_file_header(writer, open, xml_file); });
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
      throw Refusal(QIO_ERR_CLOSE,
                    open->final_path + ": a record could not be written, so that the file is not put there");
    }
  });
  if (code == QIO_SUCCESS) code = open->publish();
  destroy_writer(writer);
  return code == QIO_SUCCESS ? QIO_SUCCESS : QIO_ERR_CLOSE;
}

// Calls rest(writer, what belongs to it) once the files are open. NULL where anything fails.
template <class Rest>
QIO_Writer* open_writer(const char* filename, int volfmt, const QIO_Layout* layout, const QIO_Filesystem* fs,
                        const QIO_Oflag* oflag, Rest&& rest) {
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
    Agreement same;
    same.add(static_cast<std::uint64_t>(volfmt)).add(static_cast<std::uint64_t>(mode));
    for (const std::int64_t extent : extents_of(*layout)) same.add(static_cast<std::uint64_t>(extent));
    same.check(nodes);
    const int opened_files = open_files(*writer, opened(*writer), filename, *layout, fs, mode);
    return opened_files == QIO_SUCCESS ? rest(*writer, opened(*writer)) : opened_files;
  });
  if (code == QIO_SUCCESS) return writer;
  destroy_writer(writer);
  return nullptr;
}

}  // namespace

extern "C" {

QIO_Writer* QIO_open_write(QIO_String* xml_file, const char* filename, int volfmt, QIO_Layout* layout,
                           QIO_Filesystem* fs, QIO_Oflag* oflag) {
  QIO_Writer* const writer = open_writer(filename, volfmt, layout, fs, oflag, [&](QIO_Writer& begun, OpenWriter& open) {
    return write_file_headers(begun, open, xml_file);
  });
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
