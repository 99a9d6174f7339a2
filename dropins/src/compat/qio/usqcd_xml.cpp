// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The XML of gauge fields and propagators that the USQCD codes share (qioxml_usqcd_gauge.h, qioxml_usqcd_ksprop.h,
// qioxml_usqcd_prop.h).
#include <cstring>
#include <initializer_list>

#include <qio.h>

#include "compat/qio/elements.hpp"

namespace lq::compat::qio {

// The information objects that the USQCD codes share: each has a version and a text, and between them facts about
// its field or file. Their common operations are here.

// Calls each(element) for the elements of an object, in the order in which they are written.
template <class Info, class Each>
void for_each_member(Info& info, Each&& each) {
  each(info.version);
  if constexpr (requires { info.type; }) each(info.type);
  if constexpr (requires { info.spin; }) each(info.spin);
  if constexpr (requires { info.color; }) each(info.color);
  if constexpr (requires { info.plaq; }) each(info.plaq);
  if constexpr (requires { info.linktr; }) each(info.linktr);
  each(info.info);
}

inline void take(char* tag, char* value, QIO_TagCharValue& element) { QIO_decode_as_string(tag, value, &element); }
inline void take(char* tag, char* value, QIO_TagIntValue& element) { QIO_decode_as_int(tag, value, &element); }

// 1 if a required element is missing; numbers are not required.
inline int is_missing(QIO_TagCharValue& element) { return QIO_check_string_occur(&element); }
inline int is_missing(QIO_TagIntValue&) { return 0; }

template <class Info>
void encode_information(const Info& info, const QIO_TagCharValue& wrapper, QIO_String* text) {
  Encoder encoder;
  for_each_member(info, [&](const auto& element) { encoder.add(element); });
  encoder.wrap(wrapper, text);
}

// `roots`: possible names of the enclosing element. Returns the number of missing elements, or QIO_BAD_XML
// or QIO_ERR_ALLOC.
template <class Info>
int decode_information(Info& info, const Info& nothing, QIO_String* text, std::initializer_list<const char*> roots) {
  info = nothing;
  for (const char* root : roots) {
    const int parsed = for_each_element(text, root, [&](char* tag, char* value) {
      for_each_member(info, [&](auto& element) { take(tag, value, element); });
    });
    if (parsed == QIO_BAD_XML) continue;
    if (parsed != QIO_SUCCESS) return parsed;
    int errors = 0;
    for_each_member(info, [&](auto& element) { errors += is_missing(element); });
    return errors;
  }
  return QIO_BAD_XML;
}

// A new object, freed by the program; null without memory.
template <class Info>
Info* make_information(const Info& nothing, const char* version, const char* text) {
  Info* const object = make<Info>(nothing);
  if (object == nullptr) return nullptr;
  put(&object->version, version);
  put(&object->info, text);
  return object;
}

// The kind of a file's fields, as a number and as a text.
struct PropType {
  int number;
  const char* text;
};

template <std::size_t count>
int put_type(QIO_TagCharValue& element, const PropType (&types)[count], int number) {
  element.occur = 0;
  for (const PropType& one : types) {
    if (one.number == number) return put(&element, one.text);
  }
  return QIO_BAD_ARG;
}

template <std::size_t count>
int type_in(const PropType (&types)[count], const QIO_TagCharValue& element) {
  for (const PropType& one : types) {
    if (std::strcmp(one.text, element.value) == 0) return one.number;
  }
  return QIO_ERR_FILE_INFO;
}

}  // namespace lq::compat::qio

// The C functions of each kind of object: `name` is their common part, `inserter` that of the functions that
// insert an element, `tags` the member of its wrapper; after WRAPPER the possible names of the enclosing element.
#define LQ_QIO_INFORMATION(Info, name, inserter, tags, TEMPLATE, WRAPPER, ...)                                     \
  void QIO_encode_##name##_info(QIO_String* text, Info* info) {                                                    \
    const Info##Wrapper wrapper = WRAPPER;                                                                         \
    encode_information(*info, wrapper.tags, text);                                                                 \
  }                                                                                                                \
  int QIO_decode_##name##_info(Info* info, QIO_String* text) {                                                     \
    const Info nothing = TEMPLATE;                                                                                 \
    return decode_information(*info, nothing, text, {__VA_ARGS__});                                                \
  }                                                                                                                \
  int QIO_insert_##inserter##_version(Info* info, char* version) { return put(&info->version, version); }          \
  int QIO_insert_##inserter##_info(Info* info, char* text) { return put(&info->info, text); }                      \
  int QIO_insert_##inserter##_tag_string(Info##Wrapper* wrapper, char* text) { return put(&wrapper->tags, text); } \
  char* QIO_get_##name##_info_tag_string(Info##Wrapper* wrapper) { return wrapper->tags.value; }                   \
  void QIO_destroy_##name##_info(Info* info) { std::free(info); }

// Its text.
#define LQ_QIO_TEXT(Info, name)                                        \
  char* QIO_get_##name##_info(Info* info) { return info->info.value; } \
  int QIO_defined_##name##_info(Info* info) { return info->info.occur; }

// One of its numbers.
#define LQ_QIO_NUMBER(Info, name, member)                                  \
  int QIO_insert_##name##_##member(Info* info, int value) {                \
    set(info->member, value);                                              \
    return QIO_SUCCESS;                                                    \
  }                                                                        \
  int QIO_get_##name##_##member(Info* info) { return info->member.value; } \
  int QIO_defined_##name##_##member(Info* info) { return info->member.occur; }

// The record XML of gauge fields that the USQCD codes share (qioxml_usqcd_gauge.h).

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

// The XML of staggered propagators that the USQCD codes share (qioxml_usqcd_ksprop.h).

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

// The XML of Dirac propagators that the USQCD codes share (qioxml_usqcd_prop.h).

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

// Older files use another name for the enclosing element.
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
