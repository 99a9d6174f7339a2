// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "sets/checkpoints/node_level.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <limequat/error.hpp>
#include <limequat/file.hpp>
#include <limequat/inspect.hpp>

#include "base/error.hpp"
#include "base/path.hpp"
#include "base/random_number.hpp"
#include "comm/agree.hpp"
#include "comm/node.hpp"
#include "comm/wire.hpp"
#include "lattice/decomposition.hpp"
#include "lattice/local_field.hpp"
#include "lattice/site_order.hpp"
#include "sets/checkpoints/checkpoint_folder.hpp"
#include "sets/checkpoints/moved_parts.hpp"

namespace lq::sets {
namespace {

constexpr std::string_view no_file = "-";
constexpr std::string_view rank_folder = "rank-", parity_folder = "parity-";
constexpr std::size_t kept_on_node = 2;  // checkpoints of each rank

CheckpointsOptions options_on_node(const CheckpointsOptions& shared) {
  CheckpointsOptions options;
  options.keep = static_cast<std::int32_t>(kept_on_node);
  options.proven = 1;
  options.files = 1;
  options.compression = shared.compression;
  return options;
}

Coord sum_of(Coord a, const Coord& b) {
  for (int d = 0; d < b.size(); ++d) a[d] += b[d];
  return a;
}

// The sites of this rank as a separate lattice: functions are called for sites that they know, and
// sorting by parity still uses the parity in the whole lattice.
Field on_own_lattice(Field field, const Box& box) {
  const Coord corner = box.lower;
  if (field.fetch) {
    field.fetch = [fetch = std::move(field.fetch), corner](const Coord& x, void* site) {
      fetch(sum_of(x, corner), site);
    };
  }
  if (field.fetch_rows) {
    field.fetch_rows = [fetch = std::move(field.fetch_rows), corner](const Coord& x, int axis, std::uint64_t sites,
                                                                     void* row) {
      fetch(sum_of(x, corner), axis, sites, row);
    };
  }
  std::int64_t sum = 0;
  for (const std::int64_t number : corner) sum += number;
  if (sum % 2 == 0) return field;
  constexpr std::array swapped{ParityOrder::none, ParityOrder::odd_first, ParityOrder::even_first,
                               ParityOrder::odd_only, ParityOrder::even_only};
  field.memory.parity = swapped.at(static_cast<std::size_t>(field.memory.parity));
  return field;
}

// The numbers of sites in separate memory.
struct SiteBytes {
  std::shared_ptr<std::vector<std::byte>> bytes;
  std::uint64_t numbers = 0;
};

SiteBytes room_for(const FieldSpec& spec, std::uint64_t sites) {
  const std::uint64_t numbers = sites * spec.numbers;
  return {std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(numbers * spec.number_bytes())), numbers};
}

// Local. The sites of a part, and their description.
struct FieldPart {
  Box box;
  FieldSpec spec;
  SiteBytes sites;
};
FieldPart read_part(const std::string& path, const Coord& first) {
  const Catalog catalog = inspect(path);
  if (catalog.fields.size() != 1) {
    base::fail(Code::malformed, path, "it has {} fields, expected 1", catalog.fields.size());
  }
  const FieldEntry& entry = catalog.fields.front();
  FieldPart part{{first, entry.payload.extents}, entry.payload.spec, {}};
  part.sites = room_for(part.spec, part.box.volume());
  MutableField into;
  into.spec = part.spec;
  into.data = part.sites.bytes->data();
  into.available = part.sites.numbers;
  lq::read(path, Grid(entry.payload.extents), into);
  return part;
}

std::string name_in(const std::string& path) { return path.substr(path.rfind('/') + 1); }

void keep_streams(OwnContents& own) {
  own.contents.streams.clear();
  for (const std::vector<std::byte>& stream : own.streams) own.contents.streams.emplace_back(stream);
}

void append_streams(OwnContents& own, const std::string& folder, const Manifest& manifest) {
  if (manifest.tasks == 0) return;
  const MultifileReader reader(folder + "/" + std::string(streams_name));
  for (std::int64_t task = 0; task < reader.tasks(); ++task) own.streams.push_back(reader.task(task).read_all());
}

// Collective. The same on all ranks, some of which know it.
FieldSpec agreed_spec(comm::Comm& comm, const FieldSpec* mine) {
  std::array<std::uint64_t, 7> facts{};
  if (mine != nullptr) {
    facts = {static_cast<std::uint64_t>(mine->kind),
             static_cast<std::uint64_t>(mine->colors),
             static_cast<std::uint64_t>(mine->spins),
             static_cast<std::uint64_t>(mine->links),
             mine->numbers,
             mine->is_complex ? 1U : 0U,
             static_cast<std::uint64_t>(mine->precision)};
  }
  comm.all_reduce(facts, comm::Reduce::max);
  FieldSpec spec;
  spec.kind = static_cast<FieldKind>(facts[0]);
  spec.colors = static_cast<int>(facts[1]);
  spec.spins = static_cast<int>(facts[2]);
  spec.links = static_cast<int>(facts[3]);
  spec.numbers = facts[4];
  spec.is_complex = facts[5] == 1;
  spec.precision = static_cast<Precision>(facts[6]);
  return spec;
}

// Collective. The process grid of the writer, with every rank at the place of its box; ranks without sites get any of
// the other places.
GridOptions grid_of_before(comm::Comm& comm, const NamedField& field, const Box* mine) {
  std::vector<std::uint64_t> places;  // the rank at each, from 1
  comm::agree(comm, [&] {
    places.resize(static_cast<std::size_t>(volume(field.processes)));
    if (mine == nullptr) return;
    const Coord place = lattice::Decomposition(field.extents, field.processes).process_of(mine->lower);
    places.at(static_cast<std::size_t>(lattice::site_rank(place, field.processes))) =
        static_cast<std::uint64_t>(comm.rank()) + 1;
  });
  comm.all_reduce(places, comm::Reduce::max);
  return comm::agree(comm, [&] {
    GridOptions how;
    how.processes = field.processes;
    how.idle_ranks = true;
    std::vector<bool> is_placed(static_cast<std::size_t>(comm.size()));
    for (const std::uint64_t rank : places) {
      if (rank > 0) is_placed.at(static_cast<std::size_t>(rank - 1)) = true;
    }
    auto next = is_placed.begin();
    for (const std::uint64_t rank : places) {
      if (rank == 0) next = std::find(next, is_placed.end(), false);
      how.ranks.push_back(rank > 0 ? static_cast<int>(rank - 1) : static_cast<int>(next - is_placed.begin()));
      if (rank == 0) ++next;
    }
    return how;
  });
}

// A field whose sites are taken from the parts.
Field field_of_parts(const FieldSpec& spec, std::vector<FieldPart> parts) {
  const std::uint64_t site_bytes = spec.site_bytes();
  Field field;
  field.spec = spec;
  field.fetch = [parts = std::move(parts), site_bytes](const Coord& x, void* site) {
    const auto part = std::ranges::find_if(parts, [&](const FieldPart& one) { return one.box.contains(x); });
    if (part == parts.end()) throw Error(Code::internal, fmt::format("no part has the site {}", site_text(x)));
    const std::uint64_t number = lattice::site_number(x, part->box, lattice::resolve_order({}, x.size()));
    const std::byte* from = part->sites.bytes->data() + number * site_bytes;
    std::copy(from, from + site_bytes, static_cast<std::byte*>(site));
  };
  return field;
}

}  // namespace

NodeLevel::NodeLevel(const Communicator& communicator, const CheckpointsOptions& options, std::uint64_t id)
    : communicator_(communicator),
      folder_(fmt::format("{}/{:016x}", options.local, id)),
      nodes_of_group_(options.node_group),
      lost_nodes_(static_cast<std::uint32_t>(options.lost_nodes)) {
  const std::string mine = folder_of(communicator_.rank());
  storage::resolve(mine).make_directory(mine);
  own_ = std::make_unique<CheckpointFolder>(mine, Communicator(), options_on_node(options));
  own_->open();
}

NodeLevel::~NodeLevel() = default;

std::string NodeLevel::folder_of(int rank) const { return fmt::format("{}/{}{:06}", folder_, rank_folder, rank); }

// All parts or none: those of an incomplete checkpoint would replace older complete ones.
OwnContents NodeLevel::save(const SaveRequest& request, CheckpointReport& report) {
  comm::Comm& comm = communicator_.engine();
  const std::uint64_t set =
      comm::decide_at_root(comm, [&] { return std::uint64_t{base::random_number()} << 32 | base::random_number(); });
  OwnContents own;
  try {
    comm::agree(comm, [&] { save_here(request, set, report, own); });
  } catch (...) {
    remove_part(report);
    throw;
  }
  std::uint64_t bytes = report.bytes;
  comm.all_reduce({&bytes, 1}, comm::Reduce::sum);
  report.bytes = bytes;
  keep_parity(report);
  note_complete(report);
  return own;
}

void NodeLevel::form_groups() {
  if (lost_nodes_ > 0) group_ = form_parity_group(communicator_.engine(), nodes_of_group_);
}

std::string NodeLevel::folder_of_parity() const {
  return fmt::format("{}/{}{:06}", folder_, parity_folder, communicator_.rank());
}

// Without it the checkpoint is equally valid, as long as no node is lost.
void NodeLevel::keep_parity(CheckpointReport& report) {
  comm::Comm& comm = communicator_.engine();
  if (lost_nodes_ == 0 || comm.node().is_only()) return;
  std::array<std::uint64_t, 1> served{0};
  try {
    std::unique_ptr<CheckpointDirectory> kept;
    NodePart mine;
    comm::agree(comm, [&] {
      kept = std::make_unique<CheckpointDirectory>(folder_of_parity());
      kept->make();
      for (const std::string& name : kept->list().unfinished) kept->remove_unfinished(name);
      const CheckpointDirectory& own = own_->directory();
      const std::string name = name_in(report.path);
      mine = {own.path(), name, decode_manifest(report.path, own.manifest_text(name))};
    });
    served[0] = write_parity(comm, group_, lost_nodes_, mine, *kept);
    comm::agree(comm, [&] {
      const std::vector<Listed> all = kept->list().checkpoints;
      for (std::size_t number = kept_on_node; number < all.size(); ++number) kept->remove(all[number].name);
    });
    comm.all_reduce(served, comm::Reduce::min);
  } catch (const Error& error) {
    if (error.code() == Code::communication) throw;
    comm::agree_alike(comm, [&] {
      report.warnings.push_back(fmt::format("no parity was written on other nodes: {}", error.what()));
    });
    return;
  }
  if (served[0] >= lost_nodes_) return;
  comm::agree_alike(comm, [&] {
    report.warnings.push_back(
        fmt::format("the parts on the nodes survive the loss of {} nodes of a group, expected {}: there are too few "
                    "nodes, or the ranks are distributed too unevenly over them",
                    served[0], lost_nodes_));
  });
}

void NodeLevel::remove_part(const CheckpointReport& report) const noexcept {
  try {
    if (!report.path.empty()) own_->directory().remove(name_in(report.path));
  } catch (...) {
    // It is distinguished from complete ones when the parts are searched.
  }
}

void NodeLevel::note_complete(const CheckpointReport& report) const noexcept {
  try {
    const CheckpointDirectory& own = own_->directory();
    own.write_small(own.of(name_in(report.path)) + "/" + std::string(complete_name), {});
  } catch (...) {
    // The notes of the other ranks suffice.
  }
}

void NodeLevel::save_here(const SaveRequest& request, std::uint64_t set, CheckpointReport& report, OwnContents& own) {
  SaveRequest part{request.step, {}, request.manifest};
  part.manifest.piece = communicator_.rank();
  part.manifest.pieces = static_cast<std::uint64_t>(communicator_.size());
  part.manifest.set = set;
  part.contents.streams = request.contents.streams;
  part.contents.state = request.contents.state;
  for (const CheckpointField& field : request.contents.fields) {
    const Box& box = field.grid.local_box();
    NamedField named{std::string(no_file), field.name, field.grid.extents(), field.grid.processes(), box.lower};
    if (!box.empty()) {
      named.file = file_of_field(part.contents.fields.size());
      part.contents.fields.push_back({field.name, Grid(box.extents), on_own_lattice(field.field, box), field.options});
    }
    part.manifest.fields.push_back(std::move(named));
  }
  own_->begin_save(std::move(part));
  report = *own_->complete_save();
  // The copy is read from the saved part.
  const Manifest saved = decode_manifest(report.path, own_->directory().manifest_text(name_in(report.path)));
  append_streams(own, report.path, saved);
  own.contents.state = request.contents.state;
  for (std::size_t number = 0; number < request.contents.fields.size(); ++number) {
    const CheckpointField& field = request.contents.fields[number];
    CheckpointField copied{field.name, field.grid, {}, field.options};
    copied.field.spec = lattice::resolve_spec(field.field.spec, field.grid.extents().size());
    if (field.options.precision) copied.field.spec.precision = *field.options.precision;
    if (saved.fields[number].file != no_file) {
      FieldPart one = read_part(report.path + "/" + saved.fields[number].file, saved.fields[number].first);
      copied.field.data = one.sites.bytes->data();
      copied.field.available = one.sites.numbers;
      own.memory.push_back(std::move(one.sites.bytes));
    }
    own.contents.fields.push_back(std::move(copied));
  }
  keep_streams(own);
}

std::vector<NodePart> NodeLevel::published_here(std::string_view kind, std::uint64_t set) const {
  std::vector<std::string> names;
  std::vector<NodePart> parts;
  if (const int reason = base::names_in(folder_, names); reason != 0 && reason != ENOENT) {
    throw base::errno_error(folder_, "list the checkpoints of this node", reason);
  }
  for (const std::string& name : names) {
    if (!name.starts_with(kind)) continue;
    const CheckpointDirectory directory(folder_ + "/" + name);
    for (Listed& one : directory.list().checkpoints) {
      if (one.problem || one.marks.is_left_alone() || one.manifest.pieces == 0) continue;
      if (set == 0 || one.manifest.set == set) parts.push_back({directory.path(), one.name, std::move(one.manifest)});
    }
  }
  return parts;
}

std::vector<NodePart> NodeLevel::parts_here(std::uint64_t set) const { return published_here(rank_folder, set); }

std::vector<NodeSet> NodeLevel::find() const {
  comm::Comm& comm = communicator_.engine();
  std::vector<NodeSet> sets;
  comm::agree(comm, [&] {
    std::exception_ptr failure;
    std::vector<NodeSet> here;
    base::keep_failure(failure, [&] {
      for (const NodePart& part : parts_here(0)) {
        const Manifest& manifest = part.manifest;
        const CheckpointDirectory directory(part.folder);
        const std::string note = directory.of(part.name) + "/" + std::string(complete_name);
        here.push_back({manifest.set, manifest.step, manifest.save, manifest.pieces,
                        directory.transport().kind(note) == storage::PathKind::file});
      }
    });
    std::vector<std::vector<std::byte>> gathered;
    comm::take_part(failure, [&] { gathered = comm.gather(std::as_bytes(std::span(here)), 0); });
    base::keep_failure(failure, [&] {
      std::map<std::uint64_t, NodeSet> seen;
      for (const std::vector<std::byte>& bytes : gathered) {
        for (const NodeSet& one : comm::take_all<NodeSet>(base::Bytes(bytes))) {
          NodeSet& known = seen.emplace(one.set, one).first->second;
          known.was_complete = known.was_complete || one.was_complete;
        }
      }
      for (const auto& [set, one] : seen) sets.push_back(one);
    });
    if (failure) std::rethrow_exception(failure);
  });
  comm::agree(comm, [&] {
    const auto bytes = comm::broadcast_bytes(comm, std::as_bytes(std::span(sets)));
    sets = comm::take_all<NodeSet>(base::Bytes(bytes));
  });
  const auto age = [](const NodeSet& one) { return std::tuple(one.step, one.save, one.set); };
  std::ranges::sort(sets, [&](const NodeSet& a, const NodeSet& b) { return age(a) > age(b); });
  return sets;
}

void NodeLevel::reject(std::uint64_t step, std::uint64_t save, const std::string& reason) const {
  const auto reject_in = [&](const CheckpointDirectory& directory) {
    for (const Listed& one : directory.list().checkpoints) {
      if (!one.problem && one.manifest.step == step && one.manifest.save == save) {
        directory.mark(one.name, "rejected", reason);
      }
    }
  };
  reject_in(own_->directory());
  const CheckpointDirectory parity(folder_of_parity());
  if (parity.transport().kind(parity.path()) == storage::PathKind::directory) reject_in(parity);
}

void NodeLevel::prove_part(const NodePart& part) const {
  const CheckpointDirectory directory(part.folder);
  try {
    prove(Communicator().engine(), directory.transport(), directory.of(part.name), part.manifest);
  } catch (const Error& error) {
    if (error.code() != Code::out_of_memory) directory.mark(part.name, "try", error.what());
    throw;
  }
}

// The same for a part of another rank, which marks it.
bool NodeLevel::is_whole(const NodePart& part) const {
  const CheckpointDirectory directory(part.folder);
  try {
    prove(Communicator().engine(), directory.transport(), directory.of(part.name), part.manifest);
    return true;
  } catch (const Error& error) {
    if (error.code() == Code::out_of_memory) throw;
    return false;
  }
}

// A part that is missing or damaged on the node of its rank is fetched from the node that has it, or restored.
void NodeLevel::fetch_own(const NodeSet& set, std::map<std::uint64_t, NodePart>& parts) const {
  comm::Comm& comm = communicator_.engine();
  const auto rank = static_cast<std::uint64_t>(comm.rank());
  std::uint64_t lacks = 0;
  comm::agree(comm, [&] {
    const auto mine = parts.find(rank);
    try {
      if (mine != parts.end()) prove_part(mine->second);
    } catch (const Error& error) {
      if (error.code() == Code::out_of_memory) throw;
      parts.erase(mine);
    }
    lacks = parts.contains(rank) ? 0 : 1;
  });
  std::uint64_t any = lacks;
  comm.all_reduce({&any, 1}, comm::Reduce::max);
  if (any == 0) return;
  std::vector<std::uint64_t> wanted;  // requested pieces
  comm::agree(comm, [&] {
    std::exception_ptr failure;
    std::vector<std::uint64_t> mine, all;
    std::vector<std::vector<std::byte>> gathered;
    std::vector<std::byte> bytes;
    base::keep_failure(failure, [&] { mine.assign(lacks, rank); });
    comm::take_part(failure, [&] { gathered = comm.gather(std::as_bytes(std::span(mine)), 0); });
    base::keep_failure(failure, [&] {
      for (const auto& some : gathered) {
        for (const auto one : comm::take_all<std::uint64_t>(base::Bytes(some))) all.push_back(one);
      }
    });
    comm::take_part(failure, [&] { bytes = comm::broadcast_bytes(comm, std::as_bytes(std::span(all))); });
    if (failure) std::rethrow_exception(failure);
    wanted = comm::take_all<std::uint64_t>(base::Bytes(bytes));
  });
  // Among the ranks with an intact one, the lowest sends it.
  std::vector<std::uint64_t> owners = comm::agree(comm, [&] {
    std::vector<std::uint64_t> mine;
    for (const std::uint64_t piece : wanted) {
      const auto part = parts.find(piece);
      mine.push_back(part != parts.end() && is_whole(part->second) ? rank : ~std::uint64_t{0});
    }
    return mine;
  });
  comm.all_reduce(owners, comm::Reduce::min);
  std::vector<std::unique_ptr<CheckpointDirectory>> directories;
  std::vector<SentPart> sent;
  comm::agree(comm, [&] {
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (owners[i] != rank) continue;
      const NodePart& part = parts.at(wanted[i]);
      directories.push_back(std::make_unique<CheckpointDirectory>(part.folder));
      sent.push_back({static_cast<int>(wanted[i]), directories.back().get(), part.name, set.step});
    }
  });
  const std::string name = move_parts(comm, sent, [&]() -> const CheckpointDirectory& { return own_->directory(); });
  take_own(name, parts);
  const std::vector<std::uint64_t> lost = comm::agree(comm, [&] {
    std::vector<std::uint64_t> pieces;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (owners[i] == ~std::uint64_t{0}) pieces.push_back(wanted[i]);
    }
    return pieces;
  });
  if (!lost.empty()) restore_own(set, lost, parts, lacks == 0);
}

// By parity, from all that is left of each group. `has_proven`: the part of this rank is there and proven.
void NodeLevel::restore_own(const NodeSet& set, std::span<const std::uint64_t> lost,
                            std::map<std::uint64_t, NodePart>& parts, bool has_proven) const {
  comm::Comm& comm = communicator_.engine();
  std::map<std::uint64_t, NodePart> intact;
  std::vector<NodePart> parity;
  comm::agree(comm, [&] {
    for (const auto& [piece, part] : parts) {
      const bool is_proven = has_proven && piece == static_cast<std::uint64_t>(comm.rank());
      if (is_proven || is_whole(part)) intact.insert_or_assign(piece, part);
    }
    for (NodePart& one : published_here(parity_folder, set.set)) {
      if (is_whole(one)) parity.push_back(std::move(one));
    }
  });
  take_own(restore_parts(comm, lost, intact, parity, own_->directory()), parts);
}

// Collective. `name`: of the part of this rank that has come back; empty: none has.
void NodeLevel::take_own(const std::string& name, std::map<std::uint64_t, NodePart>& parts) const {
  comm::agree(communicator_.engine(), [&] {
    if (name.empty()) return;
    const CheckpointDirectory& mine = own_->directory();
    parts[static_cast<std::uint64_t>(communicator_.rank())] = {
        mine.path(), name, decode_manifest(mine.of(name), mine.manifest_text(name))};
  });
}

// If the number of ranks is unchanged each takes its own part, on the same process grid, wherever the others are.
// Otherwise every rank must see all parts, because it may need sites of any.
OwnContents NodeLevel::recover(const NodeSet& set) const {
  comm::Comm& comm = communicator_.engine();
  const auto ranks = static_cast<std::uint64_t>(comm.size()), rank = static_cast<std::uint64_t>(comm.rank());
  const bool is_as_before = set.pieces == ranks;
  std::map<std::uint64_t, NodePart> parts;
  OwnContents own;
  comm::agree(comm, [&] {
    for (NodePart& part : parts_here(set.set)) {
      parts.insert_or_assign(static_cast<std::uint64_t>(part.manifest.piece), std::move(part));
    }
  });
  if (is_as_before) fetch_own(set, parts);
  comm::agree(comm, [&] {
    for (std::uint64_t piece = 0; piece < set.pieces; ++piece) {
      if ((is_as_before && piece != rank) || parts.contains(piece)) continue;
      base::fail(Code::not_found, folder_, "the part of rank {} of the checkpoint of step {} is not on this node{}",
                 piece, set.step, is_as_before ? "" : "; on another number of ranks every node needs the parts of all");
    }
    if (is_as_before) std::erase_if(parts, [&](const auto& one) { return one.first != rank; });
    for (const auto& [piece, part] : parts) {
      if (piece % ranks != rank && !is_as_before) continue;
      prove_part(part);
    }
    const std::uint64_t first = set.pieces * rank / ranks, end = set.pieces * (rank + 1) / ranks;
    for (const auto& [piece, part] : parts) {
      const std::string folder = part.folder + "/" + part.name;
      if (piece >= first && piece < end) append_streams(own, folder, part.manifest);
      if (own.contents.state.empty()) own.contents.state = read_states(storage::resolve(folder), folder, part.manifest);
    }
    keep_streams(own);
  });
  const std::vector<NamedField> fields = comm::agree(comm, [&] { return parts.begin()->second.manifest.fields; });
  for (std::size_t number = 0; number < fields.size(); ++number) {
    std::vector<FieldPart> sites;
    comm::agree(comm, [&] {
      for (const auto& [piece, part] : parts) {
        const NamedField& field = part.manifest.fields.at(number);
        if (field.file == no_file) continue;
        sites.push_back(read_part(part.folder + "/" + part.name + "/" + field.file, field.first));
      }
    });
    const GridOptions how = is_as_before
                                ? grid_of_before(comm, fields[number], sites.empty() ? nullptr : &sites.front().box)
                                : GridOptions();
    const FieldSpec spec = agreed_spec(comm, sites.empty() ? nullptr : &sites.front().spec);
    const Grid grid(communicator_, fields[number].extents, how);
    own.contents.fields.push_back(
        {fields[number].name, grid, comm::agree(comm, [&] { return field_of_parts(spec, std::move(sites)); }), {}});
  }
  return own;
}

}  // namespace lq::sets
