// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Any bytes as an HDF5 file in a session: browsed, all small objects and attributes read; then appended to, and what
// was put into it is there when it is opened again.
#include <cstdint>
#include <stdexcept>
#include <string>

#include <limequat/error.hpp>
#include <limequat/hdf5.hpp>

#include "storage/transport.hpp"

namespace {

using namespace lq;

constexpr const char* session_path = "fuzz://file.h5";
constexpr int most_objects = 200, most_depth = 6;

void require_that(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);
}

template <class Work>
bool attempt(Work&& work) {
  try {
    work();
    return true;
  } catch (const Error& error) {
    if (error.code() == Code::internal || error.code() == Code::communication || error.code() == Code::io) throw;
    return false;
  }
}

// Whatever is in a group, and in those within.
void browse(hdf5::File& file, const std::string& group, int depth, int& left) {
  std::vector<hdf5::Entry> entries;
  if (depth > most_depth || !attempt([&] { entries = file.ls(group); })) return;
  for (const hdf5::Entry& entry : entries) {
    if (--left < 0) return;
    const std::string name = group + "/" + entry.name;
    attempt([&] { (void)file.stat(name); });
    attempt([&] { (void)file.attributes(name); });
    attempt([&] { (void)file.read_checked(name); });
    attempt([&] { require_that(file.exists(name), "what is listed exists"); });
    browse(file, name, depth + 1, left);
  }
}

void look() {
  hdf5::File file(session_path);
  attempt([&] { (void)file.attributes("/"); });
  int left = most_objects;
  browse(file, "", 0, left);
  attempt([&] { (void)file.catalog(); });
}

void append() {
  const hdf5::Array value(42.5);
  const bool is_closed = attempt([&] {
    hdf5::File file(session_path, hdf5::Mode::append);
    file.write("/fuzz/added", value, true);
    file.set_attribute("/fuzz", "added", value);
    file.flush();
    const std::vector<hdf5::Entry> entries = file.ls("/");
    attempt([&] { file.rename("/" + entries.front().name, "/moved"); });
    attempt([&] { file.remove("/moved"); });
    file.write("/fuzz/added", value, true);
    file.close();
  });
  if (!is_closed) return;
  hdf5::File again(session_path);
  require_that(again.read("/fuzz/added").real() == 42.5, "what was appended is there");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto files = storage::make_memory();
  const storage::Mount mount("fuzz://", *files);
  const auto* begin = reinterpret_cast<const std::byte*>(data);
  files->create(session_path)->write_at(0, base::Bytes(begin, size));
  attempt(look);
  attempt(append);
  attempt(look);
  return 0;
}
