// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Memory for sites on their way, and their way into a record and out of it (dml.h).
#include <dml.h>

#include <algorithm>
#include <cstdlib>

extern "C" {

int* DML_allocate_coords(int latdim, const char*, int) {
  return static_cast<int*>(std::malloc(static_cast<size_t>(std::max(latdim, 1)) * sizeof(int)));
}

size_t DML_msg_sizeof(size_t size) { return size + sizeof(DML_SiteRank); }
char* DML_allocate_msg(size_t size, char*, int) { return static_cast<char*>(std::malloc(DML_msg_sizeof(size))); }
char* DML_msg_datum(char* msg, size_t) { return msg; }
DML_SiteRank* DML_msg_rank(char* msg, size_t size) { return reinterpret_cast<DML_SiteRank*>(msg + size); }

size_t DML_max_buf_sites(size_t size, int factor) {
  const auto together = static_cast<size_t>(std::max(factor, 1));
  return size == 0 ? together : DML_BUF_BYTES / (size * together) * together;
}

char* DML_allocate_buf(size_t size, size_t* max_buf_sites) {
  for (; *max_buf_sites > 0; *max_buf_sites /= 2) {
    auto* const memory = static_cast<char*>(std::calloc(*max_buf_sites, size));
    if (memory != nullptr) return memory;
  }
  return nullptr;
}

int DML_write_buf_current(LRL_RecordWriter* lrl_record_out, char* lbuf, size_t buf_sites, size_t size, uint64_t* nbytes,
                          char*, int) {
  if (LRL_write_bytes(lrl_record_out, lbuf, buf_sites * size) != buf_sites * size) return 1;
  *nbytes += buf_sites * size;
  return 0;
}

int DML_write_buf_seek(LRL_RecordWriter* lrl_record_out, DML_SiteRank seeksite, char* lbuf, size_t buf_sites,
                       size_t size, uint64_t* nbytes, char* myname, int this_node) {
  if (LRL_seek_write_record(lrl_record_out, static_cast<off_t>(size) * seeksite) != LRL_SUCCESS) return 1;
  return DML_write_buf_current(lrl_record_out, lbuf, buf_sites, size, nbytes, myname, this_node);
}

size_t DML_read_buf_next(LRL_RecordReader* lrl_record_in, size_t size, char* lbuf, size_t* buf_extract,
                         size_t buf_sites, size_t max_buf_sites, size_t isite, size_t max_send_sites, uint64_t* nbytes,
                         char*, int, int* err) {
  *err = 0;
  if (*buf_extract != buf_sites) return buf_sites;
  const size_t sites = std::min(max_send_sites - isite, max_buf_sites);
  if (LRL_read_bytes(lrl_record_in, lbuf, sites * size) != sites * size) {
    *err = -1;
    return 0;
  }
  *nbytes += sites * size;
  *buf_extract = 0;
  return sites;
}

size_t DML_seek_read_buf(LRL_RecordReader* lrl_record_in, DML_SiteRank seeksite, size_t size, char* lbuf,
                         size_t* buf_extract, size_t buf_sites, size_t, size_t isite, size_t max_send_sites,
                         uint64_t* nbytes, char* myname, int this_node, int* err) {
  *err = 0;
  if (*buf_extract != buf_sites) return buf_sites;
  if (LRL_seek_read_record(lrl_record_in, static_cast<off_t>(size) * seeksite) != LRL_SUCCESS) {
    *err = -1;
    return 0;
  }
  // The next site may be elsewhere.
  return DML_read_buf_next(lrl_record_in, size, lbuf, buf_extract, buf_sites, 1, isite, max_send_sites, nbytes, myname,
                           this_node, err);
}

}  // extern "C"
