// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Good files of every format that is registered: those of tests/golden, and those that this library writes. And all
// that is read of a file.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <limequat/inspect.hpp>
#include <limequat/options.hpp>

#include "support/damage.hpp"

namespace lq::testing {

// A file and those that belong to it.
struct Entry {
  std::string name;                                        // of the file that is asked for
  std::vector<std::pair<std::string, std::string>> files;  // name and bytes; the first is that of `name`
  Verdict verdict = Verdict::sound;
  std::vector<DamageHints> hints = {};  // of these files

  void put(const std::string& folder) const;
  // Of one of its files, damaged.
  std::string damaged(std::size_t file, Damage& damage) const { return damage.of(files[file].second, hints[file]); }
  // Mostly the first one.
  std::size_t draw(Damage& damage) const { return damage.below(2) == 0 ? 0 : damage.below(files.size()); }
};

// Of all formats that are registered.
std::vector<std::string> names_of_formats();
// Letters and digits, as GoogleTest wants them.
std::string test_name(std::string format);

// Different ones for different LQ_SEED.
unsigned seed_of(unsigned otherwise);

// Those that verify calls OK, and of which something is read. Of a format that nobody has a sample of: none.
std::vector<Entry> entries_of(std::string_view format);

// By what it is: the numbers of fields as doubles, the bytes of streams and records without a lattice, small objects of
// HDF5, eigenvalues of modes. Texts have no sums in most formats, so that they are not among them.
using Contents = std::map<std::string, std::string>;
// Throws Error where something cannot be read, or disagrees with sums that are compared.
Contents contents_in(const std::string& path, Verify verify = Verify::none);

}  // namespace lq::testing
