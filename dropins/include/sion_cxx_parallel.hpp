// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Common parts of multifiles of several tasks as objects.
#ifndef SION_CXX_PARALLEL_HPP_
#define SION_CXX_PARALLEL_HPP_

#include <string>

#include "sion_cxx_base.hpp"

namespace sionlib {

class ParallelFile : public SION_Base {
 public:
  ~ParallelFile();

  // Local. The name of the physical file of this task, once open.
  char* getNewSionFileName() const { return _new_sion_file_name; }
  void setGlobalRank(int global_rank) { _global_rank = global_rank; }
  int getGlobalRank() const { return _global_rank; }

  using SION_Base::read;
  using SION_Base::write;
  // Collective over the tasks of a collector. `length` items of `unit` bytes of a vector, string or array.
  template <class T>
  void write(const T& data, int unit, int length) {
    collectiveWrite(data.data(), unit, length);
  }
  template <class T>
  void read(T* data, int unit, int length) {
    collectiveRead(data, unit, length);
  }

 protected:
  ParallelFile(const std::string& sion_file_name, const std::string& mode, int num_files, int global_rank);

  void collectiveWrite(const void* data, int unit, int length);
  void collectiveRead(void* data, int unit, int length);
  // Before an open: resets the name.
  char** newName();

  char* _new_sion_file_name;
  int _global_rank;
};

template <class T>
ParallelFile& operator<<(ParallelFile& file, const T& value) {
  file.write(value);
  return file;
}

template <class T>
ParallelFile& operator>>(ParallelFile& file, T& value) {
  file.read(&value);
  return file;
}

}  // namespace sionlib

#endif
