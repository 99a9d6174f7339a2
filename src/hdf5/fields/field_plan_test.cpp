// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Files as planned, with data that a plain loop puts where the plan says, read by the HDF5 library on its own.
#include "hdf5/hdf5_format.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstring>

#include <limequat/error.hpp>

#include "hdf5/driver/driver.hpp"
#include "hdf5/layouts/layout_writer.hpp"

namespace lq::hdf5 {
namespace {

using format::FieldRequest;
using format::Layout;

// Number k of the site x, exact in single precision.
double number(const Coord& x, std::uint64_t k) {
  std::int64_t site = 0;
  for (int d = x.size(); d-- > 0;) site = 16 * site + x[d];
  return static_cast<double>(site % 4096) * 64 + static_cast<double>(k) + 0.5;
}

void put_number(std::byte* place, double value, Precision precision, ByteOrder order) {
  std::array<std::byte, 8> bytes{};
  const std::size_t size = precision == Precision::single ? 4 : 8;
  const auto narrow = static_cast<float>(value);
  std::memcpy(bytes.data(), size == 4 ? static_cast<const void*>(&narrow) : &value, size);
  if (order == ByteOrder::big) std::reverse(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
  std::memcpy(place, bytes.data(), size);
}

// Where array a of the site lies, by the meaning of tiles and blocks alone.
std::uint64_t place_of(const Payload& payload, const Coord& x, std::uint64_t array) {
  const std::uint64_t bytes = payload.site_bytes() / payload.arrays;
  std::uint64_t number = 0, stride = 1;
  if (payload.block.size() == 0) {
    for (const int d : payload.order) {
      number += stride * static_cast<std::uint64_t>(x[d]);
      stride *= static_cast<std::uint64_t>(payload.extents[d]);
    }
    if (payload.tile_sites == 0) return payload.offset + number * bytes;
    const std::uint64_t per_array = (stride + payload.tile_sites - 1) / payload.tile_sites;
    return payload.tiles.at(array * per_array + number / payload.tile_sites).offset +
           number % payload.tile_sites * bytes;
  }
  std::uint64_t block = 0, blocks = 1;
  for (const int d : payload.order) {
    const std::int64_t extent = payload.block[d];
    number += stride * static_cast<std::uint64_t>(x[d] % extent);
    stride *= static_cast<std::uint64_t>(extent);
    block += blocks * static_cast<std::uint64_t>(x[d] / extent);
    blocks *= static_cast<std::uint64_t>((payload.extents[d] + extent - 1) / extent);
  }
  return payload.tiles.at(array * blocks + block).offset + number * bytes;
}

template <class Work>
void for_each_site(const Extents& extents, Work&& work) {
  Coord x = Coord::filled(extents.size(), 0);
  while (true) {
    work(x);
    int d = 0;
    while (d < x.size() && ++x[d] == extents[d]) x[d++] = 0;
    if (d == x.size()) return;
  }
}

// The file with one field more.
std::vector<std::byte> with_field(std::vector<std::byte> file, FieldRequest request) {
  base::MemorySource before(file, "before.h5");
  request.before = file.empty() ? nullptr : &before;
  const Layout layout = plan_field(request);
  const Payload& payload = layout.payload.at(0);
  std::vector<std::byte> grown = file;
  grown.resize(layout.end.at(0));
  const std::uint64_t size = payload.spec.number_bytes();
  const std::uint64_t share = payload.spec.numbers / payload.arrays;
  for_each_site(request.extents, [&](const Coord& x) {
    for (std::uint64_t k = 0; k < payload.spec.numbers; ++k) {
      const std::uint64_t place = place_of(payload, x, k / share) + k % share * size;
      if (place + size > grown.size()) throw std::logic_error("data beyond the end of the file");
      put_number(grown.data() + place, number(x, k), payload.spec.precision, payload.byte_order);
    }
  });
  for (const format::Literal& literal : layout.tail(format::Digest{{}, payload.tiles})) {
    if (literal.offset + literal.bytes.size() > grown.size()) throw std::logic_error("metadata beyond the end");
    std::memcpy(grown.data() + literal.offset, literal.bytes.data(), literal.bytes.size());
  }
  return grown;
}

// All numbers of a dataset, as doubles in the order of the dataspace and then of the element.
std::vector<double> read_dataset(std::vector<std::byte> bytes, const std::string& path, std::uint64_t per_element,
                                 bool is_complex, const std::vector<std::vector<hsize_t>>& arrays) {
  const Lock lock;
  base::MemorySource source(bytes, "after.h5");
  Image image(source);
  const Handle file = open_in(image, Access::read);
  const ErrorPlace where{"after.h5", path};
  const Handle dataset = require(H5Dopen2(file.get(), path.c_str(), H5P_DEFAULT), H5Dclose, where, "is not there");
  const Handle space(H5Dget_space(dataset.get()), H5Sclose);
  std::vector<double> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space.get())) * per_element);
  const Handle type = make_type(file.get(), {Precision::double_, ByteOrder::little, is_complex, arrays}, where);
  require(H5Dread(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), where, "cannot be read");
  return values;
}

FieldRequest request_for(const std::string& layout, FieldSpec spec, const Extents& extents,
                         const std::string& name = "cfg/field") {
  FieldRequest request;
  request.name = name;
  request.spec = spec;
  request.extents = extents;
  request.choices.layout = layout;
  return request;
}

FieldSpec gauge_of(Precision precision) {
  FieldSpec spec = gauge_spec(precision, 3, 4);
  spec.numbers = 72;
  return spec;
}

const Extents lattice{2, 4, 3, 6};

// What a plain loop over the dataspace gives: sites by `order`, then the numbers of the site from `first` on.
std::vector<double> expected(const Extents& extents, const SiteOrder& order, std::uint64_t first, std::uint64_t count) {
  std::vector<double> values(volume(extents) * count);
  for_each_site(extents, [&](const Coord& x) {
    std::uint64_t site = 0, stride = 1;
    for (const int d : order) {
      site += stride * static_cast<std::uint64_t>(x[d]);
      stride *= static_cast<std::uint64_t>(extents[d]);
    }
    for (std::uint64_t k = 0; k < count; ++k) values[site * count + k] = number(x, first + k);
  });
  return values;
}

TEST(FieldPlan, NativeIsPlainNumbersTFirst) {
  for (const Precision precision : {Precision::single, Precision::double_}) {
    const auto file = with_field({}, request_for("native", gauge_of(precision), lattice));
    EXPECT_EQ(read_dataset(file, "/cfg/field", 2, true, {}), expected(lattice, {0, 1, 2, 3}, 0, 72));
  }
}

TEST(FieldPlan, QdpHasMatricesAsElements) {
  const auto file = with_field({}, request_for("qdp", gauge_of(Precision::double_), lattice));
  EXPECT_EQ(read_dataset(file, "/cfg/field", 18, true, {{3, 3}}), expected(lattice, {0, 1, 2, 3}, 0, 72));
}

TEST(FieldPlan, QluaHasADatasetForEachDirectionXFirst) {
  const auto file = with_field({}, request_for("qlua", gauge_of(Precision::double_), lattice));
  for (std::uint64_t mu = 0; mu < 4; ++mu) {
    EXPECT_EQ(read_dataset(file, "/cfg/field/" + std::to_string(mu), 18, true, {{3, 3}}),
              expected(lattice, {3, 2, 1, 0}, 18 * mu, 18));
  }
}

// In chunks of slices, of boxes that divide the lattice and of some that do not.
TEST(FieldPlan, ChunksLieWhereTheLibraryLooksForThem) {
  for (const char* chunk : {"slice", "2x4x3x2", "2x2x3x3", "1x3x2x4", "2x4x3x6"}) {
    for (const char* layout : {"native", "qdp", "qlua"}) {
      FieldRequest request = request_for(layout, gauge_of(Precision::double_), lattice);
      request.choices.dataset_chunk = chunk;
      const auto file = with_field({}, request);
      const bool qlua = layout == std::string("qlua");
      const std::string path = qlua ? "/cfg/field/1" : "/cfg/field";
      const bool native = layout == std::string("native");
      EXPECT_EQ(read_dataset(file, path, native ? 2 : 18, true,
                             native ? std::vector<std::vector<hsize_t>>{} : std::vector<std::vector<hsize_t>>{{3, 3}}),
                qlua ? expected(lattice, {3, 2, 1, 0}, 18, 18) : expected(lattice, {0, 1, 2, 3}, 0, 72))
          << chunk << " " << layout;
    }
  }
}

TEST(FieldPlan, AFieldMoreLeavesThoseBeforeAsTheyAre) {
  FieldSpec spinor = spinor_spec(Precision::single);
  spinor.numbers = 24;
  auto file = with_field({}, request_for("native", gauge_of(Precision::double_), lattice, "gauge"));
  file = with_field(file, request_for("qdp", spinor, lattice, "props/one"));
  file = with_field(file, request_for("native", generic_spec(Precision::double_, 1, false), {4, 4}, "props/real"));
  EXPECT_EQ(read_dataset(file, "/gauge", 2, true, {}), expected(lattice, {0, 1, 2, 3}, 0, 72));
  EXPECT_EQ(read_dataset(file, "/props/one", 1, false, {}), expected(lattice, {0, 1, 2, 3}, 0, 24));
  EXPECT_EQ(read_dataset(file, "/props/real", 1, false, {}), expected({4, 4}, {0, 1}, 0, 1));
}

TEST(FieldPlan, DataBeginAtTheAlignment) {
  for (const char* layout : {"native", "qlua"}) {
    FieldRequest request = request_for(layout, gauge_of(Precision::double_), lattice);
    request.choices.alignment = 1 << 16;
    const Payload payload = plan_field(request).payload.at(0);
    EXPECT_EQ(payload.offset, 65536u);
    for (const Tile& tile : payload.tiles) EXPECT_EQ(tile.offset % 65536, 0u);
  }
}

TEST(FieldPlan, WithoutTimeStampsBytesAreTheSameAgain) {
  FieldRequest request = request_for("native", gauge_of(Precision::double_), lattice);
  request.choices.time_stamps = false;
  EXPECT_EQ(with_field({}, request), with_field({}, request));
}

Code code_of(FieldRequest request, std::vector<std::byte> file = {}) {
  base::MemorySource before(file, "before.h5");
  if (!file.empty()) request.before = &before;
  try {
    plan_field(request);
  } catch (const Error& error) {
    return error.code();
  }
  return Code::ok;
}

TEST(FieldPlan, WhatCannotBeDoneIsSaidBeforeDataAreWritten) {
  FieldRequest request = request_for("native", gauge_of(Precision::double_), lattice);
  EXPECT_EQ(code_of(request), Code::ok);
  EXPECT_EQ(code_of(request, with_field({}, request)), Code::exists);
  request.metadata = {{"checksum", "mine"}};
  EXPECT_EQ(code_of(request), Code::invalid_argument);
  request.metadata = {};
  request.choices.filters = "fletcher32";
  EXPECT_EQ(code_of(request), Code::invalid_argument);
  request.choices.dataset_chunk = "1x3x2x4";
  EXPECT_EQ(code_of(request), Code::ok);
  request.choices.dataset_chunk = "4x4x4x4";
  EXPECT_EQ(code_of(request), Code::invalid_argument);
  request.choices = {};
  request.choices.layout = "chroma";
  EXPECT_EQ(code_of(request), Code::invalid_argument);
  request.choices.layout = "qlua";
  request.spec = generic_spec(Precision::double_, 7, false);
  EXPECT_EQ(code_of(request), Code::unsupported);
  request.choices.layout = {};
  request.name = "a//b";
  EXPECT_EQ(code_of(request), Code::invalid_argument);
}

}  // namespace
}  // namespace lq::hdf5
