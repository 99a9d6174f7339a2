// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hdf5/driver/driver.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

namespace lq::hdf5 {
namespace {

// Storage is taken at once and nothing is filled.
Handle create_early(hid_t file, const char* name, std::span<const hsize_t> extents) {
  const Handle space(H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr), H5Sclose);
  const Handle list(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_alloc_time(list.get(), H5D_ALLOC_TIME_EARLY);
  H5Pset_fill_time(list.get(), H5D_FILL_TIME_NEVER);
  const ErrorPlace where{"", name};
  return require(H5Dcreate2(file, name, H5T_IEEE_F64LE, space.get(), H5P_DEFAULT, list.get(), H5P_DEFAULT), H5Dclose,
                 where, "cannot be created");
}

TEST(Driver, PlansWithoutTouchingThePayload) {
  const Lock lock;
  Image image("planned.h5");
  Handle file = create_in(image);
  const std::array<hsize_t, 1> extents{1ULL << 40};  // 8 TiB
  haddr_t at = 0;
  {
    const Handle data = create_early(file.get(), "payload", extents);
    at = H5Dget_offset(data.get());
  }
  close_in(std::move(file), image);
  EXPECT_GE(image.size(), at + (8ULL << 40));
  std::uint64_t bytes = 0;
  for (const auto& [offset, written] : image.changes()) {
    bytes += written.size();
    EXPECT_TRUE(offset + written.size() <= at || offset >= at + (8ULL << 40));
  }
  EXPECT_LT(bytes, 8192u);
}

TEST(Driver, ReadsWhatWasWrittenThroughIt) {
  const Lock lock;
  Image image("a.h5");
  {
    Handle file = create_in(image);
    const std::array<hsize_t, 1> extents{3};
    const std::array<double, 3> values{1, 2.5, -4};
    {
      const Handle data = create_early(file.get(), "v", extents);
      ASSERT_GE(H5Dwrite(data.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
    }
    close_in(std::move(file), image);
  }
  std::vector<std::byte> bytes(static_cast<std::size_t>(image.size()));
  image.read_at(0, bytes);
  EXPECT_EQ(std::memcmp(bytes.data(), "\x89HDF\r\n\x1a\n", 8), 0);
  base::MemorySource source(bytes, "a.h5");
  Image again(source);
  const Handle file = open_in(again, Access::read);
  const ErrorPlace where{"a.h5", "v"};
  const Handle data = require(H5Dopen2(file.get(), "v", H5P_DEFAULT), H5Dclose, where, "is not there");
  std::array<double, 3> values{};
  ASSERT_GE(H5Dread(data.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
  EXPECT_EQ(values, (std::array<double, 3>{1, 2.5, -4}));
  EXPECT_FALSE(again.is_changed());
}

class BrokenSource final : public base::ByteSource {
 public:
  const std::string& path() const noexcept override { return path_; }
  std::uint64_t size() const override { return 1 << 20; }
  std::size_t read_at(std::uint64_t, base::MutableBytes) override {
    throw Error(Code::io, "broken.h5: the disk is gone", {.path = path_});
  }

 private:
  std::string path_ = "broken.h5";
};

TEST(Driver, ErrorsOfReadingAreThoseOfTheSource) {
  const Lock lock;
  BrokenSource source;
  Image image(source);
  try {
    open_in(image, Access::read);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::io);
  }
}

// A file that ends to be readable while it is open.
class FadingSource final : public base::ByteSource {
 public:
  explicit FadingSource(base::Bytes bytes) : bytes_(bytes, "fading.h5") {}
  const std::string& path() const noexcept override { return bytes_.path(); }
  std::uint64_t size() const override { return bytes_.size(); }
  std::size_t read_at(std::uint64_t offset, base::MutableBytes buffer) override {
    if (is_gone) throw Error(Code::io, "fading.h5: the disk is gone", {.path = path()});
    return bytes_.read_at(offset, buffer);
  }
  bool is_gone = false;

 private:
  base::MemorySource bytes_;
};

// The library keeps no object of a file that could not be read any more when it was closed: it would touch it at the
// end of the program.
TEST(Driver, FilesAreClosedWhateverFails) {
  const Lock lock;
  Image made("fading.h5");
  {
    Handle file = create_in(made);
    const std::array<hsize_t, 1> extents{3};
    for (const char* name : {"a", "b", "c"}) create_early(file.get(), name, extents);
    close_in(std::move(file), made);
  }
  std::vector<std::byte> bytes(static_cast<std::size_t>(made.size()));
  made.read_at(0, bytes);
  const auto open_files = [] { return H5Fget_obj_count(static_cast<hid_t>(H5F_OBJ_ALL), H5F_OBJ_FILE); };
  const auto before = open_files();
  FadingSource source(bytes);
  Image image(source);
  {
    const Handle file = open_in(image, Access::write);
    require(H5Ldelete(file.get(), "b", H5P_DEFAULT), {}, "cannot be deleted");
    source.is_gone = true;
  }
  EXPECT_EQ(open_files(), before);
}

TEST(Driver, WhatIsNoHdf5IsMalformed) {
  const Lock lock;
  const std::string text(3000, 'x');
  base::MemorySource source(base::as_bytes(text), "text.h5");
  Image image(source);
  try {
    open_in(image, Access::read);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::malformed);
    EXPECT_NE(std::string(error.what()).find("text.h5"), std::string::npos);
  }
}

}  // namespace
}  // namespace lq::hdf5
