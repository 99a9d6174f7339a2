// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Texts of records out of QIO's structures, and the records that a gauge field has in ILDG style.
#pragma once

#include <qio.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>

#include <limequat/lattice.hpp>

#include "compat/qio/records.hpp"

namespace lq::compat::qio {

inline std::string text_of(const QIO_String* text) {
  if (text == nullptr || text->string == nullptr) return {};
  return {text->string, ::strnlen(text->string, text->length)};
}

// As one of the functions QIO_encode_... has it.
template <class Info>
std::string encoded(void (*encode)(QIO_String*, Info*), Info& info) {
  QIO_String xml{};
  encode(&xml, &info);
  const std::unique_ptr<char, decltype(&std::free)> held(xml.string, &std::free);
  if (held == nullptr) throw std::bad_alloc();
  return text_of(&xml);
}

// What one of the functions QIO_decode_... says of a text; without memory it throws, too.
template <class Info>
int decoded(int (*decode)(Info*, QIO_String*), Info& info, QIO_String* xml) {
  const int code = decode(&info, xml);
  if (code == QIO_ERR_ALLOC) throw std::bad_alloc();
  return code;
}

// 32 or 64 where a record is a gauge field as ILDG has it; 0 else.
int ildg_precision(const QIO_RecordInfo& info, int dimensions);

// The format, and the LFN if there is one.
void write_ildg_information(RecordsOut& records, int precision, const Extents& extents, const QIO_String* lfn);

}  // namespace lq::compat::qio
