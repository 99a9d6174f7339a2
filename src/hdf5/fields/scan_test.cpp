// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hdf5/hdf5_format.hpp"

#include <gtest/gtest.h>
#include <hdf5.h>

#include <algorithm>
#include <array>

#include "format/format.hpp"
#include "support/contents.hpp"
#include "support/scratch_directory.hpp"

namespace lq::hdf5 {
namespace {

Catalog catalog_of(const std::string& bytes) {
  base::MemorySource source(base::as_bytes(bytes), "input.h5");
  return scan(source, {});
}

Catalog good(const std::string& name) {
  const Catalog catalog = catalog_of(testing::golden_contents("good/hdf5/" + name));
  EXPECT_NO_THROW(catalog.require_sound());
  return catalog;
}

std::vector<std::string> names_of(const Catalog& catalog) {
  std::vector<std::string> names;
  for (const FieldEntry& field : catalog.fields) names.push_back(field.name);
  return names;
}

using Names = std::vector<std::string>;

TEST(Hdf5Scan, FindsTheGaugeFieldOfQdp) {
  const Catalog catalog = good("qdpxx-gauge-2x4x6x8.h5");
  ASSERT_EQ(names_of(catalog), Names{"cfg/gauge"});
  const Payload& payload = catalog.fields[0].payload;
  EXPECT_EQ(payload.spec, gauge_spec(Precision::double_, 3, 4));
  EXPECT_EQ(payload.extents, (Extents{2, 4, 6, 8}));
  EXPECT_EQ(payload.byte_order, ByteOrder::little);
  EXPECT_TRUE(payload.order.empty());
  EXPECT_EQ(catalog.fields[0].metadata,
            (Metadata{{"beta", "6"}, {"latt_size", "2 4 6 8"}, {"note", "hello"}, {"traj", "42"}}));
  EXPECT_EQ(catalog.records.at(catalog.fields[0].record).type, "/cfg/gauge");
}

TEST(Hdf5Scan, FindsEveryLatticeObjectOfQdp) {
  const Catalog catalog = good("qdpxx-objects-4x2x2x6.h5");
  EXPECT_EQ(names_of(catalog),
            (Names{"lattice/ColorMatrixD", "lattice/ColorMatrixF", "lattice/ComplexD", "lattice/FermionD",
                   "lattice/PropagatorD", "lattice/PropagatorF", "lattice/RealD"}));
  EXPECT_EQ(catalog.field("lattice/ColorMatrixF").payload.spec, generic_spec(Precision::single, 18, true));
  EXPECT_EQ(catalog.field("lattice/ComplexD").payload.spec, generic_spec(Precision::double_, 2, true));
  EXPECT_EQ(catalog.field("lattice/FermionD").payload.spec, spinor_spec(Precision::double_));
  EXPECT_EQ(catalog.field("lattice/PropagatorD").payload.spec, propagator_spec(Precision::double_));
  EXPECT_EQ(catalog.field("lattice/PropagatorF").payload.spec, propagator_spec(Precision::single));
  EXPECT_EQ(catalog.field("lattice/RealD").payload.spec, generic_spec(Precision::double_, 1, false));
  EXPECT_EQ(catalog.records.size(), 22U);
}

TEST(Hdf5Scan, SitesOfQluaHaveTFastest) {
  const Catalog catalog = good("qlua-layout-2x4x2x6.h5");
  const FieldEntry& field = catalog.field("lat/dirferm");
  EXPECT_EQ(field.payload.spec, spinor_spec(Precision::double_));
  EXPECT_EQ(field.payload.extents, (Extents{2, 4, 2, 6}));
  EXPECT_EQ(field.payload.order, (SiteOrder{3, 2, 1, 0}));
  EXPECT_EQ(field.payload.byte_order, ByteOrder::big);
  const Sum* sum = catalog.field("lat/colmatF").sums.find({SumKind::sha256, SumOf::field});
  ASSERT_NE(sum, nullptr);
  EXPECT_EQ(sum->words.front(), 0xe376b54fU);
  EXPECT_EQ(sum->words.back(), 0x233d71c6U);
  const Sum* of_links = catalog.field("cfg").sums.find({SumKind::sha256, SumOf::arrays});
  ASSERT_NE(of_links, nullptr);
  EXPECT_EQ(of_links->values(), 4U);
  EXPECT_EQ(of_links->words.front(), 0xd8c32dc7U);
}

TEST(Hdf5Scan, CorrelatorsAreRecords) {
  const Catalog catalog = good("lalibe_fh_proton.h5");
  EXPECT_TRUE(catalog.fields.empty());
  EXPECT_GT(catalog.records.size(), 10U);
  EXPECT_EQ(catalog.records.front().type.substr(0, 4), "/PS/");
  EXPECT_EQ(catalog.records.front().data_length, 8U * 16U);
}

TEST(Hdf5Scan, FilesCutAnywhereSayThatTheyAre) {
  const std::string bytes = testing::golden_contents("good/hdf5/qdpxx-writeQlua-2x4x2x4.h5");
  for (std::size_t length = 0; length < bytes.size(); length += 997) {
    const Catalog catalog = catalog_of(bytes.substr(0, length));
    ASSERT_NE(catalog.first_error(), nullptr) << length;
    EXPECT_TRUE(catalog.fields.empty());
    EXPECT_EQ(catalog.complete, length < 8) << length;
  }
}

// As QDP++ wrote propagators in single precision before 2019: most of their numbers are lost.
TEST(Hdf5Scan, PropagatorsOfQdpWithColorsForSpinsAreNamedAndNoFields) {
  const testing::ScratchDirectory scratch;
  const std::string path = scratch / "old.h5";
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t number = H5Tcreate(H5T_COMPOUND, 8);
  H5Tinsert(number, "re", 0, H5T_IEEE_F32LE);
  H5Tinsert(number, "im", 4, H5T_IEEE_F32LE);
  for (const auto& [name, spins] : {std::pair{"lost", hsize_t{3}}, {"whole", hsize_t{4}}}) {
    const std::array<hsize_t, 4> site{spins, spins, 3, 3}, extents{4, 2, 2, 2};
    const hid_t type = H5Tarray_create2(number, 4, site.data());
    const hid_t space = H5Screate_simple(4, extents.data(), nullptr);
    const hid_t data = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const std::vector<float> numbers(static_cast<std::size_t>(32 * spins * spins * 9 * 2), 0.5F);
    H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data());
    H5Dclose(data);
    H5Sclose(space);
    H5Tclose(type);
  }
  H5Tclose(number);
  H5Fclose(file);
  const Catalog catalog = catalog_of(testing::contents(path));
  EXPECT_EQ(names_of(catalog), Names{"whole"});
  EXPECT_EQ(catalog.fields[0].payload.spec, propagator_spec(Precision::single));
  EXPECT_EQ(std::ranges::count(catalog.findings, "hdf5-qdp-spins", &Finding::rule), 1);
}

// Real numbers of lattice shape are a field of QDP++ where the file has a type that QDP++ commits, by its name and at
// its place, and not where somebody committed a type.
TEST(Hdf5Scan, TypesThatOthersCommitDoNotMakeAFileOneOfQdp) {
  const testing::ScratchDirectory scratch;
  for (const auto& [type, is_of_qdp] :
       {std::pair{".ComplexD", true}, {"measured", false}, {"group/.ComplexD", false}, {"ColorMatrix", false}}) {
    const std::string path = scratch / "types.h5";
    const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    H5Gclose(H5Gcreate2(file, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    const hid_t number = H5Tcreate(H5T_COMPOUND, 16);
    H5Tinsert(number, "re", 0, H5T_IEEE_F64LE);
    H5Tinsert(number, "im", 8, H5T_IEEE_F64LE);
    H5Tcommit2(file, type, number, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const std::array<hsize_t, 4> extents{4, 2, 2, 2};
    const hid_t space = H5Screate_simple(4, extents.data(), nullptr);
    const hid_t data = H5Dcreate2(file, "x", H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const std::vector<double> numbers(32, 0.5);
    H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data());
    H5Dclose(data);
    H5Sclose(space);
    H5Tclose(number);
    H5Fclose(file);
    EXPECT_EQ(catalog_of(testing::contents(path)).fields.size(), is_of_qdp ? 1U : 0U) << type;
  }
}

}  // namespace
}  // namespace lq::hdf5
