// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ensemble/qcdml.hpp"

#include <limequat/error.hpp>

#include <gtest/gtest.h>

namespace lq::ensemble::qcdml {
namespace {

TEST(QcdmlValues, AreOfTheTypesOfTheSchema) {
  struct Case {
    Type type;
    const char* value;
    bool is_right;
  };
  for (const Case& c : {Case{Type::date_time, "2005-02-28T23:59:59+01:00", true},
                        Case{Type::date_time, "2005-02-28T23:59:59.25Z", true},
                        Case{Type::date_time, "2005-02-28", false},
                        Case{Type::date_time, "2005-13-28T23:59:59Z", false},
                        Case{Type::precision, "double", true},
                        Case{Type::precision, "64", false},
                        Case{Type::action, "add", true},
                        Case{Type::action, "Add", false},
                        Case{Type::whole, "0", true},
                        Case{Type::whole, "-1", false},
                        Case{Type::real, "5.9e-1", true},
                        Case{Type::real, "INF", true},
                        Case{Type::real, "0,59", false},
                        Case{Type::nmtoken, "12ec367d", true},
                        Case{Type::nmtoken, "12 34", false},
                        Case{Type::name, "beta", true},
                        Case{Type::name, "1beta", false},
                        Case{Type::orcid, "0000-0001-2345-6789", true},
                        Case{Type::orcid, "0000-0001-2345-678X", false},
                        Case{Type::field, "su3gauge", true},
                        Case{Type::field, "sp4gauge", true},
                        Case{Type::field, "su3gauge_em", true},
                        Case{Type::field, "u1phase", true},
                        Case{Type::field, "su1gauge", false},
                        Case{Type::filled, "", false},
                        Case{Type::uri, "mc://grid/a b", false}}) {
    EXPECT_EQ(expected_of(c.type, c.value).empty(), c.is_right) << c.value;
  }
}

TEST(QcdmlSchemas, AreNamedByVersionAndNamespace) {
  EXPECT_EQ(schema_named("1.3").root.front().name, "management");
  EXPECT_EQ(schema_named("2.0").root.front().name, "dataLFN");
  EXPECT_THROW(schema_named("3"), Error);
  EXPECT_EQ(schema_of("http://www.lqcd.org/ildg/QCDml/config2.0")->name, "2.0");
  EXPECT_EQ(schema_of("http://www.lqcd.org/ildg/QCDml/ensemble1.4"), nullptr);
}

}  // namespace
}  // namespace lq::ensemble::qcdml
