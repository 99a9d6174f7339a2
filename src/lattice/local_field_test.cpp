// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What one site holds must be said without contradiction, however the description came about.
#include "lattice/local_field.hpp"

#include <gtest/gtest.h>

#include <limequat/error.hpp>

#include "support/error_of.hpp"

namespace lq::lattice {
namespace {

using testing::error_of;

Code refusal_of(const FieldSpec& spec) {
  return error_of([&] { resolve_spec(spec, 4); }).code();
}

TEST(FieldSpecOnALattice, HasOneLinkPerDimensionUnlessItSaysOtherwise) {
  EXPECT_EQ(resolve_spec(gauge_spec(Precision::double_), 3).numbers, 3U * 18U);
  EXPECT_EQ(resolve_spec(gauge_spec(Precision::double_, 3, 2), 4).numbers, 2U * 18U);
}

TEST(FieldSpecOnALattice, StaysAsItIsWhenItIsComplete) {
  for (const FieldSpec& spec : {spinor_spec(Precision::single), propagator_spec(Precision::double_, 2),
                                generic_spec(Precision::double_, 7, false)}) {
    EXPECT_EQ(resolve_spec(spec, 4), spec);
  }
}

TEST(FieldSpecOnALattice, RefusesNumbersThatContradictItsShape) {
  FieldSpec spinor = spinor_spec(Precision::double_);
  spinor.numbers = 25;
  EXPECT_EQ(refusal_of(spinor), Code::invalid_argument);
  FieldSpec gauge = gauge_spec(Precision::double_);
  gauge.numbers = 54;
  EXPECT_EQ(refusal_of(gauge), Code::invalid_argument);
  EXPECT_EQ(refusal_of(FieldSpec{}), Code::invalid_argument);
}

TEST(FieldSpecOnALattice, RefusesShapesThatWereSetByHandAndAreNone) {
  FieldSpec spec = gauge_spec(Precision::double_);
  spec.numbers = 72;
  spec.colors = -3;  // whose square is 9
  EXPECT_EQ(refusal_of(spec), Code::invalid_argument);
  spec.colors = 1 << 30;
  spec.links = 1 << 30;
  EXPECT_EQ(refusal_of(spec), Code::too_large);
}

}  // namespace
}  // namespace lq::lattice
