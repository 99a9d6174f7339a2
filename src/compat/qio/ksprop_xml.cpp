// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The XML of staggered propagators that the USQCD codes agree on (qioxml_usqcd_ksprop.h).
#include <qio.h>

#include <cstring>

#include "compat/qio/elements.hpp"

using namespace lq::compat::qio;

namespace {

struct KSPropType {
  int number;
  const char* text;
};

constexpr KSPropType ksprop_types[] = {
    {QIO_USQCDKSPROPFILETYPE_C1V3, QIO_USQCDKSPROPFILETYPESTRING_C1V3},
    {QIO_USQCDKSPROPFILETYPE_VV_PAIRS, QIO_USQCDKSPROPFILETYPESTRING_VV_PAIRS},
    {QIO_USQCDKSPROPFILETYPE_CV_PAIRS, QIO_USQCDKSPROPFILETYPESTRING_CV_PAIRS},
};

}  // namespace

extern "C" {

void QIO_encode_usqcd_kspropfile_info(QIO_String* file_string, QIO_USQCDKSPropFileInfo* file_info) {
  const QIO_USQCDKSPropFileInfoWrapper wrapper = QIO_USQCD_KSPROPFILE_INFO_WRAPPER;
  Encoder()
      .add(file_info->version)
      .add(file_info->type)
      .add(file_info->info)
      .wrap(wrapper.usqcdkspropfileinfo_tags, file_string);
}

int QIO_decode_usqcd_kspropfile_info(QIO_USQCDKSPropFileInfo* file_info, QIO_String* file_string) {
  *file_info = QIO_USQCD_KSPROPFILE_INFO_TEMPLATE;
  const bool is_right = for_each_element(file_string, "usqcdKSPropFile", [&](char* tag, char* value) {
    QIO_decode_as_string(tag, value, &file_info->version);
    QIO_decode_as_string(tag, value, &file_info->type);
    QIO_decode_as_string(tag, value, &file_info->info);
  });
  if (!is_right) return QIO_BAD_XML;
  return QIO_check_string_occur(&file_info->version) + QIO_check_string_occur(&file_info->type) +
         QIO_check_string_occur(&file_info->info);
}

int QIO_insert_usqcdkspropfile_version(QIO_USQCDKSPropFileInfo* file_info, char* version) {
  return put(&file_info->version, version);
}
int QIO_insert_usqcdkspropfile_info(QIO_USQCDKSPropFileInfo* file_info, char* info) {
  return put(&file_info->info, info);
}
int QIO_insert_usqcdkspropfile_tag_string(QIO_USQCDKSPropFileInfoWrapper* wrapper, char* tags) {
  return put(&wrapper->usqcdkspropfileinfo_tags, tags);
}
int QIO_insert_usqcdkspropfile_type(QIO_USQCDKSPropFileInfo* file_info, int type) {
  file_info->type.occur = 0;
  for (const auto& one : ksprop_types) {
    if (one.number == type) return put(&file_info->type, one.text);
  }
  return QIO_BAD_ARG;
}

char* QIO_get_usqcd_kspropfile_info_tag_string(QIO_USQCDKSPropFileInfoWrapper* wrapper) {
  return wrapper->usqcdkspropfileinfo_tags.value;
}
char* QIO_get_usqcd_kspropfile_info(QIO_USQCDKSPropFileInfo* file_info) { return file_info->info.value; }
int QIO_defined_usqcd_kspropfile_info(QIO_USQCDKSPropFileInfo* file_info) { return file_info->info.occur; }
int QIO_defined_usqcd_kspropfileinfo(QIO_USQCDKSPropFileInfo* file_info) { return file_info->info.occur; }
int QIO_defined_usqcd_kspropfile_type(QIO_USQCDKSPropFileInfo* file_info) { return file_info->type.occur; }
int QIO_get_usqcd_kspropfile_type(QIO_USQCDKSPropFileInfo* file_info) {
  for (const auto& one : ksprop_types) {
    if (std::strcmp(one.text, file_info->type.value) == 0) return one.number;
  }
  return QIO_ERR_FILE_INFO;
}

QIO_USQCDKSPropFileInfo* QIO_create_usqcd_kspropfile_info(int type, char* info) {
  QIO_USQCDKSPropFileInfo* const object = make<QIO_USQCDKSPropFileInfo>(QIO_USQCD_KSPROPFILE_INFO_TEMPLATE);
  if (object == nullptr) return nullptr;
  put(&object->version, QIO_USQCDKSPROPFILEFORMATVERSION);
  QIO_insert_usqcdkspropfile_type(object, type);
  put(&object->info, info);
  return object;
}

void QIO_destroy_usqcd_kspropfile_info(QIO_USQCDKSPropFileInfo* file_info) { std::free(file_info); }

void QIO_encode_usqcd_kspropsource_info(QIO_String* record_string, QIO_USQCDKSPropSourceInfo* record_info) {
  const QIO_USQCDKSPropSourceInfoWrapper wrapper = QIO_USQCD_KSPROPSOURCE_INFO_WRAPPER;
  Encoder()
      .add(record_info->version)
      .add(record_info->color)
      .add(record_info->info)
      .wrap(wrapper.usqcdkspropsourceinfo_tags, record_string);
}

int QIO_decode_usqcd_kspropsource_info(QIO_USQCDKSPropSourceInfo* record_info, QIO_String* record_string) {
  *record_info = QIO_USQCD_KSPROPSOURCE_INFO_TEMPLATE;
  const bool is_right = for_each_element(record_string, "usqcdSourceInfo", [&](char* tag, char* value) {
    QIO_decode_as_string(tag, value, &record_info->version);
    QIO_decode_as_string(tag, value, &record_info->info);
    QIO_decode_as_int(tag, value, &record_info->color);
  });
  if (!is_right) return QIO_BAD_XML;
  return QIO_check_string_occur(&record_info->version) + QIO_check_string_occur(&record_info->info);
}

int QIO_insert_usqcdkspropsource_version(QIO_USQCDKSPropSourceInfo* record_info, char* version) {
  return put(&record_info->version, version);
}
int QIO_insert_usqcdkspropsource_info(QIO_USQCDKSPropSourceInfo* record_info, char* info) {
  return put(&record_info->info, info);
}
int QIO_insert_usqcdkspropsource_tag_string(QIO_USQCDKSPropSourceInfoWrapper* wrapper, char* tags) {
  return put(&wrapper->usqcdkspropsourceinfo_tags, tags);
}
int QIO_insert_usqcd_kspropsource_color(QIO_USQCDKSPropSourceInfo* record_info, int color) {
  set(record_info->color, color);
  return QIO_SUCCESS;
}

char* QIO_get_usqcd_kspropsource_info_tag_string(QIO_USQCDKSPropSourceInfoWrapper* wrapper) {
  return wrapper->usqcdkspropsourceinfo_tags.value;
}
char* QIO_get_usqcd_kspropsource_info(QIO_USQCDKSPropSourceInfo* record_info) { return record_info->info.value; }
int QIO_defined_usqcd_kspropsource_info(QIO_USQCDKSPropSourceInfo* record_info) { return record_info->info.occur; }
int QIO_get_usqcd_kspropsource_color(QIO_USQCDKSPropSourceInfo* record_info) { return record_info->color.value; }
int QIO_defined_usqcd_kspropsource_color(QIO_USQCDKSPropSourceInfo* record_info) { return record_info->color.occur; }

QIO_USQCDKSPropSourceInfo* QIO_create_usqcd_kspropsource_info(char* info) {
  QIO_USQCDKSPropSourceInfo* const object = make<QIO_USQCDKSPropSourceInfo>(QIO_USQCD_KSPROPSOURCE_INFO_TEMPLATE);
  if (object == nullptr) return nullptr;
  put(&object->version, QIO_USQCDKSPROPSOURCEFORMATVERSION);
  put(&object->info, info);
  return object;
}

QIO_USQCDKSPropSourceInfo* QIO_create_usqcd_kspropsource_c_info(int color, char* info) {
  QIO_USQCDKSPropSourceInfo* const object = QIO_create_usqcd_kspropsource_info(info);
  if (object == nullptr) return nullptr;
  set(object->color, color);
  return object;
}

void QIO_destroy_usqcd_kspropsource_info(QIO_USQCDKSPropSourceInfo* record_info) { std::free(record_info); }

void QIO_encode_usqcd_ksproprecord_info(QIO_String* record_string, QIO_USQCDKSPropRecordInfo* record_info) {
  const QIO_USQCDKSPropRecordInfoWrapper wrapper = QIO_USQCD_KSPROPRECORD_INFO_WRAPPER;
  Encoder()
      .add(record_info->version)
      .add(record_info->color)
      .add(record_info->info)
      .wrap(wrapper.usqcdksproprecordinfo_tags, record_string);
}

int QIO_decode_usqcd_ksproprecord_info(QIO_USQCDKSPropRecordInfo* record_info, QIO_String* record_string) {
  *record_info = QIO_USQCD_KSPROPRECORD_INFO_TEMPLATE;
  const bool is_right = for_each_element(record_string, "usqcdKSPropInfo", [&](char* tag, char* value) {
    QIO_decode_as_string(tag, value, &record_info->version);
    QIO_decode_as_string(tag, value, &record_info->info);
    QIO_decode_as_int(tag, value, &record_info->color);
  });
  if (!is_right) return QIO_BAD_XML;
  return QIO_check_string_occur(&record_info->version) + QIO_check_string_occur(&record_info->info);
}

int QIO_insert_usqcd_ksproprecord_version(QIO_USQCDKSPropRecordInfo* record_info, char* version) {
  return put(&record_info->version, version);
}
int QIO_insert_usqcd_ksproprecord_info(QIO_USQCDKSPropRecordInfo* record_info, char* info) {
  return put(&record_info->info, info);
}
int QIO_insert_usqcd_ksproprecord_tag_string(QIO_USQCDKSPropRecordInfoWrapper* wrapper, char* tags) {
  return put(&wrapper->usqcdksproprecordinfo_tags, tags);
}
int QIO_insert_usqcd_ksproprecord_color(QIO_USQCDKSPropRecordInfo* record_info, int color) {
  set(record_info->color, color);
  return QIO_SUCCESS;
}

char* QIO_get_usqcd_ksproprecord_info_tag_string(QIO_USQCDKSPropRecordInfoWrapper* wrapper) {
  return wrapper->usqcdksproprecordinfo_tags.value;
}
char* QIO_get_usqcd_ksproprecord_info(QIO_USQCDKSPropRecordInfo* record_info) { return record_info->info.value; }
int QIO_defined_usqcd_ksproprecord_info(QIO_USQCDKSPropRecordInfo* record_info) { return record_info->info.occur; }
int QIO_get_usqcd_ksproprecord_color(QIO_USQCDKSPropRecordInfo* record_info) { return record_info->color.value; }
int QIO_defined_usqcd_ksproprecord_color(QIO_USQCDKSPropRecordInfo* record_info) { return record_info->color.occur; }

QIO_USQCDKSPropRecordInfo* QIO_create_usqcd_ksproprecord_info(char* info) {
  QIO_USQCDKSPropRecordInfo* const object = make<QIO_USQCDKSPropRecordInfo>(QIO_USQCD_KSPROPRECORD_INFO_TEMPLATE);
  if (object == nullptr) return nullptr;
  put(&object->version, QIO_USQCDKSPROPRECORDFORMATVERSION);
  put(&object->info, info);
  return object;
}

QIO_USQCDKSPropRecordInfo* QIO_create_usqcd_ksproprecord_c_info(int color, char* info) {
  QIO_USQCDKSPropRecordInfo* const object = QIO_create_usqcd_ksproprecord_info(info);
  if (object == nullptr) return nullptr;
  set(object->color, color);
  return object;
}

void QIO_destroy_usqcd_ksproprecord_info(QIO_USQCDKSPropRecordInfo* record_info) { std::free(record_info); }

}  // extern "C"
