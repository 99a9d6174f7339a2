// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Verbosity, time and names.
#include <qio.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <utility>

#include "compat/qio/layout_copy.hpp"
#include "compat/qio/nodes.hpp"
#include "compat/qio/outcome.hpp"

namespace {

int level_of_words = QIO_VERB_OFF;

}  // namespace

extern "C" {

int QIO_verbose(int level) { return std::exchange(level_of_words, level); }

int QIO_verbosity(void) { return level_of_words; }

int QIO_set_communicator(const void* mpi_comm) { return lq::compat::qio::use_communicator(mpi_comm); }

double QIO_time(void) {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

void QIO_wait(double sec) { std::this_thread::sleep_for(std::chrono::duration<double>(sec)); }

char* QIO_set_filepath(QIO_Filesystem* fs, const char* const filename, int node) {
  std::string path;
  const auto made = lq::compat::qio::outcome_of(QIO_ERR_ALLOC, [&] {
    const bool is_placed = fs->type == QIO_MULTI_PATH && fs->node_path != nullptr && fs->node_path[node][0] != '\0';
    path = is_placed ? std::string(fs->node_path[node]) + "/" + filename : filename;
  });
  return made.code == QIO_SUCCESS ? ::strdup(path.c_str()) : nullptr;
}

char* QIO_filename_edit(const char* filename, int volfmt, int this_node) {
  try {
    return ::strdup(lq::compat::qio::name_of_part(filename, volfmt, this_node).c_str());
  } catch (...) {
    return nullptr;
  }
}

}  // extern "C"
