// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// QIO's strings, verbosity, time and names.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <utility>

#include <qio.h>
#include <qio_string.h>

#include "compat/qio/layout_copy.hpp"
#include "compat/qio/nodes.hpp"

// QIO's strings.

namespace {

int level_of_words = QIO_VERB_OFF;

void clear(QIO_String& text) {
  std::free(text.string);
  text.string = nullptr;
  text.length = 0;
}

// Takes ownership of the memory, or of nothing.
void hold(QIO_String& text, char* memory, size_t length) {
  clear(text);
  if (memory == nullptr) return;
  text.string = memory;
  text.length = length;
}

char* copy_of(const char* bytes, size_t length) {
  auto* memory = static_cast<char*>(std::malloc(length));
  if (memory != nullptr) std::memcpy(memory, bytes, length);
  return memory;
}

}  // namespace

extern "C" {

QIO_String* QIO_string_create(void) { return static_cast<QIO_String*>(std::calloc(1, sizeof(QIO_String))); }

void QIO_string_destroy(QIO_String* qs) {
  if (qs == nullptr) return;
  clear(*qs);
  std::free(qs);
}

void QIO_string_set(QIO_String* qs, const char* const string) {
  if (qs == nullptr) return;
  if (string == nullptr) return clear(*qs);
  const size_t length = std::strlen(string) + 1;
  hold(*qs, copy_of(string, length), length);
}

size_t QIO_string_length(const QIO_String* const qs) { return qs == nullptr ? 0 : qs->length; }

char* QIO_string_ptr(QIO_String* qs) { return qs == nullptr ? nullptr : qs->string; }

void QIO_string_copy(QIO_String* dest, QIO_String* src) {
  if (src == nullptr || dest == nullptr || src == dest) return;
  if (src->length == 0) return clear(*dest);
  hold(*dest, copy_of(src->string, src->length), src->length);
}

void QIO_string_realloc(QIO_String* qs, size_t length) {
  if (qs == nullptr || length == 0) return;
  auto* memory = static_cast<char*>(std::calloc(length, 1));
  if (memory == nullptr) return clear(*qs);
  const size_t kept = std::min(length, qs->length);
  if (kept > 0) std::memcpy(memory, qs->string, kept);
  memory[length - 1] = '\0';
  hold(*qs, memory, length);
}

void QIO_string_append(QIO_String* qs, const char* const string) {
  if (qs == nullptr || string == nullptr) return;
  if (qs->length == 0) return QIO_string_set(qs, string);
  const size_t begin = ::strnlen(qs->string, qs->length - 1), more = std::strlen(string) + 1;
  auto* memory = static_cast<char*>(std::malloc(begin + more));
  if (memory == nullptr) return clear(*qs);
  std::memcpy(memory, qs->string, begin);
  std::memcpy(memory + begin, string, more);
  hold(*qs, memory, begin + more);
}

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
