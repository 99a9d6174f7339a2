// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A multifile in a single process: the whole set, or one of its tasks.
#ifndef SION_CXX_SERIAL_HPP_
#define SION_CXX_SERIAL_HPP_

#include <string>

#include "sion_cxx_base.hpp"

namespace sionlib {
namespace serial {

class SIONFile : public SION_Base {
 public:
  // To be opened. Writing takes arrays of num_tasks chunk sizes and ranks; if one is NULL, chunks of 2 MiB and ranks
  // 0, 1, ... are used.
  explicit SIONFile(std::string sion_file_name, std::string mode = "wb", int num_tasks = 1, int num_files = 1,
                    sion_int64* chunk_sizes = NULL, sion_int32 fs_blk_size = -1, int* global_ranks = NULL);
  ~SIONFile();

  // Local. getSid() is the handle or -1; reading sets numbers of tasks and files and the arrays, which belong to this
  // object.
  void open();
  // Local. Reads the task of setRank().
  void openRank();
  // Local. 1 on success.
  int close();

  using SION_Base::read;
  using SION_Base::write;
  // Local. An array as long as the chunk of the selected task.
  template <class T>
  void write(T* data) {
    writeBytes(data, 1, chunkOfTask());
  }
  // Local. `length` items of `unit` bytes of a vector, string or array.
  template <class T>
  void write(const T& data, int unit, int length) {
    writeBytes(data.data(), items(unit), items(length));
  }
  template <class T>
  void read(T* data, int unit, int length) {
    readBytes(data, items(unit), items(length));
  }

 private:
  static std::size_t items(int number) { return number > 0 ? static_cast<std::size_t>(number) : 0; }
  std::size_t chunkOfTask() const;
  void giveArraysBack();

  bool _owns_chunk_sizes;
  bool _owns_global_ranks;
};

template <class T>
SIONFile& operator<<(SIONFile& file, const T& value) {
  file.write(value);
  return file;
}

template <class T>
SIONFile& operator>>(SIONFile& file, T& value) {
  file.read(&value);
  return file;
}

}  // namespace serial
}  // namespace sionlib

#endif
