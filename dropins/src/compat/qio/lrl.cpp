// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Files and records below QIO, through C-LIME's objects (lrl.h).
#include <fcntl.h>
#include <lrl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

template <class Object>
Object* empty_object() {
  return static_cast<Object*>(std::calloc(1, sizeof(Object)));
}

// A file that is there, for writing and as it is.
FILE* opened_as_it_is(const char* filename) {
  const int descriptor = ::open(filename, O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) return nullptr;
  FILE* const file = ::fdopen(descriptor, "w");
  if (file == nullptr) ::close(descriptor);
  return file;
}

FILE* opened_for_writing(const char* filename, int mode) {
  if (mode == LRL_NOTRUNC) return opened_as_it_is(filename);
  return std::fopen(filename, mode == LRL_APPEND ? "ae" : "we");
}

bool is_usable(const LRL_RecordReader* rr) { return rr != nullptr && rr->fr != nullptr && rr->fr->dr != nullptr; }
bool is_usable(const LRL_RecordWriter* rw) { return rw != nullptr && rw->fw != nullptr && rw->fw->dg != nullptr; }

// A copy of what is known of a position; the pointers in it mean nothing to others.
template <class State>
void copy_state(const State* from, void** state, size_t* bytes) {
  State* const copy = empty_object<State>();
  if (copy != nullptr && from != nullptr) *copy = *from;
  *state = copy;
  *bytes = copy == nullptr ? 0 : sizeof(State);
}

// C-LIME's object on an open file; the file is closed where there is no memory.
template <class Object, class Make, class Destroy>
Object* opened_file(FILE* file, const Make& make, const Destroy& destroy) {
  if (file == nullptr) return nullptr;
  auto* const object = empty_object<Object>();
  auto* const lime = make(file);
  if (object != nullptr && lime != nullptr) {
    *object = {file, lime};
    return object;
  }
  std::free(object);
  destroy(lime);
  std::fclose(file);
  return nullptr;
}

// Behind its object of C-LIME.
template <class Object>
int closed_file(Object* object) {
  const int code = std::fclose(object->file) == 0 ? LRL_SUCCESS : LRL_ERR_CLOSE;
  std::free(object);
  return code;
}

}  // namespace

extern "C" {

LRL_FileReader* LRL_open_read_file(const char* filename) {
  FILE* const file = filename == nullptr ? nullptr : std::fopen(filename, "re");
  return opened_file<LRL_FileReader>(file, limeCreateReader, limeDestroyReader);
}

LRL_FileWriter* LRL_open_write_file(const char* filename, int mode) {
  FILE* const file = filename == nullptr ? nullptr : opened_for_writing(filename, mode);
  return opened_file<LRL_FileWriter>(file, limeCreateWriter, limeDestroyWriter);
}

int LRL_close_read_file(LRL_FileReader* fr) {
  if (fr == nullptr) return LRL_SUCCESS;
  limeDestroyReader(fr->dr);
  return closed_file(fr);
}

int LRL_close_write_file(LRL_FileWriter* fw) {
  if (fw == nullptr) return LRL_SUCCESS;
  limeDestroyWriter(fw->dg);
  return closed_file(fw);
}

int LRL_set_reader_pointer(LRL_FileReader* fr, off_t offset) {
  if (fr == nullptr || offset < 0) return LRL_ERR_SEEK;
  return limeSetReaderPointer(fr->dr, offset) == LIME_SUCCESS ? LRL_SUCCESS : LRL_ERR_SEEK;
}

off_t LRL_get_reader_pointer(LRL_FileReader* fr) { return fr == nullptr ? -1 : limeGetReaderPointer(fr->dr); }

LRL_RecordReader* LRL_open_read_record(LRL_FileReader* fr, uint64_t* rec_size, LIME_type* lime_type, int* status) {
  *status = LRL_ERR_READ;
  if (fr == nullptr) return nullptr;
  const int code = limeReaderNextRecord(fr->dr);
  if (code == LIME_EOF) *status = LRL_EOF;
  if (code != LIME_SUCCESS) return nullptr;
  auto* const reader = empty_object<LRL_RecordReader>();
  if (reader == nullptr) return nullptr;
  reader->fr = fr;
  *rec_size = limeReaderBytes(fr->dr);
  *lime_type = limeReaderType(fr->dr);
  *status = LRL_SUCCESS;
  return reader;
}

LRL_RecordReader* LRL_open_read_target_record(LRL_FileReader* fr, LIME_type* lime_type_list, int ntypes,
                                              uint64_t* rec_size, LIME_type* lime_type_found, int* status) {
  const auto is_listed = [&] {
    return ntypes == 0 || std::any_of(lime_type_list, lime_type_list + ntypes,
                                      [&](const char* one) { return std::strcmp(one, *lime_type_found) == 0; });
  };
  LRL_RecordReader* reader = LRL_open_read_record(fr, rec_size, lime_type_found, status);
  while (reader != nullptr && !is_listed()) {
    LRL_close_read_record(reader);
    reader = LRL_open_read_record(fr, rec_size, lime_type_found, status);
  }
  return reader;
}

uint64_t LRL_read_bytes(LRL_RecordReader* rr, char* buf, uint64_t nbytes) {
  if (!is_usable(rr)) return 0;
  n_uint64_t bytes = nbytes;
  return limeReaderReadData(buf, &bytes, rr->fr->dr) == LIME_SUCCESS ? bytes : 0;
}

int LRL_seek_read_record(LRL_RecordReader* rr, off_t offset) {
  if (!is_usable(rr)) return LRL_ERR_SEEK;
  return limeReaderSeek(rr->fr->dr, offset, SEEK_SET) == LIME_SUCCESS ? LRL_SUCCESS : LRL_ERR_SEEK;
}

int LRL_next_record(LRL_RecordReader* rr) {
  if (!is_usable(rr)) return LRL_ERR_SKIP;
  return limeReaderNextRecord(rr->fr->dr) == LIME_SUCCESS ? LRL_SUCCESS : LRL_ERR_SKIP;
}

int LRL_next_message(LRL_FileReader* fr) {
  if (fr == nullptr) return LRL_ERR_SKIP;
  do {
    if (limeReaderNextRecord(fr->dr) != LIME_SUCCESS) return LRL_ERR_SKIP;
  } while (limeReaderMEFlag(fr->dr) == 0);
  return LRL_SUCCESS;
}

int LRL_close_read_record(LRL_RecordReader* rr) {
  if (!is_usable(rr)) return LRL_ERR_CLOSE;
  const int code = limeReaderCloseRecord(rr->fr->dr);
  std::free(rr);
  return code == LIME_SUCCESS ? LRL_SUCCESS : LRL_ERR_CLOSE;
}

LRL_RecordWriter* LRL_create_record_writer(LRL_FileWriter* fw) {
  if (fw == nullptr) return nullptr;
  auto* const writer = empty_object<LRL_RecordWriter>();
  if (writer != nullptr) writer->fw = fw;
  return writer;
}

int LRL_write_record_header(LRL_RecordWriter* rw, int msg_begin, int msg_end, uint64_t rec_size, LIME_type lime_type) {
  if (!is_usable(rw)) return LRL_ERR_WRITE;
  LimeRecordHeader* const header = limeCreateHeader(msg_begin, msg_end, lime_type, rec_size);
  const int code = limeWriteRecordHeader(header, rw->fw->dg);
  limeDestroyHeader(header);
  return code == LIME_SUCCESS ? LRL_SUCCESS : LRL_ERR_WRITE;
}

LRL_RecordWriter* LRL_open_write_record(LRL_FileWriter* fw, int msg_begin, int msg_end, uint64_t rec_size,
                                        LIME_type lime_type) {
  LRL_RecordWriter* const writer = LRL_create_record_writer(fw);
  if (LRL_write_record_header(writer, msg_begin, msg_end, rec_size, lime_type) == LRL_SUCCESS) return writer;
  std::free(writer);
  return nullptr;
}

uint64_t LRL_write_bytes(LRL_RecordWriter* rw, char* buf, uint64_t nbytes) {
  if (!is_usable(rw)) return 0;
  n_uint64_t bytes = nbytes;
  return limeWriteRecordData(buf, &bytes, rw->fw->dg) == LIME_SUCCESS ? bytes : 0;
}

int LRL_seek_write_record(LRL_RecordWriter* rw, off_t offset) {
  if (!is_usable(rw)) return LRL_ERR_SEEK;
  return limeWriterSeek(rw->fw->dg, offset, SEEK_SET) == LIME_SUCCESS ? LRL_SUCCESS : LRL_ERR_SEEK;
}

int LRL_close_write_record(LRL_RecordWriter* rw) {
  if (!is_usable(rw)) return LRL_ERR_CLOSE;
  const int code = limeWriterCloseRecord(rw->fw->dg);
  std::free(rw);
  return code == LIME_SUCCESS ? LRL_SUCCESS : LRL_ERR_CLOSE;
}

void LRL_get_reader_state(LRL_RecordReader* rr, void** state_ptr, size_t* state_size) {
  copy_state<LimeReader>(is_usable(rr) ? rr->fr->dr : nullptr, state_ptr, state_size);
}

void LRL_get_writer_state(LRL_RecordWriter* rw, void** state_ptr, size_t* state_size) {
  copy_state<LimeWriter>(is_usable(rw) ? rw->fw->dg : nullptr, state_ptr, state_size);
}

int LRL_set_reader_state(LRL_RecordReader* rr, void* state_ptr) {
  if (rr == nullptr) return LRL_SUCCESS;
  if (limeReaderSetState(rr->fr->dr, static_cast<LimeReader*>(state_ptr)) != LIME_SUCCESS) return LRL_ERR_SETSTATE;
  return LRL_seek_read_record(rr, 0);
}

int LRL_set_writer_state(LRL_RecordWriter* rw, void* state_ptr) {
  if (rw == nullptr) return LRL_SUCCESS;
  if (limeWriterSetState(rw->fw->dg, static_cast<LimeWriter*>(state_ptr)) != LIME_SUCCESS) return LRL_ERR_SETSTATE;
  return LRL_seek_write_record(rw, 0);
}

void LRL_destroy_reader_state_copy(void* state_ptr) { std::free(state_ptr); }
void LRL_destroy_writer_state_copy(void* state_ptr) { std::free(state_ptr); }

}  // extern "C"
