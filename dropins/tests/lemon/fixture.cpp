// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/lemon/fixture.hpp"
#include "support/contents.hpp"

#include <fstream>

namespace lq::testing {

void barrier() {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  wait(request);
}

std::string header_bytes(const std::string& type, std::uint64_t length, bool begins, bool ends) {
  std::string bytes("\x45\x67\x89\xab\0\1\0\0", 8);
  bytes[6] = static_cast<char>((begins ? 0x80 : 0) | (ends ? 0x40 : 0));
  for (int shift = 56; shift >= 0; shift -= 8) bytes += static_cast<char>(length >> shift & 0xff);
  bytes += type;
  bytes.resize(144, '\0');
  return bytes;
}

std::string record_bytes(const std::string& type, const std::string& payload, bool begins, bool ends) {
  std::string bytes = header_bytes(type, payload.size(), begins, ends) + payload;
  while (bytes.size() % 8 != 0) bytes += '\0';
  return bytes;
}

Cartesian::Cartesian(std::vector<int> ranks) : ranks_(std::move(ranks)), here_(ranks_.size()) {
  const std::vector<int> periods(ranks_.size(), 1);
  const int dimensions = static_cast<int>(ranks_.size());
  MPI_Cart_create(MPI_COMM_WORLD, dimensions, ranks_.data(), periods.data(), 0, &comm_);
  MPI_Cart_coords(comm_, world_rank(), dimensions, here_.data());
}

Cartesian Cartesian::of(int dimensions) {
  std::vector<int> ranks(static_cast<std::size_t>(dimensions), 0);
  MPI_Dims_create(world_size(), dimensions, ranks.data());
  return Cartesian(ranks);
}

std::vector<int> Cartesian::extents(int local) const {
  std::vector<int> extents = ranks_;
  for (int& extent : extents) extent *= local;
  return extents;
}

char byte_of(std::uint64_t site, std::uint64_t byte) {
  return static_cast<char>((site * 2654435761U + byte * 40503U + (site >> 7)) >> 3 & 0xff);
}

std::string lattice_bytes(std::uint64_t sites, std::uint64_t site_bytes) {
  std::string bytes;
  for (std::uint64_t site = 0; site < sites; ++site)
    for (std::uint64_t b = 0; b < site_bytes; ++b) bytes += byte_of(site, b);
  return bytes;
}

std::uint64_t sites_of(const std::vector<int>& extents) {
  std::uint64_t sites = 1;
  for (const int extent : extents) sites *= static_cast<std::uint64_t>(extent);
  return sites;
}

std::string block_of(const Cartesian& comm, const std::vector<int>& extents, const std::vector<int>& mapping,
                     std::uint64_t site_bytes) {
  std::vector<std::uint64_t> numbers{0};  // of this rank's sites in the file, in the order of memory
  for (const int d : mapping) {
    const auto i = static_cast<std::size_t>(d);
    const int local = extents[i] / comm.ranks()[i];
    std::vector<std::uint64_t> finer;
    for (const std::uint64_t number : numbers)
      for (int x = 0; x < local; ++x)
        finer.push_back(number * static_cast<std::uint64_t>(extents[i]) +
                        static_cast<std::uint64_t>(comm.here()[i] * local + x));
    numbers = std::move(finer);
  }
  std::string bytes;
  for (const std::uint64_t site : numbers)
    for (std::uint64_t b = 0; b < site_bytes; ++b) bytes += byte_of(site, b);
  return bytes;
}

Lemon::~Lemon() { close(); }

MPI_File& Lemon::open(int mode, MPI_Comm comm) {
  close();
  EXPECT_EQ(MPI_File_open(comm, path_.c_str(), mode, MPI_INFO_NULL, &file_), MPI_SUCCESS);
  return file_;
}

MPI_File& Lemon::create() {
  put("");
  return open(MPI_MODE_RDWR);
}

void Lemon::close() {
  if (file_ != MPI_FILE_NULL) MPI_File_close(&file_);
}

void Lemon::put(const std::string& bytes) {
  close();
  if (world_rank() == 0) std::ofstream(path_, std::ios::binary) << bytes;
  barrier();
}

std::string Lemon::contents() {
  close();
  barrier();
  const std::string bytes = lq::testing::contents(path_);
  barrier();
  return bytes;
}

int Lemon::write_header(LemonWriter* writer, const std::string& type, std::int64_t length, int begins, int ends) {
  LemonRecordHeader* header = lemonCreateHeader(begins, ends, type.c_str(), length);
  const int code = same(lemonWriteRecordHeader(header, writer));
  lemonDestroyHeader(header);
  return code;
}

int Lemon::write_text(LemonWriter* writer, const std::string& text) {
  std::string own = world_rank() == 0 ? text : std::string(text.size(), '?');
  auto bytes = static_cast<MPI_Offset>(text.size());
  return same(lemonWriteRecordData(own.data(), &bytes, writer));
}

void Lemon::write_record(LemonWriter* writer, const std::string& type, const std::string& text, int begins, int ends) {
  EXPECT_EQ(write_header(writer, type, static_cast<std::int64_t>(text.size()), begins, ends), LEMON_SUCCESS);
  if (!text.empty()) {
    EXPECT_EQ(write_text(writer, text), LEMON_SUCCESS);
  }
  EXPECT_EQ(same(lemonWriterCloseRecord(writer)), LEMON_SUCCESS);
}

}  // namespace lq::testing
