// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A folder of checkpoints. What save() has returned for is loaded, or a newer one that is whole; where the newest is
// damaged, the one before it. Some runs save on nodes first, one of which may be lost at any time.
#include <limequat/checkpoints.hpp>

#include <exception>
#include <map>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "comm/agree.hpp"
#include "simulation/item.hpp"
#include "support/formula_field.hpp"
#include "support/streams.hpp"

namespace lq::simulation {
namespace {

constexpr std::uint64_t numbers_of_phi = 4;
const FieldSpec spec_of_phi = generic_spec(Precision::double_, numbers_of_phi, false);

// All that is in a checkpoint follows from its step.
std::uint64_t stream_id(std::uint64_t step, std::int64_t task) {
  return 1000 * step + static_cast<std::uint64_t>(task);
}
std::uint64_t stream_size(std::uint64_t step, std::int64_t task) { return stream_id(step, task) * 7919 % 5000; }
std::map<std::string, std::vector<std::byte>> state_of(std::uint64_t step) {
  return {{"random numbers", testing::stream_bytes(step, 0, step % 90)},
          {"name", testing::stream_bytes(step + 1, 0, 3)}};
}
std::vector<double> phi_of(const Grid& grid, std::uint64_t step) {
  std::vector<double> values = testing::formula_sites<double>(grid, numbers_of_phi);
  for (double& value : values) value += static_cast<double>(step);
  return values;
}
MutableField phi_in(std::vector<double>& values) { return {spec_of_phi, values.data(), values.size(), {}, {}}; }

class CheckpointRun final : public Item {
 public:
  CheckpointRun(Draw& draw, Machine& machine, std::string path)
      : draw_(draw), machine_(machine), path_(std::move(path)), lattice_(draw.extents(3, 4)) {
    options_.keep = static_cast<std::int32_t>(draw.between(1, 3));
    options_.proven = static_cast<std::int32_t>(draw.between(1, 2));
    machine_.put(path_.substr(0, path_.rfind('/')) + "/program", "its folder");
    if (draw.once_in(2)) return;
    nodes_ = static_cast<int>(draw.between(2, 4));
    ranks_per_node_ = static_cast<int>(draw.between(1, 2));
    options_.node_group = static_cast<std::int32_t>(draw.between(2, 4));
    // Folders are there as long as they have files.
    const std::string id = fmt::format("{:016x}", 1 + draw.below(1000));
    machine_.put(path_ + "/.lq-checkpoints.id", id + "\n");
    for (int number = 0; number < nodes_; ++number) machine_.put(node(number) + "/" + id + "/program", "its folder");
    for (int rank = 0; rank < nodes_ * ranks_per_node_; ++rank) {
      machine_.put(fmt::format("{}/{}/parity-{:06}/program", node(rank / ranks_per_node_), id, rank), "its folder");
    }
  }

  void step(const Tell& tell) override {
    const std::uint64_t kind = draw_.below(6);
    if (kind == 0) return nodes_ > 0 ? lose_nodes(tell) : damage(tell);
    kind == 1 ? load(tell) : save(tell);
    // What is loaded from the nodes is copied to the folder, and then no longer needed on the nodes.
    if (nodes_ > 0 && draw_.once_in(2)) return lose_nodes(tell);
    if (nodes_ == 0 || draw_.once_in(4)) check();
  }

  void after_power_failure() override {}  // it is synced when save() returns

  void check() override { (void)find({}, crew_of(3), {}); }

 private:
  // Only as many ranks as saved on the nodes can use what is there.
  Crew crew_of(int most) {
    if (nodes_ > 0) return {nodes_ * ranks_per_node_, ranks_per_node_};
    Crew crew = torture::draw_crew(draw_, most);
    crew.delays = 0;
    return crew;
  }

  std::string node(int number) const { return fmt::format("{}-node{}", path_, number); }
  CheckpointsOptions options_of(const Communicator& all) const {
    CheckpointsOptions options = options_;
    if (nodes_ > 0) options.local = node(all.rank() / ranks_per_node_);
    return options;
  }

  // One node is lost, or a file on it is damaged: what it had comes back. After the loss of two there is what had been
  // copied.
  void lose_nodes(const Tell& tell) {
    const auto first = static_cast<int>(draw_.below(static_cast<std::uint64_t>(nodes_)));
    const std::uint64_t kind = draw_.below(4);
    if (kind == 0) {
      lose(first, tell);
      lose((first + 1) % nodes_, tell);
      std::erase_if(sure_, [this](std::uint64_t step) { return step > copied_; });
      may_have_none_ = sure_.empty();
    } else if (!is_protected_) {
      return;
    } else if (kind == 1) {
      damage_on(first, tell);
    } else {
      lose(first, tell);
    }
    check();
  }

  std::vector<std::string> files_on(int number) {
    std::vector<std::string> files;
    for (const std::string& file : machine_.names()) {
      if (file.starts_with(node(number) + "/") && !file.ends_with("/program")) files.push_back(file);
    }
    return files;
  }
  void lose(int number, const Tell& tell) {
    tell(fmt::format("{} is lost, and a new one comes", node(number)));
    for (const std::string& file : files_on(number)) machine_.remove(file);
  }
  void damage_on(int number, const Tell& tell) {
    std::vector<std::string> files = files_on(number);
    std::erase_if(files,
                  [](const std::string& file) { return file.ends_with(".lock") || file.ends_with("/complete"); });
    if (!files.empty()) damage_file(draw_.one_of(files), tell);
  }

  void save(const Tell& tell) {
    const Crew crew = crew_of(5);
    const Trouble trouble = draw_trouble(draw_, crew.ranks);
    const std::uint64_t step = ++last_;
    const int streams = static_cast<int>(draw_.below(3));
    const bool has_field = draw_.once_in(2);
    tasks_[step] = crew.ranks * streams;
    has_field_[step] = has_field;
    const Extents processes = draw_.processes(lattice_.size(), crew.ranks);
    const bool waits = draw_.once_in(2);
    std::optional<bool> has_parity;
    tell(fmt::format("{}: save step {} on {}, {} streams, field {}, {}", path_, step, torture::words(crew), streams,
                     has_field, words(trouble)));
    const Outcome outcome = machine_.run(crew, trouble, [&](const Rank& rank) -> Work {
      const Grid grid(rank.all, lattice_, {.processes = processes});
      return [&, grid, &all = rank.all] {
        std::vector<std::vector<std::byte>> bytes;
        std::vector<double> values;
        CheckpointContents contents;
        comm::agree_alike(all.engine(), [&] {
          for (int i = 0; i < streams; ++i) {
            const std::int64_t task = all.rank() * streams + i;
            bytes.push_back(testing::stream_bytes(stream_id(step, task), 0, stream_size(step, task)));
          }
          contents.streams.assign(bytes.begin(), bytes.end());
          contents.state = state_of(step);
          values = phi_of(grid, step);
          if (has_field) contents.fields.push_back({"phi", grid, Field(phi_in(values)), {}});
        });
        CheckpointsOptions options;
        comm::agree_alike(all.engine(), [&] { options = options_of(all); });
        Checkpoints checkpoints(path_, all, options);
        const CheckpointReport report = checkpoints.save(step, contents);
        if (all.is_root()) has_parity = report.warnings.empty();
        if (waits) checkpoints.wait();
      };
    });
    tell(words(outcome));
    if (has_parity) is_protected_ = *has_parity;
    // The oldest may have made room for it.
    if (sure_.size() >= static_cast<std::size_t>(options_.keep)) sure_.erase(sure_.begin());
    if (has_parity) {  // save() has returned
      sure_.push_back(step);
      may_have_none_ = false;
      if (waits && outcome.error.empty() && !outcome.has_ended) copied_ = step;
    }
  }

  void load(const Tell& tell) {
    const Crew crew = crew_of(4);
    const Trouble trouble = draw_trouble(draw_, crew.ranks);
    tell(fmt::format("{}: load on {}, {}", path_, torture::words(crew), words(trouble)));
    (void)find(tell, crew, trouble);
  }

  // Of the newest ones, all but one at most: the newest that is left is loaded from now on. Marks that are nonsense are
  // no damage.
  void damage(const Tell& tell) {
    const auto newest = find({}, crew_of(2), {});
    if (!newest || sure_.size() < 2 || *newest != sure_.back()) return;
    for (std::uint64_t count = draw_.below(sure_.size() - 1) + 1; count > 0; --count) {
      const std::uint64_t step = sure_.back();
      damage_file(draw_.one_of(files_of(step)), tell);
      sure_.pop_back();
      damaged_.push_back(step);
    }
    if (draw_.once_in(3)) put_marks(files_of(sure_.back()).front(), tell);
    check();
    for (const std::string& name : machine_.names()) {
      if (!name.ends_with("/tries.lq")) continue;
      const std::string marks = machine_.bytes(name);
      if (std::ranges::count(marks, '\n') > 2) throw Failure(fmt::format("{}: tried too often: {}", name, marks));
    }
  }

  std::vector<std::string> files_of(std::uint64_t step) {
    const std::string beginning = fmt::format("{}/step-{:012}-", path_, step);
    std::vector<std::string> files;
    for (const std::string& file : machine_.names()) {
      if (file.starts_with(beginning) && !file.ends_with("/tries.lq")) files.push_back(file);
    }
    return files;
  }

  void damage_file(const std::string& file, const Tell& tell) {
    std::string bytes = machine_.bytes(file);
    const std::uint64_t kind = bytes.empty() ? 1 : draw_.below(5);
    if (kind == 0) {
      tell(fmt::format("{}: is lost", file));
      return machine_.remove(file);
    }
    if (kind == 1) {
      bytes += 'x';
    } else if (kind == 2) {
      bytes.resize(draw_.below(bytes.size()));
    } else {
      change_byte(bytes, draw_);
    }
    tell(fmt::format("{}: is damaged, {} bytes", file, bytes.size()));
    machine_.put(file, bytes);
  }

  void put_marks(const std::string& file, const Tell& tell) {
    std::string marks(draw_.below(300), '\0');
    for (char& letter : marks) letter = static_cast<char>(draw_.below(256));
    const std::string path = file.substr(0, file.rfind('/')) + "/tries.lq";
    tell(path + ": has nonsense");
    machine_.put(path, marks);
  }

  // The step that is loaded, which must be one that may be.
  std::optional<std::uint64_t> find(const Tell& tell, const Crew& crew, const Trouble& trouble) {
    std::optional<std::uint64_t> found;
    const Outcome outcome = machine_.run(crew, trouble, [&](const Rank& rank) -> Work {
      return [&, &all = rank.all] {
        CheckpointsOptions options;
        comm::agree_alike(all.engine(), [&] { options = options_of(all); });
        Checkpoints checkpoints(path_, all, options);
        std::optional<lq::Checkpoint> newest;
        try {
          newest = checkpoints.load_newest();
        } catch (const Error& error) {
          if (!may_have_none_ || error.code() != Code::malformed) throw;
        }
        if (!newest) return;
        // What is compared takes memory of this program's own.
        if (trouble.kind != Trouble::Kind::ranks) require_right(*newest, all);
        if (all.is_root()) found = newest->step();
      };
    });
    if (tell) tell(words(outcome));
    if (trouble.kind != Trouble::Kind::none) return found;
    const std::uint64_t least = sure_.empty() ? 0 : sure_.back();
    if (found.value_or(0) < least) {
      throw Failure(fmt::format("{}: step {} is loaded, expected {} or a later one", path_, found.value_or(0), least));
    }
    if (found && std::ranges::count(damaged_, *found) > 0)
      throw Failure(fmt::format("{}: step {} is damaged", path_, *found));
    copied_ = std::max(copied_, found.value_or(0));
    // Of those that were not reported as saved none that is older will be the newest any more.
    if (found && *found > least) {
      if (sure_.size() >= static_cast<std::size_t>(options_.keep)) sure_.erase(sure_.begin());
      sure_.push_back(*found);
    }
    return found;
  }

  void require_right_streams(const MultifileReader& streams, std::uint64_t step) const {
    for (std::int64_t task = streams.first_task(); task < streams.first_task() + streams.local_tasks(); ++task) {
      const auto bytes = streams.task(task).read_all();
      if (bytes == testing::stream_bytes(stream_id(step, task), 0, stream_size(step, task))) continue;
      throw Failure(fmt::format("{}: stream {} of step {} is wrong", path_, task, step));
    }
  }

  void require_right(const lq::Checkpoint& found, const Communicator& all) const {
    const std::uint64_t step = found.step();
    const auto tasks = tasks_.find(step);
    if (tasks == tasks_.end() || found.tasks() != tasks->second) {
      throw Failure(fmt::format("{}: step {} has {} streams", path_, step, found.tasks()));
    }
    if (found.state() != state_of(step)) throw Failure(fmt::format("{}: step {} has another state", path_, step));
    if (tasks->second > 0) {
      std::exception_ptr failure;  // streams are a rank's own affair
      try {
        require_right_streams(found.streams(), step);
      } catch (const Error&) {
        failure = std::current_exception();
      }
      all.agree(failure);
    }
    if (!has_field_.at(step)) return;
    const Grid grid(all, lattice_);
    std::vector<double> values(grid.local_volume() * numbers_of_phi);
    found.read_field("phi", grid, phi_in(values));
    if (values != phi_of(grid, step)) throw Failure(fmt::format("{}: the field of step {} is wrong", path_, step));
  }

  Draw& draw_;
  Machine& machine_;
  std::string path_;
  Extents lattice_;
  CheckpointsOptions options_;
  std::uint64_t last_ = 0;
  std::map<std::uint64_t, std::int64_t> tasks_;  // of each step
  std::map<std::uint64_t, bool> has_field_;
  std::vector<std::uint64_t> sure_, damaged_;  // steps that are there, that are of no use
  int nodes_ = 0, ranks_per_node_ = 1;         // 0: saved in the folder alone
  bool is_protected_ = true;                   // the newest by parity on other nodes
  std::uint64_t copied_ = 0;                   // newest step that is known to be in the folder
  bool may_have_none_ = false;                 // of those that were on the nodes, which is an error then
};

}  // namespace

std::unique_ptr<Item> make_checkpoints(Draw& draw, Machine& machine, const std::string& path) {
  return std::make_unique<CheckpointRun>(draw, machine, path);
}

}  // namespace lq::simulation
