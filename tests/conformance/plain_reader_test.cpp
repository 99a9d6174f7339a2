// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Files that we write, taken apart by plain_ildg.py, which knows the specification and nothing of us.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <vector>

#include <limequat/limequat.hpp>

#include "support/scratch_directory.hpp"

namespace lq {
namespace {

struct Answer {
  int exit_code = -1;
  std::string text;

  bool says(const std::string& part) const { return text.find(part) != std::string::npos; }
};

Answer ask_python(const std::string& path, const std::string& options = {}) {
  const std::string script = std::string(LQ_SOURCE_DIR) + "/tests/conformance/plain_ildg.py";
  const std::string command = std::string("'") + LQ_PYTHON + "' -B '" + script + "' '" + path + "' " + options;
  FILE* pipe = ::popen(command.c_str(), "r");
  Answer answer;
  if (!pipe) return answer;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) answer.text += static_cast<char>(c);
  answer.exit_code = ::pclose(pipe);
  return answer;
}

// Numbers that tell where they belong: site number, then number within the site.
template <class Real>
std::vector<Real> counted(std::uint64_t sites, std::uint64_t numbers) {
  std::vector<Real> values;
  for (std::uint64_t i = 0; i < sites * numbers; ++i) {
    values.push_back(static_cast<Real>(i / numbers) + static_cast<Real>(i % numbers) / Real{1024});
  }
  return values;
}

struct PlainReader : ::testing::Test {
  testing::ScratchDirectory directory;
};

TEST_F(PlainReader, FindsAGaugeFieldOfOursCorrectInEveryRule) {
  const Grid grid({2, 3, 4, 5});
  const auto links = counted<double>(grid.local_volume(), 72);
  WriteOptions options;
  options.metadata = {{"ildg-data-lfn", "lfn://x/y"}, {"xlf-info", "plaquette = 0.5\n"}};
  const std::string path = directory / "conf.ildg";
  const Report report = write(path, grid, gauge(links), options);

  // Site 1,2,3,4 is number 1 + 2 * (2 + 3 * (3 + 4 * 4)) = 119.
  const Answer answer = ask_python(path, "--site 1,2,3,4");
  EXPECT_EQ(answer.exit_code, 0) << answer.text;
  EXPECT_TRUE(answer.says("\"broken\": [], \"site\": [119.0, 119.0009765625, 119.001953125,")) << answer.text;
  EXPECT_TRUE(answer.says("\"extents\": [2, 3, 4, 5], \"datatype\": \"QDP_D3_ColorMatrix\", \"precision\": 64"));
  EXPECT_TRUE(answer.says("\"computed\": \"" + to_string(report.checksum) + "\"")) << answer.text;
  EXPECT_TRUE(answer.says("\"verdict\": \"ok\", \"slices\": 5")) << answer.text;
  EXPECT_TRUE(answer.says("\"ildg-data-lfn\": \"lfn://x/y\", \"xlf-info\": \"plaquette = 0.5\\n\"")) << answer.text;
}

TEST_F(PlainReader, FindsSinglePrecisionAndOtherGroups) {
  const Grid grid({2, 2, 2, 3});
  const auto links = counted<double>(grid.local_volume(), 32);
  WriteOptions options;
  options.precision = Precision::single;
  const std::string path = directory / "conf.lime";
  write(path, grid, gauge(links, {.colors = 2}), options);
  const Answer answer = ask_python(path, "--site 1,0,0,0");
  EXPECT_EQ(answer.exit_code, 0) << answer.text;
  EXPECT_TRUE(answer.says("\"datatype\": \"QDP_F2_ColorMatrix\", \"precision\": 32, \"site_bytes\": 128"))
      << answer.text;
  EXPECT_TRUE(answer.says("\"site\": [1.0, 1.0009765625,")) << answer.text;
}

TEST_F(PlainReader, FindsEveryFieldOfAScidacFile) {
  const Grid grid({3, 2, 2, 2});
  const auto one = counted<float>(grid.local_volume(), 24);
  const auto two = counted<double>(grid.local_volume(), 288);
  const auto three = counted<double>(grid.local_volume(), 1);
  const std::string path = directory / "fields.scidac";
  Writer file = create(path, grid);
  file.write("quark", spinor(one));
  file.write_record("note", "between");
  file.write("propagator", propagator(two));
  file.write("noise", sites(three));
  file.close();

  const Answer answer = ask_python(path);
  EXPECT_EQ(answer.exit_code, 0) << answer.text;
  EXPECT_TRUE(answer.says("\"datatype\": \"USQCD_F3_DiracFermion\", \"precision\": 32, \"site_bytes\": 96"))
      << answer.text;
  EXPECT_TRUE(answer.says("\"datatype\": \"Lattice\", \"precision\": 64, \"site_bytes\": 2304")) << answer.text;
  EXPECT_TRUE(answer.says("\"datatype\": \"LQ_Sites_D_Real\", \"precision\": 64, \"site_bytes\": 8")) << answer.text;
  EXPECT_TRUE(answer.says("\"note\": \"between\"")) << answer.text;
}

TEST_F(PlainReader, IsToldWhenNoChecksumIsStored) {
  const Grid grid({2, 2, 2, 2});
  const auto links = counted<double>(grid.local_volume(), 72);
  WriteOptions options;
  options.verify = Verify::none;
  const std::string path = directory / "conf.ildg";
  write(path, grid, gauge(links), options);
  const Answer answer = ask_python(path);
  EXPECT_EQ(answer.exit_code, 0) << answer.text;
  EXPECT_TRUE(answer.says("\"stored\": null, \"verdict\": \"absent\"")) << answer.text;
}

}  // namespace
}  // namespace lq
