// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Rows of sites out of described memory of a GPU and into it: what memory of the host gives and takes that is described
// alike, which has its own truth in src/lattice/rows_test.cpp. The host touches no page of a GPU: there it would fault.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include <limequat/error.hpp>

#include "lattice/layout_rows.hpp"
#include "lattice/site_order.hpp"
#include "support/device_memory.hpp"
#include "support/error_of.hpp"

namespace lq::lattice {
namespace {

using testing::DeviceArray;

const Box box{{1, 0, 2, 0}, {6, 4, 4, 8}};
constexpr std::size_t volume = 6 * 4 * 4 * 8;

struct Case {
  const char *name, *words;
  std::size_t arrays = 1, numbers = 72;  // arrays; numbers of a site in each
  std::size_t room = 1;                  // for a halo
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

FieldSpec gauge() {
  FieldSpec spec = gauge_spec(Precision::double_, 3, 4);
  spec.numbers = 72;
  return spec;
}

// work(parts, number of the first site) for all sites, a few at a time.
template <class Work>
void for_each_row(int axis, std::uint64_t most, const Work& work) {
  SiteOrder order{axis};
  for (int d = 0; d < 4; ++d) {
    if (d != axis) order.push_back(d);
  }
  RowWalk(box, order, most).walk(0, volume, [&](const auto& parts, auto first, auto) { work(parts, first); });
}

class LayoutOnDevice : public ::testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    const std::size_t length = volume * GetParam().numbers * GetParam().room;
    for (std::size_t i = 0; i < GetParam().arrays; ++i) {
      std::vector<double>& array = host_.emplace_back(length);
      for (std::size_t k = 0; k < length; ++k) array[k] = static_cast<double>(i * length + k);
      device_.push_back(std::make_unique<DeviceArray<double>>(array));
      device_pointers_.push_back(device_.back()->data());
    }
    for (auto& array : host_) host_pointers_.push_back(array.data());
    for (std::uint64_t i = 0; i < volume; ++i) table_.push_back((i * 5 + 3) % volume);
  }

  MutableField field(std::vector<void*>& pointers) const {
    MemoryLayout layout = memory_layout(GetParam().words);
    if (layout.places != PlaceTable::none) layout = memory_layout(GetParam().words, table_);
    void* const data = pointers.size() > 1 ? static_cast<void*>(pointers.data()) : pointers.front();
    return {gauge(), data, host_.front().size(), {}, {}, layout, {}};
  }

  std::vector<std::vector<double>> host_;
  std::vector<std::unique_ptr<DeviceArray<double>>> device_;
  std::vector<void*> host_pointers_, device_pointers_;
  std::vector<std::uint64_t> table_;
};

TEST_P(LayoutOnDevice, IsTakenAndGivenAsThatOfTheHost) {
  for (const int axis : {0, 3}) {
    RowsOut from_host(field(host_pointers_), box), from_device(field(device_pointers_), box);
    RowsIn to_host(field(host_pointers_), box), to_device(field(device_pointers_), box);
    std::vector<double> expected(volume * 72), found(volume * 72);
    const auto row_at = [](std::vector<double>& all, std::uint64_t first) {
      return reinterpret_cast<std::byte*>(all.data() + first * 72);
    };
    for_each_row(axis, 100, [&](const auto& parts, std::uint64_t first) {
      from_host.take(parts, row_at(expected, first));
      from_device.take(parts, row_at(found, first));
    });
    ASSERT_TRUE(found == expected) << "out of it, along axis " << axis;
    for (double& number : expected) number = -1 - 2 * number;
    for_each_row(axis, 77, [&](const auto& parts, std::uint64_t first) {
      to_host.give(parts, row_at(expected, first));
      to_device.give(parts, row_at(expected, first));
    });
    to_device.finish();
    for (std::size_t i = 0; i < host_.size(); ++i) {
      ASSERT_TRUE(device_[i]->values() == host_[i]) << "into it, along axis " << axis << ", array " << i;
    }
  }
}

const Case cases[] = {
    {"milc", "milc"},
    {"quda_host", "quda_host", 4, 18},
    {"quda_native", "quda_native"},
    {"tmlqcd", "tmlqcd"},
    {"grid", "grid"},
    {"columns", "matrix=columns directions=3,0,1,2"},
    {"outermost", "links=outermost order=3,2,1,0"},
    {"halo", "halo=1,1,1,1", 1, 72, 8},
    {"odd_only", "parity=odd-only"},
    {"table", "places=of-sites"},
};
INSTANTIATE_TEST_SUITE_P(Memory, LayoutOnDevice, ::testing::ValuesIn(cases),
                         [](const auto& about) { return std::string(about.param.name); });

// Integers and norms on a GPU, as QUDA computes with them.
TEST(HalfPrecisionOnDevice, IsThatOfTheHost) {
  const FieldSpec spec = spinor_spec(Precision::single);
  std::vector<float> sites(volume * 24);
  for (std::size_t i = 0; i < sites.size(); ++i) sites[i] = static_cast<float>(i % 101) - 50.0F;
  std::vector<std::int16_t> integers(volume * 24);
  std::vector<float> norms(volume);
  const DeviceArray<std::int16_t> device_integers(integers.size());
  const DeviceArray<float> device_norms(volume);
  const MemoryLayout words = memory_layout("quda_native_spinor block=4 norms=in-array");
  std::array<void*, 2> host{integers.data(), norms.data()}, device{device_integers.data(), device_norms.data()};
  RowsIn to_host(MutableField{spec, host.data(), integers.size(), {}, {}, words, {}}, box);
  const MutableField on_device{spec, device.data(), integers.size(), {}, {}, words, {}};
  RowsIn to_device(on_device, box);
  RowsOut from_device(on_device, box);
  for_each_row(0, 90, [&](const auto& parts, std::uint64_t first) {
    to_host.give(parts, reinterpret_cast<const std::byte*>(sites.data() + first * 24));
    to_device.give(parts, reinterpret_cast<const std::byte*>(sites.data() + first * 24));
  });
  to_device.finish();
  EXPECT_TRUE(device_integers.values() == integers);
  EXPECT_TRUE(device_norms.values() == norms);
  std::vector<float> back(sites.size());
  for_each_row(0, 64, [&](const auto& parts, std::uint64_t first) {
    from_device.take(parts, reinterpret_cast<std::byte*>(back.data() + first * 24));
  });
  for (std::size_t i = 0; i < sites.size(); ++i) ASSERT_NEAR(back[i], sites[i], 50.0 / 65000) << i;
}

TEST(ArraysOnDeviceAndHost, AreRefused) {
  std::vector<double> host(18 * volume);
  const DeviceArray<double> device(host);
  std::array<void*, 4> arrays{host.data(), device.data(), host.data(), host.data()};
  const Error error =
      testing::error_of([&] { arrays_of(memory_layout("quda_host"), gauge(), box.extents, arrays.data()); });
  EXPECT_EQ(error.code(), Code::invalid_argument);
  EXPECT_NE(std::string(error.what()).find("partly on the host"), std::string::npos) << error.what();
}

}  // namespace
}  // namespace lq::lattice
