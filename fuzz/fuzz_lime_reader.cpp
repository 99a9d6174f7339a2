// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// C-LIME's reader over any bytes, by two ways through them: record by record, and by seeks that the bytes themselves
// choose. Codes are those documented, positions stay in the file's arithmetic, and nothing beyond the buffer is
// touched.
#include <lime.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <stdexcept>

namespace {

void require(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);  // escapes, and libFuzzer reports it
}

void check_record(LimeReader* reader) {
  require(limeReaderType(reader) != nullptr, "a record has a type");
  require(limeReaderBytes(reader) < 1ULL << 63, "a record has a length");
  require(limeReaderPadBytes(reader) < 8, "a record has at most 7 bytes of padding");
  require(limeEOM(reader) == 0 || limeEOM(reader) == 1, "a record has its flags");
}

void read_some(LimeReader* reader, n_uint64_t bytes) {
  std::array<char, 256> buffer;
  n_uint64_t got = std::min<n_uint64_t>(bytes, buffer.size());
  const n_uint64_t wanted = got;
  const int code = limeReaderReadData(buffer.data(), &got, reader);
  require(code == LIME_SUCCESS || code == LIME_EOR || code == LIME_ERR_READ, "ReadData knows three answers");
  require(got <= wanted, "ReadData gives no more than was asked for");
}

void walk(LimeReader* reader, std::size_t size) {
  std::size_t records = 0;
  int code = LIME_SUCCESS;
  while ((code = limeReaderNextRecord(reader)) == LIME_SUCCESS) {
    require(++records <= size / 144, "every record has a header");
    check_record(reader);
    read_some(reader, 7);
    read_some(reader, 256);
  }
  require(code == LIME_EOF || code == LIME_ERR_READ || code == LIME_ERR_SEEK, "NextRecord knows four answers");
}

void jump(LimeReader* reader, const std::uint8_t* data, std::size_t size) {
  for (std::size_t i = 0; i + 1 < size && i < 512; i += 2) {
    const auto offset = static_cast<std::int8_t>(data[i + 1]);
    switch (data[i] % 6) {
      case 0:
        limeReaderNextRecord(reader);
        break;
      case 1:
        limeReaderSeek(reader, offset, SEEK_CUR);
        break;
      case 2:
        limeReaderSeek(reader, off_t{offset} * (off_t{1} << (offset & 31)), SEEK_SET);
        break;
      case 3:
        limeSetReaderPointer(reader, offset);
        break;
      case 4:
        limeReaderCloseRecord(reader);
        break;
      default:
        read_some(reader, data[i + 1]);
    }
    require(reader->rec_ptr <= reader->bytes_total, "the position stays in the record");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::FILE* file = size > 0 ? fmemopen(const_cast<std::uint8_t*>(data), size, "r") : nullptr;
  if (file == nullptr) return 0;
  LimeReader* reader = limeCreateReader(file);
  walk(reader, size);
  limeSetReaderPointer(reader, 0);
  jump(reader, data, size);
  limeDestroyReader(reader);
  std::fclose(file);
  return 0;
}
