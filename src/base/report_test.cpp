// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Reports for people.
#include <limequat/report.hpp>

#include <gtest/gtest.h>

namespace lq {
namespace {

Report report() {
  Report report;
  report.path = "conf.lime";
  report.format = "ildg";
  report.field = "gauge";
  report.spec = gauge_spec(Precision::double_, 3, 4);
  report.ranks = 4;
  report.written = true;
  report.bytes = 4718592;
  report.seconds = {
      .open = 0.0005, .pack = 0.001, .exchange = 0.002, .storage = 0.003, .reserve = 0, .sync = 0.004, .total = 0.01};
  report.checksum = {0xa2c41090, 0x11193c39};
  report.stored = report.checksum;
  report.status = ChecksumStatus::ok;
  return report;
}

bool says(const Report& report, std::string_view words) { return report.summary().find(words) != std::string::npos; }

TEST(Report, SummaryIsOneReadableParagraph) {
  EXPECT_EQ(report().summary(),
            "conf.lime: wrote field \"gauge\" (gauge, SU(3), double precision, ildg, no lattice): 4.7 MB on 4 ranks "
            "in 0.01 s, 471.9 MB/s (open 0.0005 s, pack 0.001 s, exchange 0.002 s, storage 0.003 s, sync 0.004 s). "
            "Checksum a2c41090/11193c39: equal to the stored one.");
}

TEST(Report, SummaryNeverConfusesTheStatesOfTheChecksum) {
  Report r = report();
  r.status = ChecksumStatus::mismatch;
  r.stored = Checksum{1, 2};
  EXPECT_TRUE(says(r, "MISMATCH, the file stores 00000001/00000002")) << r.summary();
  r.status = ChecksumStatus::unchecked;
  EXPECT_TRUE(says(r, "not compared, the file stores 00000001/00000002")) << r.summary();
  r.stored.reset();
  EXPECT_TRUE(says(r, "Checksum: not compared.")) << r.summary();
  r.status = ChecksumStatus::absent;
  EXPECT_TRUE(says(r, "Checksum: none is stored.")) << r.summary();
  r.written = false;
  EXPECT_TRUE(says(r, "Checksum a2c41090/11193c39: the file stores none.")) << r.summary();
}

TEST(Report, SummarySaysWhatWasDoneWhereThereIsAChoice) {
  Report r = report();
  r.storage.file_system = "lustre";
  r.storage.block_bytes = 4 << 20;
  r.storage.ranks = 32;
  EXPECT_FALSE(says(r, "lustre"));
  r.storage.stripes = {StripeReason::by_size, 8, 4 << 20};
  EXPECT_TRUE(says(r, " Stored on lustre, stripes: 8 of 4 MiB, set by the size of the file; 32 ranks at the file."))
      << r.summary();
  r.storage.stripes = {StripeReason::progressive, 0, 1 << 20};
  EXPECT_TRUE(says(r, "an unknown number of 1 MiB, they grow with the file, as set on the folder;")) << r.summary();
  r.storage = {"nfs", 65536, true, {}, 1};
  EXPECT_TRUE(says(r, " Stored on nfs; 1 rank at the file, each in its own blocks of 64 KiB.")) << r.summary();
}

TEST(Report, SummarySaysWhoComputedForAGpu) {
  Report r = report();
  EXPECT_FALSE(says(r, "GPU"));
  r.device.computing_ranks = 3;
  EXPECT_TRUE(says(r, " Sites: a GPU computed on 3 ranks.")) << r.summary();
  r.device = {3, 1, "no compiler"};
  EXPECT_TRUE(says(r, " Sites: a GPU computed on 3 ranks; the host computed for a GPU on 1 rank: no compiler."))
      << r.summary();
}

TEST(Report, SummaryWarnsOfZeros) {
  Report r = report();
  EXPECT_FALSE(says(r, "zeros"));
  r.zeros = {16, 1168, 10384};
  EXPECT_TRUE(says(r, "16 sites hold only zeros, between bytes 1168 and 10384")) << r.summary();
}

TEST(Report, RateOfNoTimeIsZero) {
  EXPECT_EQ(Report().rate(), 0.0);
  EXPECT_TRUE(says(Report(), "0 B/s"));
}

TEST(Report, SaysBytesOfRecordsWithoutNumbers) {
  Report r = report();
  r.spec = FieldSpec{};
  EXPECT_TRUE(says(r, "(bytes, ildg, ")) << r.summary();
  r.spec = generic_spec(Precision::single, 6, true);
  EXPECT_TRUE(says(r, "3 complex numbers per site, single precision")) << r.summary();
}

TEST(Checksum, IsWrittenAsTwoWords) {
  EXPECT_EQ(to_string(Checksum{0xa2c41090, 0x11193c39}), "a2c41090/11193c39");
  EXPECT_EQ(to_string(Checksum{0xc8e3834, 0}), "0c8e3834/00000000");
}

TEST(ChecksumStatus, HasNames) {
  EXPECT_EQ(name(ChecksumStatus::ok), "ok");
  EXPECT_EQ(name(ChecksumStatus::absent), "absent");
  EXPECT_EQ(name(ChecksumStatus::mismatch), "mismatch");
  EXPECT_EQ(name(ChecksumStatus::unchecked), "unchecked");
}

}  // namespace
}  // namespace lq
