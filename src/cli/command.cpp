// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/command.hpp"

#include <algorithm>
#include <array>

namespace lq::cli {
namespace {

constexpr std::array verbs = {
    Command{"ls", "what is in a file: records and fields with kind, size and offset", declare_ls},
    Command{"info", "what a file is: format, lattice, precision, gauge group, checksum, metadata, completeness",
            declare_info},
    Command{"cat", "the bytes of one record to standard output", declare_cat, false},
    Command{"verify", "whether a file is whole: structure, sizes, checksums, physics; says where damage is",
            declare_verify},
    Command{"validate", "whether a file conforms to the specification of its format, rule by rule", declare_validate},
    Command{"diagnose", "what is wrong with a file, in words: byte order, precision, order of sites and links, damage",
            declare_diagnose},
    Command{"convert", "any format to any, in bounded memory, checksums verified on the way", declare_convert},
    Command{"copy", "files to other folders and file systems: by all ranks, checksummed, resumable", declare_copy},
    Command{"partition", "how a file lies in its pieces, how well that matches an access, and what would fit it",
            declare_partition},
    Command{"repartition", "a file as a set of subfiles in several folders, or back, byte for byte; resumable",
            declare_repartition},
    Command{"squeeze", "a file in half of its bytes: SU(3) links stored bit for bit as eight numbers each",
            declare_squeeze},
    Command{"unsqueeze", "the original file out of an archive that `lq squeeze` made, byte for byte",
            declare_unsqueeze},
    Command{"export", "an HDF5 file that shows the data of another file without a copy", declare_export},
    Command{"extract", "one record of a file, or one logical file of a multifile, as a file", declare_extract},
    Command{"unpack", "all records of a file, or all logical files of a multifile, as files", declare_unpack},
    Command{"pack", "files as the logical files of a multifile", declare_pack},
    Command{"defrag", "a multifile as one physical file with one chunk for each task", declare_defrag},
    Command{"repair", "a whole multifile of one whose writer was interrupted; says what is guessed", declare_repair},
    Command{"diff", "the fields of two files compared number by number, across formats and precisions", declare_diff},
    Command{"dump", "the numbers of one site", declare_dump},
    Command{"explain", "every header byte with its field name and the section of the format page", declare_explain},
    Command{"generate", "a thermalised pure gauge configuration by heat bath, to have real data to try",
            declare_generate},
    Command{"index", "a catalogue of the lattice files below folders, made or brought up to date", declare_index},
    Command{"find", "files of the catalogue by what is in them: 'beta=6.0 trajectory>=1000'", declare_find},
    Command{"scrub", "files of the catalogue verified again; tells bit rot from replacement", declare_scrub},
    Command{"report", "one page about an ensemble: table, plaquettes, what is damaged, what is missing",
            declare_report},
    Command{"ildg", "QCDml documents, rules and logical file names of the lattice data grid", declare_ildg},
    Command{"modes", "sets of vectors with eigenvalues: listed, described, verified, converted", declare_modes},
    Command{"plan", "the I/O plan of a transfer: who moves what, aggregation, alignment, memory, predicted time",
            declare_plan},
    Command{"bench", "how fast this machine writes and reads, beside the raw limit of the same run", declare_bench,
            false},
    Command{"plot", "benchmark results as a picture", declare_plot, false},
    Command{"doctor", "what this machine, its MPI and a file system do wrong, and what to do about it", declare_doctor},
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
  arguments.flag("-v,--verbose", session.verbose, "say more on standard error");
  return run;
}

}  // namespace lq::cli
