// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Packs files into a multifile and unpacks them, rewrites multifiles, and repairs damaged files. One process and its
// threads do this in bounded memory: the table of the set, and a mebibyte of data for each thread.
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
  std::uint64_t block_size = 0;  // chunks are multiples of it; 0: as in the file system, or in the multifile read
  std::uint64_t unit = 1;        // repair: data were written in multiples of this number of bytes
  // defragment, rewrite: make the new multifile a checkpoint (limequat/multifile.hpp), with records, checksums and
  // fields; empty: as the source. Only defragment makes a checkpoint of the multifile of another program.
  std::optional<bool> checkpoint = {};
  std::optional<Compression> compression = {};  // of a checkpoint; empty: unchanged
  Verify verify = Verify::checksum;  // of a checkpoint: none accepts chunks that disagree with their checksums
  Limits limits = {};
  int threads = 0;  // of this process; 0: as many as it has cores to itself
  Progress progress = {};
};

struct RepackReport {
  std::string format;              // of the written or unpacked file
  std::vector<std::string> files;  // written
  std::uint64_t tasks = 0;         // logical files, or records
  std::uint64_t bytes = 0;         // of data in these
  std::uint64_t fields = 0;        // of a checkpoint, in addition
  std::uint64_t file_bytes = 0;    // size of all files
  std::vector<Finding> findings;   // what is guessed, lost or left behind, sentence by sentence
  bool needed = true;              // repair: false: the file is intact, and nothing was written
  std::optional<Verdict> verdict;  // repair: of the result, as lq::verify() gives it
};

// Local. One logical file for each input. exists, no_space, not_found, invalid_argument (long names), wrong_state.
LQ_API RepackReport pack(const std::string& path, const std::vector<std::string>& inputs,
                         const RepackOptions& options = {});

// Local. Writes a file in `folder` for each record of a file of any format, named after the record; more records of the
// same type get a number. A logical file of key-value records gives one file per key, a field of a checkpoint a SciDAC
// file NAME.scidac. If a multifile lacks physical files, the streams of the others are unpacked; findings name the
// missing ones.
LQ_API RepackReport unpack(const std::string& path, const std::string& folder, const RepackOptions& options = {});

// Local. Writes one record to a file. If a checkpoint has no record of that type, writes its field of that name as a
// SciDAC file.
LQ_API RepackReport extract(const std::string& path, std::string_view type, std::uint64_t index, const std::string& to,
                            const RepackOptions& options = {});

// Local. Writes one physical file with one chunk for each task. Ranks, declared byte order of the data and key-value
// mode are kept. A checkpoint stays a checkpoint, of a new generation, with its compression (streams then in chunks of
// at most 16 MiB), records, checksums and fields; everything is compared in transit. checksum_mismatch: of a stream;
// damaged or missing fields are left out, with findings. With options.checkpoint false, streams are decompressed, and
// everything else is omitted; tasks are then numbered from 0: ranks keep their order, and a finding reports changed
// numbers.
LQ_API RepackReport defragment(const std::string& from, const std::string& to, const RepackOptions& options = {});

// Local. Writes the same physical files and chunks in format version 5 and the byte order of this machine. Checkpoints
// as above.
LQ_API RepackReport rewrite(const std::string& from, const std::string& to, const RepackOptions& options = {});

// Local. Repairs a damaged file; `from` is not changed, unless `to` is empty. A file that lq::verify() calls sound or
// consistent is not repaired, unless flags or padding of its records can be corrected without touching their contents:
// the report says that no repair was needed. The result is examined in the same way before it gets its name, and the
// report has the verdict. Findings list what was done (warnings) and what is lost, left out, damaged or unproven
// (errors).
//
// LIME, ILDG and SciDAC files, HDF5 files and sets of modes are written to the new file `to`: bytes with known right
// values are corrected in headers, texts, indices and data. A record of sums is rewritten only if other sums prove the
// data; otherwise it stays, or the new file marks the data as unproven (docs/formats/scidac.md 9). If data end early,
// the whole time slices are rescued as a part of the lattice.
//
// Multifiles that were not closed or lost their end: sets with records (limequat/multifile.hpp) are repaired as by
// repair_multifile(), in place without `to`, otherwise as a copy of that name. `from` may be the name of the set or one
// of its files .NAME.xxxxxxxx. For others a new set is written: the used bytes of chunks are inferred from key-value
// records, if there are any, otherwise from the last byte that is not zero, rounded up to options.unit; sound physical
// files are kept unchanged.
//
// A set of subfiles (docs/formats/partitions.md): the original file is written; missing or short subfiles give zeros,
// and errors among the findings say what is lost. The checksum of the description locates one damaged byte in it. With
// an empty `to`, leftovers of interrupted programs next to the set are removed; not_found, truncated: the set has lost
// subfiles, which the message names.
//
// A file with a journal of an interrupted append (.FROM.lq-journal): with an empty `to` the append is completed in the
// file if the journal is complete; otherwise the file is truncated to its old end.
LQ_API RepackReport repair(const std::string& from, const std::string& to, const RepackOptions& options = {});

}  // namespace lq
