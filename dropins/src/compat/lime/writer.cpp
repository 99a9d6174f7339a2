// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// C-LIME's writer. Its state is public, is copied between processes by value, and matches the original in every field.
//
// A record counts as full once as many bytes have been given as it holds, in any order, and then closes itself. If
// some of them were given twice, the rest can still be written: a record that closed itself accepts data after rec_ptr.
#include <lime.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>

#include "compat/lime/stream.hpp"
#include "format/lime/header.hpp"

namespace {

using lq::compat::lime::move_to;
using lq::compat::lime::move_to_if_elsewhere;
using lq::compat::lime::move_within;

bool is_usable(const LimeWriter* w) { return w != nullptr && w->fp != nullptr; }
bool has_record(const LimeWriter& w) { return w.first_record == 0; }
bool is_open(const LimeWriter& w) { return w.header_nextP == 0; }

// Seeks only if necessary, so that a record written in one go can be sent through a pipe.
int pad_and_close(LimeWriter& w) {
  if (w.rec_ptr != w.bytes_total && ftello(w.fp) < 0) return LIME_ERR_SEEK;
  if (!move_to_if_elsewhere(w.fp, w.rec_start + w.bytes_total)) return LIME_ERR_SEEK;
  constexpr std::array<char, 8> zeros{};
  if (std::fwrite(zeros.data(), 1, w.bytes_pad, w.fp) != w.bytes_pad) return LIME_ERR_WRITE;
  w.header_nextP = 1;
  if (w.isLastP == 1) w.last_written = 1;
  return LIME_SUCCESS;
}

int go_to_next_header(LimeWriter& w) {
  if (!has_record(w)) return LIME_SUCCESS;
  w.rec_ptr = w.bytes_total;
  return move_to_if_elsewhere(w.fp, w.rec_start + w.bytes_total + w.bytes_pad) ? LIME_SUCCESS : LIME_ERR_SEEK;
}

int close_record(LimeWriter& w) {
  if (is_open(w)) {
    const int code = pad_and_close(w);
    if (code != LIME_SUCCESS) return code;
  }
  return go_to_next_header(w);
}

int seek_from(LimeWriter& w, n_uint64_t origin, off_t offset) {
  const auto target = move_within(origin, offset, w.bytes_total);
  if (!has_record(w)) return target.inside ? LIME_SUCCESS : LIME_ERR_SEEK;  // no record: nowhere to go
  const bool behind_padding = !is_open(w) && target.position == w.bytes_total;
  if (!move_to(w.fp, w.rec_start + target.position + (behind_padding ? w.bytes_pad : 0))) return LIME_ERR_SEEK;
  w.rec_ptr = target.position;
  return target.inside ? LIME_SUCCESS : LIME_ERR_SEEK;
}

// Writes the bytes that fit, at the position of the FILE; a full record then closes itself.
int write_data(LimeWriter& w, const void* source, n_uint64_t& nbytes) {
  const n_uint64_t wanted = std::min(nbytes, w.bytes_total - w.rec_ptr);
  nbytes = 0;
  if (wanted > std::numeric_limits<size_t>::max()) return LIME_ERR_WRITE;
  nbytes = std::fwrite(source, 1, static_cast<size_t>(wanted), w.fp);
  w.rec_ptr += nbytes;
  w.bytes_left -= std::min(nbytes, w.bytes_left);
  return nbytes == wanted ? LIME_SUCCESS : LIME_ERR_WRITE;
}

}  // namespace

extern "C" {

LimeWriter* limeCreateWriter(FILE* fp) {
  if (fp == nullptr) return nullptr;
  auto* writer = static_cast<LimeWriter*>(std::calloc(1, sizeof(LimeWriter)));
  if (writer == nullptr) return nullptr;
  writer->fp = fp;
  writer->first_record = 1;
  writer->header_nextP = 1;
  return writer;
}

int limeDestroyWriter(LimeWriter* s) {
  std::free(s);
  return LIME_SUCCESS;
}

int limeWriteRecordHeader(LimeRecordHeader* props, LimeWriter* d) {
  if (!is_usable(d) || props == nullptr) return LIME_ERR_PARAM;
  if (is_open(*d) && d->bytes_total > 0) return LIME_ERR_HEADER_NEXT;
  // A program that appends does not know how the existing file ends, so the first record may do either.
  if (has_record(*d) && (d->isLastP != 0) != (props->MB_flag != 0)) return LIME_ERR_MBME;
  if (is_open(*d) || d->rec_ptr != d->bytes_total) {
    const int code = close_record(*d);
    if (code != LIME_SUCCESS) return code;
  }
  const off_t before = ftello(d->fp);
  if (before >= 0 && props->data_length >= lq::compat::lime::position_limit - 256 - static_cast<n_uint64_t>(before)) {
    return LIME_ERR_PARAM;
  }
  const int code = write_lime_record_binary_header(d->fp, props);
  if (code != LIME_SUCCESS) return code;
  d->first_record = 0;
  d->isLastP = props->ME_flag != 0 ? 1 : 0;
  d->header_nextP = 0;
  d->bytes_total = props->data_length;
  d->bytes_left = props->data_length;
  d->rec_ptr = 0;
  d->rec_start = static_cast<n_uint64_t>(ftello(d->fp));
  d->bytes_pad = lq::format::lime::padding(props->data_length);
  return LIME_SUCCESS;
}

int limeWriteRecordData(void* source, n_uint64_t* nbytes, LimeWriter* d) {
  if (!is_usable(d) || nbytes == nullptr) return LIME_ERR_PARAM;
  const bool was_open = is_open(*d);
  if ((!was_open && d->rec_ptr == d->bytes_total) || d->rec_ptr > d->bytes_total ||
      (source == nullptr && *nbytes > 0)) {
    *nbytes = 0;
    return LIME_ERR_PARAM;
  }
  if (!was_open && !move_to_if_elsewhere(d->fp, d->rec_start + d->rec_ptr)) {
    *nbytes = 0;
    return LIME_ERR_SEEK;
  }
  if (*nbytes > 0) {
    const int code = write_data(*d, source, *nbytes);
    if (code != LIME_SUCCESS) return code;
  }
  if (was_open && d->bytes_left == 0) return pad_and_close(*d);
  if (!was_open && !move_to(d->fp, d->rec_start + d->bytes_total + d->bytes_pad)) return LIME_ERR_SEEK;
  return LIME_SUCCESS;
}

int limeWriterCloseRecord(LimeWriter* w) { return is_usable(w) ? close_record(*w) : LIME_ERR_PARAM; }

int skipWriterBytes(LimeWriter* w, off_t bytes_to_skip) {
  return is_usable(w) ? seek_from(*w, w->rec_ptr, bytes_to_skip) : LIME_ERR_PARAM;
}

int limeWriterSeek(LimeWriter* r, off_t offset, int whence) {
  if (!is_usable(r)) return LIME_ERR_PARAM;
  if (whence == SEEK_SET) return seek_from(*r, 0, offset);
  return whence == SEEK_CUR ? seek_from(*r, r->rec_ptr, offset) : LIME_ERR_WRITE;
}

int limeWriterSetState(LimeWriter* wdest, LimeWriter* wsrc) {
  if (!is_usable(wdest) || wsrc == nullptr || wsrc->rec_ptr > wsrc->bytes_total) return LIME_ERR_PARAM;
  FILE* const fp = wdest->fp;  // wsrc's may belong to another process
  *wdest = *wsrc;
  wdest->fp = fp;
  return move_to(fp, wdest->rec_start + wdest->rec_ptr) ? LIME_SUCCESS : LIME_ERR_SEEK;
}

}  // extern "C"
