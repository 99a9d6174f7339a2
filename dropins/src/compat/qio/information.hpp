// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The information objects that the USQCD codes agree on: each has a version and a text, and between them what it tells
// of its field or file. What can be done with all of them is here once.
#pragma once

#include <qio.h>

#include <cstring>
#include <initializer_list>

#include "compat/qio/elements.hpp"

namespace lq::compat::qio {

// Calls each(element) for those of an object, in the order in which they are written.
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

// 1 where it must be there and is not; numbers need not be.
inline int is_missing(QIO_TagCharValue& element) { return QIO_check_string_occur(&element); }
inline int is_missing(QIO_TagIntValue&) { return 0; }

template <class Info>
void encode_information(const Info& info, const QIO_TagCharValue& wrapper, QIO_String* text) {
  Encoder encoder;
  for_each_member(info, [&](const auto& element) { encoder.add(element); });
  encoder.wrap(wrapper, text);
}

// `roots`: names that the element around all of it may have. How many elements are missing, or QIO_BAD_XML
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

// A new object that programs free; null without memory.
template <class Info>
Info* make_information(const Info& nothing, const char* version, const char* text) {
  Info* const object = make<Info>(nothing);
  if (object == nullptr) return nullptr;
  put(&object->version, version);
  put(&object->info, text);
  return object;
}

// What the fields of a file are, as a number and in words.
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

// The functions that an object of each kind has in C: `name` is what they are called by, `inserter` what those are that
// put an element in, `tags` the member of its wrapper; behind WRAPPER the names that the element around all may have.
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
