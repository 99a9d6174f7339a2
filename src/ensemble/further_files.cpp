// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ensemble/further_files.hpp"

#include <algorithm>
#include <iterator>

#include <limequat/error.hpp>
#include <limequat/inspect.hpp>

#include "sets/checkpoint/field_note.hpp"
#include "sets/checkpoint/found_set.hpp"
#include "storage/description.hpp"
#include "storage/transport.hpp"

namespace lq::ensemble {
namespace {

// Where they are, or should be. Empty: there are none, or the set is in no state that tells.
std::string fields_of_checkpoint(const std::string& path) {
  try {
    const sets::FoundSet found =
        sets::find_set(storage::resolve(path), path, sets::Unclosed::accepted, sets::MissingFiles::stood_in_for);
    return found.fields_problem && found.fields_path.empty() ? sets::fields_name(found.path) : found.fields_path;
  } catch (const Error&) {
    return {};
  }
}

}  // namespace

std::vector<std::string> subfiles_of(const std::string& path) {
  std::vector<std::string> paths;
  try {
    const auto set = storage::set_in(*storage::resolve(path).open_read(path), path);
    if (!set) return paths;
    for (const auto& subfile : set->files) paths.push_back(subfile.path);
  } catch (const Error&) {
    // Whoever verifies it is told why.
  }
  return paths;
}

std::vector<std::string> further_files(const std::string& path, std::uint64_t size, const Catalog& catalog) {
  std::vector<std::string> paths = catalog.files;
  // What stands for a set is its description, which is not as long as the set.
  if (catalog.file_bytes != size) std::ranges::move(subfiles_of(path), std::back_inserter(paths));
  if (format_info(catalog.format).contents == Contents::streams) {
    if (std::string fields = fields_of_checkpoint(path); !fields.empty()) paths.push_back(std::move(fields));
  }
  std::ranges::sort(paths);
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  std::erase(paths, path);
  return paths;
}

}  // namespace lq::ensemble
