// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include <sion_cxx_serial.hpp>

#include <cstdlib>
#include <vector>

namespace sionlib {
namespace serial {

SIONFile::SIONFile(std::string sion_file_name, std::string mode, int num_tasks, int num_files, sion_int64* chunk_sizes,
                   sion_int32 fs_blk_size, int* global_ranks)
    : SION_Base(sion_file_name, mode), _owns_chunk_sizes(false), _owns_global_ranks(false) {
  _num_tasks = num_tasks;
  _num_files = num_files;
  _chunk_sizes = chunk_sizes;
  _fs_blk_size = fs_blk_size;
  _global_ranks = global_ranks;
}

SIONFile::~SIONFile() { giveArraysBack(); }

void SIONFile::giveArraysBack() {
  if (_owns_chunk_sizes) std::free(_chunk_sizes);
  if (_owns_global_ranks) std::free(_global_ranks);
  if (_owns_chunk_sizes) _chunk_sizes = NULL;
  if (_owns_global_ranks) _global_ranks = NULL;
  _owns_chunk_sizes = _owns_global_ranks = false;
}

void SIONFile::open() {
  giveArraysBack();
  char* const name = getSionFileName();
  if (_mode.find('w') == std::string::npos) {
    // Arrays of the caller may be too short for the tasks of the file.
    sion_int64* chunk_sizes = NULL;
    int* global_ranks = NULL;
    setSid(sion_open(name, _mode.c_str(), &_num_tasks, &_num_files, &chunk_sizes, &_fs_blk_size, &global_ranks, NULL));
    _chunk_sizes = chunk_sizes;
    _global_ranks = global_ranks;
    _owns_chunk_sizes = _owns_global_ranks = true;
    return;
  }
  std::vector<sion_int64> chunk_sizes;
  std::vector<int> global_ranks;
  for (int task = 0; task < _num_tasks; ++task) {
    chunk_sizes.push_back(_chunk_sizes != NULL ? _chunk_sizes[task] : _chunk_size);
    global_ranks.push_back(_global_ranks != NULL ? _global_ranks[task] : task);
  }
  sion_int64* sizes = chunk_sizes.data();
  int* ranks = global_ranks.data();
  setSid(sion_open(name, _mode.c_str(), &_num_tasks, &_num_files, &sizes, &_fs_blk_size, &ranks, NULL));
}

void SIONFile::openRank() {
  setSid(sion_open_rank(getSionFileName(), _mode.c_str(), &_chunk_size, &_fs_blk_size, &_rank, NULL));
}

int SIONFile::close() {
  _return_code = sion_close(_sid);
  _sid = SION_ID_UNDEF;
  return _return_code;
}

std::size_t SIONFile::chunkOfTask() const {
  const sion_int64 bytes = _chunk_sizes != NULL && _rank >= 0 && _rank < _num_tasks ? _chunk_sizes[_rank] : _chunk_size;
  return bytes > 0 ? static_cast<std::size_t>(bytes) : 0;
}

}  // namespace serial
}  // namespace sionlib
