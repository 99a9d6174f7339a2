// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/qio/fields.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "mpi/harness.hpp"

namespace lq::testing {
namespace {

std::array<int, 4> lattice{6, 4, 4, 4};
constexpr int sites = 384, numbers = 6;
bool has_slices = false;

int site_of(int node, int index) {
  return has_slices ? node * (sites / world_size()) + index : index * world_size() + node;
}
int node_number(const int x[]) {
  const int site = static_cast<int>(DML_lex_rank(x, 4, lattice.data()));
  return has_slices ? site / (sites / world_size()) : site % world_size();
}
int node_index(const int x[]) {
  const int site = static_cast<int>(DML_lex_rank(x, 4, lattice.data()));
  return has_slices ? site % (sites / world_size()) : site / world_size();
}
void get_coords(int x[], int node, int index) { DML_lex_coords(x, 4, lattice.data(), site_of(node, index)); }
int num_sites(int node) { return (sites - node + world_size() - 1) / world_size(); }

QIO_Layout layout() {
  QIO_Layout made{};
  made.node_number = node_number;
  made.node_index = node_index;
  made.get_coords = get_coords;
  made.num_sites = num_sites;
  made.latsize = lattice.data();
  made.latdim = 4;
  made.volume = sites;
  made.sites_on_node = static_cast<std::size_t>(num_sites(world_rank()));
  made.this_node = world_rank();
  made.number_of_nodes = world_size();
  return made;
}

float number_of(std::size_t index, int k) {
  return static_cast<float>(site_of(world_rank(), static_cast<int>(index)) * numbers + k);
}

constexpr float between_versions = 10'000;

void get(char* buf, size_t index, int, void* version) {
  for (int k = 0; k < numbers; ++k) {
    const float number = number_of(index, k) + between_versions * static_cast<float>(*static_cast<int*>(version));
    std::memcpy(buf + 4 * k, &number, 4);
  }
}

struct Found {
  std::array<int, 2> of_version{};
  int mismatches = 0;
};

void put(char* buf, size_t index, int, void* arg) {
  auto& found = *static_cast<Found*>(arg);
  for (int k = 0; k < numbers; ++k) {
    float number = 0;
    std::memcpy(&number, buf + 4 * k, 4);
    const float version = (number - number_of(index, k)) / between_versions;
    const bool is_right = version == 0 || version == 1;
    ++(is_right ? found.of_version.at(static_cast<std::size_t>(version)) : found.mismatches);
  }
}

}  // namespace

void deal_sites(bool in_slices) { has_slices = in_slices; }

int write_fields(const std::string& path, int volfmt, int version) {
  QIO_Layout nodes = layout();
  QIO_Oflag flags{QIO_SERIAL, QIO_TRUNC, QIO_ILDGNO, nullptr};
  QIO_String* const xml = QIO_string_create();
  QIO_string_set(xml, "<fault/>");
  QIO_Writer* const writer = QIO_open_write(xml, path.c_str(), volfmt, &nodes, nullptr, &flags);
  int code = same(writer == nullptr ? 1 : 0);
  char type[] = "T", f[] = "F";
  QIO_RecordInfo* const info = QIO_create_record_info(QIO_FIELD, nullptr, nullptr, 0, type, f, 3, 0, 4 * numbers, 1);
  for (int field = 0; field < 2 && writer != nullptr; ++field) {
    const int written = same(QIO_write(writer, info, xml, get, 4 * numbers, 4, &version));
    if (code == 0) code = written;
  }
  if (writer != nullptr) {
    const int closed = same(QIO_close_write(writer));
    if (code == 0) code = closed;
  }
  QIO_destroy_record_info(info);
  QIO_string_destroy(xml);
  return code;
}

int read_fields(const std::string& path, int* version) {
  QIO_Layout nodes = layout();
  QIO_String* const xml = QIO_string_create();
  QIO_Iflag flags{QIO_SERIAL, QIO_UNKNOWN};
  QIO_Reader* const reader = QIO_open_read(xml, path.c_str(), &nodes, nullptr, &flags);
  int code = same(reader == nullptr ? 1 : 0);
  static QIO_RecordInfo info;
  Found found;
  for (int field = 0; field < 2 && code == 0; ++field) {
    code = same(QIO_read(reader, &info, xml, put, 4 * numbers, 4, &found));
    if (code == 0) {
      EXPECT_EQ(found.mismatches, 0);
    }
  }
  const bool is_old = anywhere(found.of_version[0] > 0), is_new = anywhere(found.of_version[1] > 0);
  if (code == 0) {
    EXPECT_NE(is_old, is_new) << "a mixture of two versions";
  }
  if (version != nullptr) *version = is_new ? 1 : 0;
  if (reader != nullptr) QIO_close_read(reader);
  QIO_string_destroy(xml);
  return code;
}

}  // namespace lq::testing
