// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The XML of Dirac propagators that the USQCD codes agree on (qioxml_usqcd_prop.h).
#include "compat/qio/information.hpp"

using namespace lq::compat::qio;

namespace {

constexpr PropType prop_types[] = {
    {QIO_USQCDPROPFILETYPE_C1D12, QIO_USQCDPROPFILETYPESTRING_C1D12},
    {QIO_USQCDPROPFILETYPE_DD_PAIRS, QIO_USQCDPROPFILETYPESTRING_DD_PAIRS},
    {QIO_USQCDPROPFILETYPE_CD_PAIRS, QIO_USQCDPROPFILETYPESTRING_CD_PAIRS},
    {QIO_USQCDPROPFILETYPE_LHPC, QIO_USQCDPROPFILETYPESTRING_LHPC},
};

template <class Info>
Info* with_spin_and_color(Info* object, int spin, int color) {
  if (object == nullptr) return nullptr;
  set(object->spin, spin);
  set(object->color, color);
  return object;
}

}  // namespace

extern "C" {

LQ_QIO_INFORMATION(QIO_USQCDPropFileInfo, usqcd_propfile, usqcd_propfile, usqcdpropfileinfo_tags,
                   QIO_USQCD_PROPFILE_INFO_TEMPLATE, QIO_USQCD_PROPFILE_INFO_WRAPPER, "usqcdPropFile")
LQ_QIO_TEXT(QIO_USQCDPropFileInfo, usqcd_propfile)
int QIO_defined_usqcd_propfileinfo(QIO_USQCDPropFileInfo* file_info) { return file_info->info.occur; }
int QIO_insert_usqcd_propfile_type(QIO_USQCDPropFileInfo* file_info, int type) {
  return put_type(file_info->type, prop_types, type);
}
int QIO_get_usqcd_propfile_type(QIO_USQCDPropFileInfo* file_info) { return type_in(prop_types, file_info->type); }
int QIO_defined_usqcd_propfile_type(QIO_USQCDPropFileInfo* file_info) { return file_info->type.occur; }

QIO_USQCDPropFileInfo* QIO_create_usqcd_propfile_info(int type, char* info) {
  const QIO_USQCDPropFileInfo nothing = QIO_USQCD_PROPFILE_INFO_TEMPLATE;
  QIO_USQCDPropFileInfo* const object = make_information(nothing, QIO_USQCDPROPFILEFORMATVERSION, info);
  if (object != nullptr) put_type(object->type, prop_types, type);
  return object;
}

LQ_QIO_INFORMATION(QIO_USQCDPropSourceInfo, usqcd_propsource, usqcd_propsource, usqcdpropsourceinfo_tags,
                   QIO_USQCD_PROPSOURCE_INFO_TEMPLATE, QIO_USQCD_PROPSOURCE_INFO_WRAPPER, "usqcdSourceInfo")
LQ_QIO_TEXT(QIO_USQCDPropSourceInfo, usqcd_propsource)
LQ_QIO_NUMBER(QIO_USQCDPropSourceInfo, usqcd_propsource, spin)
LQ_QIO_NUMBER(QIO_USQCDPropSourceInfo, usqcd_propsource, color)

QIO_USQCDPropSourceInfo* QIO_create_usqcd_propsource_info(char* info) {
  const QIO_USQCDPropSourceInfo nothing = QIO_USQCD_PROPSOURCE_INFO_TEMPLATE;
  return make_information(nothing, QIO_USQCDPROPSOURCEFORMATVERSION, info);
}
QIO_USQCDPropSourceInfo* QIO_create_usqcd_propsource_sc_info(int spin, int color, char* info) {
  return with_spin_and_color(QIO_create_usqcd_propsource_info(info), spin, color);
}

// Older files have another name around it.
LQ_QIO_INFORMATION(QIO_USQCDPropRecordInfo, usqcd_proprecord, usqcd_proprecord, usqcdproprecordinfo_tags,
                   QIO_USQCD_PROPRECORD_INFO_TEMPLATE, QIO_USQCD_PROPRECORD_INFO_WRAPPER, "usqcdPropInfo", "usqcdInfo")
LQ_QIO_TEXT(QIO_USQCDPropRecordInfo, usqcd_proprecord)
int QIO_defined_usqcd_proprecordinfo(QIO_USQCDPropRecordInfo* record_info) { return record_info->info.occur; }
LQ_QIO_NUMBER(QIO_USQCDPropRecordInfo, usqcd_proprecord, spin)
LQ_QIO_NUMBER(QIO_USQCDPropRecordInfo, usqcd_proprecord, color)

QIO_USQCDPropRecordInfo* QIO_create_usqcd_proprecord_info(char* info) {
  const QIO_USQCDPropRecordInfo nothing = QIO_USQCD_PROPRECORD_INFO_TEMPLATE;
  return make_information(nothing, QIO_USQCDPROPRECORDFORMATVERSION, info);
}
QIO_USQCDPropRecordInfo* QIO_create_usqcd_proprecord_sc_info(int spin, int color, char* info) {
  return with_spin_and_color(QIO_create_usqcd_proprecord_info(info), spin, color);
}

}  // extern "C"
