// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// QIO's reader over any bytes, as a program calls it: with a lattice of its own and with that of the file, record by
// record, read and passed over; and the same bytes as XML. Codes are those documented.
#include <qio.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "answers.hpp"
#include "storage/transport.hpp"

namespace {

using lq::fuzz::require;

constexpr int extent = 4;
int extents[4] = {extent, extent, extent, extent};

int node_number(const int*) { return 0; }
int node_index(const int x[]) { return x[0] + extent * (x[1] + extent * (x[2] + extent * x[3])); }
void get_coords(int x[], int, int index) {
  for (int d = 0; d < 4; ++d, index /= extent) x[d] = index % extent;
}
int num_sites(int) { return extent * extent * extent * extent; }

void put(char* buf, size_t index, int, void* seen) {
  require(index < 256, "sites are those of the lattice");
  *static_cast<unsigned*>(seen) += static_cast<unsigned char>(buf[0]);
}

QIO_Layout layout_of(bool is_known) {
  QIO_Layout layout{};
  layout.node_number = node_number;
  layout.node_index = node_index;
  layout.get_coords = get_coords;
  layout.num_sites = num_sites;
  layout.number_of_nodes = 1;
  if (!is_known) return layout;
  layout.latsize = extents;
  layout.latdim = 4;
  layout.volume = layout.sites_on_node = 256;
  return layout;
}

void read_records(QIO_Reader* reader, std::size_t size) {
  static QIO_RecordInfo info;
  unsigned seen = 0;
  for (std::size_t records = 0;; ++records) {
    require(records <= size / 144, "every record has a header");
    const int code = QIO_read_record_info(reader, &info, nullptr);
    require(code <= QIO_SUCCESS && code >= QIO_ERR_BAD_SUBSET, "reading information answers with a code");
    if (code != QIO_SUCCESS) return;
    const size_t bytes = QIO_get_typesize(&info) * static_cast<size_t>(QIO_get_datacount(&info));
    const int read =
        records % 3 == 2 || bytes > size ? QIO_next_record(reader) : QIO_read_record_data(reader, put, bytes, 4, &seen);
    require(read <= QIO_SUCCESS && read >= QIO_ERR_BAD_SUBSET, "reading data answers with a code");
    if (read != QIO_SUCCESS && QIO_next_record(reader) != QIO_SUCCESS) return;
  }
}

void decode(std::string text) {
  QIO_String xml{text.data(), text.size() + 1};
  static QIO_RecordInfo record;
  static QIO_FileInfo file;
  static QIO_ChecksumInfo checksum;
  static QIO_ILDGFormatInfo ildg;
  static QIO_USQCDPropRecordInfo propagator;
  QIO_decode_record_info(&record, &xml);
  require(QIO_decode_file_info(&file, &xml) != QIO_SUCCESS || file.dims.n <= QIO_MAXINTARRAY, "no more dimensions");
  QIO_decode_checksum_info(&checksum, &xml);
  QIO_decode_ILDG_format_info(&ildg, &xml);
  QIO_decode_usqcd_proprecord_info(&propagator, &xml);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto memory = lq::storage::make_memory();
  const lq::storage::Mount mount("fuzz:", *memory);
  memory->create("fuzz:file")->write_at(0, std::as_bytes(std::span(data, size)));
  for (const bool is_known : {true, false}) {
    QIO_Layout layout = layout_of(is_known);
    QIO_String* xml = QIO_string_create();
    QIO_Reader* reader = QIO_open_read(xml, "fuzz:file", &layout, nullptr, nullptr);
    if (reader != nullptr) read_records(reader, size);
    QIO_close_read(reader);
    QIO_string_destroy(xml);
  }
  if (size < 4096) decode({reinterpret_cast<const char*>(data), ::strnlen(reinterpret_cast<const char*>(data), size)});
  return 0;
}
