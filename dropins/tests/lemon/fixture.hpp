// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Files for the tests of Lemon's interface, and what has to be in them: LIME records put together by hand.
#pragma once

#include <gtest/gtest.h>
#include <lemon.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "mpi/harness.hpp"

namespace lq::testing {

// The 144 bytes in front of a payload, and the whole record.
std::string header_bytes(const std::string& type, std::uint64_t length, bool begins, bool ends);
std::string record_bytes(const std::string& type, const std::string& payload, bool begins = true, bool ends = true);

// Collective.
void barrier();

// A Cartesian communicator over all ranks.
class Cartesian {
 public:
  explicit Cartesian(std::vector<int> ranks);
  // As even as possible.
  static Cartesian of(int dimensions);
  ~Cartesian() { MPI_Comm_free(&comm_); }
  Cartesian(const Cartesian&) = delete;

  operator MPI_Comm() const { return comm_; }
  const std::vector<int>& ranks() const { return ranks_; }
  const std::vector<int>& here() const { return here_; }
  // Extents that give every rank the given number of sites in each dimension.
  std::vector<int> extents(int local) const;

 private:
  std::vector<int> ranks_, here_;
  MPI_Comm comm_ = MPI_COMM_NULL;
};

// The byte that belongs to a site of a lattice, by its number in the file.
char byte_of(std::uint64_t site, std::uint64_t byte);
// What the file holds of such a lattice.
std::string lattice_bytes(std::uint64_t sites, std::uint64_t site_bytes);
// What a rank holds of it: the file's dimensions are those of the communicator in the order of `mapping`, slowest
// first.
std::string block_of(const Cartesian& comm, const std::vector<int>& extents, const std::vector<int>& mapping,
                     std::uint64_t site_bytes);
std::uint64_t sites_of(const std::vector<int>& extents);

class Lemon : public ::testing::Test {
 protected:
  ~Lemon() override;

  // Collective.
  MPI_File& open(int mode, MPI_Comm comm = MPI_COMM_WORLD);
  MPI_File& create();  // an empty one
  void close();
  void put(const std::string& bytes);
  std::string contents();

  // Codes are compared on all ranks.
  static int write_header(LemonWriter* writer, const std::string& type, std::int64_t length, int begins = 1,
                          int ends = 1);
  static int write_text(LemonWriter* writer, const std::string& text);
  static void write_record(LemonWriter* writer, const std::string& type, const std::string& text, int begins = 1,
                           int ends = 1);

  SharedDirectory directory_;
  std::string path_ = directory_ / "lemon.lime";
  MPI_File file_ = MPI_FILE_NULL;
};

}  // namespace lq::testing
