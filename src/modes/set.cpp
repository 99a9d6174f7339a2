// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A set opened for reading is an open file whose fields are its modes; typed values come from the texts of its catalog.
#include <algorithm>
#include <array>
#include <complex>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <limequat/error.hpp>
#include <limequat/modes.hpp>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "comm/agree.hpp"
#include "format/modes/set.hpp"
#include "io/background.hpp"
#include "io/transfer.hpp"
#include "lattice/local_field.hpp"
#include "lattice/site_exchange.hpp"
#include "modes/basis.hpp"
#include "modes/source.hpp"

namespace lq::modes {

// Converts coefficients to modes (formats/modes.md 6), for one grid and one region: a rank has its sites of the whole
// modes, and gets the coefficients of all blocks that contain its sites.
class Reconstruction {
 public:
  // Collective. Reads the basis.
  static std::shared_ptr<const Reconstruction> of(const Set& set, const Grid& grid, const ReadOptions& options);

  // Local.
  bool is_for(const Grid& grid, const ReadOptions& options) const;
  // Collective. Starts to read mode options.index of the set, which is stored as coefficients. If each rank reads the
  // coefficients of its own blocks, the steps also compute the vector; else finish() does.
  static std::unique_ptr<io::Transfer> begin(const std::shared_ptr<const Reconstruction>& basis,
                                             const MutableField& vector, const ReadOptions& options);

 private:
  friend class CombinedTransfer;
  // Local. Without the parts that are read and exchanged.
  Reconstruction(const Set& set, const Grid& grid, const Grid& blocks, const std::optional<Box>& region);
  std::unique_ptr<io::Transfer> read_coefficients(std::vector<std::complex<double>>& to,
                                                  const ReadOptions& options) const;
  void exchange(const std::vector<std::complex<double>>& own, std::vector<std::complex<double>>& wanted) const;

  std::shared_ptr<io::ScannedFile> file_;
  FieldSpec site_;       // a site of a vector
  std::uint64_t count_;  // modes of the basis
  Grid grid_, blocks_;
  std::optional<Box> region_;
  std::optional<lattice::SiteExchange> exchange_;  // empty: all ranks read the coefficients of their own blocks
  Basis basis_;
};

namespace {

using Complex = std::complex<double>;

void require_grid_of(const Set& set, const Grid& grid, const std::optional<Box>& region) {
  const Extents sites = set.description().sites();
  const Box box = region.value_or(whole(sites));
  if (grid.extents() == box.extents && intersect(box, whole(sites)) == box) return;
  const std::string& path = set.file().catalog().path;
  base::fail(Code::invalid_argument, {.path = path, .expected = to_string(sites), .found = to_string(grid.extents())},
             "the vectors live on {}, the grid is {}; make the grid of the sites of the set, or of a region of it",
             to_string(sites), to_string(grid.extents()));
}

void require_vector(const std::string& path, const FieldSpec& expected, const FieldSpec& given) {
  if (given.numbers == expected.numbers && given.is_complex == expected.is_complex) return;
  base::fail(Code::invalid_argument,
             {.path = path, .expected = fmt::format("{}", expected.numbers), .found = fmt::format("{}", given.numbers)},
             "a site of a vector has {} numbers, the field has {}", expected.numbers, given.numbers);
}

// This rank's sites, in coordinates of the lattice of the vectors.
Box sites_of(const Grid& grid, const std::optional<Box>& region) {
  Box box = grid.local_box();
  for (int d = 0; region && d < box.lower.size() && d < region->lower.size(); ++d) box.lower[d] += region->lower[d];
  return box;
}

}  // namespace

Reconstruction::Reconstruction(const Set& set, const Grid& grid, const Grid& blocks, const std::optional<Box>& region)
    : file_(FileAccess::file_of(set.file())),
      site_(set.description().field()),
      count_(set.description().coherence.basis),
      grid_(grid),
      blocks_(blocks),
      region_(region),
      basis_(set.description(), sites_of(grid, region)) {}

std::shared_ptr<const Reconstruction> Reconstruction::of(const Set& set, const Grid& grid, const ReadOptions& options) {
  comm::Comm& comm = grid.communicator().engine();
  const Grid blocks = grid_of_blocks(grid, set.description());
  std::vector<Coord> wanted;
  std::vector<double> numbers;
  std::array<std::uint64_t, 1> has_own{};
  const auto made = comm::agree(comm, [&] {
    require_grid_of(set, grid, options.region);
    std::shared_ptr<Reconstruction> local(new Reconstruction(set, grid, blocks, options.region));
    const Box &cover = local->basis_.cover(), &own = blocks.local_box();
    wanted = list_of(cover);
    numbers.resize(static_cast<std::size_t>(local->basis_.numbers()));
    has_own[0] = cover == own || (cover.empty() && own.empty()) ? 1 : 0;
    return local;
  });
  comm.all_reduce(has_own, comm::Reduce::min);
  if (has_own[0] == 0) made->exchange_.emplace(blocks, wanted);
  FieldSpec spec = made->site_;
  spec.precision = Precision::double_;
  const MutableField vector{spec, numbers.data(), numbers.size(), {}, {}};
  for (std::uint64_t k = 0; k < made->count_; ++k) {
    set.read(k, grid, vector, options);
    comm::agree(comm, [&] { made->basis_.add(numbers); });
  }
  return made;
}

bool Reconstruction::is_for(const Grid& grid, const ReadOptions& options) const {
  return grid.communicator().size() == grid_.communicator().size() && grid.extents() == grid_.extents() &&
         grid.local_box() == grid_.local_box() && options.region == region_;
}

// Collective. The field borrows the memory.
std::unique_ptr<io::Transfer> Reconstruction::read_coefficients(std::vector<Complex>& to,
                                                                const ReadOptions& options) const {
  const MutableField field = comm::agree(grid_.communicator().engine(), [&] {
    to.resize(static_cast<std::size_t>(blocks_.local_volume() * count_));
    return MutableField{generic_spec(Precision::double_, 2 * count_, true), to.data(), 2 * to.size(), {}, {}};
  });
  ReadOptions of_blocks = options;
  of_blocks.region.reset();
  return io::begin_read(file_, blocks_, field, of_blocks);
}

// Collective.
void Reconstruction::exchange(const std::vector<Complex>& own, std::vector<Complex>& wanted) const {
  exchange_->exchange(std::as_bytes(std::span(own)).data(), static_cast<std::size_t>(count_ * sizeof(Complex)),
                      std::as_writable_bytes(std::span(wanted)).data());
}

class CombinedTransfer final : public io::Transfer, private engine::StepwiseTransfer {
 public:
  // Local.
  CombinedTransfer(std::shared_ptr<const Reconstruction> basis, const MutableField& vector)
      : basis_(std::move(basis)), vector_(lattice::resolve_field(basis_->grid_, vector)) {
    require_vector(basis_->file_->catalog().path, basis_->site_, vector_.spec);
    numbers_.resize(static_cast<std::size_t>(whole_modes().numbers()));
    if (vector_.spec.precision == Precision::single) rounded_.resize(numbers_.size());
    if (basis_->exchange_) wanted_.resize(static_cast<std::size_t>(whole_modes().cover().volume() * basis_->count_));
  }
  // Collective.
  void begin(const ReadOptions& options) { coefficients_ = basis_->read_coefficients(own_, options); }

  engine::StepwiseTransfer& steps() override { return *this; }

  // Collective.
  Report finish(const std::exception_ptr& failure) override {
    comm::Comm& comm = basis_->grid_.communicator().engine();
    Report report = coefficients_->finish(failure);
    if (basis_->exchange_) {
      basis_->exchange(own_, wanted_);
      comm::agree(comm, [&] {
        while (combine(wanted_)) {
        }
      });
    }
    report.seconds.total = comm::max_over_ranks(comm, watch_.seconds());
    return report;
  }

 private:
  const Basis& whole_modes() const noexcept { return basis_->basis_; }

  engine::Progress take_step() override {
    if (!have_arrived_) {
      if (is_cancelled()) coefficients_->steps().cancel();
      const engine::Progress progress = coefficients_->steps().step();
      if (progress != engine::Progress::finished) return progress;
      have_arrived_ = true;
    }
    if (basis_->exchange_ || is_cancelled()) return engine::Progress::finished;
    return combine(own_) ? engine::Progress::moved : engine::Progress::finished;
  }
  bool needs_messages() const noexcept override { return coefficients_->steps().needs_messages(); }
  void fetch_ahead() noexcept override { coefficients_->steps().fetch_ahead(); }
  std::uint64_t memory_bytes() const noexcept override {
    return coefficients_->steps().memory_bytes() + numbers_.size() * sizeof(double) + rounded_.size() * sizeof(float) +
           (own_.size() + wanted_.size()) * sizeof(Complex);
  }

  // Computes one more block or, when all are done, stores the vector; true if more remains to be done.
  bool combine(const std::vector<Complex>& coefficients) {
    if (block_ == whole_modes().cover().volume()) {
      give();
      return false;
    }
    whole_modes().combine(block_, std::span(coefficients).subspan(static_cast<std::size_t>(block_ * basis_->count_)),
                          numbers_);
    ++block_;
    return true;
  }
  void give() {
    if (rounded_.empty()) {
      return lattice::give_sites(basis_->grid_, std::as_bytes(std::span(std::as_const(numbers_))).data(), vector_);
    }
    std::ranges::transform(numbers_, rounded_.begin(), [](double number) { return static_cast<float>(number); });
    lattice::give_sites(basis_->grid_, std::as_bytes(std::span(std::as_const(rounded_))).data(), vector_);
  }

  base::Stopwatch watch_;
  std::shared_ptr<const Reconstruction> basis_;
  MutableField vector_;
  std::vector<Complex> own_, wanted_;  // coefficients as read, and those of this rank's sites
  std::vector<double> numbers_;
  std::vector<float> rounded_;
  std::unique_ptr<io::Transfer> coefficients_;  // refers to own_
  bool have_arrived_ = false;
  std::uint64_t block_ = 0;
};

std::unique_ptr<io::Transfer> Reconstruction::begin(const std::shared_ptr<const Reconstruction>& basis,
                                                    const MutableField& vector, const ReadOptions& options) {
  auto transfer = comm::agree(basis->grid_.communicator().engine(),
                              [&] { return std::make_unique<CombinedTransfer>(basis, vector); });
  transfer->begin(options);
  return transfer;
}

struct Set::State {
  std::vector<File> files;  // one file, or the files of a folder
  Description description;
  std::vector<Mode> modes;
  std::optional<Source> foreign;                              // set of another program
  std::shared_ptr<const Reconstruction> reconstruction = {};  // for the grid of the last mode stored as coefficients

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

  // Collective. For modes some of which are coefficients; the basis is read now, so the set need not outlive the rest.
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

// Local; the same on all ranks.
void require_own(const Set& set) {
  if (set.family() == "modes") return;
  const std::string& path = set.file().catalog().path;
  base::fail(Code::unsupported, path,
             "vectors of the program {} are read one by one (read), not ahead; make a set of modes of them "
             "first (lq modes convert)",
             set.family());
}

// Collective. Opens a file without testing its kind first, because each query to a server is a round trip. A single
// file goes into `only`, those of a folder are returned.
std::vector<File> files_at(const std::string& path, const Communicator& communicator, const Limits& limits,
                           std::optional<File>& only) {
  std::vector<File> files;
  try {
    only.emplace(path, communicator, limits);
  } catch (const Error&) {
    const std::vector<std::string> in_folder = files_in(path, communicator);
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
  const std::string eigenvalues = may_have_eigenvalues ? eigenvalue_file_of(path, communicator) : std::string();
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
    catalog.require_sound();  // fewer modes than the set has are no set
    state->description = description_of(catalog);
    for (const FieldEntry& field : catalog.fields) state->modes.push_back(format::modes::mode_of(field.metadata));
    return state;
  });
}
Set::~Set() = default;
Set::Set(Set&&) noexcept = default;
Set& Set::operator=(Set&&) noexcept = default;

const Source* SetAccess::foreign(const Set& set) { return set.state_->foreign ? &*set.state_->foreign : nullptr; }

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
  base::fail(Code::no_such_record,
             {.path = path, .expected = fmt::format("below {}", size()), .found = fmt::format("{}", k)},
             "mode {} does not exist; the set has {} modes, numbered from 0", k, size());
}

Report Set::read(std::uint64_t k, const Grid& grid, const MutableField& vector, const ReadOptions& options) const {
  if (state_->foreign) {
    options_for(*this, k, grid, options);
    return state_->foreign->read(k, grid, {&vector, 1}, options);
  }
  if (is_coefficients(*this, k)) {
    const ReadOptions of_mode = options_for(*this, k, grid, options);
    const auto transfer = Reconstruction::begin(state_->reconstruction_for(*this, grid, options), vector, of_mode);
    return transfer->finish(engine::outcome_of(transfer->steps()));
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
