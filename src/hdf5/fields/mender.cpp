// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hdf5/fields/mender.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "hdf5/fields/scan.hpp"
#include "hdf5/fields/store_sums.hpp"
#include "hdf5/headers/superblock.hpp"

namespace lq::hdf5 {
namespace {

// So many times what is there may be missing: a damaged superblock may say anything.
constexpr std::uint64_t most_missing = 16;

class Hdf5Mender final : public format::Mender {
 public:
  // The library refuses a file that ends before its superblock says so, although most of it may be there: what is
  // missing becomes zeros, which are no header of an object.
  std::optional<std::uint64_t> mend(base::EditedSource& file, const Limits& limits,
                                    format::Findings& done) const override {
    const Superblock superblock = parse_superblock(file);
    close(file, superblock, done);
    const std::uint64_t there = file.size(), needed = whole_bytes(superblock);
    if (needed <= there) return {};
    const std::uint64_t missing = needed - there;
    if (missing / most_missing > there) refuse(file, missing, "far more than there is");
    file.append_zeros(missing);
    const Catalog catalog = scan(file, limits);
    const bool is_read =
        std::ranges::none_of(catalog.findings, [](const Finding& finding) { return finding.rule == "hdf5-file"; });
    if (!is_read || catalog.records.empty()) refuse(file, missing, "and with them what says which data it holds");
    Finding finding{.severity = Severity::warning,
                    .rule = "repair-hdf5-end",
                    .message = fmt::format("the last {} of {} bytes are missing and are zeros now: {} datasets can be "
                                           "read; what cannot is named below",
                                           missing, needed, catalog.records.size())};
    finding.offset = there;
    finding.length = missing;
    done.add(std::move(finding));
    state_unproven(file, fmt::format("since a repair: the file ended at byte {} of {}", there, needed));
    return there;
  }

 private:
  // A program that was killed leaves marks by which the library takes the file for one that is being written.
  static void close(base::EditedSource& file, const Superblock& superblock, format::Findings& done) {
    const auto closed = closed_superblock(file, superblock);
    if (!closed) return;
    file.replace(superblock.offset, closed->size(), *closed);
    Finding finding{.severity = Severity::warning,
                    .rule = "repair-hdf5-open",
                    .message =
                        "the program that wrote the file did not close it: the mark that it is open for writing, "
                        "for which HDF5 refuses it, was removed. What the program wrote after its last flush is "
                        "not in the file"};
    finding.offset = superblock.offset;
    finding.length = closed->size();
    done.add(std::move(finding));
  }

  [[noreturn]] static void refuse(const base::EditedSource& file, std::uint64_t missing, const char* why) {
    throw Error(Code::truncated,
                fmt::format("{}: nothing of it can be rescued: {} bytes are missing at its end, {}; copy it again from "
                            "its source",
                            file.path(), missing, why),
                {.path = file.path()});
  }
};

}  // namespace

const format::Mender& mender() {
  static const Hdf5Mender only;
  return only;
}

}  // namespace lq::hdf5
