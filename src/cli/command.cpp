// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/command.hpp"

#include <algorithm>
#include <array>

namespace lq::cli {
namespace {

constexpr std::array verbs = {
    Command{"ls", "list the records and fields of a file with kind, size and offset", declare_ls},
    Command{"info", "show what a file is: format, lattice, precision, gauge group, checksum, metadata, completeness",
            declare_info},
    Command{"cat", "the bytes of one record to standard output", declare_cat, false},
    Command{"verify", "check that a file is intact: structure, sizes, checksums, physics; show where damage is",
            declare_verify},
    Command{"validate", "whether a file conforms to the specification of its format, rule by rule", declare_validate},
    Command{"diagnose", "explain what is wrong with a file: byte order, precision, order of sites and links, damage",
            declare_diagnose},
    Command{"convert", "any format to any, in bounded memory, checksums verified on the way", declare_convert},
    Command{"copy", "files to other folders and file systems: by all ranks, checksummed, resumable", declare_copy},
    Command{
        "partition",
        "show how a file is split into subfiles and how well the split suits an access pattern; propose a better one",
        declare_partition},
    Command{"repartition", "a file as a set of subfiles in several folders, or back, byte for byte; resumable",
            declare_repartition},
    Command{"squeeze", "a file in half of its bytes: SU(3) links stored bit for bit as eight numbers each",
            declare_squeeze},
    Command{"unsqueeze", "the original file out of an archive that `lq squeeze` made, byte for byte",
            declare_unsqueeze},
    Command{"export", "the data of files shown without a copy, in HDF5 or as a Zarr array", declare_export},
    Command{"extract", "one record of a file, or one logical file of a multifile, as a file", declare_extract},
    Command{"unpack", "all records of a file, or all logical files of a multifile, as files", declare_unpack},
    Command{"pack", "files as the logical files of a multifile", declare_pack},
    Command{"defrag", "a multifile as one physical file with one chunk for each task", declare_defrag},
    Command{"repair", "make a complete multifile from one whose writer was interrupted; report what is guessed",
            declare_repair},
    Command{"diff", "the fields of two files compared number by number, across formats and precisions", declare_diff},
    Command{"dump", "the numbers of one site", declare_dump},
    Command{"explain", "every header byte with its field name and the section of the format page", declare_explain},
    Command{"generate", "a thermalised pure gauge configuration by heat bath, to have real data to try",
            declare_generate},
    Command{"index", "a catalogue of the lattice files below folders, made or brought up to date", declare_index},
    Command{"find", "find files of the catalogue by their contents: 'beta=6.0 trajectory>=1000'", declare_find},
    Command{"scrub", "verify catalogued files again; distinguish bit rot from replaced files", declare_scrub},
    Command{"report", "write one page about an ensemble: table, plaquettes, damaged and missing files", declare_report},
    Command{"ildg", "QCDml documents, rules and logical file names of the lattice data grid", declare_ildg},
    Command{"modes", "sets of vectors with eigenvalues: listed, described, verified, converted", declare_modes},
    Command{"plan",
            "show the I/O plan of a transfer: which rank moves what, aggregation, alignment, memory, predicted time",
            declare_plan},
    Command{"bench", "measure how fast this machine writes and reads, with the raw limit of the same run",
            declare_bench, false},
    Command{"plot", "benchmark results as a picture", declare_plot, false},
    Command{"doctor", "find faults of this machine, its MPI and a file system, and what to do about them",
            declare_doctor},
    Command{"completion", "completion of verbs and options for a shell", declare_completion, false, true},
};

}  // namespace

std::span<const Command> commands() { return verbs; }

const Command* find_command(std::string_view name) {
  const auto found = std::find_if(verbs.begin(), verbs.end(), [&](const Command& c) { return c.name == name; });
  return found == verbs.end() ? nullptr : &*found;
}

Run declare(const Command& command, Session& session, Arguments& arguments) {
  Run run = command.declare(arguments);
  if (command.reports) arguments.flag("--json", session.json, "results as JSON, one object per line");
  arguments.flag("-q,--quiet", session.quiet, "results, warnings and errors only");
  arguments.flag("-v,--verbose", session.verbose, "print more on standard error");
  return run;
}

}  // namespace lq::cli
