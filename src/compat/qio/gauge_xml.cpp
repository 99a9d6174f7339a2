// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The record XML of gauge fields that the USQCD codes agree on (qioxml_usqcd_gauge.h).
#include <qio.h>

#include "compat/qio/elements.hpp"

using namespace lq::compat::qio;

extern "C" {

void QIO_encode_usqcd_lattice_info(QIO_String* record_string, QIO_USQCDLatticeInfo* record_info) {
  const QIO_USQCDLatticeInfoWrapper wrapper = QIO_USQCD_LATTICE_INFO_WRAPPER;
  Encoder()
      .add(record_info->version)
      .add(record_info->plaq)
      .add(record_info->linktr)
      .add(record_info->info)
      .wrap(wrapper.usqcdlatticeinfo_tags, record_string);
}

int QIO_decode_usqcd_lattice_info(QIO_USQCDLatticeInfo* record_info, QIO_String* record_string) {
  QIO_USQCDLatticeInfo& info = *record_info;
  info = QIO_USQCD_LATTICE_INFO_TEMPLATE;
  const auto all = {&info.version, &info.plaq, &info.linktr, &info.info};
  const bool is_info = for_each_element(record_string, "usqcdInfo", [&](char* tag, char* value) {
    for (QIO_TagCharValue* text : all) QIO_decode_as_string(tag, value, text);
  });
  if (!is_info) return QIO_BAD_XML;
  int errors = 0;
  for (QIO_TagCharValue* text : all) errors += QIO_check_string_occur(text);
  return errors;
}

int QIO_insert_usqcdlattice_version(QIO_USQCDLatticeInfo* record_info, char* version) {
  return put(&record_info->version, version);
}
int QIO_insert_usqcdlattice_plaq(QIO_USQCDLatticeInfo* record_info, char* plaq) {
  return put(&record_info->plaq, plaq);
}
int QIO_insert_usqcdlattice_linktr(QIO_USQCDLatticeInfo* record_info, char* linktr) {
  return put(&record_info->linktr, linktr);
}
int QIO_insert_usqcdlattice_info(QIO_USQCDLatticeInfo* record_info, char* info) {
  return put(&record_info->info, info);
}
int QIO_insert_usqcdlattice_tag_string(QIO_USQCDLatticeInfoWrapper* wrapper, char* recordinfo_tags) {
  return put(&wrapper->usqcdlatticeinfo_tags, recordinfo_tags);
}

char* QIO_get_usqcd_lattice_info_tag_string(QIO_USQCDLatticeInfoWrapper* wrapper) {
  return wrapper->usqcdlatticeinfo_tags.value;
}
char* QIO_get_plaq(QIO_USQCDLatticeInfo* record_info) { return record_info->plaq.value; }
int QIO_defined_plaq(QIO_USQCDLatticeInfo* record_info) { return record_info->plaq.occur; }
char* QIO_get_linktr(QIO_USQCDLatticeInfo* record_info) { return record_info->linktr.value; }
int QIO_defined_linktr(QIO_USQCDLatticeInfo* record_info) { return record_info->linktr.occur; }
char* QIO_get_info(QIO_USQCDLatticeInfo* record_info) { return record_info->info.value; }
int QIO_defined_info(QIO_USQCDLatticeInfo* record_info) { return record_info->info.occur; }

QIO_USQCDLatticeInfo* QIO_create_usqcd_lattice_info(char* plaq, char* linktr, char* info) {
  QIO_USQCDLatticeInfo* const object = make<QIO_USQCDLatticeInfo>(QIO_USQCD_LATTICE_INFO_TEMPLATE);
  if (object == nullptr) return nullptr;
  put(&object->version, QIO_USQCDLATTICEFORMATVERSION);
  put(&object->plaq, plaq);
  put(&object->linktr, linktr);
  put(&object->info, info);
  return object;
}

void QIO_destroy_usqcd_lattice_info(QIO_USQCDLatticeInfo* record_info) { std::free(record_info); }

}  // extern "C"
