// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Many files at once, without a catalogue.
#include <algorithm>

#include <limequat/ensemble.hpp>

#include "base/in_order.hpp"
#include "base/temporary_name.hpp"
#include "catalogue/walk.hpp"
#include "threads/cores.hpp"

namespace lq::ensemble {

void verify_all(const std::vector<std::string>& paths, int threads, const VerifyOptions& options,
                const std::function<void(const Verdict& verdict)>& tell) {
  const int all = threads::or_usable_cores(threads);
  const auto used = static_cast<int>(std::clamp<std::uint64_t>(paths.size(), 1, static_cast<std::uint64_t>(all)));
  VerifyOptions how = options;
  how.progress = {};
  how.threads = all / used;
  how.memory_bytes /= static_cast<std::uint64_t>(used);
  base::in_order(
      paths.size(), used,
      [&](std::uint64_t k) {
        Verdict verdict;
        verdict.path = paths[static_cast<std::size_t>(k)];
        try {
          verdict.verification = verify(verdict.path, {}, how);
        } catch (const Error& error) {
          verdict.error = error;
        }
        return verdict;
      },
      [&](std::uint64_t, const Verdict& verdict) { tell(verdict); });
}

std::vector<std::string> files_below(const std::string& path) {
  catalogue::FileStatus status;
  if (catalogue::status_of(path, status)) return {path};
  std::vector<std::string> found;
  catalogue::full_path(path);  // throws where there is nothing
  std::optional<Error> failure;
  catalogue::walk(
      path, [&](const std::string& file, const catalogue::FileStatus&) { found.push_back(file); },
      [&](const std::string& folder, const std::string& reason) {
        if (!failure) {
          failure = Error(Code::no_permission, folder + ": the folder cannot be read: " + reason, {.path = folder});
        }
      });
  if (failure) throw *failure;
  std::ranges::sort(found);
  return found;
}

}  // namespace lq::ensemble
