// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A set that is read is an open file whose fields are its modes; what is typed comes from the texts of its catalog.
#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include <limequat/error.hpp>
#include <limequat/modes.hpp>

#include "comm/agree.hpp"
#include "format/modes/index.hpp"
#include "io/background.hpp"
#include "io/open_file.hpp"
#include "modes/reconstruction.hpp"
#include "modes/set_access.hpp"
#include "modes/source.hpp"

namespace lq::modes {

struct Set::State {
  std::vector<File> files;  // one, or those of a folder
  Description description;
  std::vector<Mode> modes;
  std::optional<modes::Source> foreign;                       // of another program
  std::shared_ptr<const Reconstruction> reconstruction = {};  // for the grid of the last mode that was coefficients

  // Collective.
  std::shared_ptr<const Reconstruction> reconstruction_for(const Set& set, const Grid& grid,
                                                           const ReadOptions& options) {
    std::array<std::uint64_t, 1> is_there{reconstruction && reconstruction->is_for(grid, options) ? 1U : 0U};
    grid.communicator().engine().all_reduce(is_there, comm::Reduce::min);
    if (is_there[0] == 0) {
      reconstruction.reset();
      reconstruction = Reconstruction::of(set, grid, options);
    }
    return reconstruction;
  }

  // Collective. Modes of which some are coefficients; the basis is read at once, the set need not outlive the rest.
  ReadAhead read_ahead_with_basis(const Set& set, std::vector<std::uint64_t> numbers, const Grid& grid,
                                  std::vector<MutableField> buffers, const ReadOptions& options) {
    const std::shared_ptr<const Reconstruction> basis = reconstruction_for(set, grid, options);
    const io::BeginRead begin = comm::agree(grid.communicator().engine(), [&] {
      std::vector<bool> is_whole;
      for (const Mode& mode : modes) is_whole.push_back(!mode.error);
      return io::BeginRead([basis, file = FileAccess::file_of(set.file()), is_whole](
                               const Grid& on, const MutableField& field, const ReadOptions& how) {
        return is_whole[static_cast<std::size_t>(how.index)] ? io::begin_read(file, on, field, how)
                                                             : Reconstruction::begin(basis, field, how);
      });
    });
    return io::read_ahead(set.file().catalog().path, begin, std::move(numbers), grid, std::move(buffers), options);
  }
};

namespace {

Description description_of(const Catalog& catalog) {
  if (catalog.metadata.empty()) catalog.require_sound();
  Description description = format::modes::decode_description(catalog.metadata.front().second);
  const Record& index = catalog.record(format::modes::type::index);
  const std::uint64_t entry = format::modes::entry_bytes(description);
  if (index.data_length > format::modes::Block::head_bytes + entry) {
    description.room = (index.data_length - format::modes::Block::head_bytes) / entry;
  }
  return description;
}

// Collective.
ReadOptions options_for(const Set& set, std::uint64_t k, const Grid& grid, const ReadOptions& options) {
  return comm::agree(grid.communicator().engine(), [&] {
    set.mode(k);
    ReadOptions of_mode = options;
    of_mode.field.clear();
    of_mode.index = k;
    return of_mode;
  });
}

// Local; alike on all ranks.
void require_own(const Set& set) {
  if (set.family() == "modes") return;
  const std::string& path = set.file().catalog().path;
  throw Error(Code::unsupported,
              fmt::format("{}: vectors of the program {} are read one by one (read), not ahead; make a set of modes of "
                          "them first (lq modes convert)",
                          path, set.family()),
              {.path = path});
}

// Collective. A file is opened without asking what it is: on servers each question is a round trip. One goes into
// `only`, those of a folder are returned.
std::vector<File> files_at(const std::string& path, const Communicator& communicator, const Limits& limits,
                           std::optional<File>& only) {
  std::vector<File> files;
  try {
    only.emplace(path, communicator, limits);
  } catch (const Error&) {
    const std::vector<std::string> in_folder = modes::files_in(path, communicator);
    if (in_folder.empty()) throw;
    comm::agree(communicator.engine(), [&] { files.reserve(in_folder.size()); });
    for (const std::string& one : in_folder) files.emplace_back(one, communicator, limits);
  }
  return files;
}

bool is_coefficients(const Set& set, std::uint64_t k) { return k < set.size() && set.mode(k).error; }

}  // namespace

Set::Set(const std::string& path, const Communicator& communicator, const Limits& limits, const Unsaid& unsaid) {
  std::optional<File> only;
  std::vector<File> files = files_at(path, communicator, limits, only);
  const bool is_own = (only ? *only : files.front()).catalog().format == "modes";
  const bool may_have_eigenvalues = !is_own && only && only->catalog().path == path;
  const std::string eigenvalues = may_have_eigenvalues ? modes::eigenvalues_beside(path, communicator) : std::string();
  state_ = comm::agree(communicator.engine(), [&] {
    if (only) files.push_back(std::move(*only));
    auto state = std::make_unique<State>(State{std::move(files), {}, {}, {}});
    const Catalog& catalog = state->files.front().catalog();
    if (!is_own) {
      state->foreign.emplace(state->files, eigenvalues, unsaid);
      state->description = state->foreign->description();
      state->modes = state->foreign->modes();
      return state;
    }
    state->description = description_of(catalog);
    for (const FieldEntry& field : catalog.fields) state->modes.push_back(format::modes::mode_of(field.metadata));
    return state;
  });
}
Set::~Set() = default;
Set::Set(Set&&) noexcept = default;
Set& Set::operator=(Set&&) noexcept = default;

const modes::Source* SetAccess::foreign(const Set& set) {
  return set.state_->foreign ? &*set.state_->foreign : nullptr;
}

const Description& Set::description() const { return state_->description; }
const std::vector<Mode>& Set::modes() const { return state_->modes; }
std::uint64_t Set::file_count() const { return state_->files.size(); }

const File& Set::file(std::uint64_t number) const { return state_->files.at(static_cast<std::size_t>(number)); }

std::string_view Set::family() const { return state_->foreign ? state_->foreign->family() : "modes"; }

const FieldEntry& Set::field(std::uint64_t k) const {
  mode(k);
  if (state_->foreign) return state_->foreign->field(k);
  return file().catalog().fields[static_cast<std::size_t>(k)];
}

const Mode& Set::mode(std::uint64_t k) const {
  if (k < size()) return modes()[static_cast<std::size_t>(k)];
  const std::string& path = file().catalog().path;
  throw Error(Code::no_such_record,
              fmt::format("{}: mode {} does not exist; the set has {} modes, numbered from 0", path, k, size()),
              {.path = path, .expected = fmt::format("below {}", size()), .found = fmt::format("{}", k)});
}

Report Set::read(std::uint64_t k, const Grid& grid, const MutableField& vector, const ReadOptions& options) const {
  if (state_->foreign) {
    options_for(*this, k, grid, options);
    return state_->foreign->read(k, grid, {&vector, 1}, options);
  }
  if (is_coefficients(*this, k)) {
    const ReadOptions of_mode = options_for(*this, k, grid, options);
    const auto transfer = Reconstruction::begin(state_->reconstruction_for(*this, grid, options), vector, of_mode);
    return transfer->finish(engine::outcome_of(transfer->movement()));
  }
  return file().read(grid, vector, options_for(*this, k, grid, options));
}

Pending Set::read_async(std::uint64_t k, const Grid& grid, const MutableField& vector,
                        const ReadOptions& options) const {
  require_own(*this);
  ReadOptions of_mode = options_for(*this, k, grid, options);
  of_mode.progress = {};
  if (!is_coefficients(*this, k)) return lq::read_async(file(), grid, vector, of_mode);
  const auto basis = state_->reconstruction_for(*this, grid, options);
  const io::BeginRead begin = [&](const Grid&, const MutableField& field, const ReadOptions& how) {
    return Reconstruction::begin(basis, field, how);
  };
  return io::read_async(file().catalog().path, begin, grid, vector, of_mode);
}

ReadAhead Set::read_ahead(std::uint64_t first, std::uint64_t last, const Grid& grid, std::vector<MutableField> buffers,
                          const ReadOptions& options) const {
  require_own(*this);
  ReadOptions of_modes;
  std::vector<std::uint64_t> numbers;
  comm::agree(grid.communicator().engine(), [&] {
    if (last > first) mode(last - 1);
    numbers.resize(static_cast<std::size_t>(last > first ? last - first : 0));
    std::iota(numbers.begin(), numbers.end(), first);
    of_modes = options;
    of_modes.field.clear();
  });
  const auto of_coefficients = [&](std::uint64_t k) { return is_coefficients(*this, k); };
  if (std::ranges::none_of(numbers, of_coefficients)) {
    return ReadAhead(file(), std::move(numbers), grid, std::move(buffers), of_modes);
  }
  return state_->read_ahead_with_basis(*this, std::move(numbers), grid, std::move(buffers), of_modes);
}

Mode read(const std::string& path, std::uint64_t k, const Grid& grid, const MutableField& vector,
          const ReadOptions& options) {
  const Set set(path, grid.communicator(), options.limits);
  set.read(k, grid, vector, options);
  return set.mode(k);
}

}  // namespace lq::modes
