// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A set of modes, to which vectors are added. What append() has returned for is there for good; of the next one all or
// nothing.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <vector>

#include <limequat/inspect.hpp>
#include <limequat/modes.hpp>

#include "comm/agree.hpp"
#include "simulation/item.hpp"
#include "support/formula_field.hpp"

namespace lq::simulation {
namespace {

constexpr std::uint64_t numbers_of_a_site = 24;

class Modes final : public Item {
 public:
  Modes(Draw& draw, Machine& machine, std::string path) : draw_(draw), machine_(machine), path_(std::move(path)) {
    description_.lattice = draw.extents(4, 3);
    description_.storage = draw.one_of({modes::Storage::single, modes::Storage::double_});
    description_.room = draw.below(4) + 1;  // vectors in a block of the index
  }

  void step(const Tell& tell) override {
    const bool is_new = most_ == 0 && !exists_;
    const std::uint64_t more = draw_.below(3) + 1;
    const Crew crew = crew_of(6);
    const Extents processes = draw_.processes(4, crew.ranks);
    const Trouble trouble = draw_trouble(draw_, crew.ranks);
    tell(fmt::format("{}: {} {} modes on {}, grid {}, {}", path_, is_new ? "a new set of" : "add", more,
                     torture::words(crew), to_string(processes), words(trouble)));
    std::atomic<std::uint64_t> added{0};
    std::atomic<bool> was_made{false};
    const std::uint64_t first = least_;
    const Outcome outcome = machine_.run(crew, trouble, [&](const Rank& rank) -> Work {
      const Grid grid(rank.all, description_.lattice, {.processes = processes});
      return [&, grid, &all = rank.all] {
        modes::Writer writer = is_new ? modes::Writer(path_, grid, description_) : modes::Writer(path_, grid);
        if (all.is_root()) was_made = true;
        if (writer.size() != first)
          throw Failure(fmt::format("{}: {} modes, expected {}", path_, writer.size(), first));
        for (std::uint64_t k = first; k < first + more; ++k) {
          const std::vector<double> values = comm::agree_alike(all.engine(), [&] { return vector(grid, k); });
          writer.append(spinor(values), {{static_cast<double>(k), 0}, 0});
          if (all.is_root()) ++added;
        }
        writer.close();
      };
    });
    tell(words(outcome));
    exists_ = exists_ || was_made;
    is_for_good_ = is_for_good_ || (is_new && was_made) || added > 0;
    if (added > 0) promised_ = first + added;
    least_ = first + added;
    most_ = std::min(first + more, least_ + 1);
    if (is_new && !was_made) most_ = first;
    if (outcome.error.empty() && !outcome.has_ended) most_ = least_;
    if (outcome.has_ended && trouble.kind == Trouble::Kind::power) after_power_failure();
    check();
  }

  // Modes that were seen, but not reported as added, may be gone.
  void after_power_failure() override { least_ = promised_; }

  void check() override {
    if (!machine_.has(path_)) {
      if (is_for_good_) throw Failure(fmt::format("{}: the set is gone, it had {} modes", path_, least_));
      exists_ = false;
      most_ = least_ = 0;
      return;
    }
    exists_ = true;
    const Crew crew = crew_of(4);
    std::atomic<std::uint64_t> size{0};
    machine_.must_succeed(crew, [&](const Rank& rank) -> Work { return [&, &all = rank.all] { look(all, size); }; });
    least_ = most_ = size;
  }

 private:
  static std::vector<double> vector(const Grid& grid, std::uint64_t k) {
    std::vector<double> values = testing::formula_sites<double>(grid, numbers_of_a_site);
    for (double& value : values) value += static_cast<double>(k);
    return values;
  }

  Crew crew_of(int most) {
    Crew crew = torture::draw_crew(draw_, most);
    crew.delays = 0;
    return crew;
  }

  void look(const Communicator& all, std::atomic<std::uint64_t>& size) const {
    const modes::Set set(path_, all);
    if (set.size() < least_ || set.size() > most_) {
      throw Failure(fmt::format("{}: {} modes, expected {} to {}", path_, set.size(), least_, most_));
    }
    const Grid grid(all, description_.lattice);
    for (std::uint64_t k = 0; k < set.size(); ++k) {
      std::vector<double> values(grid.local_volume() * numbers_of_a_site);
      set.read(k, grid, spinor(values));
      if (values != vector(grid, k)) throw Failure(fmt::format("{}: mode {} has other numbers", path_, k));
    }
    if (all.is_root()) size = set.size();
    for (const Verification& found : {modes::verify(path_, all), lq::verify(path_, all)}) {
      if (found.ok) continue;
      throw Failure(fmt::format("{}: verify says {} of a set that is read: {}", path_, name(found.verdict),
                                found.findings.empty() ? "no finding" : found.findings.front().message));
    }
  }

  Draw& draw_;
  Machine& machine_;
  std::string path_;
  modes::Description description_;
  bool exists_ = false, is_for_good_ = false;
  std::uint64_t least_ = 0, most_ = 0, promised_ = 0;  // modes that are there; that append() has returned for
};

}  // namespace

std::unique_ptr<Item> make_modes(Draw& draw, Machine& machine, const std::string& path) {
  return std::make_unique<Modes>(draw, machine, path);
}

}  // namespace lq::simulation
