// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// C-LIME's reader. Its state is public, is copied between processes by value, and matches the original in every field.
#include <lime.h>

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "compat/lime/stream.hpp"
#include "format/lime/header.hpp"

namespace {

using lq::compat::lime::move_to;
using lq::compat::lime::move_within;

bool is_usable(const LimeReader* r) { return r != nullptr && r->fp != nullptr; }

void forget_record(LimeReader& r) {
  limeDestroyHeader(r.curr_header);
  r = {.first_read = 0,
       .is_last = 0,
       .header_nextP = 1,
       .fp = r.fp,
       .curr_header = nullptr,
       .bytes_left = 0,
       .bytes_total = 0,
       .rec_ptr = 0,
       .rec_start = 0,
       .bytes_pad = 0};
}

n_uint64_t next_header(const LimeReader& r) { return r.rec_start + r.bytes_total + r.bytes_pad; }

// After the payload also means after its padding.
int stand_at(LimeReader& r, n_uint64_t rec_ptr) {
  if (!move_to(r.fp, rec_ptr == r.bytes_total ? next_header(r) : r.rec_start + rec_ptr)) return LIME_ERR_SEEK;
  r.rec_ptr = rec_ptr;
  r.bytes_left = r.bytes_total - rec_ptr;
  return LIME_SUCCESS;
}

int seek_from(LimeReader& r, n_uint64_t origin, off_t offset) {
  const auto target = move_within(origin, offset, r.bytes_total);
  if (r.first_read == 0) return target.inside ? LIME_SUCCESS : LIME_ERR_SEEK;  // no record: nowhere to go
  const int code = stand_at(r, target.position);
  return target.inside ? code : LIME_ERR_SEEK;
}

}  // namespace

extern "C" {

LimeReader* limeCreateReader(FILE* fp) {
  if (fp == nullptr) return nullptr;
  auto* reader = static_cast<LimeReader*>(std::calloc(1, sizeof(LimeReader)));
  if (reader == nullptr) return nullptr;
  reader->fp = fp;
  forget_record(*reader);
  return reader;
}

void limeDestroyReader(LimeReader* r) {
  if (r == nullptr) return;
  limeDestroyHeader(r->curr_header);
  std::free(r);
}

int limeSetReaderPointer(LimeReader* r, off_t offset) {
  if (!is_usable(r)) return LIME_ERR_PARAM;
  if (offset < 0 || !move_to(r->fp, static_cast<n_uint64_t>(offset))) return LIME_ERR_SEEK;
  forget_record(*r);
  return LIME_SUCCESS;
}

off_t limeGetReaderPointer(LimeReader* r) {
  if (!is_usable(r)) return -1;
  return r->first_read == 0 ? ftello(r->fp) : static_cast<off_t>(next_header(*r));
}

int limeReaderNextRecord(LimeReader* r) {
  if (!is_usable(r)) return LIME_ERR_PARAM;
  if (r->first_read != 0 && stand_at(*r, r->bytes_total) != LIME_SUCCESS) return LIME_ERR_SEEK;
  const int code = readAndParseHeader(r);
  if (code != LIME_SUCCESS) return code;
  r->first_read = 1;
  r->is_last = r->curr_header->ME_flag;
  r->bytes_total = r->curr_header->data_length;
  r->bytes_left = r->bytes_total;
  r->rec_ptr = 0;
  r->rec_start = static_cast<n_uint64_t>(ftello(r->fp));
  r->bytes_pad = lq::format::lime::padding(r->bytes_total);
  return LIME_SUCCESS;
}

int limeReaderMBFlag(LimeReader* r) { return r == nullptr || r->curr_header == nullptr ? -1 : r->curr_header->MB_flag; }

int limeReaderMEFlag(LimeReader* r) { return r == nullptr || r->curr_header == nullptr ? -1 : r->curr_header->ME_flag; }

char* limeReaderType(LimeReader* r) {
  return r == nullptr || r->curr_header == nullptr ? nullptr : r->curr_header->type;
}

n_uint64_t limeReaderBytes(LimeReader* r) { return r == nullptr || r->curr_header == nullptr ? 0 : r->bytes_total; }

size_t limeReaderPadBytes(LimeReader* r) { return r == nullptr || r->curr_header == nullptr ? 0 : r->bytes_pad; }

int limeEOM(LimeReader* r) { return limeReaderMEFlag(r); }

int limeReaderReadData(void* dest, n_uint64_t* nbytes, LimeReader* r) {
  if (!is_usable(r) || nbytes == nullptr) return LIME_ERR_PARAM;
  if (r->rec_ptr >= r->bytes_total) return LIME_EOR;
  if (*nbytes == 0) return LIME_SUCCESS;
  if (dest == nullptr) return LIME_ERR_PARAM;
  const n_uint64_t wanted = std::min(*nbytes, r->bytes_total - r->rec_ptr);
  if (wanted > std::numeric_limits<size_t>::max()) return LIME_ERR_READ;
  *nbytes = std::fread(dest, 1, static_cast<size_t>(wanted), r->fp);
  r->rec_ptr += *nbytes;
  r->bytes_left = r->bytes_total - r->rec_ptr;
  return *nbytes == wanted ? LIME_SUCCESS : LIME_ERR_READ;
}

int limeReaderCloseRecord(LimeReader* r) {
  if (!is_usable(r)) return LIME_ERR_PARAM;
  return r->first_read == 0 ? LIME_SUCCESS : stand_at(*r, r->bytes_total);
}

int skipReaderBytes(LimeReader* r, off_t bytes_to_skip) {
  return is_usable(r) ? seek_from(*r, r->rec_ptr, bytes_to_skip) : LIME_ERR_PARAM;
}

int limeReaderSeek(LimeReader* r, off_t offset, int whence) {
  if (!is_usable(r)) return LIME_ERR_PARAM;
  if (whence == SEEK_SET) return seek_from(*r, 0, offset);
  return whence == SEEK_CUR ? seek_from(*r, r->rec_ptr, offset) : LIME_ERR_SEEK;
}

int limeReaderSetState(LimeReader* rdest, LimeReader* rsrc) {
  if (!is_usable(rdest) || rsrc == nullptr || rsrc->rec_ptr > rsrc->bytes_total) return LIME_ERR_PARAM;
  FILE* const fp = rdest->fp;
  LimeRecordHeader* const header = rdest->curr_header;  // rsrc's may belong to another process
  *rdest = *rsrc;
  rdest->fp = fp;
  rdest->curr_header = header;
  return move_to(fp, rdest->rec_start + rdest->rec_ptr) ? LIME_SUCCESS : LIME_ERR_SEEK;
}

}  // extern "C"
