// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What is planned, carried out in memory, must be what a scan finds. That the bytes are right is the business of
// tests/conformance, where a reader in Python takes the same files apart.
#include "format/scidac/plan.hpp"

#include <gtest/gtest.h>
#include <limequat/error.hpp>

#include "format/scidac/records.hpp"
#include "support/assembled.hpp"

namespace lq::format::scidac {
namespace {

FieldSpec sized(FieldSpec spec, std::uint64_t numbers, int links = 0) {
  spec.numbers = numbers;
  spec.links = links;
  return spec;
}

FieldRequest request_for(const FieldSpec& spec, const Extents& extents) {
  FieldRequest request;
  request.spec = spec;
  request.extents = extents;
  return request;
}

Digest digest_for(const Extents& extents) {
  Checksum total;
  std::vector<Checksum> slices;
  for (std::int64_t i = 0; i < extents[extents.size() - 1]; ++i) {
    slices.push_back({static_cast<std::uint32_t>(i * 77), static_cast<std::uint32_t>(i * 1234567)});
    total.suma ^= slices.back().suma;
    total.sumb ^= slices.back().sumb;
  }
  Digest digest;
  digest.sums.set_checksum(total);
  digest.sums.set_slices(slices);
  Sum weights{{SumKind::weighted, SumOf::slices}};
  for (const Checksum& slice : slices)
    weights.words.insert(weights.words.end(), {0, slice.suma, slice.sumb, ~slice.sumb});
  digest.sums.set(std::move(weights));
  return digest;
}

std::string file_for(const FieldRequest& request, std::string before = {}) {
  const Layout layout = format_named("scidac").fields->plan(request);
  return testing::assemble(layout, std::string(layout.payload[0].length, 'd'), digest_for(request.extents), before);
}

std::vector<std::string> types_of(const Catalog& catalog) {
  std::vector<std::string> types;
  for (const Record& record : catalog.records) types.push_back(record.type);
  return types;
}

TEST(ScidacPlan, IsWhatAScanFinds) {
  const Precision single = Precision::single, full = Precision::double_;
  const std::pair<FieldSpec, Extents> cases[] = {
      {sized(gauge_spec(full), 72, 4), {2, 3, 1, 5}},           {sized(gauge_spec(single, 2), 16, 2), {3, 2}},
      {sized(gauge_spec(full, 5), 150, 3), {2, 2, 2}},          {sized(spinor_spec(full), 24), {2, 2, 3, 1}},
      {sized(spinor_spec(single, 2, 4), 16), {2, 2, 3, 1}},     {sized(spinor_spec(single, 3, 1), 6), {2, 2, 3, 1}},
      {sized(propagator_spec(single), 288), {1, 2, 1, 2}},      {generic_spec(single, 1, false), {3}},
      {generic_spec(full, 7, false), {1, 1, 2, 1, 1, 1, 1, 3}}, {generic_spec(full, 6, true), {5, 2}},
  };
  for (const auto& [spec, extents] : cases) {
    const Catalog catalog = testing::scan(format_named("scidac"), file_for(request_for(spec, extents)));
    ASSERT_EQ(catalog.fields.size(), 1U) << to_string(extents);
    EXPECT_TRUE(catalog.findings.empty()) << catalog.findings[0].message;
    const FieldEntry& field = catalog.fields[0];
    EXPECT_EQ(field.payload.spec, spec) << name(spec.kind) << " " << field.payload.spec.numbers;
    EXPECT_EQ(field.payload.extents, extents);
    EXPECT_EQ(field.name, default_name(spec.kind));
    EXPECT_EQ(field.sums, digest_for(extents).sums);
  }
}

TEST(ScidacPlan, PutsRecordsWhereEveryReaderAcceptsThem) {
  FieldRequest request = request_for(generic_spec(Precision::single, 3, false), {3});
  request.metadata = {{"note", "one"}, {"scidac-file-xml", "<file/>"}, {"scidac-record-xml", "<r/>"}, {"note", "two"}};
  const Catalog catalog = testing::scan(format_named("scidac"), file_for(request));
  const std::vector<std::string> expected = {"scidac-private-file-xml",
                                             "scidac-file-xml",
                                             "scidac-private-record-xml",
                                             "scidac-record-xml",
                                             "xlf-info",
                                             "note",
                                             "note",
                                             "limequat-description",
                                             "limequat-slices",
                                             "scidac-binary-data",
                                             "scidac-checksum"};
  EXPECT_EQ(types_of(catalog), expected);
  for (const Record& record : catalog.records) {
    EXPECT_EQ(record.mb_flag, record.number == 1) << record.type;
    EXPECT_EQ(record.me_flag, record.type == "scidac-file-xml" || record.type == "scidac-checksum") << record.type;
  }
}

TEST(ScidacPlan, WritesEveryByteOfTheFile) {
  const Layout layout =
      format_named("scidac").fields->plan(request_for(generic_spec(Precision::single, 3, false), {3, 1}));
  const std::string data(layout.payload[0].length, 'd');
  const std::string over_a = testing::assemble(layout, data, digest_for({3, 1}), {}, 'a');
  EXPECT_EQ(over_a, testing::assemble(layout, data, digest_for({3, 1}), {}, 'b'));
  EXPECT_EQ(over_a.size() % 8, 0U);
}

TEST(ScidacPlan, AppendsFieldsAndRecords) {
  const Format& format = format_named("scidac");
  FieldRequest request = request_for(generic_spec(Precision::single, 3, false), {3});
  std::string file = file_for(request);
  const Layout note = format.records->plan_record({"log", "behind", file.size(), false});
  file = testing::assemble(note, "", {}, file);
  request.offset = file.size();
  request.first = false;
  request.name = "second one";
  file = file_for(request, file);
  const Catalog catalog = testing::scan(format, file);
  ASSERT_EQ(catalog.fields.size(), 2U);
  EXPECT_EQ(catalog.fields[0].name, "field");
  EXPECT_EQ(catalog.fields[1].name, "second one");
  EXPECT_TRUE(catalog.findings.empty());
  EXPECT_EQ(std::count(catalog.metadata.begin(), catalog.metadata.end(),
                       std::pair<std::string, std::string>("log", "behind")),
            1);
}

TEST(ScidacPlan, WithoutChecksumEndsTheMessageWithTheData) {
  FieldRequest request = request_for(generic_spec(Precision::single, 3, false), {3});
  request.checksum = false;
  const Layout layout = format_named("scidac").fields->plan(request);
  EXPECT_FALSE(layout.tail);
  const Catalog catalog = testing::scan(format_named("scidac"), testing::assemble(layout, std::string(36, 'd'), {}));
  EXPECT_TRUE(catalog.records.back().me_flag);
  ASSERT_EQ(catalog.fields.size(), 1U);
  EXPECT_TRUE(catalog.fields[0].sums.all.empty());
  EXPECT_TRUE(catalog.findings.empty());
}

TEST(ScidacPlan, LeavesOutSlicesThatWouldFillAMegabyte) {
  const FieldRequest request = request_for(generic_spec(Precision::single, 1, false), {1, 60000});
  for (const Literal& literal : format_named("scidac").fields->plan(request).head) {
    EXPECT_EQ(base::as_text(literal.bytes).find("limequat-slices"), std::string_view::npos);
  }
}

TEST(ScidacPlan, StatesPlaquetteAndLinkTrace) {
  FieldRequest request = request_for(sized(gauge_spec(Precision::single), 72, 4), {1, 1, 1, 2});
  request.metadata = {{"plaquette", "0.593712345678"}, {"link_trace", "-0.001"}, {"date", "today & now"}};
  const std::string file = file_for(request);
  const Catalog catalog = testing::scan(format_named("scidac"), file);
  ASSERT_EQ(catalog.fields.size(), 1U);
  EXPECT_EQ(catalog.fields[0].plaquette, 0.593712345678);
  EXPECT_EQ(catalog.fields[0].link_trace, -0.001);
  EXPECT_NE(file.find("<date>today &amp; now</date>"), std::string::npos);
  EXPECT_NE(file.find("plaquette = 0.593712345678\n creator = limequat "), std::string::npos);
}

Code code_for(const FieldRequest& request) {
  try {
    format_named("scidac").fields->plan(request);
    return Code::ok;
  } catch (const Error& error) {
    return error.code();
  }
}

TEST(ScidacPlan, RefusesMetadataThatWouldContradictIt) {
  FieldRequest request = request_for(generic_spec(Precision::single, 1, false), {3});
  EXPECT_EQ(code_for(request), Code::ok);
  const Metadata refused[] = {
      {{"scidac-checksum", "x"}},
      {{"ildg-binary-data", "x"}},
      {{"scidac-private-record-xml", "x"}},
      {{"limequat-slices", "x"}},
      {{"", "x"}},
      {{std::string(128, 't'), "x"}},
      {{"two\nlines", "x"}},
      {{"plaquette", "large"}},
      {{"my-binary-data", "x"}},
      {{"xlf-info", "a"}, {"xlf-info", "b"}},
  };
  for (const Metadata& metadata : refused) {
    request.metadata = metadata;
    EXPECT_EQ(code_for(request), Code::invalid_argument) << metadata[0].first;
  }
}

TEST(ScidacPlan, RefusesSizesThatDoNotFit) {
  FieldRequest request = request_for(generic_spec(Precision::double_, 1ULL << 40, false), {1LL << 30});
  EXPECT_EQ(code_for(request), Code::too_large);
  EXPECT_EQ(code_for(request_for(generic_spec(Precision::double_, 1, false), {})), Code::invalid_argument);
  EXPECT_EQ(code_for(request_for(generic_spec(Precision::double_, 1, false), {4, 0})), Code::invalid_argument);
  request = request_for(generic_spec(Precision::double_, 1, false), {4});
  request.spec.numbers = 0;
  EXPECT_EQ(code_for(request), Code::invalid_argument);
}

}  // namespace
}  // namespace lq::format::scidac
