// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Rows for inspecting and converting files, and for the generator.
#include "options/shared_rows.hpp"

namespace lq::options {

Table scan_table() {
  auto result = table<lq_scan_options>("Inspecting a file", {"info", "validate", "explain"},
                                       {"ls", "info", "validate", "explain"});
  result.rows = limit_rows<Limits, lq_scan_options>();
  return result;
}

Table verify_table() {
  using V = VerifyOptions;
  using C = lq_verify_options;
  using Row = Rows<V, C>;
  auto result = table<C>("Verifying a file", {"verify", "verify_below"}, {"verify"});
  result.rows = {
      Row::row<&V::physics, &C::physics>(
          {.name = "physics",
           .meaning = "measure gauge fields (default when-it-fits)",
           .advice = "Plaquette, link trace, distance from SU(N), and numbers that are NaN or infinite; plaquette and "
                     "link trace are compared with those in the metadata. This finds wrong orders and signs, which a "
                     "checksum of wrong data does not. It needs the field in memory: when-it-fits reads fields of up "
                     "to memory_bytes. never checks only structure and checksums, in bounded memory.",
           .shorthands = {{"physics", "always", "measure gauge fields even if they are large"},
                          {"no-physics", "never", "no plaquette, link trace, unitarity and NaN scan"}}}),
      Row::row<&V::memory_bytes, &C::memory_bytes>(
          {.name = "memory_bytes",
           .meaning = "memory limit of all ranks together, for physics that is measured when it fits (default "
                      "4294967296)",
           .advice =
               "A gauge field of more bytes in double precision is not measured, and the verdict says nothing about "
               "its physics. Raise it on nodes with more memory, or use more ranks."}),
      Row::row<&V::block_bytes, &C::block_bytes>(block_bytes_text()),
      Row::row<&V::require, &C::require>(
          {.name = "require",
           .meaning = "the lowest verdict that is accepted (default consistent)",
           .advice = "sound: exact checksums, or second copies, cover all content and agree. consistent: nothing "
                     "disagrees, but some content has weak sums only (those of NERSC and MILC do not detect exchanged "
                     "words), stated values, or nothing but its size."}),
      Row::row<&V::observables, &C::observables>(observables_text()),
  };
  append(result.rows, flow_rows<V, C>());
  append(result.rows, limit_rows<V, C, &V::limits>());
  result.rows.push_back(threads_row<V, C>());
  result.rows.push_back(progress_row<V, C>());
  return result;
}

Table diagnose_table() {
  using V = DiagnoseOptions;
  using C = lq_diagnose_options;
  using Row = Rows<V, C>;
  auto result = table<C>("Finding out what is wrong with a file", {"diagnose"}, {"diagnose"});
  result.rows = {
      Row::row<&V::field, &C::field>(
          {.name = "field",
           .meaning = "which field; NAME:N is number N of that name (default: the first)",
           .advice = "The name of a field in the file. Empty means any field, selected by index."}),
      Row::row<&V::index, &C::index>({.name = "index",
                                      .meaning = "which of the fields with that name, from 0",
                                      .advice = "In the order of the file.",
                                      .not_in_lq = "use NAME:N"}),
      Row::row<&V::lattice, &C::lattice>(
          {.name = "lattice",
           .meaning = "extents such as 8x8x8x16 (x, y, z, t), if the header is wrong or missing",
           .advice = "Replaces what the header states about the numbers; sums and plaquette of the header are kept. In "
                     "a file that no format recognises, a gauge field of any SU(N) is searched for at every byte "
                     "where one may begin, and in records of Fortran.",
           .is_extents = true}),
      Row::row<&V::sums, &C::sums>(
          {.name = "sums",
           .meaning = "the SciDAC checksum, such as a2c41090/11193c39, if the file has none",
           .advice = "With it the order of the sites is found and proved, even of files written process by process: "
                     "take suma and sumb from a log, a database, or another copy."}),
      Row::row<&V::whole_bytes, &C::whole_bytes>(
          {.name = "whole_bytes",
           .meaning = "larger fields are sampled instead of read completely (default 4294967296)",
           .advice = "Damage is found and checksums are compared only if all sites are read; some thousand sites are "
                     "enough to find how numbers are stored and in which order. 0 reads only these."}),
      Row::row<&V::seconds, &C::seconds>(
          {.name = "seconds",
           .meaning = "stop trying other orders of the sites after X seconds (default 60)",
           .advice = "Applies if the checksum does not agree. The 10208 process grids of 24x24x24x48 take two "
                     "seconds; the time grows with the number of sites and of grids.",
           .bounds = {.least = 0}}),
      Row::row<&V::rewrite, &C::rewrite>(
          {.name = "rewrite",
           .meaning = "a new file with the numbers in the right order",
           .advice = "The suffix selects its format. It has the texts of the old file and new sums, and is read again "
                     "and compared before it gets its name. Refused if nothing is wrong, if data are damaged, and if "
                     "no reading is proven and `reading` names none."}),
      Row::row<&V::overwrite, &C::overwrite>(overwrite_text()),
      Row::row<&V::reading, &C::reading>(
          {.name = "reading",
           .meaning = "use reading N of the list, from 1 (default 0: the one that is proven)",
           .advice = "If the file fits several readings equally well, such as different names of directions, or "
                     "if none is proven, only you know which is right. The numbers are the same each time the file is "
                     "examined.",
           .bounds = {.least = 0}}),
  };
  append(result.rows, limit_rows<V, C, &V::limits>());
  result.rows.push_back(threads_row<V, C>());
  result.rows.push_back(progress_row<V, C>());
  return result;
}

Table convert_table() {
  using V = ConvertOptions;
  using C = lq_convert_options;
  auto result =
      table<C>("Converting, in addition to the options of writing", {"convert", "export_virtual"}, {"convert"});
  result.base = "WriteOptions";
  result.others.push_back(c_member("write", &C::write));
  result.rows = {
      Rows<V, C>::row<&V::dry_run, &C::dry_run>([] {
        Option row = dry_run_text();
        row.advice =
            "Causes the same error as a real run: the source, whose data are read and compared, the target and its "
            "folder, the space, the format, the options. The report says what would be written.";
        return row;
      }()),
      Rows<V, C>::row<&V::allow_loss, &C::allow_loss>(
          {.name = "allow_loss",
           .meaning = "omit what the new file cannot store",
           .advice = "Formats with a short binary header keep the numbers and hardly any text. What the texts of the "
                     "source state (parameters, logical file name, history) is lost there, and refused without this "
                     "option; docs/formats/conversions.md lists what each format keeps. Numbers are never lost by it: "
                     "precision and layout are separate options."}),
      Rows<V, C>::row<&V::accept_damage, &C::accept_damage>(
          {.name = "accept_damage",
           .meaning = "convert data that look damaged",
           .advice =
               "If the source has no checksum, its links are checked while they are read: zeros, links off "
               "SU(N), a different stated plaquette. Such data are refused without this option, because the new "
               "file would have right checksums for them. Data that disagree with a checksum are always "
               "refused, and so are files with a broken structure: `lq repair` saves the intact part as a new file."}),
      Rows<V, C>::row<&V::field, &C::field>(
          {.name = "field",
           .meaning = "only this field; NAME:N is number N of that name (default: all)",
           .advice = "The name of a field in the source. Empty means all fields."}),
      Rows<V, C>::row<&V::index, &C::index>({.name = "index",
                                             .meaning = "which of the fields with that name, from 0",
                                             .advice = "In the order of the file.",
                                             .not_in_lq = "use NAME:N"}),
      Rows<V, C>::row<&V::region, &C::region>(
          {.name = "region",
           .meaning = "only these sites, as in t=0:8,x=:4 or t=5 (default: all that are stored)",
           .advice =
               "AXIS=FIRST:END for each axis that is restricted, with END excluded, or AXIS=N for one site; negative "
               "numbers count from the end. The part becomes the whole lattice of the new file, and statements about "
               "the old one "
               "(plaquette, logical file name) are omitted. If no sum covers just these sites, the whole source "
               "is verified first."}),
  };
  append(result.rows, limit_rows<V, C, &V::limits>());
  result.rows.push_back(progress_row<V, C>());
  return result;
}

Table diff_table() {
  using V = DiffOptions;
  using C = lq_diff_options;
  using Row = Rows<V, C>;
  auto result = table<C>("Comparing two files", {"diff"}, {"diff"});
  result.others.push_back(c_member("difference", &C::difference));
  result.rows = {
      Row::row<&V::tolerance, &C::tolerance>(
          {.name = "tolerance",
           .meaning = "ignore absolute differences of up to X (default 0)",
           .advice = "Numbers that differ by at most X count as equal; the largest differences are nevertheless "
                     "reported. 0 requires equal numbers, which a copy in the same precision has; in a copy in single "
                     "precision links differ by up to 6e-8.",
           .bounds = {.least = 0},
           .aliases = {"tol"}}),
      Row::row<&V::field, &C::field>(
          {.name = "field",
           .meaning = "only this field; NAME:N is number N of that name (default: all)",
           .advice =
               "The name of a field in both files. Empty means all fields: fields of the same name are compared with "
               "each other, and a field that only one of the files has makes the files differ."}),
      Row::row<&V::index, &C::index>({.name = "index",
                                      .meaning = "which of the fields with that name, from 0",
                                      .advice = "In the order of the file.",
                                      .not_in_lq = "use NAME:N"}),
  };
  append(result.rows, limit_rows<V, C, &V::limits>());
  result.rows.push_back(threads_row<V, C>());
  result.rows.push_back(progress_row<V, C>());
  return result;
}

Table observables_table() {
  using V = ObservablesOptions;
  using C = lq_observables_options;
  auto result = table<C>("Measuring observables of a gauge field", {"observables"});
  result.rows = flow_rows<V, C>();
  result.rows.push_back(threads_row<V, C>());
  return result;
}

Table generate_table() {
  using V = GenerateOptions;
  using C = lq_generate_options;
  using Row = Rows<V, C>;
  auto result = table<C>("Generating a gauge configuration", {"generate"}, {"generate"});
  result.rows = {
      Row::row<&V::beta, &C::beta>(
          {.name = "beta",
           .meaning = "coupling of the Wilson action, 2N/g^2 (default 6.0)",
           .advice = "Small values are strong coupling, with links far from 1; large values are weak coupling. For "
                     "SU(3) 5.7 to 6.2 is the range of most quenched work, for SU(2) 2.2 to 2.6.",
           .bounds = {.least = 0}}),
      Row::row<&V::sweeps, &C::sweeps>(
          {.name = "sweeps",
           .meaning = "heat bath sweeps (default 100)",
           .advice = "Each sweep updates every link once. From a cold start the plaquette settles after about ten; "
                     "long distances need hundreds. 0 gives the start.",
           .bounds = {.least = 0}}),
      Row::row<&V::over_relaxation, &C::over_relaxation>(
          {.name = "over_relaxation",
           .meaning = "over-relaxation sweeps after each heat bath sweep (default 3)",
           .advice =
               "They move through configurations of equal action and shorten autocorrelation at little cost. 0 is "
               "pure heat bath.",
           .bounds = {.least = 0}}),
      Row::row<&V::seed, &C::seed>(
          {.name = "seed",
           .meaning = "seed of the random numbers; the same seed gives the same file (default 1)",
           .advice = "The configuration depends only on lattice, group and these options, to the last bit: neither on "
                     "the process grid nor on the machine."}),
      Row::row<&V::hot_start, &C::hot_start>(
          {.name = "hot_start",
           .meaning = "start from random links (default: all links 1)",
           .advice = "Starting hot and cold and comparing the results is the usual check of thermalisation.",
           .aliases = {"hot"}}),
      threads_row<V, C>(),
      Row::with<Path<&V::after_sweep>, &C::after_sweep, &C::context>(
          {.name = "after_sweep",
           .meaning = "called on every rank after each sweep, with 1, 2, ...",
           .advice =
               "In C++ the function receives the links and may make collective calls with them; therefore pass it on "
               "all ranks or on none.",
           .not_in_lq = "lq shows a bar on a terminal, and with -v the plaquette"},
          {"after_sweep", "context"}),
  };
  return result;
}

}  // namespace lq::options
