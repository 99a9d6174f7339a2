// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include <limequat/inspect.hpp>
#include <limequat/modes.hpp>

#include "comm/agree.hpp"
#include "io/verdict.hpp"
#include "io/verify.hpp"
#include "modes/source.hpp"

namespace lq::modes {
namespace {

// File number k of the set; its fields are the modes from k on.
void add(Verification& all, Verification one, std::size_t k) {
  if (k > 0) {
    for (FieldVerdict& field : one.fields) field.index = k;
  }
  std::ranges::move(one.fields, std::back_inserter(all.fields));
  std::ranges::move(one.claims, std::back_inserter(all.claims));
  io::add_new_findings(all.findings, std::move(one.findings));
}

// If a mode is stored as coefficients, a site of its field is a block of sites: its time slices are converted to those
// of the vector.
void convert_slices_to_vectors(Verification& one, const Set& set) {
  const Extents& block = set.description().coherence.block;
  for (std::size_t j = 0; j < std::min<std::size_t>(one.fields.size(), set.size()); ++j) {
    if (!set.modes()[j].error) continue;
    const std::int64_t thickness = block[block.size() - 1];
    std::vector<std::int64_t> all;
    for (const std::int64_t slice : one.fields[j].damaged_slices) {
      for (std::int64_t t = 0; t < thickness; ++t) all.push_back(slice * thickness + t);
    }
    one.fields[j].damaged_slices = std::move(all);
  }
}

// Collective. Verifies it under the name of this set.
Verification verify_as(const std::string& path, const Set& set, const Communicator& communicator,
                       const VerifyOptions& options) {
  comm::Comm& comm = communicator.engine();
  Verification all;
  comm::agree(comm, [&] {
    all.path = path;
    all.format = set.file().catalog().format;
  });
  if (const Source* const foreign = SetAccess::foreign(set); foreign && foreign->compressed()) {
    std::vector<Finding> found = foreign->compressed()->verify(comm);
    comm::agree(comm, [&] {
      io::add_new_findings(all.findings, set.file().catalog().findings);
      io::add_new_findings(all.findings, std::move(found));
      all.claims.push_back({.of = "vectors", .name = "crc32"});  // mismatches are among the findings
      io::conclude(all, options.require);
    });
    return all;
  }
  for (std::uint64_t k = 0; k < set.file_count(); ++k) {
    Verification one = io::verify(set.file(k).catalog().path, communicator, options);
    comm::agree(comm, [&] {
      convert_slices_to_vectors(one, set);
      add(all, std::move(one), static_cast<std::size_t>(k));
    });
  }
  comm::agree_alike(comm, [&] { io::conclude(all, options.require); });
  return all;
}

}  // namespace

Verification verify(const Set& set, const Communicator& communicator, const VerifyOptions& options) {
  return verify_as(set.file().catalog().path, set, communicator, options);
}

Verification verify(const std::string& path, const Communicator& communicator, const Unsaid& unsaid,
                    const VerifyOptions& options) {
  std::optional<Error> failure;
  try {
    return verify_as(path, Set(path, communicator, options.limits, unsaid), communicator, options);
  } catch (const Error& error) {
    failure = error;
  }
  // A set that cannot be opened is still a file, and examining it gives more information.
  constexpr Code of_machine[] = {Code::io, Code::not_found, Code::no_permission, Code::out_of_memory,
                                 Code::unknown_format};
  if (std::ranges::find(of_machine, failure->code()) != std::end(of_machine)) throw *failure;
  Verification file = io::verify(path, communicator, options);
  if (is_ok(file.verdict)) throw *failure;
  return file;
}

}  // namespace lq::modes
