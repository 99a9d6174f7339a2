// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The XML of Dirac propagators that the USQCD codes agree on (qioxml_usqcd_prop.h).
#include <qio.h>

#include <cstring>

#include "compat/qio/elements.hpp"

using namespace lq::compat::qio;

namespace {

struct PropType {
  int number;
  const char* text;
};

constexpr PropType prop_types[] = {
    {QIO_USQCDPROPFILETYPE_C1D12, QIO_USQCDPROPFILETYPESTRING_C1D12},
    {QIO_USQCDPROPFILETYPE_DD_PAIRS, QIO_USQCDPROPFILETYPESTRING_DD_PAIRS},
    {QIO_USQCDPROPFILETYPE_CD_PAIRS, QIO_USQCDPROPFILETYPESTRING_CD_PAIRS},
    {QIO_USQCDPROPFILETYPE_LHPC, QIO_USQCDPROPFILETYPESTRING_LHPC},
};

}  // namespace

extern "C" {

void QIO_encode_usqcd_propfile_info(QIO_String* file_string, QIO_USQCDPropFileInfo* file_info) {
  const QIO_USQCDPropFileInfoWrapper wrapper = QIO_USQCD_PROPFILE_INFO_WRAPPER;
  Encoder()
      .add(file_info->version)
      .add(file_info->type)
      .add(file_info->info)
      .wrap(wrapper.usqcdpropfileinfo_tags, file_string);
}

int QIO_decode_usqcd_propfile_info(QIO_USQCDPropFileInfo* file_info, QIO_String* file_string) {
  *file_info = QIO_USQCD_PROPFILE_INFO_TEMPLATE;
  const bool is_right = for_each_element(file_string, "usqcdPropFile", [&](char* tag, char* value) {
    QIO_decode_as_string(tag, value, &file_info->version);
    QIO_decode_as_string(tag, value, &file_info->type);
    QIO_decode_as_string(tag, value, &file_info->info);
  });
  if (!is_right) return QIO_BAD_XML;
  return QIO_check_string_occur(&file_info->version) + QIO_check_string_occur(&file_info->type) +
         QIO_check_string_occur(&file_info->info);
}

int QIO_insert_usqcd_propfile_version(QIO_USQCDPropFileInfo* file_info, char* version) {
  return put(&file_info->version, version);
}
int QIO_insert_usqcd_propfile_info(QIO_USQCDPropFileInfo* file_info, char* info) { return put(&file_info->info, info); }
int QIO_insert_usqcd_propfile_tag_string(QIO_USQCDPropFileInfoWrapper* wrapper, char* tags) {
  return put(&wrapper->usqcdpropfileinfo_tags, tags);
}
int QIO_insert_usqcd_propfile_type(QIO_USQCDPropFileInfo* file_info, int type) {
  file_info->type.occur = 0;
  for (const auto& one : prop_types) {
    if (one.number == type) return put(&file_info->type, one.text);
  }
  return QIO_BAD_ARG;
}

char* QIO_get_usqcd_propfile_info_tag_string(QIO_USQCDPropFileInfoWrapper* wrapper) {
  return wrapper->usqcdpropfileinfo_tags.value;
}
char* QIO_get_usqcd_propfile_info(QIO_USQCDPropFileInfo* file_info) { return file_info->info.value; }
int QIO_defined_usqcd_propfile_info(QIO_USQCDPropFileInfo* file_info) { return file_info->info.occur; }
int QIO_defined_usqcd_propfileinfo(QIO_USQCDPropFileInfo* file_info) { return file_info->info.occur; }
int QIO_defined_usqcd_propfile_type(QIO_USQCDPropFileInfo* file_info) { return file_info->type.occur; }
int QIO_get_usqcd_propfile_type(QIO_USQCDPropFileInfo* file_info) {
  for (const auto& one : prop_types) {
    if (std::strcmp(one.text, file_info->type.value) == 0) return one.number;
  }
  return QIO_ERR_FILE_INFO;
}

QIO_USQCDPropFileInfo* QIO_create_usqcd_propfile_info(int type, char* info) {
  QIO_USQCDPropFileInfo* const object = make<QIO_USQCDPropFileInfo>(QIO_USQCD_PROPFILE_INFO_TEMPLATE);
  if (object == nullptr) return nullptr;
  put(&object->version, QIO_USQCDPROPFILEFORMATVERSION);
  QIO_insert_usqcd_propfile_type(object, type);
  put(&object->info, info);
  return object;
}

void QIO_destroy_usqcd_propfile_info(QIO_USQCDPropFileInfo* file_info) { std::free(file_info); }

void QIO_encode_usqcd_propsource_info(QIO_String* record_string, QIO_USQCDPropSourceInfo* record_info) {
  const QIO_USQCDPropSourceInfoWrapper wrapper = QIO_USQCD_PROPSOURCE_INFO_WRAPPER;
  Encoder()
      .add(record_info->version)
      .add(record_info->spin)
      .add(record_info->color)
      .add(record_info->info)
      .wrap(wrapper.usqcdpropsourceinfo_tags, record_string);
}

int QIO_decode_usqcd_propsource_info(QIO_USQCDPropSourceInfo* record_info, QIO_String* record_string) {
  *record_info = QIO_USQCD_PROPSOURCE_INFO_TEMPLATE;
  const bool is_right = for_each_element(record_string, "usqcdSourceInfo", [&](char* tag, char* value) {
    QIO_decode_as_string(tag, value, &record_info->version);
    QIO_decode_as_string(tag, value, &record_info->info);
    QIO_decode_as_int(tag, value, &record_info->spin);
    QIO_decode_as_int(tag, value, &record_info->color);
  });
  if (!is_right) return QIO_BAD_XML;
  return QIO_check_string_occur(&record_info->version) + QIO_check_string_occur(&record_info->info);
}

int QIO_insert_usqcd_propsource_version(QIO_USQCDPropSourceInfo* record_info, char* version) {
  return put(&record_info->version, version);
}
int QIO_insert_usqcd_propsource_info(QIO_USQCDPropSourceInfo* record_info, char* info) {
  return put(&record_info->info, info);
}
int QIO_insert_usqcd_propsource_tag_string(QIO_USQCDPropSourceInfoWrapper* wrapper, char* tags) {
  return put(&wrapper->usqcdpropsourceinfo_tags, tags);
}
int QIO_insert_usqcd_propsource_spin(QIO_USQCDPropSourceInfo* record_info, int spin) {
  set(record_info->spin, spin);
  return QIO_SUCCESS;
}
int QIO_insert_usqcd_propsource_color(QIO_USQCDPropSourceInfo* record_info, int color) {
  set(record_info->color, color);
  return QIO_SUCCESS;
}

char* QIO_get_usqcd_propsource_info_tag_string(QIO_USQCDPropSourceInfoWrapper* wrapper) {
  return wrapper->usqcdpropsourceinfo_tags.value;
}
char* QIO_get_usqcd_propsource_info(QIO_USQCDPropSourceInfo* record_info) { return record_info->info.value; }
int QIO_defined_usqcd_propsource_info(QIO_USQCDPropSourceInfo* record_info) { return record_info->info.occur; }
int QIO_get_usqcd_propsource_spin(QIO_USQCDPropSourceInfo* record_info) { return record_info->spin.value; }
int QIO_defined_usqcd_propsource_spin(QIO_USQCDPropSourceInfo* record_info) { return record_info->spin.occur; }
int QIO_get_usqcd_propsource_color(QIO_USQCDPropSourceInfo* record_info) { return record_info->color.value; }
int QIO_defined_usqcd_propsource_color(QIO_USQCDPropSourceInfo* record_info) { return record_info->color.occur; }

QIO_USQCDPropSourceInfo* QIO_create_usqcd_propsource_info(char* info) {
  QIO_USQCDPropSourceInfo* const object = make<QIO_USQCDPropSourceInfo>(QIO_USQCD_PROPSOURCE_INFO_TEMPLATE);
  if (object == nullptr) return nullptr;
  put(&object->version, QIO_USQCDPROPSOURCEFORMATVERSION);
  put(&object->info, info);
  return object;
}

QIO_USQCDPropSourceInfo* QIO_create_usqcd_propsource_sc_info(int spin, int color, char* info) {
  QIO_USQCDPropSourceInfo* const object = QIO_create_usqcd_propsource_info(info);
  if (object == nullptr) return nullptr;
  set(object->spin, spin);
  set(object->color, color);
  return object;
}

void QIO_destroy_usqcd_propsource_info(QIO_USQCDPropSourceInfo* record_info) { std::free(record_info); }

void QIO_encode_usqcd_proprecord_info(QIO_String* record_string, QIO_USQCDPropRecordInfo* record_info) {
  const QIO_USQCDPropRecordInfoWrapper wrapper = QIO_USQCD_PROPRECORD_INFO_WRAPPER;
  Encoder()
      .add(record_info->version)
      .add(record_info->spin)
      .add(record_info->color)
      .add(record_info->info)
      .wrap(wrapper.usqcdproprecordinfo_tags, record_string);
}

int QIO_decode_usqcd_proprecord_info(QIO_USQCDPropRecordInfo* record_info, QIO_String* record_string) {
  const auto take = [&](char* tag, char* value) {
    QIO_decode_as_string(tag, value, &record_info->version);
    QIO_decode_as_string(tag, value, &record_info->info);
    QIO_decode_as_int(tag, value, &record_info->spin);
    QIO_decode_as_int(tag, value, &record_info->color);
  };
  *record_info = QIO_USQCD_PROPRECORD_INFO_TEMPLATE;
  // Older files have another name around it.
  if (!for_each_element(record_string, "usqcdPropInfo", take) && !for_each_element(record_string, "usqcdInfo", take))
    return QIO_BAD_XML;
  return QIO_check_string_occur(&record_info->version) + QIO_check_string_occur(&record_info->info);
}

int QIO_insert_usqcd_proprecord_version(QIO_USQCDPropRecordInfo* record_info, char* version) {
  return put(&record_info->version, version);
}
int QIO_insert_usqcd_proprecord_info(QIO_USQCDPropRecordInfo* record_info, char* info) {
  return put(&record_info->info, info);
}
int QIO_insert_usqcd_proprecord_tag_string(QIO_USQCDPropRecordInfoWrapper* wrapper, char* tags) {
  return put(&wrapper->usqcdproprecordinfo_tags, tags);
}
int QIO_insert_usqcd_proprecord_spin(QIO_USQCDPropRecordInfo* record_info, int spin) {
  set(record_info->spin, spin);
  return QIO_SUCCESS;
}
int QIO_insert_usqcd_proprecord_color(QIO_USQCDPropRecordInfo* record_info, int color) {
  set(record_info->color, color);
  return QIO_SUCCESS;
}

char* QIO_get_usqcd_proprecord_info_tag_string(QIO_USQCDPropRecordInfoWrapper* wrapper) {
  return wrapper->usqcdproprecordinfo_tags.value;
}
char* QIO_get_usqcd_proprecord_info(QIO_USQCDPropRecordInfo* record_info) { return record_info->info.value; }
int QIO_defined_usqcd_proprecord_info(QIO_USQCDPropRecordInfo* record_info) { return record_info->info.occur; }
int QIO_defined_usqcd_proprecordinfo(QIO_USQCDPropRecordInfo* record_info) { return record_info->info.occur; }
int QIO_get_usqcd_proprecord_spin(QIO_USQCDPropRecordInfo* record_info) { return record_info->spin.value; }
int QIO_defined_usqcd_proprecord_spin(QIO_USQCDPropRecordInfo* record_info) { return record_info->spin.occur; }
int QIO_get_usqcd_proprecord_color(QIO_USQCDPropRecordInfo* record_info) { return record_info->color.value; }
int QIO_defined_usqcd_proprecord_color(QIO_USQCDPropRecordInfo* record_info) { return record_info->color.occur; }

QIO_USQCDPropRecordInfo* QIO_create_usqcd_proprecord_info(char* info) {
  QIO_USQCDPropRecordInfo* const object = make<QIO_USQCDPropRecordInfo>(QIO_USQCD_PROPRECORD_INFO_TEMPLATE);
  if (object == nullptr) return nullptr;
  put(&object->version, QIO_USQCDPROPRECORDFORMATVERSION);
  put(&object->info, info);
  return object;
}

QIO_USQCDPropRecordInfo* QIO_create_usqcd_proprecord_sc_info(int spin, int color, char* info) {
  QIO_USQCDPropRecordInfo* const object = QIO_create_usqcd_proprecord_info(info);
  if (object == nullptr) return nullptr;
  set(object->spin, spin);
  set(object->color, color);
  return object;
}

void QIO_destroy_usqcd_proprecord_info(QIO_USQCDPropRecordInfo* record_info) { std::free(record_info); }

}  // extern "C"
