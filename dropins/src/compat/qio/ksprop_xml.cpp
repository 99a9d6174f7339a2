// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The XML of staggered propagators that the USQCD codes agree on (qioxml_usqcd_ksprop.h).
#include "compat/qio/information.hpp"

using namespace lq::compat::qio;

namespace {

constexpr PropType ksprop_types[] = {
    {QIO_USQCDKSPROPFILETYPE_C1V3, QIO_USQCDKSPROPFILETYPESTRING_C1V3},
    {QIO_USQCDKSPROPFILETYPE_VV_PAIRS, QIO_USQCDKSPROPFILETYPESTRING_VV_PAIRS},
    {QIO_USQCDKSPROPFILETYPE_CV_PAIRS, QIO_USQCDKSPROPFILETYPESTRING_CV_PAIRS},
};

template <class Info>
Info* with_color(Info* object, int color) {
  if (object != nullptr) set(object->color, color);
  return object;
}

}  // namespace

extern "C" {

LQ_QIO_INFORMATION(QIO_USQCDKSPropFileInfo, usqcd_kspropfile, usqcdkspropfile, usqcdkspropfileinfo_tags,
                   QIO_USQCD_KSPROPFILE_INFO_TEMPLATE, QIO_USQCD_KSPROPFILE_INFO_WRAPPER, "usqcdKSPropFile")
LQ_QIO_TEXT(QIO_USQCDKSPropFileInfo, usqcd_kspropfile)
int QIO_defined_usqcd_kspropfileinfo(QIO_USQCDKSPropFileInfo* file_info) { return file_info->info.occur; }
int QIO_insert_usqcdkspropfile_type(QIO_USQCDKSPropFileInfo* file_info, int type) {
  return put_type(file_info->type, ksprop_types, type);
}
int QIO_get_usqcd_kspropfile_type(QIO_USQCDKSPropFileInfo* file_info) { return type_in(ksprop_types, file_info->type); }
int QIO_defined_usqcd_kspropfile_type(QIO_USQCDKSPropFileInfo* file_info) { return file_info->type.occur; }

QIO_USQCDKSPropFileInfo* QIO_create_usqcd_kspropfile_info(int type, char* info) {
  const QIO_USQCDKSPropFileInfo nothing = QIO_USQCD_KSPROPFILE_INFO_TEMPLATE;
  QIO_USQCDKSPropFileInfo* const object = make_information(nothing, QIO_USQCDKSPROPFILEFORMATVERSION, info);
  if (object != nullptr) put_type(object->type, ksprop_types, type);
  return object;
}

LQ_QIO_INFORMATION(QIO_USQCDKSPropSourceInfo, usqcd_kspropsource, usqcdkspropsource, usqcdkspropsourceinfo_tags,
                   QIO_USQCD_KSPROPSOURCE_INFO_TEMPLATE, QIO_USQCD_KSPROPSOURCE_INFO_WRAPPER, "usqcdSourceInfo")
LQ_QIO_TEXT(QIO_USQCDKSPropSourceInfo, usqcd_kspropsource)
LQ_QIO_NUMBER(QIO_USQCDKSPropSourceInfo, usqcd_kspropsource, color)

QIO_USQCDKSPropSourceInfo* QIO_create_usqcd_kspropsource_info(char* info) {
  const QIO_USQCDKSPropSourceInfo nothing = QIO_USQCD_KSPROPSOURCE_INFO_TEMPLATE;
  return make_information(nothing, QIO_USQCDKSPROPSOURCEFORMATVERSION, info);
}
QIO_USQCDKSPropSourceInfo* QIO_create_usqcd_kspropsource_c_info(int color, char* info) {
  return with_color(QIO_create_usqcd_kspropsource_info(info), color);
}

LQ_QIO_INFORMATION(QIO_USQCDKSPropRecordInfo, usqcd_ksproprecord, usqcd_ksproprecord, usqcdksproprecordinfo_tags,
                   QIO_USQCD_KSPROPRECORD_INFO_TEMPLATE, QIO_USQCD_KSPROPRECORD_INFO_WRAPPER, "usqcdKSPropInfo")
LQ_QIO_TEXT(QIO_USQCDKSPropRecordInfo, usqcd_ksproprecord)
LQ_QIO_NUMBER(QIO_USQCDKSPropRecordInfo, usqcd_ksproprecord, color)

QIO_USQCDKSPropRecordInfo* QIO_create_usqcd_ksproprecord_info(char* info) {
  const QIO_USQCDKSPropRecordInfo nothing = QIO_USQCD_KSPROPRECORD_INFO_TEMPLATE;
  return make_information(nothing, QIO_USQCDKSPROPRECORDFORMATVERSION, info);
}
QIO_USQCDKSPropRecordInfo* QIO_create_usqcd_ksproprecord_c_info(int color, char* info) {
  return with_color(QIO_create_usqcd_ksproprecord_info(info), color);
}

}  // extern "C"
