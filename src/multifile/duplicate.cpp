// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Streams copied with their cursors, physical files opened once more.
#include "multifile/duplicate.hpp"

#include <map>

#include <fmt/format.h>
#include <limequat/error.hpp>

namespace lq::multifile {

std::unique_ptr<Duplicate> Duplicate::of(const Multifile& original, Access access, std::optional<std::int64_t> rank,
                                         std::optional<std::uint64_t> key) {
  const Facts& facts = original.facts();
  ErrorFacts about;
  about.path = facts.path;
  if (original.writes()) {
    throw Error(Code::wrong_state, fmt::format("{}: only a multifile that is read can be duplicated", facts.path),
                about);
  }
  auto copy = std::unique_ptr<Duplicate>(new Duplicate(facts));
  Opener opener;
  opener.access = access;
  std::map<std::size_t, std::size_t> opened;
  for (std::size_t i = 0; i < original.tasks(); ++i) {
    const Task& task = original.task(i);
    if (rank && task.rank != *rank) continue;
    const auto [place, is_new] = opened.try_emplace(task.channel, copy->channels_.size());
    if (is_new) copy->channels_.push_back(opener.open(original.channel_path(task.channel), Direction::read));
    Task& added = copy->tasks_.emplace_back();
    added.rank = task.rank;
    added.file = task.file;
    added.number = task.number;
    added.channel = place->second;
    added.stream = task.stream;
  }
  if (copy->tasks_.empty()) {
    throw Error(Code::invalid_argument,
                fmt::format("{}: no task {} is open here", facts.path, rank ? *rank : std::int64_t{0}), about);
  }
  if (key) copy->keys().restrict_to(*key);
  return copy;
}

}  // namespace lq::multifile
