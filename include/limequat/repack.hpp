// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Files into a multifile and out of it, multifiles written anew, and what an interrupted writer left made readable. All
// by one process and its threads, in bounded memory: the table of the set, and a mebibyte of data for each thread.
#pragma once

#include <limequat/language.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <limequat/catalog.hpp>
#include <limequat/inspect.hpp>
#include <limequat/multifile.hpp>
#include <limequat/options.hpp>

namespace lq {

struct RepackOptions {
  bool overwrite = false;  // replace existing files, which stay until the new ones are complete
  bool dry_run = false;    // check everything, write nothing
  Sync sync = Sync::full;
  std::uint64_t block_size = 0;  // chunks are multiples of it; 0: that of the file system, or of the multifile read
  std::uint64_t unit = 1;        // repair: data came in multiples of so many bytes
  // defragment, rewrite. Whether the new multifile is a checkpoint (limequat/multifile.hpp), with records, checksums
  // and fields; empty: if the one that is read is. Only defragment makes one of the multifile of another program.
  std::optional<bool> checkpoint = {};
  std::optional<Compression> compression = {};  // of a checkpoint; empty: as it is
  Verify verify =
      Verify::checksum;  // of a checkpoint: none takes chunks that disagree with their checksums as they are
  Limits limits = {};
  int threads = 0;  // of this process; 0: as many as it has cores to itself
  Progress progress = {};
};

struct RepackReport {
  std::string format;              // of what was written, or unpacked
  std::vector<std::string> files;  // written
  std::uint64_t tasks = 0;         // logical files, or records
  std::uint64_t bytes = 0;         // of data in these
  std::uint64_t fields = 0;        // of a checkpoint, beside them
  std::uint64_t file_bytes = 0;    // size of all files
  std::vector<Finding> findings;   // what is guessed, lost or left behind, sentence by sentence
  bool needed = true;              // repair: false: the file is in order, and nothing was written
  std::optional<Verdict> verdict;  // repair: of the result, as lq::verify() gives it
};

// Local. One logical file for each input. exists, no_space, not_found, invalid_argument (long names), wrong_state.
LQ_API RepackReport pack(const std::string& path, const std::vector<std::string>& inputs,
                         const RepackOptions& options = {});

// Local. A file in `folder` for each record of a file of any format, named after the record; further ones of the same
// type get a number. A logical file of key-value records gives one file per key, a field of a checkpoint a SciDAC file
// NAME.scidac. Of a multifile that lacks physical files the streams of the others; findings tell which are missing.
LQ_API RepackReport unpack(const std::string& path, const std::string& folder, const RepackOptions& options = {});

// Local. One record into a file. Where there is none of that type in a checkpoint, its field of that name, as a SciDAC
// file.
LQ_API RepackReport extract(const std::string& path, std::string_view type, std::uint64_t index, const std::string& to,
                            const RepackOptions& options = {});

// Local. One physical file with one chunk for each task. Kept: ranks, declared byte order of the data, key-value mode.
// A checkpoint stays one, of a new generation, with its compression (streams then in chunks of 16 MiB at most),
// records, checksums and fields; all is compared on the way. checksum_mismatch: of a stream; fields that are damaged or
// missing are left out, and findings say so. With options.checkpoint false streams are decompressed, and all the rest
// is left behind. Its tasks are numbered from 0: ranks are kept in order, and a finding tells where they become others.
LQ_API RepackReport defragment(const std::string& from, const std::string& to, const RepackOptions& options = {});

// Local. The same physical files and chunks in format version 5 and the byte order of this machine. Checkpoints as
// above.
LQ_API RepackReport rewrite(const std::string& from, const std::string& to, const RepackOptions& options = {});

// Local. A whole file of one that is damaged; `from` stays as it is, except where no `to` is given. A file that
// lq::verify() calls sound or consistent is left alone, unless flags or padding of its records can be set right without
// touching their contents: the report says that no repair was needed. The result is examined likewise, before it gets
// its name, and the report has the verdict. Findings say what was done (warnings) and what is lost, left out, damaged
// or unproven (errors).
//
// LIME, ILDG and SciDAC files, HDF5 files and sets of modes go into the new file `to`: bytes whose right values are
// known are put right in headers, texts, indices and data. A record of sums is written anew only where other sums prove
// the data; else it stays, or the new file marks the data as unproven (docs/formats/scidac.md 9). Of data that end
// early the whole time slices are rescued as a part of the lattice.
//
// Multifiles: a whole one of one that was not closed or lost its end. Sets with records (limequat/multifile.hpp) are
// repaired as repair_multifile() does: where they are without `to`, else as a copy of that name. `from` may be the name
// of the set or one of its files .NAME.xxxxxxxx. Of others a new set is written: how far chunks are filled is inferred,
// where there are key-value records from these, else from the last byte that is not zero, rounded up to options.unit;
// sound physical files are kept as they are.
//
// A set of subfiles (docs/formats/partitions.md): the file that it was; where subfiles are missing or too short there
// are zeros, and errors among the findings tell what is lost. One damaged byte of the description is found by its sum.
// With an empty `to` what interrupted programs left beside the set is removed; not_found, truncated: it has lost
// subfiles, which the message names.
//
// A file with a journal beside it (.FROM.lq-journal), which an append in place leaves that was interrupted: with an
// empty `to` the append is completed in the file itself where all of it was there, else the file gets its old end
// again.
LQ_API RepackReport repair(const std::string& from, const std::string& to, const RepackOptions& options = {});

}  // namespace lq
