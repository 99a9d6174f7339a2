// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The descriptions of files, records and checksums (qioxml_private.h; formats/scidac.md 4.2).
#include <qio.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>

#include "compat/qio/elements.hpp"

using namespace lq::compat::qio;

namespace {

constexpr const char* first_version = "1.0";

bool is_first_version(const QIO_TagCharValue& version) { return std::strcmp(version.value, first_version) == 0; }

template <class Info>
bool is_found(const Info& info) {
  return info.occur != 0;
}

// True if the expected value, if any, was found.
bool agrees(const QIO_TagIntValue& found, const QIO_TagIntValue& expected) {
  return !is_found(expected) || (is_found(found) && found.value == expected.value);
}

// True if a value other than the default is expected, and none was found.
bool is_missed(const QIO_TagIntValue& found, const QIO_TagIntValue& expected) {
  return is_found(expected) && !is_found(found) && found.value != expected.value;
}
bool is_missed(const QIO_TagCharValue& found, const QIO_TagCharValue& expected) {
  return is_found(expected) && !is_found(found) && std::strcmp(found.value, expected.value) != 0;
}

template <class Value>
int differ(const Value& value, int code) {
  std::printf("QIO: %s is not what is expected\n", value.tag);
  return code;
}

void put_array(QIO_TagIntArrayValue& array, const int* values, int count) {
  std::copy_n(values, count, array.value);
  array.n = count;
  array.occur = 1;
}

}  // namespace

extern "C" {

// --- Files -----------------------------------------------------------------------------------------------------------

int QIO_decode_file_info(QIO_FileInfo* file_info, QIO_String* file_string) {
  *file_info = QIO_FILE_INFO_TEMPLATE;
  QIO_TagIntValue multifile = {"multifile", "", 0, 0};
  const int parsed = for_each_element(file_string, "scidacFile", [&](char* tag, char* value) {
    QIO_decode_as_string(tag, value, &file_info->version);
    QIO_decode_as_int(tag, value, &file_info->spacetime);
    QIO_decode_as_intlist(tag, value, &file_info->dims);
    QIO_decode_as_int(tag, value, &file_info->volfmt);
    QIO_decode_as_int(tag, value, &multifile);
  });
  if (parsed != QIO_SUCCESS) return parsed;
  // The number of files, at the place of the format.
  if (is_first_version(file_info->version) && !is_found(file_info->volfmt) && is_found(multifile)) {
    set(file_info->volfmt, multifile.value == 1 ? QIO_SINGLEFILE : QIO_MULTIFILE);
  }
  const bool is_whole = file_info->spacetime.value == file_info->dims.n;
  return QIO_check_string_occur(&file_info->version) + QIO_check_int_occur(&file_info->spacetime) +
         QIO_check_intarray_occur(&file_info->dims) + QIO_check_int_occur(&file_info->volfmt) + (is_whole ? 0 : 1);
}

void QIO_encode_file_info(QIO_String* file_string, QIO_FileInfo* file_info) {
  const QIO_FileInfoWrapper wrapper = QIO_FILE_INFO_WRAPPER;
  Encoder()
      .add(file_info->version)
      .add(file_info->spacetime)
      .add(file_info->dims, file_info->spacetime.value)
      .add(file_info->volfmt)
      .wrap(wrapper.fileinfo_tags, file_string);
}

int QIO_insert_file_tag_string(QIO_FileInfoWrapper* wrapper, char* fileinfo_tags) {
  return put(&wrapper->fileinfo_tags, fileinfo_tags);
}

int QIO_insert_file_version(QIO_FileInfo* file_info, char* version) { return put(&file_info->version, version); }

int QIO_insert_spacetime_dims(QIO_FileInfo* file_info, int spacetime, int* dims) {
  file_info->spacetime.occur = 0;
  file_info->dims.occur = 0;
  if (spacetime <= 0 || spacetime > QIO_MAXINTARRAY || dims == nullptr) return QIO_BAD_ARG;
  set(file_info->spacetime, spacetime);
  put_array(file_info->dims, dims, spacetime);
  return QIO_SUCCESS;
}

int QIO_insert_volfmt(QIO_FileInfo* file_info, int volfmt) {
  file_info->volfmt.occur = 0;
  if (volfmt < QIO_SINGLEFILE || volfmt > QIO_PARTFILE_DIR) return QIO_BAD_ARG;
  set(file_info->volfmt, volfmt);
  return QIO_SUCCESS;
}

char* QIO_get_file_info_tag_string(QIO_FileInfoWrapper* wrapper) { return wrapper->fileinfo_tags.value; }
char* QIO_get_file_version(QIO_FileInfo* file_info) { return file_info->version.value; }
int QIO_get_spacetime(QIO_FileInfo* file_info) { return file_info->spacetime.value; }
int* QIO_get_dims(QIO_FileInfo* file_info) { return file_info->dims.value; }
int QIO_get_volfmt(QIO_FileInfo* file_info) { return file_info->volfmt.value; }
int QIO_get_multifile(QIO_FileInfo_v1p0* file_info) { return file_info->multifile.value; }
int QIO_defined_spacetime(QIO_FileInfo* file_info) { return file_info->spacetime.occur; }
int QIO_defined_dims(QIO_FileInfo* file_info) { return file_info->dims.occur; }
int QIO_defined_volfmt(QIO_FileInfo* file_info) { return file_info->volfmt.occur; }

QIO_FileInfo* QIO_create_file_info(int spacetime, int* dims, int volfmt) {
  QIO_FileInfo* const info = make<QIO_FileInfo>(QIO_FILE_INFO_TEMPLATE);
  if (info == nullptr) return nullptr;
  put(&info->version, QIO_FILEFORMATVERSION);
  QIO_insert_spacetime_dims(info, spacetime, dims);
  QIO_insert_volfmt(info, volfmt);
  return info;
}

void QIO_destroy_file_info(QIO_FileInfo* file_info) { std::free(file_info); }

int QIO_compare_file_info(QIO_FileInfo* found, QIO_FileInfo* expect, char* myname, int this_node) {
  int code = QIO_SUCCESS;
  if (!agrees(found->spacetime, expect->spacetime)) code = differ(found->spacetime, QIO_ERR_FILE_INFO);
  const int count = std::clamp(expect->spacetime.value, 0, QIO_MAXINTARRAY);
  if (is_found(expect->dims) &&
      (!is_found(found->dims) || !std::equal(expect->dims.value, expect->dims.value + count, found->dims.value))) {
    code = differ(found->dims, QIO_ERR_FILE_INFO);
  }
  if (!agrees(found->volfmt, expect->volfmt)) code = differ(found->volfmt, QIO_ERR_FILE_INFO);
  if (code != QIO_SUCCESS) std::printf("%s(%d): the file is for another lattice\n", myname, this_node);
  return code;
}

// --- Records ---------------------------------------------------------------------------------------------------------

int QIO_decode_record_info(QIO_RecordInfo* record_info, QIO_String* record_string) {
  QIO_RecordInfo& info = *record_info;
  info = QIO_RECORD_INFO_TEMPLATE;
  QIO_TagIntValue globaldata = {"globaldata", "", 0, 0};
  const int parsed = for_each_element(record_string, "scidacRecord", [&](char* tag, char* value) {
    for (QIO_TagCharValue* text : {&info.version, &info.date, &info.datatype, &info.precision}) {
      QIO_decode_as_string(tag, value, text);
    }
    for (QIO_TagIntValue* number :
         {&info.recordtype, &info.spacetime, &info.colors, &info.spins, &info.typesize, &info.datacount, &globaldata}) {
      QIO_decode_as_int(tag, value, number);
    }
    for (QIO_TagIntArrayValue* bounds : {&info.hyperlower, &info.hyperupper}) QIO_decode_as_intlist(tag, value, bounds);
  });
  if (parsed != QIO_SUCCESS) return parsed;
  // Its old name; some old files have no such element at all.
  if (is_first_version(info.version) && !is_found(info.recordtype)) {
    set(info.recordtype, is_found(globaldata) ? globaldata.value : QIO_FIELD);
  }
  int errors = QIO_check_string_occur(&info.version) + QIO_check_int_occur(&info.recordtype) +
               QIO_check_string_occur(&info.datatype) + QIO_check_string_occur(&info.precision) +
               QIO_check_int_occur(&info.typesize) + QIO_check_int_occur(&info.datacount);
  if (info.recordtype.value == QIO_HYPER) {
    errors += QIO_check_int_occur(&info.spacetime) + QIO_check_intarray_occur(&info.hyperlower) +
              QIO_check_intarray_occur(&info.hyperupper);
  }
  return errors;
}

void QIO_encode_record_info(QIO_String* record_string, QIO_RecordInfo* record_info) {
  const QIO_RecordInfoWrapper wrapper = QIO_RECORD_INFO_WRAPPER;
  const QIO_RecordInfo& info = *record_info;
  Encoder encoder;
  encoder.add(info.version).add(info.date).add(info.recordtype);
  if (info.recordtype.value == QIO_HYPER) {
    const int count = info.spacetime.value;
    encoder.add(info.spacetime).add(info.hyperlower, count).add(info.hyperupper, count);
  }
  encoder.add(info.datatype)
      .add(info.precision)
      .add(info.colors)
      .add(info.spins)
      .add(info.typesize)
      .add(info.datacount);
  encoder.wrap(wrapper.recordinfo_tags, record_string);
}

int QIO_insert_record_tag_string(QIO_RecordInfoWrapper* wrapper, char* recordinfo_tags) {
  return put(&wrapper->recordinfo_tags, recordinfo_tags);
}

int QIO_insert_record_version(QIO_RecordInfo* record_info, char* version) {
  return put(&record_info->version, version);
}

int QIO_insert_record_date(QIO_RecordInfo* record_info, char* date) {
  QIO_TagCharValue& element = record_info->date;
  if (const int code = put(&element, date); code != QIO_SUCCESS) return code;
  const std::size_t length = std::strlen(element.value), room = sizeof element.value - 1 - length;
  if (length > 0 && element.value[length - 1] == '\n') element.value[length - 1] = ' ';
  std::strncat(element.value, "UTC", room);
  return room < 3 ? QIO_ERR_ALLOC : QIO_SUCCESS;
}

int QIO_insert_recordtype(QIO_RecordInfo* record_info, int recordtype) {
  set(record_info->recordtype, recordtype);
  return QIO_SUCCESS;
}

int QIO_insert_hypercube_bounds(QIO_RecordInfo* record_info, int* lower, int* upper, int n) {
  record_info->spacetime.occur = 0;
  record_info->hyperlower.occur = 0;
  record_info->hyperupper.occur = 0;
  if (n < 0 || n > QIO_MAXINTARRAY) return QIO_BAD_ARG;
  if (lower == nullptr || upper == nullptr) n = 0;
  set(record_info->spacetime, n);
  put_array(record_info->hyperlower, lower, n);
  put_array(record_info->hyperupper, upper, n);
  return QIO_SUCCESS;
}

int QIO_insert_datatype(QIO_RecordInfo* record_info, char* datatype) { return put(&record_info->datatype, datatype); }
int QIO_insert_precision(QIO_RecordInfo* record_info, char* precision) {
  return put(&record_info->precision, precision);
}
int QIO_insert_colors(QIO_RecordInfo* record_info, int colors) { return put(&record_info->colors, colors); }
int QIO_insert_spins(QIO_RecordInfo* record_info, int spins) { return put(&record_info->spins, spins); }
int QIO_insert_typesize(QIO_RecordInfo* record_info, int typesize) { return put(&record_info->typesize, typesize); }
int QIO_insert_datacount(QIO_RecordInfo* record_info, int datacount) { return put(&record_info->datacount, datacount); }

char* QIO_get_record_info_tag_string(QIO_RecordInfoWrapper* wrapper) { return wrapper->recordinfo_tags.value; }
char* QIO_get_record_info_version(QIO_RecordInfo* record_info) { return record_info->version.value; }
char* QIO_get_record_date(QIO_RecordInfo* record_info) { return record_info->date.value; }
int QIO_get_globaldata(QIO_RecordInfo_v1p0* record_info) { return record_info->globaldata.value; }
int QIO_get_recordtype(QIO_RecordInfo* record_info) { return record_info->recordtype.value; }
int QIO_get_hyper_spacetime(QIO_RecordInfo* record_info) { return record_info->spacetime.value; }
int* QIO_get_hyperlower(QIO_RecordInfo* record_info) { return record_info->hyperlower.value; }
int* QIO_get_hyperupper(QIO_RecordInfo* record_info) { return record_info->hyperupper.value; }
char* QIO_get_datatype(QIO_RecordInfo* record_info) { return record_info->datatype.value; }
char* QIO_get_precision(QIO_RecordInfo* record_info) { return record_info->precision.value; }
int QIO_get_colors(QIO_RecordInfo* record_info) { return record_info->colors.value; }
int QIO_get_spins(QIO_RecordInfo* record_info) { return record_info->spins.value; }
size_t QIO_get_typesize(QIO_RecordInfo* record_info) { return static_cast<size_t>(record_info->typesize.value); }
int QIO_get_datacount(QIO_RecordInfo* record_info) { return record_info->datacount.value; }
int QIO_defined_record_date(QIO_RecordInfo* record_info) { return record_info->date.occur; }
int QIO_defined_recordtype(QIO_RecordInfo* record_info) { return record_info->recordtype.occur; }
int QIO_defined_datatype(QIO_RecordInfo* record_info) { return record_info->datatype.occur; }
int QIO_defined_precision(QIO_RecordInfo* record_info) { return record_info->precision.occur; }
int QIO_defined_colors(QIO_RecordInfo* record_info) { return record_info->colors.occur; }
int QIO_defined_spins(QIO_RecordInfo* record_info) { return record_info->spins.occur; }
int QIO_defined_typesize(QIO_RecordInfo* record_info) { return record_info->typesize.occur; }
int QIO_defined_datacount(QIO_RecordInfo* record_info) { return record_info->datacount.occur; }

void QIO_set_recordtype(QIO_RecordInfo* record_info, int recordtype) { set(record_info->recordtype, recordtype); }
void QIO_set_datatype(QIO_RecordInfo* record_info, char* datatype) { put(&record_info->datatype, datatype); }
void QIO_set_precision(QIO_RecordInfo* record_info, char* precision) { put(&record_info->precision, precision); }
void QIO_set_record_date(QIO_RecordInfo* record_info, char* date) { put(&record_info->date, date); }
void QIO_set_colors(QIO_RecordInfo* record_info, int colors) { set(record_info->colors, colors); }
void QIO_set_spins(QIO_RecordInfo* record_info, int spins) { set(record_info->spins, spins); }
void QIO_set_typesize(QIO_RecordInfo* record_info, int typesize) { set(record_info->typesize, typesize); }
void QIO_set_datacount(QIO_RecordInfo* record_info, int datacount) { set(record_info->datacount, datacount); }

QIO_RecordInfo* QIO_create_record_info(int recordtype, int lower[], int upper[], int n, char* datatype, char* precision,
                                       int colors, int spins, int typesize, int datacount) {
  QIO_RecordInfo* const info = make<QIO_RecordInfo>(QIO_RECORD_INFO_TEMPLATE);
  if (info == nullptr) return nullptr;
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  char date[32] = "";
  if (::gmtime_r(&now, &parts) != nullptr) ::asctime_r(&parts, date);
  put(&info->version, QIO_RECORDFORMATVERSION);
  QIO_insert_record_date(info, date);
  set(info->recordtype, recordtype);
  if (recordtype == QIO_HYPER) QIO_insert_hypercube_bounds(info, lower, upper, n);
  put(&info->datatype, datatype);
  put(&info->precision, precision);
  put(&info->colors, colors);
  put(&info->spins, spins);
  put(&info->typesize, typesize);
  put(&info->datacount, datacount);
  return info;
}

void QIO_destroy_record_info(QIO_RecordInfo* record_info) { std::free(record_info); }

// Existing values are not compared: as with the original, QDP/C reads fields that other programs have written,
// whose names of type and precision differ from its own.
int QIO_compare_record_info(QIO_RecordInfo* found, QIO_RecordInfo* expect) {
  for (const auto member : {&QIO_RecordInfo::recordtype, &QIO_RecordInfo::colors, &QIO_RecordInfo::spins,
                            &QIO_RecordInfo::typesize, &QIO_RecordInfo::datacount}) {
    if (is_missed(found->*member, expect->*member)) return differ(found->*member, QIO_ERR_REC_INFO);
  }
  for (const auto member : {&QIO_RecordInfo::datatype, &QIO_RecordInfo::precision}) {
    if (is_missed(found->*member, expect->*member)) return differ(found->*member, QIO_ERR_REC_INFO);
  }
  return QIO_SUCCESS;
}

// --- Checksums -------------------------------------------------------------------------------------------------------

int QIO_decode_checksum_info(QIO_ChecksumInfo* checksum, QIO_String* file_string) {
  *checksum = QIO_CHECKSUM_INFO_TEMPLATE;
  const int parsed = for_each_element(file_string, "scidacChecksum", [&](char* tag, char* value) {
    QIO_decode_as_string(tag, value, &checksum->version);
    QIO_decode_as_hex32(tag, value, &checksum->suma);
    QIO_decode_as_hex32(tag, value, &checksum->sumb);
  });
  if (parsed != QIO_SUCCESS) return parsed;
  return QIO_check_string_occur(&checksum->version) + QIO_check_hex32_occur(&checksum->suma) +
         QIO_check_hex32_occur(&checksum->sumb);
}

void QIO_encode_checksum_info(QIO_String* file_string, QIO_ChecksumInfo* checksum) {
  const QIO_ChecksumInfoWrapper wrapper = QIO_CHECKSUM_INFO_WRAPPER;
  Encoder().add(checksum->version).add(checksum->suma).add(checksum->sumb).wrap(wrapper.checksuminfo_tags, file_string);
}

int QIO_insert_checksum_tag_string(QIO_ChecksumInfoWrapper* wrapper, char* checksuminfo_tags) {
  return put(&wrapper->checksuminfo_tags, checksuminfo_tags);
}

int QIO_insert_checksum_version(QIO_ChecksumInfo* checksum_info, char* version) {
  return put(&checksum_info->version, version);
}

// 0 is a valid sum.
int QIO_insert_suma_sumb(QIO_ChecksumInfo* checksum_info, uint32_t suma, uint32_t sumb) {
  checksum_info->suma.value = suma;
  checksum_info->suma.occur = 1;
  checksum_info->sumb.value = sumb;
  checksum_info->sumb.occur = 1;
  return QIO_SUCCESS;
}

char* QIO_get_checksum_info_tag_string(QIO_ChecksumInfoWrapper* wrapper) { return wrapper->checksuminfo_tags.value; }
uint32_t QIO_get_suma(QIO_ChecksumInfo* checksum_info) { return checksum_info->suma.value; }
uint32_t QIO_get_sumb(QIO_ChecksumInfo* checksum_info) { return checksum_info->sumb.value; }
int QIO_defined_suma(QIO_ChecksumInfo* checksum_info) { return checksum_info->suma.occur; }
int QIO_defined_sumb(QIO_ChecksumInfo* checksum_info) { return checksum_info->sumb.occur; }

QIO_ChecksumInfo* QIO_create_checksum_info(uint32_t suma, uint32_t sumb) {
  QIO_ChecksumInfo* const info = make<QIO_ChecksumInfo>(QIO_CHECKSUM_INFO_TEMPLATE);
  if (info == nullptr) return nullptr;
  put(&info->version, QIO_CHECKSUMFORMATVERSION);
  QIO_insert_suma_sumb(info, suma, sumb);
  return info;
}

void QIO_destroy_checksum_info(QIO_ChecksumInfo* checksum_info) { std::free(checksum_info); }

int QIO_compare_checksum_info(QIO_ChecksumInfo* found, QIO_ChecksumInfo* expect, char* myname, int this_node) {
  if (!is_found(found->suma) || !is_found(found->sumb)) return QIO_ERR_CHECKSUM_INFO;
  if (found->suma.value == expect->suma.value && found->sumb.value == expect->sumb.value) return QIO_SUCCESS;
  std::printf("%s(%d): the data have checksum %x %x, the file says %x %x\n", myname, this_node, found->suma.value,
              found->sumb.value, expect->suma.value, expect->sumb.value);
  return QIO_CHECKSUM_MISMATCH;
}

}  // extern "C"
