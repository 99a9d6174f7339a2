// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// sionrepair: recovers a multifile whose writer did not close it, as a complete multifile. SIONlib has no
// such program; this one does what `lq repair` does.
#include <limits>

#include <fmt/format.h>
#include <limequat/error.hpp>
#include <limequat/repack.hpp>

#include "io/verdict.hpp"
#include "programs/sion/tool.hpp"

namespace {

constexpr std::string_view usage =
    "options <sionfn> -o <outfn>\n\n"
    "Recovers the data that an interrupted program left in the multifile <sionfn>, as a complete multifile <outfn>.\n\n"
    "Options:\n"
    "  -o <outfn>      the new multifile, with the same number of physical files\n"
    "  [-u <bytes>]    the data were written in multiples of this number of bytes (1): if the length of a chunk is\n"
    "                  not recorded, it ends with the last nonzero byte, rounded up to such a multiple\n"
    "  [-f]            replaces an existing <outfn>\n"
    "  [-n]            only prints what would be done\n"
    "  [-v]            verbose (no more to say)\n"
    "  [-V]            version\n"
    "  [-h]            this help\n";

}  // namespace

int main(int argc, char** argv) {
  const lq::programs::Program program = {"sionrepair", usage, "o:u:fnv"};
  return lq::programs::run(program, argc, argv, [](lq::programs::Arguments& arguments) {
    std::string output;
    lq::RepackOptions options;
    arguments.for_each([&](char option, const char* value) {
      if (option == 'o') output = value;
      if (option == 'u') {
        options.unit =
            static_cast<std::uint64_t>(lq::programs::whole_number(value, 1, std::numeric_limits<std::int64_t>::max()));
      }
      if (option == 'f') options.overwrite = true;
      if (option == 'n') options.dry_run = true;
    });
    const std::string name = arguments.rest(1).front();
    if (output.empty()) throw lq::programs::WrongUsage();
    const lq::RepackReport report = lq::repair(name, output, options);
    if (!report.needed) {
      fmt::print("sionrepair: {}: nothing to repair: it is {}\n", name, lq::name(report.verdict.value()));
      return;
    }
    for (const lq::Finding& finding : report.findings) fmt::print("sionrepair: {}\n", finding.message);
    for (const std::string& file : report.files) {
      fmt::print("sionrepair: {} {}\n", options.dry_run ? "would write" : "wrote", file);
    }
    fmt::print("sionrepair: {} tasks, {} bytes of data\n", report.tasks, report.bytes);
    if (!lq::io::has_errors(report.findings)) return;
    throw lq::Error(lq::Code::checksum_mismatch, "not all of the data are proven to be unchanged: see above");
  });
}
