// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Numbers per site of each kind of field, and what is refused.
#include <limequat/field.hpp>

#include <gtest/gtest.h>

#include <limits>

#include <limequat/error.hpp>

namespace lq {
namespace {

template <class F>
Code code_of(F make) {
  try {
    make();
  } catch (const Error& error) {
    return error.code();
  }
  return Code::ok;
}

constexpr int most = std::numeric_limits<int>::max();

TEST(FieldSpec, OfAGaugeField) {
  const FieldSpec spec = gauge_spec(Precision::double_, 3, 4);
  EXPECT_EQ(spec.kind, FieldKind::gauge);
  EXPECT_EQ(spec.numbers, 72u);
  EXPECT_EQ(spec.site_bytes(), 576u);
  EXPECT_EQ(gauge_spec(Precision::single, 2, 3).site_bytes(), 96u);
}

TEST(FieldSpec, OfAGaugeFieldWithoutLatticeHasNoNumbersYet) {
  EXPECT_EQ(gauge_spec(Precision::double_).links, 0);
  EXPECT_EQ(gauge_spec(Precision::double_).numbers, 0u);
}

TEST(FieldSpec, OfASpinor) {
  EXPECT_EQ(spinor_spec(Precision::double_).numbers, 24u);
  EXPECT_EQ(spinor_spec(Precision::single, 3, 1).site_bytes(), 24u);
  EXPECT_EQ(spinor_spec(Precision::single, 3, 1).spins, 1);
}

TEST(FieldSpec, OfAPropagator) {
  EXPECT_EQ(propagator_spec(Precision::double_).site_bytes(), 2304u);
  EXPECT_EQ(propagator_spec(Precision::single).site_bytes(), 1152u);
}

TEST(FieldSpec, OfAGenericField) {
  const FieldSpec spec = generic_spec(Precision::single, 5, false);
  EXPECT_EQ(spec.kind, FieldKind::generic);
  EXPECT_EQ(spec.site_bytes(), 20u);
  EXPECT_FALSE(spec.is_complex);
}

TEST(FieldSpec, RefusesImpossibleSites) {
  EXPECT_EQ(code_of([] { gauge_spec(Precision::double_, 1); }), Code::invalid_argument);
  EXPECT_EQ(code_of([] { gauge_spec(Precision::double_, -3); }), Code::invalid_argument);
  EXPECT_EQ(code_of([] { gauge_spec(Precision::double_, 3, -1); }), Code::invalid_argument);
  EXPECT_EQ(code_of([] { spinor_spec(Precision::double_, 1); }), Code::invalid_argument);
  EXPECT_EQ(code_of([] { spinor_spec(Precision::double_, 3, 0); }), Code::invalid_argument);
  EXPECT_EQ(code_of([] { propagator_spec(Precision::double_, 3, -4); }), Code::invalid_argument);
  EXPECT_EQ(code_of([] { generic_spec(Precision::double_, 0, false); }), Code::invalid_argument);
  EXPECT_EQ(code_of([] { generic_spec(Precision::double_, 3, true); }), Code::invalid_argument);
}

TEST(FieldSpec, RefusesSitesWhoseBytesOverflow) {
  EXPECT_EQ(code_of([] { gauge_spec(Precision::double_, most, most); }), Code::too_large);
  EXPECT_EQ(code_of([] { propagator_spec(Precision::double_, most, most); }), Code::too_large);
  EXPECT_EQ(code_of([] { generic_spec(Precision::double_, std::uint64_t{1} << 61, false); }), Code::too_large);
  EXPECT_EQ(code_of([] { generic_spec(Precision::double_, std::uint64_t{1} << 60, false); }), Code::ok);
}

TEST(FieldNames, AreThoseOfTheDocuments) {
  EXPECT_EQ(name(Precision::single), "single");
  EXPECT_EQ(name(Precision::double_), "double");
  EXPECT_EQ(name(FieldKind::gauge), "gauge");
  EXPECT_EQ(name(FieldKind::spinor), "spinor");
  EXPECT_EQ(name(FieldKind::propagator), "propagator");
  EXPECT_EQ(name(FieldKind::generic), "generic");
}

}  // namespace
}  // namespace lq
