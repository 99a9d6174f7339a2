// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include <sion_cxx_parallel.hpp>

#include <cstdlib>

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

}  // namespace sionlib
