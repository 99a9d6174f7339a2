// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Rows of operations that read and write fields, and of plans for them.
#include "options/shared_rows.hpp"

namespace lq::options {
namespace {

using W = WriteOptions;
using R = ReadOptions;

// Options for formats with several layouts.
std::vector<Option> format_rows() {
  using Row = Rows<W, lq_write_options>;
  return {
      Row::row<&W::layout, &lq_write_options::layout>(
          {.name = "layout",
           .meaning = "which layout, for a format that has several (default: its own)",
           .advice = "HDF5 files: \"native\", \"qdp\" and \"qlua\", which those programs read. If empty, the format "
                     "uses the layout that keeps most of what is known about a field. Name one if the file is for a "
                     "program that reads only that layout. Raw files: \"bridge++\", \"bridge++-text\", \"kyu\", "
                     "\"xqcd\", or the axes from the slowest to the fastest, such as \"little t z y x mu row column "
                     "reim\". openQCD: \"local\" with parts, the files of its processes. A format with one layout "
                     "refuses the option."}),
      Row::row<&W::dataset_chunk, &lq_write_options::dataset_chunk>(
          {.name = "dataset_chunk",
           .meaning = "extents of the chunks of a dataset, such as 8x8x8x4, or slice",
           .advice = "If empty, a dataset is contiguous, which is fastest to write and to read and which every reader "
                     "supports. \"slice\" is one time slice, extents are those of a block of the lattice. Filters "
                     "need chunks. Chunks at the edge are stored at full size. A format without chunks refuses the "
                     "option.",
           .is_extents = true}),
      Row::row<&W::filters, &lq_write_options::filters>(
          {.name = "filters",
           .meaning = "filters of the chunks of a dataset, in their order, such as shuffle,deflate:6",
           .advice =
               "\"shuffle\" puts equal bytes of numbers together, \"deflate\" (levels 1 to 9) and \"zstd\" compress, "
               "\"fletcher32\" adds a checksum to each chunk. Links and propagators of a simulation are noise to any "
               "compressor: a few per cent for many times the time of writing. Readers need the same filters. A format "
               "without filters refuses the option."}),
      Row::row<&W::parts, &lq_write_options::parts>(
          {.name = "parts",
           .meaning = "files that the lattice is distributed over, as a grid such as 1x1x1x4",
           .advice = "Equal blocks of the lattice are written to files NAME.vol0000, NAME.vol0001, ..., as QIO writes "
                     "them (partfile), each with the list of its sites, or to NAME_b0, NAME_b1, ..., which are "
                     "openQCD's block sets (with the layout \"local\" NAME_0, NAME_1, ..., a file for each process of "
                     "this grid). Use this for file systems that assign a file to one server, and for programs that "
                     "read such files. On reading, any of the files stands for all, on any process grid. If empty, "
                     "the field is in one file. Formats other than SciDAC, ILDG and openQCD refuse the option.",
           .is_extents = true}),
      Row::row<&W::time_stamps, &lq_write_options::time_stamps>(
          {.name = "time_stamps",
           .meaning = "store the time of writing, in formats that have a place for it",
           .advice = "The time shows when a file in an archive was made. Switched off, equal fields give equal bytes, "
                     "whenever they are written and by whatever user, so that files can be compared as bytes. In a "
                     "format that stores no times they always do.",
           .off = "omit the time of writing, so that equal fields give equal bytes"}),
      Row::row<&W::protect, &lq_write_options::protect>(
          {.name = "protect",
           .meaning = "write a sidecar with parity next to the file, such as 3% of its size (default: none)",
           .advice = "The same as lq protect for the finished file, done by all ranks: NAME.lq-parity, or "
                     "NAME.set.lq-parity for a set of files. The file gets its name before the "
                     "sidecar is written; if that fails, the file stays, and the error says so. An existing sidecar is "
                     "replaced with the file."}),
  };
}

std::vector<Option> write_rows() {
  using Row = Rows<W, lq_write_options>;
  std::vector<Option> rows = {
      Row::row<&W::format, &lq_write_options::format>(
          {.name = "format",
           .meaning = "format of the new file (default: by its suffix)",
           .advice = "If empty, the suffix of the path decides. If the suffix does not decide (.lime, none at all, or "
                     "a number after the last dot), the field does: gauge fields in four dimensions are written to "
                     "ILDG files, everything else to SciDAC files. An unknown suffix is an error, and a format that "
                     "cannot hold the field is refused before anything is written. Use it if the name of the file is "
                     "fixed for other reasons.",
           .aliases = {"to"}}),
      Row::row<&W::name, &lq_write_options::name>(
          {.name = "name",
           .meaning = "name of the field in the file (default: its kind)",
           .advice = "Fields of a file with several fields are selected by name, so a descriptive name "
                     "(\"eigenvector\", \"momentum\") spares readers a number. Names need not be unique: the second "
                     "field of a name is number 1. ILDG files cannot store it; there the name of the field is its "
                     "kind.",
           .verbs = {"generate", "convert"}}),
      Row::row<&W::precision, &lq_write_options::precision>(
          {.name = "precision",
           .meaning = "precision of the numbers in the file (default: unchanged)",
           .advice = "Single takes half the bytes and half the time, and keeps 24 bits of each number: enough for "
                     "measurements, too little to continue a Markov chain reproducibly. Double is rounded to nearest; "
                     "what overflows single becomes infinite, and verify finds it. Numbers in memory do not change. "
                     "If not given, files have the precision of the memory.",
           .ranks = Ranks::resolved}),
      Row::with<Path<&W::metadata>, &lq_write_options::metadata, &lq_write_options::metadata_count>(
          {.name = "metadata",
           .meaning = "a text stored with the field, such as a record; may be repeated",
           .advice = "Names and texts: one LIME record each in ILDG and SciDAC files, in their order, before the "
                     "data. A recipient of the file has no other description, so write down at least the action, its "
                     "parameters and the trajectory; \"xlf-info\" is the name that most programs know. Names of "
                     "records that the format itself writes are refused.",
           .ranks = Ranks::resolved},
          {"metadata", "metadata_count"}),
      Row::row<&W::verify, &lq_write_options::verify>(
          {.name = "verify",
           .meaning = "how the new file is checked (default checksum)",
           .advice = "checksum: computed while the sites are transferred and stored in the file, so that every reader "
                     "finds damage; it costs a few per cent of packing. read-back: when the file is complete, it is "
                     "also read again and compared before it gets its name, which takes about as long as writing; "
                     "right for data that cannot be reproduced, on storage that you do not trust. none: nothing is "
                     "stored, readers cannot detect damage, and the time saved is seldom measurable. Leave it at "
                     "checksum."}),
      Row::row<&W::sync, &lq_write_options::sync>(
          {.name = "sync",
           .meaning = "what has reached the disk when a write returns (default full)",
           .advice = "full: the data and the name survive a power failure. data: the bytes do, the name may be the "
                     "old one. none: the operating system decides when to write, errors of the disk can go unnoticed, "
                     "and a crash of the machine may leave a file of zeros under the new name. A crash of the program "
                     "alone is harmless with any of them. none is for scratch files and for measuring."}),
      Row::row<&W::overwrite, &lq_write_options::overwrite>(overwrite_text()),
      Row::row<&W::measure, &lq_write_options::measure>(
          {.name = "measure",
           .meaning = "store plaquette and link trace of gauge fields in the metadata",
           .advice = "\"lq verify\" and other programs compare these two numbers with the links, and so detect what "
                     "no checksum can (a wrong order of sites or links, a sign, a conjugation). The measurement takes "
                     "one pass over the field in memory with an exchange of its surfaces, so it costs more than "
                     "packing; for other fields it does nothing. \"lq generate\" does it by default. A conversion has "
                     "no field in memory; metadata of the source are copied.",
           .verbs = {"generate"},
           .shorthands = {{"no-measure", "no", "do not store plaquette and link trace in the metadata"}}}),
      Row::row<&W::slice_checksums, &lq_write_options::slice_checksums>(
          {.name = "slice_checksums",
           .meaning = "a record of checksums per time slice, which locates damage",
           .advice = "Eight bytes per time slice in one private record after the data, which other programs skip. "
                     "With it verify names the damaged slices, a region of whole slices is read with its checksum "
                     "compared, and repair can determine what is intact. Switch it off only if a file must equal "
                     "another program's byte for byte.",
           .off = "omit the record of checksums per time slice, which locates damage"}),
      Row::row<&W::block_bytes, &lq_write_options::block_bytes>(block_bytes_text()),
  };
  append(rows, route_rows<W, lq_write_options, &W::route>());
  for (Option& row : rows) {
    if (!row.path.starts_with("route.")) continue;
    // A conversion distributes boxes, so threads apply to it; the generator has a thread option of its own.
    row.verbs = {row.name == "threads" ? "convert" : "generate"};
  }
  append(rows, format_rows());
  append(rows, stripe_rows<W, lq_write_options>());
  rows.push_back(progress_row<W, lq_write_options>());
  return rows;
}

std::vector<Option> read_rows() {
  using Row = Rows<R, lq_read_options>;
  std::vector<Option> rows = {
      Row::row<&R::field, &lq_read_options::field>(
          {.name = "field",
           .meaning = "which field; NAME:N is number N of that name (default: the first)",
           .advice = "The name that was given in writing, as \"lq ls\" lists it. Empty means any field, selected by "
                     "index. A name that the file lacks is an error that lists the existing ones."}),
      Row::row<&R::index, &lq_read_options::index>(
          {.name = "index",
           .meaning = "which of the fields with that name, from 0",
           .advice = "Several fields may have one name, for example vectors of one kind. They are counted in the "
                     "order of the file.",
           .not_in_lq = "use NAME:N"}),
      Row::with<Path<&R::region>, &lq_read_options::region_lower, &lq_read_options::region_extents,
                &lq_read_options::region_dimensions>(
          {.name = "region",
           .meaning = "part of the file's lattice (default: all of it)",
           .advice = "A box: its first site and its extents, which are also those of the grid. Only the bytes of the "
                     "region are read. The checksum covers the whole field, so a region is compared only if it "
                     "consists of whole time slices and the file has their checksums; the report says whether it was.",
           .not_in_lq = "lq reads whole fields, or one site"},
          {"region_lower", "region_extents", "region_dimensions"}),
      Row::row<&R::verify, &lq_read_options::verify>(
          {.name = "verify",
           .meaning = "compare with the stored checksum; a mismatch is an error",
           .advice = "The checksum is computed from the bytes as they are read, which costs a few per cent of "
                     "unpacking. A file without a checksum is nevertheless read, and the report says \"absent\". none "
                     "is for inspecting a file that is known to be damaged. read-back is the same as checksum here.",
           .not_in_lq = "the numbers of one site have no checksum"}),
      Row::row<&R::block_bytes, &lq_read_options::block_bytes>(block_bytes_text()),
  };
  rows.back().not_in_lq = "lq reads whole fields in tiles, or one site";
  append(rows, limit_rows<R, lq_read_options, &R::limits>());
  append(rows, route_rows<R, lq_read_options, &R::route>());
  for (Option& row : rows) {
    if (row.path.starts_with("route.")) row.not_in_lq = "lq reads whole fields in tiles, or one site";
  }
  rows.push_back(progress_row<R, lq_read_options>());
  return rows;
}

std::vector<Option> plan_rows() {
  using P = PlanRequest;
  using Row = Rows<P, lq_plan_options>;
  std::vector<Option> rows = {
      Row::row<&P::checksum, &lq_plan_options::checksum>(
          {.name = "checksum",
           .meaning = "plan with a checksum, as transfers have one",
           .advice = "Its time is part of packing. Leave it on unless you transfer without checksums.",
           .off = "plan without a checksum"}),
      Row::row<&P::payload_offset, &lq_plan_options::payload_offset>(
          {.name = "payload_offset",
           .meaning = "byte in the file at which the sites begin (default 0)",
           .advice = "Domains begin at multiples of the alignment counted from the beginning of the file, so headers "
                     "shift which sites an owner has. The difference is small; 0 is sufficient for a first estimate.",
           .aliases = {"offset"}}),
  };
  append(rows, route_rows<P, lq_plan_options, &P::route>());
  append(rows, stripe_rows<P, lq_plan_options>());
  return rows;
}

}  // namespace

Table write_table() {
  auto result = table<lq_write_options>("Writing a field, or a file of several",
                                        {"write", "write_async", "create", "convert", "multifile.Writer.write_field"},
                                        {"convert", "generate"});
  result.others.push_back(c_member("report_json", &lq_write_options::report_json));
  result.others.push_back(c_member("report", &lq_write_options::report));
  result.rows = write_rows();
  return result;
}

Table read_table() {
  auto result =
      table<lq_read_options>("Reading a field", {"read", "read_async", "multifile.Reader.read_field"}, {"dump"});
  result.others.push_back(c_member("report_json", &lq_read_options::report_json));
  result.others.push_back(c_member("report", &lq_read_options::report));
  result.rows = read_rows();
  return result;
}

Table plan_table() {
  auto result = table<lq_plan_options>("Planning a transfer", {"plan"}, {"plan"});
  result.others.push_back(c_member("reading", &lq_plan_options::reading));
  result.others.push_back(c_member("rank_order", &lq_plan_options::rank_order));
  result.others.push_back(c_member("folder", &lq_plan_options::folder));
  result.rows = plan_rows();
  return result;
}

}  // namespace lq::options
