// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The record XML of gauge fields that the USQCD codes agree on (qioxml_usqcd_gauge.h).
#include "compat/qio/information.hpp"

using namespace lq::compat::qio;

extern "C" {

LQ_QIO_INFORMATION(QIO_USQCDLatticeInfo, usqcd_lattice, usqcdlattice, usqcdlatticeinfo_tags,
                   QIO_USQCD_LATTICE_INFO_TEMPLATE, QIO_USQCD_LATTICE_INFO_WRAPPER, "usqcdInfo")

int QIO_insert_usqcdlattice_plaq(QIO_USQCDLatticeInfo* record_info, char* plaq) {
  return put(&record_info->plaq, plaq);
}
int QIO_insert_usqcdlattice_linktr(QIO_USQCDLatticeInfo* record_info, char* linktr) {
  return put(&record_info->linktr, linktr);
}

char* QIO_get_plaq(QIO_USQCDLatticeInfo* record_info) { return record_info->plaq.value; }
int QIO_defined_plaq(QIO_USQCDLatticeInfo* record_info) { return record_info->plaq.occur; }
char* QIO_get_linktr(QIO_USQCDLatticeInfo* record_info) { return record_info->linktr.value; }
int QIO_defined_linktr(QIO_USQCDLatticeInfo* record_info) { return record_info->linktr.occur; }
char* QIO_get_info(QIO_USQCDLatticeInfo* record_info) { return record_info->info.value; }
int QIO_defined_info(QIO_USQCDLatticeInfo* record_info) { return record_info->info.occur; }

QIO_USQCDLatticeInfo* QIO_create_usqcd_lattice_info(char* plaq, char* linktr, char* info) {
  const QIO_USQCDLatticeInfo nothing = QIO_USQCD_LATTICE_INFO_TEMPLATE;
  QIO_USQCDLatticeInfo* const object = make_information(nothing, QIO_USQCDLATTICEFORMATVERSION, info);
  if (object == nullptr) return nullptr;
  put(&object->plaq, plaq);
  put(&object->linktr, linktr);
  return object;
}

}  // extern "C"
