// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lemon_contents FILE: every record with its header, and its payload if that is short and text. Same output as Lemon's,
// printed by rank 0 only.
#include <lemon.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

constexpr MPI_Offset shown_bytes = 4096;

// Prints it once.
int complain(int rank, const char* what, int status) {
  if (rank == 0) std::fprintf(stderr, "%s (status = %d).\n", what, status);
  return EXIT_FAILURE;
}

void show_header(LemonReader* reader, int message, int record) {
  std::printf("\n\n");
  std::printf("Message:        %d\n", message);
  std::printf("Record:         %d\n", record);
  std::printf("Type:           %s\n", lemonReaderType(reader));
  std::printf("Data Length:    %llu\n", static_cast<unsigned long long>(lemonReaderBytes(reader)));
  std::printf("Padding Length: %lld\n", static_cast<long long>(lemonReaderPadBytes(reader)));
  std::printf("MB flag:        %d\n", lemonReaderMBFlag(reader));
  std::printf("ME flag:        %d\n", lemonReaderMEFlag(reader));
}

void show_payload(const std::string& text) {
  if (std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; })) {
    std::printf("Data:           \"%s\" \n", text.c_str());  // up to a NUL, as in the original
  } else {
    std::printf("Data:           [Binary data].\n");
  }
}

// Collective.
int show_record(LemonReader* reader, int message, int record) {
  const bool prints = reader->my_rank == 0;
  if (prints) show_header(reader, message, record);
  MPI_Offset bytes = lemonReaderBytes(reader);
  if (bytes >= shown_bytes) {
    if (prints) std::printf("Data:           [Long record skipped]\n");
    return LEMON_SUCCESS;
  }
  std::string text(static_cast<std::size_t>(bytes), '\0');
  const int status = lemonReaderReadData(text.data(), &bytes, reader);
  if (prints && status == LEMON_SUCCESS) show_payload(text);
  return status;
}

// Collective.
int show_all(LemonReader* reader) {
  int message = 0, record = 0;
  for (;;) {
    const int status = lemonReaderNextRecord(reader);
    if (status == LEMON_EOF) return EXIT_SUCCESS;
    if (status != LEMON_SUCCESS) return complain(reader->my_rank, "Cannot read the next record", status);
    if (lemonReaderMBFlag(reader) == 1 || message == 0) {
      ++message;
      record = 0;
    }
    const int shown = show_record(reader, message, ++record);
    if (shown != LEMON_SUCCESS) return complain(reader->my_rank, "Cannot read the data", shown);
  }
}

int show_file(const char* path, int rank) {
  MPI_File file = MPI_FILE_NULL;
  if (MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDONLY, MPI_INFO_NULL, &file) != MPI_SUCCESS) {
    return complain(rank, "Cannot open the file", LEMON_ERR_READ);
  }
  LemonReader* reader = lemonCreateReader(&file, MPI_COMM_WORLD);
  const int result = reader != nullptr ? show_all(reader) : complain(rank, "Cannot read the file", LEMON_ERR_READ);
  lemonDestroyReader(reader);
  MPI_File_close(&file);
  return result;
}

}  // namespace

int main(int argc, char* argv[]) {
  int rank = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int result = EXIT_FAILURE;
  if (argc == 2) {
    result = show_file(argv[1], rank);
  } else if (rank == 0) {
    std::fprintf(stderr, "Usage: %s <lemon_file>\n", argv[0]);
  }
  MPI_Finalize();
  return result;
}
