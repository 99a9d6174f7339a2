// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A file of one or more fields, or several files of one. After a write that has returned there is the new version;
// after one that failed, or was cut short, the one before or the new one, never a mixture.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include <limequat/inspect.hpp>

#include "io/replacement.hpp"
#include "simulation/item.hpp"
#include "torture/field_case.hpp"

namespace lq::simulation {
namespace {

using torture::FieldCase;

constexpr int absent = -1;

std::string words(const std::set<int>& versions) { return fmt::format("{}", fmt::join(versions, " or ")); }

class FieldFile final : public Item {
 public:
  FieldFile(Draw& draw, Machine& machine, std::string path)
      : draw_(draw), machine_(machine), path_(std::move(path)), c_(torture::draw_field_case(draw, 4)) {
    if (c_.is_tiled()) c_.options.format = "scidac";
    is_divided_ = c_.fields == 1 && volume(c_.lattice) > 1 && draw.once_in(3);
    if (is_divided_) first_file_ += ".vol0000";
  }

  void step(const Tell& tell) override {
    draw_sides();
    const bool may_read = here_ != std::set<int>{absent} && !may_be_damaged_;
    const std::uint64_t kind = may_read ? draw_.below(8) : 0;
    kind < 5 ? write(tell) : kind < 7 ? read(tell) : verify(tell);
  }

  void after_power_failure() override {
    here_ = on_disk_;
    may_be_damaged_ = may_lie_damaged_;
  }

  void check() override {
    if (!is_there()) {
      if (!here_.contains(absent)) {
        throw Failure(fmt::format("{}: the file is gone; expected: version {}", path_, words(here_)));
      }
      return settle(absent);
    }
    std::set<int> versions = here_;
    versions.erase(absent);
    if (versions.empty()) throw Failure(fmt::format("{}: there is a file that nobody has written", path_));
    int version = absent;
    for (int index = 0; index < c_.fields; ++index) {
      torture::VersionsRead seen(c_.reader.crew);
      const torture::ReadRequest request{
          .path = first_file_, .index = index, .whole = true, .versions = {versions.begin(), versions.end()}};
      if (may_be_damaged_) {
        if (!is_read(request, seen)) return;
      } else {
        machine_.must_succeed(c_.reader.crew, torture::reading(c_, request, seen));
      }
      if (may_be_damaged_) continue;
      if (index > 0 && seen.version() != version) {
        throw Failure(fmt::format("{}: fields of a file are of different versions", path_));
      }
      version = seen.version();
    }
    if (!may_be_damaged_) settle(version);
  }

 private:
  // Files that do not all have their names yet are read by their temporary ones.
  bool is_there() {
    if (machine_.has(first_file_) || !is_divided_) return machine_.has(first_file_);
    bool is_found = false;
    machine_.must_succeed({}, [&](const Rank& rank) -> Work {
      return [&] { is_found = io::find_replacement(rank.storage, first_file_).has_value(); };
    });
    return is_found;
  }

  // What is seen stays as long as there is power; what the disk has is not known by it.
  void settle(int version) {
    here_ = {version};
    if (on_disk_.size() == 1 && !may_lie_damaged_) on_disk_ = here_;
  }

  void draw_sides() {
    const int dimensions = c_.lattice.size();
    const Crew writers = torture::draw_crew(draw_, draw_.once_in(100) ? 64 : 8);
    c_.writer = torture::draw_side(draw_, dimensions, writers);
    c_.reader = torture::draw_side(draw_, dimensions, torture::draw_crew(draw_, 8));
    for (torture::FieldSide* side : {&c_.writer, &c_.reader}) {
      side->crew.delays = 0;
      side->route.threads = std::min(side->route.threads, 1);  // helpers would run when they like
      side->in_background = false;
    }
    c_.cancels = false;
  }

  // A grid of two files or more.
  std::string draw_parts() {
    std::string parts;
    for (int d = 0; d < c_.lattice.size(); ++d) {
      std::int64_t count = draw_.between(1, c_.lattice[d]);
      while (c_.lattice[d] % count != 0) --count;
      parts += fmt::format("{}{}", d == 0 ? "" : "x", count);
    }
    return parts.find_first_not_of("1x") == std::string::npos ? to_string(c_.lattice) : parts;
  }

  void write(const Tell& tell) {
    const int version = ++last_version_;
    if (is_divided_) c_.options.parts = draw_parts();
    c_.options.sync = draw_.one_of({Sync::none, Sync::data, Sync::full, Sync::full, Sync::full});
    c_.options.verify = draw_.one_of({Verify::checksum, Verify::checksum, Verify::read_back, Verify::none});
    // Several files are only read back by those who ask for it.
    if (is_divided_ && c_.options.verify == Verify::read_back) c_.options.verify = Verify::checksum;
    c_.options.overwrite = true;
    c_.options.route = c_.writer.route;
    c_.options.block_bytes = c_.writer.block_bytes;
    const Trouble trouble = draw_trouble(draw_, c_.writer.crew.ranks);
    tell(fmt::format("{}: write version {}, parts \"{}\", sync {}, {}\n    {}", path_, version, c_.options.parts,
                     static_cast<int>(c_.options.sync), words(trouble), torture::words(c_)));
    const Outcome outcome = machine_.run(c_.writer.crew, trouble, torture::writing(c_, path_, version));
    tell(words(outcome));
    const bool is_done = outcome.error.empty() && !outcome.has_ended;
    const bool is_synced = c_.options.sync != Sync::none;
    here_.insert(version);
    on_disk_.insert(version);
    may_lie_damaged_ = may_lie_damaged_ || !is_synced;
    if (c_.options.verify == Verify::none) without_sums_.insert(version);
    if (is_done) {
      here_ = {version};
      may_be_damaged_ = false;
      if (c_.options.sync == Sync::full) {
        on_disk_ = {version};
        may_lie_damaged_ = false;
      }
    }
    if (outcome.has_ended && trouble.kind == Trouble::Kind::power) after_power_failure();
  }

  bool may_lack_sums() const {
    return std::ranges::any_of(here_, [this](int version) { return without_sums_.contains(version); });
  }

  bool is_read(const torture::ReadRequest& request, torture::VersionsRead& seen) {
    torture::ReadRequest lenient = request;
    lenient.may_be_damaged = may_lack_sums();
    bool is_refused = false;
    machine_.must_succeed(c_.reader.crew, [&](const Rank& rank) -> Work {
      Work work = torture::reading(c_, lenient, seen)(rank);
      return [&is_refused, work] {
        try {
          work();
        } catch (const Error&) {
          is_refused = true;
        }
      };
    });
    return !is_refused;
  }

  void read(const Tell& tell) {
    const Trouble trouble = draw_trouble(draw_, c_.reader.crew.ranks);
    const int index = static_cast<int>(draw_.below(static_cast<std::uint64_t>(c_.fields)));
    tell(fmt::format("{}: read field {}, {}\n    {}", path_, index, words(trouble), torture::words(c_)));
    torture::VersionsRead seen(c_.reader.crew);
    torture::ReadRequest request{.path = first_file_, .index = index, .versions = known_versions()};
    // Parts have no sums of their own; the report must say so then.
    request.may_be_damaged = trouble.kind == Trouble::Kind::flipped_bit;
    if (request.versions.empty()) return;
    const bool may_be_absent = here_.contains(absent);
    const Outcome outcome = machine_.run(c_.reader.crew, trouble, [&](const Rank& rank) -> Work {
      Work work = torture::reading(c_, request, seen)(rank);
      return [work, may_be_absent] {
        try {
          work();
        } catch (const Error& error) {
          if (!may_be_absent || error.code() != Code::not_found) throw;
        }
      };
    });
    tell(words(outcome));
    if (outcome.has_ended && trouble.kind == Trouble::Kind::power) after_power_failure();
  }

  std::vector<int> known_versions() const {
    std::vector<int> versions(here_.begin(), here_.end());
    std::erase(versions, absent);
    return versions;
  }

  // What is there is sound, whatever was said of it.
  void verify(const Tell& tell) {
    if (here_.contains(absent)) return check();
    const Crew& crew = c_.reader.crew;
    const Trouble trouble = draw_trouble(draw_, crew.ranks);
    tell(fmt::format("{}: verify on {}, {}", path_, torture::words(crew), words(trouble)));
    // Links that are none, without sums: physics judges.
    const bool has_odd_links = c_.spec.kind == FieldKind::gauge && may_lack_sums();
    const bool may_err = trouble.kind != Trouble::Kind::none || has_odd_links;
    const Outcome outcome = machine_.run(crew, trouble, [&](const Rank& rank) -> Work {
      return [&, &all = rank.all] {
        const Verification found = lq::verify(first_file_, all);
        if (found.ok || may_err) return;
        throw Failure(fmt::format("{}: verify finds that a file is {} that is not: {}", path_, name(found.verdict),
                                  found.findings.empty() ? "no finding" : found.findings.front().message));
      };
    });
    tell(words(outcome));
    if (outcome.has_ended && trouble.kind == Trouble::Kind::power) after_power_failure();
  }

  Draw& draw_;
  Machine& machine_;
  std::string path_;
  FieldCase c_;
  int last_version_ = absent;
  std::set<int> here_{absent}, on_disk_{absent};  // one of them is seen now, and will be once the power has failed
  bool may_be_damaged_ = false, may_lie_damaged_ = false;  // then readers may refuse it
  std::set<int> without_sums_;                             // versions
  bool is_divided_ = false;                                // into several files
  std::string first_file_ = path_;
};

}  // namespace

std::unique_ptr<Item> make_field_file(Draw& draw, Machine& machine, const std::string& path) {
  return std::make_unique<FieldFile>(draw, machine, path);
}

}  // namespace lq::simulation
