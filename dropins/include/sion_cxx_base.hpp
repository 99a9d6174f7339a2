// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A multifile as an object, however it is opened: its arguments, its handle, its data. No call throws; getReturnCode()
// returns the result of the function of sion.h.
#ifndef SION_CXX_BASE_HPP_
#define SION_CXX_BASE_HPP_

#include <cstddef>
#include <string>

#include "sion.h"

class SION_Base {
 public:
  SION_Base();
  explicit SION_Base(const std::string& sion_file_name, const std::string& mode = "rb");
  virtual ~SION_Base();
  // A handle has one owner.
  SION_Base(const SION_Base&) = delete;
  SION_Base& operator=(const SION_Base&) = delete;

  // Local. Arguments of the open, updated by it with its results. Arrays belong to the caller.
  char* getSionFileName() const;
  void setMode(std::string mode);
  std::string getMode() const;
  void setNumberOfFiles(int num_files);
  int getNumberOfFiles() const;
  void setNumberOfTasks(int num_tasks);
  int getNumberOfTasks() const;
  void setRank(int rank);
  int getRank() const;
  void setChunkSize(sion_int64 chunk_size);  // bytes
  sion_int64 getChunkSize() const;
  void setChunkSizes(sion_int64* chunk_sizes);
  sion_int64* getChunkSizes() const;
  void setGlobalRanks(int* global_ranks);
  int* getGlobalRanks() const;
  void setFileSystemBlockSize(sion_int32 fs_blk_size);  // bytes; -1: the file system's
  sion_int32 getFileSystemBlockSize() const;

  int getSid() const;                             // of the open file; -1 or less: none
  int getReturnCode() const;                      // of the last call
  int getNumberOfSuccessfulReadElements() const;  // of the last read

  // Local. Goes to the position of the task of setRank(). For serial reading and writing.
  void seek();
  // Local. 1 in getReturnCode(): the given number of bytes fits into one chunk.
  void ensureFreeSpace(long numbytes);
  // Local. 1 in getReturnCode(): at the end.
  void endOfFile();

  // Local. See sion.h.
  int getFileEndianness() const;
  sion_int64 getBytesWritten() const;
  sion_int64 getBytesRead() const;
  sion_int64 getBytesAvailInBlock() const;
  sion_int64 getBytesAvailInChunk() const;
  sion_int64 getPosition() const;

  // Local. One value in its memory form.
  template <class T>
  void write(T data) {
    writeBytes(&data, sizeof(data), 1);
  }
  template <class T>
  void read(T* data) {
    readBytes(data, sizeof(*data), 1);
  }

 protected:
  void writeBytes(const void* data, std::size_t size, std::size_t nitems);
  void readBytes(void* data, std::size_t size, std::size_t nitems);
  void setSid(int sid);
  void setResult(int code) { _return_code = code; }
  void setRead(std::size_t nitems);

  std::string _sion_file_name;
  std::string _mode;
  int _num_files;
  int _num_tasks;
  int _rank;
  sion_int64* _chunk_sizes;
  sion_int64 _chunk_size;
  sion_int32 _fs_blk_size;
  int* _global_ranks;
  FILE* _file_ptr;
  int _number_of_elements_sucessfully_read;
  int _return_code;
  int _sid;
};

#endif
