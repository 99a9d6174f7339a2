// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// An HDF5 file that sessions add to and take from. Of what was flushed all is there; of a session that ended early,
// what it had before or after the flush that it was in.
#include <limequat/hdf5.hpp>

#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>
#include <limequat/inspect.hpp>

#include "comm/agree.hpp"
#include "simulation/item.hpp"
#include "support/formula_field.hpp"

namespace lq::simulation {
namespace {

// Objects by name: a number that tells what each holds.
using Contents = std::map<std::string, int>;

constexpr std::uint64_t numbers_of_object = 6;
const FieldSpec spec_of_object = generic_spec(Precision::double_, numbers_of_object, false);
bool is_field(const std::string& name) { return name.starts_with("/field"); }

std::vector<double> small_array(int what) {
  std::vector<double> values(static_cast<std::size_t>(what % 700 + 1));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = what + 0.5 * static_cast<double>(i);
  return values;
}

struct Edit {
  enum class Kind { write, remove, flush };
  Kind kind = Kind::write;
  std::string name = {};
  int what = 0;
};

class Hdf5File final : public Item {
 public:
  Hdf5File(Draw& draw, Machine& machine, std::string path)
      : draw_(draw), machine_(machine), path_(std::move(path)), lattice_(draw.extents(3, 4)) {}

  void step(const Tell& tell) override {
    const Crew crew = crew_of(5);
    const Trouble trouble = draw_trouble(draw_, crew.ranks);
    const Extents processes = draw_.processes(lattice_.size(), crew.ranks);
    const bool is_new = !exists_;
    const std::vector<Contents> states = draw_edits();
    std::string words = fmt::format("{}: {} on {}, {}", path_, is_new ? "a new file" : "a session",
                                    torture::words(crew), torture::words(trouble.fault));
    for (const Edit& edit : edits_)
      words += fmt::format("; {} {} {}", static_cast<int>(edit.kind), edit.name, edit.what);
    tell(words + "; " + simulation::words(trouble));
    const Outcome outcome = machine_.run(crew, trouble, [&](const Rank& rank) -> Work {
      const Grid grid(rank.all, lattice_, {.processes = processes});
      return [&, grid, &all = rank.all] { edit(grid, all, is_new); };
    });
    tell(simulation::words(outcome));
    const bool is_done = outcome.error.empty() && !outcome.has_ended;
    if (is_done) {
      may_be_ = {states.back()};
      exists_ = true;
    } else {
      // A new file gets its name when it is closed.
      may_be_ = is_new ? std::vector<Contents>{states.back()} : states;
    }
    if (is_new && !is_done) exists_ = machine_.has(path_);
    may_be_lost_ = !is_done && (is_new || may_be_lost_);
    check();
  }

  // All of it is synced.
  void after_power_failure() override {}

  void check() override {
    if (!exists_) {
      if (machine_.has(path_)) throw Failure(path_ + ": there is a file that nobody has closed");
      return;
    }
    if (!machine_.has(path_)) {
      if (!may_be_lost_) throw Failure(path_ + ": the file is gone");
      exists_ = may_be_lost_ = false;
      may_be_ = {Contents()};
      return;
    }
    const Contents found = read();
    if (std::ranges::count(may_be_, found) == 0) {
      throw Failure(fmt::format("{}: it holds {}, expected {}", path_, words_of(found), words_of(may_be_.front())));
    }
    may_be_ = {found};
  }

 private:
  static std::string words_of(const Contents& contents) {
    std::string words;
    for (const auto& [name, what] : contents) words += fmt::format("{} {}, ", name, what);
    return words;
  }
  Crew crew_of(int most) {
    Crew crew = torture::draw_crew(draw_, most);
    crew.delays = 0;
    return crew;
  }

  // Also what the file holds before and after each flush, a field being one.
  std::vector<Contents> draw_edits() {
    edits_.clear();
    Contents now = exists_ ? may_be_.front() : Contents();
    std::vector<Contents> states{now};
    for (std::uint64_t left = draw_.below(6) + 1; left > 0; --left) {
      Edit edit;
      edit.what = ++last_;
      edit.name = draw_.one_of<const char*>({"/a", "/group/b", "/group/deep/c", "/d", "/field", "/field2"});
      if (now.contains(edit.name) && draw_.once_in(3)) {
        edit.kind = Edit::Kind::remove;
        now.erase(edit.name);
      } else if (draw_.once_in(5)) {
        edit.kind = Edit::Kind::flush;
        states.push_back(now);
      } else {
        // A field that takes the place of another is written, and then gets its name.
        if (is_field(edit.name)) states.push_back(now);
        now[edit.name] = edit.what;
        if (is_field(edit.name)) states.push_back(now);
      }
      edits_.push_back(edit);
    }
    states.push_back(now);
    return states;
  }

  std::vector<double> field_of(const Grid& grid, int what) const {
    std::vector<double> values = testing::formula_sites<double>(grid, numbers_of_object);
    for (double& value : values) value += what;
    return values;
  }

  void edit(const Grid& grid, const Communicator& all, bool is_new) const {
    hdf5::File file(path_, is_new ? hdf5::Mode::create : hdf5::Mode::append, all);
    for (const Edit& edit : edits_) {
      if (edit.kind == Edit::Kind::flush) {
        file.flush();
      } else if (edit.kind == Edit::Kind::remove) {
        file.remove(edit.name);
      } else if (is_field(edit.name)) {
        std::vector<double> values = comm::agree_alike(all.engine(), [&] { return field_of(grid, edit.what); });
        WriteOptions options;
        options.overwrite = true;
        file.write(edit.name, grid, Field(field_in(values)), options);
      } else {
        const hdf5::Array array = comm::agree_alike(all.engine(), [&] { return hdf5::Array(small_array(edit.what)); });
        file.write(edit.name, array, true);
      }
    }
    file.close();
  }
  static MutableField field_in(std::vector<double>& values) {
    return {spec_of_object, values.data(), values.size(), {}, {}};
  }

  Contents read() {
    const Crew crew = crew_of(3);
    Contents found;
    machine_.must_succeed(crew, [&](const Rank& rank) -> Work {
      return [&, &all = rank.all] {
        Contents mine = look(all);
        if (all.is_root()) found = std::move(mine);
        const Verification verified = lq::verify(path_, all);
        if (verified.ok) return;
        throw Failure(fmt::format("{}: verify says {} of a file that is read: {}", path_, name(verified.verdict),
                                  verified.findings.empty() ? "no finding" : verified.findings.front().message));
      };
    });
    return found;
  }

  Contents look(const Communicator& all) const {
    hdf5::File file(path_, hdf5::Mode::read, all);
    const Grid grid(all, lattice_);
    Contents found;
    for (const char* name : {"/a", "/group/b", "/group/deep/c", "/d", "/field", "/field2"}) {
      if (!file.exists(name)) continue;
      if (is_field(name)) {
        std::vector<double> values(grid.local_volume() * numbers_of_object);
        file.read(name, grid, field_in(values));
        // The first site is the first rank's.
        double first = grid.local_volume() > 0 && all.is_root() ? values.front() - field_of(grid, 0).front() : 0;
        first = all.max(first);
        if (values != field_of(grid, static_cast<int>(first)))
          throw Failure(path_ + ": " + name + " has other numbers");
        found[name] = static_cast<int>(first);
      } else {
        const hdf5::ReadArray read = file.read_checked(name);
        const std::vector<double> values = read.value.reals();
        if (values != small_array(static_cast<int>(values.front()))) throw Failure(path_ + ": " + name + " is wrong");
        if (read.status == ChecksumStatus::mismatch) throw Failure(path_ + ": " + name + " disagrees with its sum");
        found[name] = static_cast<int>(values.front());
      }
    }
    return found;
  }

  Draw& draw_;
  Machine& machine_;
  std::string path_;
  Extents lattice_;
  std::vector<Edit> edits_;
  bool exists_ = false;
  bool may_be_lost_ = false;  // with the power: it was not reported as complete
  int last_ = 0;
  std::vector<Contents> may_be_{Contents()};
};

}  // namespace

std::unique_ptr<Item> make_hdf5_file(Draw& draw, Machine& machine, const std::string& path) {
  return std::make_unique<Hdf5File>(draw, machine, path);
}

}  // namespace lq::simulation
