// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Headers: the caller's objects, and the 144 bytes read from a FILE and written to it.
#include <cstring>
#include <exception>
#include <string_view>

#include <lime.h>
#include <lime_header.h>

#include "base/text.hpp"
#include "compat/lime/stream.hpp"
#include "compat/record_header.hpp"
#include "format/lime/header.hpp"

// Header objects.

extern "C" {

LimeRecordHeader* limeCreateHeader(int MB_flag, int ME_flag, char* type, n_uint64_t reclen) {
  return lq::compat::create_header<LimeRecordHeader>(LIME_VERSION, MB_flag, ME_flag, type, reclen);
}

void limeDestroyHeader(LimeRecordHeader* h) { lq::compat::destroy_header(h); }

}  // extern "C"

namespace lq::compat::lime {
namespace {

namespace lime = format::lime;

// Meaningless bytes after the last record of some files: an editor's newline, a transfer's padding.
bool is_blank(base::Bytes tail) {
  for (const std::byte b : tail) {
    if (std::string_view("\0 \t\r\n", 5).find(static_cast<char>(b)) == std::string_view::npos) return false;
  }
  return true;
}

// True if a payload of that length exists at the position of the FILE. Its padding may be missing.
bool is_there(std::FILE* fp, std::uint64_t data_length) {
  const off_t start = ::ftello(fp);
  if (start < 0) return data_length < position_limit;
  const auto from = static_cast<std::uint64_t>(start);
  if (data_length + lime::padding(data_length) >= position_limit - from) return false;
  return data_length == 0 || from + data_length <= file_size(fp);
}

int read_header(LimeReader& reader) {
  lime::HeaderBytes bytes;
  const std::size_t got = std::fread(bytes.data(), 1, bytes.size(), reader.fp);
  if (got < bytes.size()) {
    const bool ended = std::ferror(reader.fp) == 0 && is_blank(base::Bytes(bytes).first(got));
    return ended ? LIME_EOF : LIME_ERR_READ;
  }
  if (!lime::has_magic(bytes)) return LIME_ERR_READ;
  const lime::Header header = lime::decode(bytes);
  if (header.version != lime::version || header.data_length >= position_limit) return LIME_ERR_READ;
  if (!is_there(reader.fp, header.data_length)) return LIME_ERR_READ;
  std::string type = header.type;
  reader.curr_header = limeCreateHeader(header.mb_flag, header.me_flag, type.data(), header.data_length);
  return reader.curr_header != nullptr ? LIME_SUCCESS : LIME_ERR_READ;
}

}  // namespace
}  // namespace lq::compat::lime

extern "C" {

int readAndParseHeader(LimeReader* r) {
  if (r == nullptr || r->fp == nullptr) return LIME_ERR_PARAM;
  limeDestroyHeader(r->curr_header);
  r->curr_header = nullptr;
  const off_t start = ftello(r->fp);
  int code = LIME_ERR_READ;
  try {
    code = lq::compat::lime::read_header(*r);
  } catch (const std::exception&) {
    code = LIME_ERR_READ;  // no memory for the type
  }
  // Not after the end of a file: the program may call feof().
  if (code == LIME_ERR_READ && start >= 0) lq::compat::lime::move_to(r->fp, static_cast<std::uint64_t>(start));
  return code;
}

int write_lime_record_binary_header(FILE* fp, LimeRecordHeader* h) {
  namespace lime = lq::format::lime;
  if (fp == nullptr || h == nullptr || h->type == nullptr) return LIME_ERR_PARAM;
  if (std::strlen(h->type) > lime::type_limit || h->data_length >= lime::length_limit) return LIME_ERR_PARAM;
  try {
    lime::Header header;
    header.mb_flag = h->MB_flag != 0;
    header.me_flag = h->ME_flag != 0;
    header.data_length = h->data_length;
    header.type = h->type;
    const lime::HeaderBytes bytes = lime::encode_unchecked(header);
    return std::fwrite(bytes.data(), 1, bytes.size(), fp) == bytes.size() ? LIME_SUCCESS : LIME_ERR_WRITE;
  } catch (const std::exception&) {
    return LIME_ERR_WRITE;  // no memory for the type
  }
}

int skip_lime_record_binary_header(FILE* fp) {
  if (fp == nullptr) return LIME_ERR_PARAM;
  constexpr off_t bytes = lq::format::lime::header_bytes;
  return fseeko(fp, bytes, SEEK_CUR) == 0 ? LIME_SUCCESS : LIME_ERR_SEEK;
}

}  // extern "C"
