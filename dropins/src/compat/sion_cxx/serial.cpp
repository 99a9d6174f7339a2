// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdlib>
#include <vector>

#include <sion_cxx_base.hpp>
#include <sion_cxx_parallel.hpp>
#include <sion_cxx_serial.hpp>

SION_Base::SION_Base() : SION_Base(std::string()) {}

SION_Base::SION_Base(const std::string& sion_file_name, const std::string& mode)
    : _sion_file_name(sion_file_name),
      _mode(mode),
      _num_files(1),
      _num_tasks(1),
      _rank(0),
      _chunk_sizes(NULL),
      _chunk_size(SION_DEFAULT_FSBLOCKSIZE),
      _fs_blk_size(-1),
      _global_ranks(NULL),
      _file_ptr(NULL),
      _number_of_elements_sucessfully_read(0),
      _return_code(0),
      _sid(SION_ID_UNDEF) {}

SION_Base::~SION_Base() {}

char* SION_Base::getSionFileName() const { return const_cast<char*>(_sion_file_name.c_str()); }
void SION_Base::setMode(std::string mode) { _mode = mode; }
std::string SION_Base::getMode() const { return _mode; }
void SION_Base::setNumberOfFiles(int num_files) { _num_files = num_files; }
int SION_Base::getNumberOfFiles() const { return _num_files; }
void SION_Base::setNumberOfTasks(int num_tasks) { _num_tasks = num_tasks; }
int SION_Base::getNumberOfTasks() const { return _num_tasks; }
void SION_Base::setRank(int rank) { _rank = rank; }
int SION_Base::getRank() const { return _rank; }
void SION_Base::setChunkSize(sion_int64 chunk_size) { _chunk_size = chunk_size; }
sion_int64 SION_Base::getChunkSize() const { return _chunk_size; }
void SION_Base::setChunkSizes(sion_int64* chunk_sizes) { _chunk_sizes = chunk_sizes; }
sion_int64* SION_Base::getChunkSizes() const { return _chunk_sizes; }
void SION_Base::setGlobalRanks(int* global_ranks) { _global_ranks = global_ranks; }
int* SION_Base::getGlobalRanks() const { return _global_ranks; }
void SION_Base::setFileSystemBlockSize(sion_int32 fs_blk_size) { _fs_blk_size = fs_blk_size; }
sion_int32 SION_Base::getFileSystemBlockSize() const { return _fs_blk_size; }

int SION_Base::getSid() const { return _sid; }
int SION_Base::getReturnCode() const { return _return_code; }
int SION_Base::getNumberOfSuccessfulReadElements() const { return _number_of_elements_sucessfully_read; }

void SION_Base::seek() { _return_code = sion_seek(_sid, _rank, SION_CURRENT_BLK, SION_CURRENT_POS); }
void SION_Base::ensureFreeSpace(long numbytes) { _return_code = sion_ensure_free_space(_sid, numbytes); }
void SION_Base::endOfFile() { _return_code = sion_feof(_sid); }

int SION_Base::getFileEndianness() const { return sion_get_file_endianness(_sid); }
sion_int64 SION_Base::getBytesWritten() const { return sion_get_bytes_written(_sid); }
sion_int64 SION_Base::getBytesRead() const { return sion_get_bytes_read(_sid); }
sion_int64 SION_Base::getBytesAvailInBlock() const { return sion_bytes_avail_in_block(_sid); }
sion_int64 SION_Base::getBytesAvailInChunk() const { return sion_bytes_avail_in_chunk(_sid); }
sion_int64 SION_Base::getPosition() const { return sion_get_position(_sid); }

void SION_Base::writeBytes(const void* data, std::size_t size, std::size_t nitems) {
  _return_code = static_cast<int>(sion_fwrite(data, size, nitems, _sid));
}

void SION_Base::readBytes(void* data, std::size_t size, std::size_t nitems) {
  setRead(sion_fread(data, size, nitems, _sid));
}

void SION_Base::setSid(int sid) {
  _sid = sid;
  _return_code = sid;
}

void SION_Base::setRead(std::size_t nitems) {
  _number_of_elements_sucessfully_read = static_cast<int>(nitems);
  _return_code = static_cast<int>(nitems);
}

namespace sionlib {
namespace {

// A negative number moves nothing, but the others wait for the call.
std::size_t items(int unit, int length) { return unit > 0 && length > 0 ? static_cast<std::size_t>(length) : 0; }

}  // namespace

ParallelFile::ParallelFile(const std::string& sion_file_name, const std::string& mode, int num_files, int global_rank)
    : SION_Base(sion_file_name, mode), _new_sion_file_name(NULL), _global_rank(global_rank) {
  _num_files = num_files;
}

ParallelFile::~ParallelFile() { std::free(_new_sion_file_name); }

char** ParallelFile::newName() {
  std::free(_new_sion_file_name);
  _new_sion_file_name = NULL;
  return &_new_sion_file_name;
}

void ParallelFile::collectiveWrite(const void* data, int unit, int length) {
  setResult(static_cast<int>(sion_coll_fwrite(data, static_cast<std::size_t>(unit), items(unit, length), _sid)));
}

void ParallelFile::collectiveRead(void* data, int unit, int length) {
  setRead(sion_coll_fread(data, static_cast<std::size_t>(unit), items(unit, length), _sid));
}

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
    // The caller's arrays may be too short for the tasks of the file.
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
