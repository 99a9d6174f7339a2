// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// C-LIME from C++ as codes include it today, which wrap the header themselves; with exceptions of their own around it.
extern "C" {
#include <lime.h>
}

#include <iostream>
#include <stdexcept>
#include <vector>

static void read_back(std::FILE* fp) {
  std::rewind(fp);
  LimeReader* reader = limeCreateReader(fp);
  const int code = limeReaderNextRecord(reader);
  std::vector<char> data(limeReaderBytes(reader));
  n_uint64_t bytes = data.size();
  const int read = limeReaderReadData(data.data(), &bytes, reader);
  limeDestroyReader(reader);
  if (code != LIME_SUCCESS || read != LIME_SUCCESS) throw std::runtime_error("not read");
  throw std::string(data.begin(), data.end());
}

int main() {
  std::FILE* fp = std::fopen("over_lime.lime", "w+");
  LimeWriter* writer = limeCreateWriter(fp);
  LimeRecordHeader header{LIME_VERSION, 1, 1, const_cast<char*>("record"), 4};
  n_uint64_t bytes = 4;
  limeWriteRecordHeader(&header, writer);
  limeWriteRecordData(const_cast<char*>("same"), &bytes, writer);
  limeDestroyWriter(writer);
  try {
    read_back(fp);
  } catch (const std::string& data) {
    std::cout << data << std::endl;
  }
  std::fclose(fp);
}
