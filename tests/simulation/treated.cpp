// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A file that is copied, squeezed and restored, cut into subfiles and put together again, protected by parity and
// repaired. After each of these the target is what it was or what it was to become; the source stays.
#include <map>
#include <optional>
#include <vector>

#include <limequat/file.hpp>
#include <limequat/inspect.hpp>
#include <limequat/physics.hpp>
#include <limequat/protect.hpp>
#include <limequat/repack.hpp>
#include <limequat/repartition.hpp>
#include <limequat/squeeze.hpp>
#include <limequat/staging.hpp>

#include "simulation/item.hpp"
#include "simulation/versions.hpp"

namespace lq::simulation {
namespace {

enum class Treatment { copy, squeeze, unsqueeze, cut, join, protect, repair };

class Treated final : public Item {
 public:
  Treated(Draw& draw, Machine& machine, std::string path)
      : draw_(draw), machine_(machine), path_(std::move(path)), lattice_(draw.extents(4, 2)) {
    for (int d = 0; d < lattice_.size(); ++d) ++lattice_[d];  // the generator wants two at least
    make_version();
  }

  void step(const Tell& tell) override {
    if (draw_.once_in(6)) make_version();
    using enum Treatment;
    const Treatment what = draw_.one_of({copy, copy, squeeze, unsqueeze, cut, join, protect, repair});
    switch (what) {
      case copy:
        return treat(tell, "copy", path_, ".copy", version_);
      case squeeze:
        return treat(tell, "squeeze", path_, ".sqz", version_);
      case cut:
        return treat(tell, "cut", path_, ".parts", version_);
      case unsqueeze:
        return treat(tell, "unsqueeze", path_ + ".sqz", ".restored", only(".sqz"));
      case join:
        return treat(tell, "join", path_ + ".parts", ".joined", only(".parts"));
      case protect:
        return protect_file(tell);
      case repair:
        return repair_file(tell);
    }
  }

  void after_power_failure() override {
    for (auto& [ending, versions] : targets_) versions.fail_power();
    parity_.fail_power();
  }

  void check() override {
    if (bytes_at(path_) != contents_.back()) throw Failure(path_ + ": the source has changed");
    for (auto& [ending, versions] : targets_) look_at(ending, versions);
  }

 private:
  // At once on the disk, as what this is not about.
  void make_version() {
    std::optional<Outcome> outcome;
    const std::string made = path_ + ".made";
    const auto seed = draw_.number();
    const auto format = draw_.one_of<const char*>({"ildg", "nersc", "scidac"});
    machine_.must_succeed({}, [&](const Rank&) -> Work {
      return [&] {
        const Grid grid(lattice_);
        std::vector<double> links(static_cast<std::size_t>(volume(lattice_) * 72));
        generate(grid, gauge(links), {.beta = 6, .sweeps = 1, .seed = seed});
        WriteOptions options;
        options.format = format;
        write(made, grid, gauge(links), options);
      };
    });
    contents_.push_back(machine_.bytes(made));
    machine_.remove(made);
    ++version_;
    machine_.put(path_, contents_.back());
  }

  std::string bytes_at(const std::string& path) const {
    return machine_.has(path) ? machine_.bytes(path) : std::string();
  }
  // Versions::absent: none, or not known which.
  int version_of(const std::string& bytes) const {
    for (std::size_t version = 0; version < contents_.size(); ++version) {
      if (contents_[version] == bytes) return static_cast<int>(version);
    }
    return Versions::absent;
  }
  int only(const std::string& ending) {
    Versions& versions = targets_[ending];
    look_at(ending, versions);
    return *versions.here().begin();
  }
  Crew crew_of(int most) {
    Crew crew = torture::draw_crew(draw_, most);
    crew.delays = 0;
    return crew;
  }

  // Prepared with memory at hand: what the program itself makes is not what this is about.
  static Work carrying_out(const std::string& what, const std::string& from, const std::string& to,
                           const std::string& parts, bool resume, const Communicator& all) {
    if (what == "copy") {
      const CopyOptions how{.resume = resume, .overwrite = true, .block_bytes = 5000};
      return [=, sources = std::vector{from}, &all] { lq::copy(sources, to, all, how); };
    }
    const SqueezeOptions how{.overwrite = true, .threads = 1};
    if (what == "squeeze") return [=, &all] { lq::squeeze(from, to, all, how); };
    if (what == "unsqueeze") return [=, &all] { lq::unsqueeze(from, to, all, how); };
    RepartitionOptions anew;
    anew.to = parts;
    if (parts != "whole") {
      anew.extents = "48";
      anew.element_bytes = 64;
    }
    anew.resume = resume;
    anew.overwrite = true;
    anew.block_bytes = 5000;
    return [=, &all] { lq::repartition(from, to, all, anew); };
  }

  void treat(const Tell& tell, const std::string& what, const std::string& from, const std::string& ending,
             int version) {
    if (version == Versions::absent) return;
    const Crew crew = crew_of(4);
    const Trouble trouble = draw_trouble(draw_, crew.ranks);
    const bool resume = draw_.once_in(2);
    const std::string parts =
        what == "cut" ? draw_.one_of<const char*>({"x=block:2", "x=block:4", "x=cyclic:3"}) : "whole";
    Versions& versions = targets_[ending];
    tell(fmt::format("{}: {} version {} on {}, resume {}, {}, {}", from, what, version, torture::words(crew), resume,
                     parts, words(trouble)));
    const Outcome outcome = machine_.run(crew, trouble, [&](const Rank& rank) -> Work {
      return carrying_out(what, from, path_ + ending, parts, resume, rank.all);
    });
    tell(words(outcome));
    versions.attempt(version, outcome, trouble);
    if (outcome.has_ended && trouble.kind == Trouble::Kind::power) after_power_failure();
    look_at(ending, versions);
  }

  // What a target leads back to.
  void look_at(const std::string& ending, Versions& versions) {
    const std::string path = path_ + ending, scratch = path_ + ".scratch";
    int found = Versions::absent;
    if (machine_.has(path)) {
      std::string bytes;
      if (ending == ".sqz" || ending == ".parts") {
        const std::string back = ending == ".sqz" ? "unsqueeze" : "join";
        machine_.must_succeed(crew_of(2), [&](const Rank& rank) -> Work {
          return carrying_out(back, path, scratch, "whole", false, rank.all);
        });
        bytes = bytes_at(scratch);
        machine_.remove(scratch);
      } else {
        bytes = bytes_at(path);
      }
      found = version_of(bytes);
      if (found == Versions::absent) {
        throw Failure(fmt::format("{}: {} bytes that are none of any version, expected {}", path, bytes.size(),
                                  versions.words()));
      }
    }
    if (!versions.here().contains(found)) {
      throw Failure(fmt::format("{}: version {} is there, expected {}", path, found, versions.words()));
    }
    versions.see(found);
  }

  // In a file of its own, which is damaged later.
  std::string kept() const { return path_ + ".kept"; }
  void protect_file(const Tell& tell) {
    const Crew crew = crew_of(4);
    const Trouble trouble = draw_trouble(draw_, crew.ranks);
    machine_.put(kept(), contents_.back());
    kept_version_ = version_;
    tell(fmt::format("{}: protect version {} on {}, {}", kept(), version_, torture::words(crew), words(trouble)));
    const Outcome outcome = machine_.run(crew, trouble, [&](const Rank& rank) -> Work {
      const ProtectOptions how{.parity = "20%", .overwrite = true, .threads = 1};
      return [how, files = std::vector{kept()}, &all = rank.all] { lq::protect(files, all, how); };
    });
    tell(words(outcome));
    parity_.attempt(version_, outcome, trouble);
    if (outcome.has_ended && trouble.kind == Trouble::Kind::power) after_power_failure();
  }

  void repair_file(const Tell& tell) {
    if (kept_version_ == Versions::absent || !parity_.are(kept_version_)) return;
    const std::string& right = contents_[static_cast<std::size_t>(kept_version_)];
    std::string damaged = right;
    const std::size_t place = change_byte(damaged, draw_);
    machine_.put(kept(), damaged);
    const Trouble trouble = draw_trouble(draw_, 1);
    tell(fmt::format("{}: repair byte {}, {}", kept(), place, words(trouble)));
    const Outcome outcome = machine_.run({}, trouble, repairing());
    tell(words(outcome));
    const bool is_done = outcome.error.empty() && !outcome.has_ended;
    if (machine_.has(repaired()) ? bytes_at(repaired()) != right : is_done) {
      throw Failure(repaired() + ": it is not what the file was before it was damaged");
    }
    if (outcome.has_ended && trouble.kind == Trouble::Kind::power) after_power_failure();
    machine_.must_succeed({}, repairing());
    if (bytes_at(repaired()) != right) throw Failure(repaired() + ": it is not what the file was");
    machine_.remove(repaired());
    if (bytes_at(kept()) != damaged) throw Failure(kept() + ": a repair has changed it");
  }
  std::string repaired() const { return kept() + ".repaired"; }
  torture::RankWork repairing() const {
    return [this](const Rank&) -> Work {
      const RepackOptions how{.overwrite = true, .threads = 1};
      return [how, from = kept(), to = repaired()] { lq::repair(from, to, how); };
    };
  }

  Draw& draw_;
  Machine& machine_;
  std::string path_;
  Extents lattice_;
  std::vector<std::string> contents_;  // of each version
  int version_ = -1, kept_version_ = Versions::absent;
  std::map<std::string, Versions> targets_;  // by what is added to the name
  Versions parity_;
};

}  // namespace

std::unique_ptr<Item> make_treated(Draw& draw, Machine& machine, const std::string& path) {
  return std::make_unique<Treated>(draw, machine, path);
}

}  // namespace lq::simulation
