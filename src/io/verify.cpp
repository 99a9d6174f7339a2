// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Verification: structure, sizes, checksums, zeros, physics, and where damage is.
#include "io/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include <limequat/error.hpp>
#include <limequat/inspect.hpp>

#include "base/system.hpp"
#include "comm/agree.hpp"
#include "comm/node.hpp"
#include "comm/pack.hpp"
#include "engine/choose.hpp"
#include "engine/file_order.hpp"
#include "format/format.hpp"
#include "io/catalog_codec.hpp"
#include "io/damage.hpp"
#include "io/judgement.hpp"
#include "io/nature.hpp"
#include "io/observe.hpp"
#include "io/payload_files.hpp"
#include "io/protected.hpp"
#include "io/scan.hpp"
#include "io/transfer.hpp"
#include "io/verdict.hpp"
#include "lattice/local_field.hpp"
#include "options/agreed.hpp"
#include "physics/gradient_flow.hpp"
#include "physics/link_checks.hpp"
#include "physics/plaquettes.hpp"

namespace lq {

namespace {

// Distances from SU(N) of links kept in double precision, and of links that were in single precision at some time.
constexpr double double_rounding = 1e-10;
constexpr double single_rounding = 1e-9;
// Of links in single precision it is about 1e-6.
constexpr double farthest_determinant = 1e-4;

// Conventions of programs rather than other links: sums over colours, one orientation or both.
std::string factor_between(double stated, double measured) {
  constexpr std::pair<double, std::string_view> factors[] = {
      {2, "twice as much"}, {3, "three times as much"}, {1.0 / 2, "half as much"}, {1.0 / 3, "a third of that"}};
  for (const auto& [factor, words] : factors) {
    if (!(std::abs(stated - factor * measured) <= io::largest_tolerance)) continue;  // NaN is not a multiple
    return fmt::format("{}, in another normalisation, or else ordering, signs or data are wrong", words);
  }
  return {};
}

struct LinksInMemory {
  Grid grid;
  std::unique_ptr<double[]> numbers;  // which reading fills
  MutableField field;                 // of these
};

class Verifier {
 public:
  Verifier(storage::Transport& transport, const std::string& path, const Communicator& communicator,
           const VerifyOptions& options)
      : communicator_(communicator),
        path_(path),
        options_(options),
        file_(io::ScannedFile::open(transport, path, communicator, options.limits)) {
    file_->open_everywhere();
  }
  // For a file that is open on all ranks.
  Verifier(std::shared_ptr<io::ScannedFile> file, const Communicator& communicator, const VerifyOptions& options)
      : communicator_(communicator), path_(file->catalog().path), options_(options), file_(std::move(file)) {}

  Verification run();
  Verification run_without_data();

 private:
  comm::Comm& comm() const { return communicator_.engine(); }
  const Catalog& catalog() const noexcept { return file_->catalog(); }
  void begin();
  Verification end();
  void examine();
  void tell_unproven();
  void hold_against_sidecar();
  void check(const FieldEntry& entry, std::uint64_t index);
  bool watches(const FieldEntry& entry) const;
  engine::TransferStats read_past(const FieldEntry& entry);
  void report_mismatch(const FieldEntry& entry, const engine::TransferStats& stats, const io::Judgement& judgement);
  void report_unreadable(const FieldEntry& entry, const std::string& of, const Error& error);
  void report_no_norm(const FieldEntry& entry, const std::string& of);
  void report_zeros(const FieldEntry& entry, const ZeroRegion& zeros);
  bool is_gauge(const FieldEntry& entry) const;
  std::uint64_t memory_for(const FieldEntry& entry) const;
  bool can_measure(const FieldEntry& entry) const;
  engine::TransferStats read_links(const FieldEntry& entry, std::optional<LinksInMemory>& memory);
  void report_odd_numbers(const FieldEntry& entry, const engine::OddNumbers& odd);
  void judge_links(const FieldEntry& entry, const FieldVerdict& verdict, const physics::ExaminedLinks& links);
  void judge_zero_links(const FieldEntry& entry, const FieldVerdict& verdict, const physics::ExaminedLinks& links);
  void judge_distances(const FieldEntry& entry, const Unitarity& links);
  void judge_order(const FieldEntry& entry, const physics::ExaminedLinks& links);
  void report_broken(const FieldEntry& entry, const physics::Joints::Broken& broken);
  bool is_stated(const std::optional<double>& stated, double measured, const FieldEntry& entry) const;
  bool wants_observables() const noexcept { return options_.observables || options_.flow_steps > 0; }
  std::optional<Observables> observe(const FieldEntry& entry, const std::optional<LinksInMemory>& links);
  void compare_with_texts(const FieldEntry& entry, const Observables& measured);
  Metadata texts_of(const FieldEntry& entry) const;
  void compare(const FieldEntry& entry, std::string_view what, const std::optional<double>& stated, double measured);
  void claim(const FieldEntry& entry, std::string name, Evidence evidence, bool holds);
  void add(const FieldEntry& entry, Severity severity, Code code, std::string rule, const std::string& message,
           std::string expected = {}, std::string found = {});

  Communicator communicator_;
  const std::string& path_;
  const VerifyOptions& options_;
  std::shared_ptr<io::ScannedFile> file_;
  Verification result_;
  // For the current field: its name in claims, and whether an exact sum proves its data, so that unusual
  // values were written that way.
  std::string name_;
  bool is_proven_ = false;
  bool has_sum_ = false;  // some sum agrees, though it may miss changes
};

// The result is the same on every rank.
void Verifier::begin() {
  comm::agree_alike(comm(), [&] {
    result_.path = catalog().path;
    result_.format = catalog().format;
    result_.findings = catalog().findings;
    result_.claims = io::claims_of(catalog().findings);
    result_.fields.reserve(catalog().fields.size());
  });
}

Verification Verifier::end() {
  examine();
  comm::agree_alike(comm(), [&] { tell_unproven(); });
  io::conclude(result_, options_.require);
  return std::move(result_);
}

Verification Verifier::run_without_data() {
  begin();
  hold_against_sidecar();
  return end();
}

// Its sums are of all bytes of the file, and see what the format's own do not. Files that pass are read once more.
void Verifier::hold_against_sidecar() {
  std::vector<Claim> none;
  std::vector<Finding> found;
  comm::share_from_root(
      comm(), [&] { found = io::damage_by_sidecar(catalog(), io::verdict_of(result_.claims, result_.findings)); }, none,
      found);
  comm::agree_alike(comm(), [&] { std::ranges::move(found, std::back_inserter(result_.findings)); });
}

Verification Verifier::run() {
  begin();
  for (std::size_t i = 0; i < catalog().fields.size(); ++i) {
    const FieldEntry& entry = catalog().fields[i];
    const auto before = std::span(catalog().fields).first(i);
    const auto index = static_cast<std::uint64_t>(std::ranges::count(before, entry.name, &FieldEntry::name));
    // The scan has reported the truncation; the data are incomplete and cannot be checked.
    const Payload& payload = entry.payload;
    const bool whole_in_file = payload.tile_sites > 0 || (payload.offset <= catalog().file_bytes &&
                                                          payload.length <= catalog().file_bytes - payload.offset);
    if (whole_in_file) check(entry, index);
  }
  return end();
}

// Reports what a repair could not prove, for a field (claims_of() has its claim) or for the whole file.
void Verifier::tell_unproven() {
  const auto tell = [&](const Metadata& texts, const std::string& record) {
    for (const auto& [name, text] : texts) {
      if (name != format::unproven_text) continue;
      result_.findings.push_back({.severity = Severity::warning,
                                  .rule = "unproven",
                                  .message = fmt::format("{}: nothing proves these data: {}", catalog().path, text),
                                  .record = record});
    }
  };
  tell(catalog().metadata, {});
  if (auto claim = io::unproven_claim(catalog().metadata, "file")) result_.claims.push_back(*std::move(claim));
  for (const FieldEntry& entry : catalog().fields) tell(entry.metadata, entry.name);
}

// Contents other than payloads of fields. One rank examines them; the others receive the findings.
void Verifier::examine() {
  format::Examined found;
  const auto examine = [&] {
    const format::Examiner* const examiner = format::format_named(catalog().format).examiner;
    if (examiner != nullptr) found = examiner->examine(*file_->files().open_read(path_), catalog(), options_.limits);
  };
  comm::share_from_root(comm(), examine, found.claims, found.findings);
  comm::agree_alike(comm(), [&] {
    std::ranges::move(found.claims, std::back_inserter(result_.claims));
    std::ranges::move(found.findings, std::back_inserter(result_.findings));
  });
}

void Verifier::check(const FieldEntry& entry, std::uint64_t index) {
  comm::agree_alike(comm(), [&] {
    name_ = index > 0 ? fmt::format("{}:{}", entry.name, index) : entry.name;
    is_proven_ = has_sum_ = false;
  });
  // Links to be measured are read once, for both sums and physics.
  std::optional<engine::TransferStats> read;
  std::optional<LinksInMemory> memory;
  try {
    read = can_measure(entry) ? read_links(entry, memory) : read_past(entry);
  } catch (const Error& error) {
    // An error of the data, such as a chunk that cannot be decoded, not of the machine. All ranks have it.
    if (error.code() != Code::malformed && error.code() != Code::truncated && error.code() != Code::unsupported) throw;
    return report_unreadable(entry, name_, error);
  }
  const engine::TransferStats& stats = *read;
  io::Judgement judgement;
  FieldVerdict verdict = comm::agree_alike(comm(), [&] {
    FieldVerdict made;
    made.name = entry.name;
    made.index = index;
    judgement = io::judge(entry, stats, entry.payload.stored);
    made.status = judgement.status;
    made.compared = judgement.compared;
    made.computed = stats.sums.total();
    made.stored = entry.sums.checksum();
    made.zeros = stats.zeros;
    made.damaged_slices = io::damaged_slices(entry, stats);
    std::vector<Claim> claims = io::claims_of(entry, judgement, name_);
    is_proven_ = io::verdict_of(claims, {}) == Verdict::sound;
    has_sum_ = judgement.status == ChecksumStatus::ok;
    std::ranges::move(claims, std::back_inserter(result_.claims));
    if (judgement.has_no_norm) report_no_norm(entry, name_);
    return made;
  });
  if (verdict.status == ChecksumStatus::mismatch) report_mismatch(entry, stats, judgement);
  std::optional<physics::ExaminedLinks> links;
  if (memory) links = physics::examine_links(memory->grid, memory->field, options_.threads, !is_proven_);
  std::optional<Observables> observables;
  if (wants_observables()) observables = observe(entry, memory);
  memory.reset();
  std::optional<double> u1_plaquette;
  const bool is_u1 = entry.plaquette && physics::can_be_u1(entry.payload.spec, entry.payload.extents);
  if (is_u1 && options_.physics != Measure::never) {
    u1_plaquette = io::observe(*file_, entry, communicator_, format::Observables::measured).plaquette;
  }
  comm::agree_alike(comm(), [&] {
    if (links) {
      verdict.physics = links->physics;
      judge_links(entry, verdict, *links);
    } else if (verdict.zeros.sites > 0) {
      report_zeros(entry, verdict.zeros);
    }
    if (stats.numbers && !judgement.has_no_norm) report_odd_numbers(entry, stats.numbers->found);
    if (u1_plaquette) compare(entry, "plaquette", entry.plaquette, *u1_plaquette);
    if (observables) {
      compare_with_texts(entry, *observables);
      verdict.observables = std::move(observables);
    }
    result_.fields.push_back(std::move(verdict));
  });
}

// An eigenvector has a norm: non-finite numbers make it useless, even if it was written that way.
bool Verifier::watches(const FieldEntry& entry) const {
  const bool is_mode = catalog().format == "modes";
  return options_.physics != Measure::never && (is_mode || !io::has_exact_sum(entry)) && !can_measure(entry);
}

engine::TransferStats Verifier::read_past(const FieldEntry& entry) {
  const int threads = comm::thread_count(comm(), options_.threads, entry.payload.length);
  engine::TransferStats stats = comm::agree(comm(), [&] {
    engine::TransferStats passed(entry.payload, io::sums_of(entry), watches(entry));
    const engine::PartIndex mine{static_cast<std::uint64_t>(communicator_.size()),
                                 static_cast<std::uint64_t>(communicator_.rank())};
    if (mine.number >= entry.payload.stored.volume()) return passed;
    const io::PayloadFiles files(file_->files(), catalog(), entry.payload);
    engine::checksum_sites(files.sequence(), entry.payload, mine,
                           engine::block_options(entry.payload, options_.block_bytes, threads, engine::usual_memory,
                                                 files.are_thread_safe()),
                           passed, communicator_.is_root() ? options_.progress : Progress{});
    return passed;
  });
  stats.reduce(comm());
  return stats;
}

void Verifier::report_mismatch(const FieldEntry& entry, const engine::TransferStats& stats,
                               const io::Judgement& judgement) {
  comm::agree_alike(comm(), [&] {
    const Error error = io::mismatch_error(catalog(), entry, stats, judgement);
    add(entry, Severity::error, Code::checksum_mismatch, "checksum",
        fmt::format("{}: \"{}\": the data have checksum {}, the file states {}", catalog().path, error.facts().record,
                    error.facts().found, error.facts().expected),
        error.facts().expected, error.facts().found);
  });

  // One rank examines it further; the others receive the findings.
  std::vector<Finding> found;
  const auto look = [&] {
    const io::PayloadFiles files(file_->files(), catalog(), entry.payload);
    found = io::locate_damage(files.sequence(), catalog(), entry, stats);
  };
  comm::share_from_root(comm(), look, found);
  comm::agree_alike(comm(), [&] { std::ranges::move(found, std::back_inserter(result_.findings)); });
}

void Verifier::report_unreadable(const FieldEntry& entry, const std::string& of, const Error& error) {
  comm::agree_alike(comm(), [&] {
    const bool is_damaged = error.code() != Code::unsupported;
    result_.claims.push_back({of, "data", Evidence::exact_sum, is_damaged ? Outcome::unreadable : Outcome::unchecked,
                              entry.payload.offset, entry.payload.length});
    result_.findings.push_back({.severity = is_damaged ? Severity::error : Severity::warning,
                                .code = error.code(),
                                .rule = "unreadable-data",
                                .message = fmt::format("{} (\"{}\")", error.what(), entry.name),
                                .record = entry.name,
                                .offset = error.facts().offset});
    FieldVerdict verdict;
    verdict.name = entry.name;
    result_.fields.push_back(std::move(verdict));
  });
}

// Such data may be unchanged, but nothing proves it.
void Verifier::report_no_norm(const FieldEntry& entry, const std::string& of) {
  result_.claims.push_back(
      {of, "finite", Evidence::nature, Outcome::differs, entry.payload.offset, entry.payload.length});
  add(entry, Severity::warning, Code::ok, "not-finite",
      fmt::format(
          "{}: \"{}\": numbers are NaN or infinite, or so large that their squares are, so that the norm in the "
          "file proves nothing about them",
          catalog().path, entry.name));
}

void Verifier::report_zeros(const FieldEntry& entry, const ZeroRegion& zeros) {
  Finding finding{
      .severity = Severity::error,
      .code = Code::malformed,
      .rule = "zero-links",
      .message = fmt::format("{}: bytes {} to {}{}: {} sites hold only zeros instead of links, as after lost "
                             "writes of a file system; write the file again",
                             catalog().path, zeros.first_offset, zeros.last_offset - 1, io::of_sites(entry.payload),
                             zeros.sites),
      .record = entry.name,
      .offset = zeros.first_offset,
      .length = zeros.last_offset - zeros.first_offset};
  result_.findings.push_back(std::move(finding));
}

void Verifier::report_odd_numbers(const FieldEntry& entry, const engine::OddNumbers& odd) {
  if (odd.not_finite.count == 0) return;
  claim(entry, "finite", Evidence::nature, false);
  add(entry, Severity::warning, Code::ok, "not-finite",
      fmt::format(
          "{}: \"{}\": {} sites have numbers that are NaN or infinite, the first of them at byte {}{}, and {}",
          catalog().path, name_, odd.not_finite.count, odd.not_finite.first_offset, io::of_sites(entry.payload),
          is_proven_ ? "the checksum proves that they were written so" : "no checksum says that they were written so"),
      "0", std::to_string(odd.not_finite.count));
}

bool Verifier::can_measure(const FieldEntry& entry) const {
  if (!is_gauge(entry) || options_.physics == Measure::never) return false;
  return options_.physics == Measure::always || memory_for(entry) <= options_.memory_bytes;
}

bool Verifier::is_gauge(const FieldEntry& entry) const {
  const Payload& payload = entry.payload;
  return payload.spec.kind == FieldKind::gauge && payload.spec.links == payload.extents.size() &&
         payload.extents.size() > 1 && payload.stored == whole(payload.extents);
}

// The field as doubles, and a second copy with its halo; for observables a wider one, and a third for the flow.
std::uint64_t Verifier::memory_for(const FieldEntry& entry) const {
  const double copies = wants_observables() ? 5 : 3;
  const auto site_bytes = static_cast<double>(entry.payload.spec.numbers * sizeof(double));
  const double bytes = copies * site_bytes * static_cast<double>(volume(entry.payload.extents));
  return bytes < 0x1p63 ? static_cast<std::uint64_t>(bytes) : UINT64_MAX;
}

// For a complete field, even if other parts of the file are not.
engine::TransferStats Verifier::read_links(const FieldEntry& entry, std::optional<LinksInMemory>& memory) {
  const Grid grid(communicator_, entry.payload.extents);
  ReadOptions how;
  comm::agree(comm(), [&] {
    memory.emplace(LinksInMemory{grid, nullptr, {}});
    const auto numbers = static_cast<std::size_t>(grid.local_volume() * entry.payload.spec.numbers);
    memory->numbers = std::make_unique_for_overwrite<double[]>(numbers);
    base::use_large_pages(memory->numbers.get(), numbers * sizeof(double));  // most of the time went into mapping pages
    memory->field = lattice::resolve_field(
        grid, gauge(std::span(memory->numbers.get(), numbers), {.colors = entry.payload.spec.colors}));
    how.block_bytes = options_.block_bytes;
    how.progress = options_.progress;
    how.route.threads = options_.threads;
  });
  engine::TransferStats stats = io::read_unjudged(file_->files(), catalog(), entry, grid, memory->field, how);
  stats.numbers.reset();  // the measurement finds NaN and infinities
  return stats;
}

void Verifier::judge_links(const FieldEntry& entry, const FieldVerdict& verdict, const physics::ExaminedLinks& links) {
  const Physics& physics = links.physics;
  if (physics.not_finite > 0) {
    claim(entry, "finite", Evidence::nature, false);
    add(entry, Severity::error, Code::malformed, "not-finite",
        fmt::format("{}: \"{}\": {} numbers are NaN or infinite", catalog().path, entry.name, physics.not_finite), "0",
        std::to_string(physics.not_finite));
    return;  // every average below is invalid
  }
  judge_zero_links(entry, verdict, links);
  if (physics.unitarity.far_links > links.zeros.all) {
    if (verdict.zeros.sites == 0) judge_distances(entry, physics.unitarity);
  } else {
    if (links.zeros.all == 0 && entry.payload.spec.precision == Precision::double_) {
      judge_distances(entry, physics.unitarity);
    }
    judge_order(entry, links);
  }
  compare(entry, "plaquette", entry.plaquette, physics.plaquette.average);
  compare(entry, "link trace", entry.link_trace, physics.link_trace);
}

void Verifier::judge_zero_links(const FieldEntry& entry, const FieldVerdict& verdict,
                                const physics::ExaminedLinks& links) {
  const physics::ZeroLinks& zeros = links.zeros;
  if (zeros.all == 0) return;
  const Extents& extents = entry.payload.extents;
  if (zeros.leave_last_slice(extents)) {
    add(entry, Severity::note, Code::ok, "open-boundary",
        fmt::format("{}: \"{}\": the links that leave the last time slice are zero: open boundaries in time",
                    catalog().path, entry.name));
  } else if (zeros.fill_boundaries(extents) &&
             (is_proven_ || is_stated(entry.plaquette, links.physics.plaquette.average, entry))) {
    add(entry, Severity::note, Code::ok, "fixed-boundary",
        fmt::format("{}: \"{}\": {} links of the first or the last time slice are zero, and {}: fixed boundaries in "
                    "time, such as those of the Schroedinger functional",
                    catalog().path, entry.name, zeros.all,
                    is_proven_ ? "the checksum agrees" : "the plaquette is the one that the file states"));
  } else if (verdict.zeros.sites > 0) {
    report_zeros(entry, verdict.zeros);
  } else if (links.physics.unitarity.far_links == zeros.all) {
    add(entry, Severity::error, Code::malformed, "zero-links",
        fmt::format(
            "{}: \"{}\": {} links are zero, and not only those that leave the last time slice, as with open boundaries",
            catalog().path, entry.name, zeros.all));
  }
}

// If a sum agrees, links off the group were written that way.
void Verifier::judge_distances(const FieldEntry& entry, const Unitarity& links) {
  const double link_count = static_cast<double>(volume(entry.payload.extents)) * entry.payload.spec.links;
  const bool is_other_kind = static_cast<double>(links.far_links) > io::most_damaged_links * link_count;
  const bool is_huge = !std::isfinite(links.mean) || links.mean > 1;
  if (is_other_kind && (has_sum_ || !is_huge)) {
    if (!has_sum_) claim(entry, "in SU(N)", Evidence::nature, false);
    add(entry, Severity::warning, Code::ok, "not-unitary",
        fmt::format("{}: \"{}\": the links are not in SU({}): |U U^dagger - 1| is {:.3g} on average; smeared or "
                    "rescaled links, or the numbers are not stored as the header states: `lq diagnose` shows which",
                    catalog().path, entry.name, entry.payload.spec.colors, links.mean));
  } else if (links.far_links > 0) {
    add(entry, Severity::error, Code::malformed, "damaged-links",
        fmt::format("{}: \"{}\": damaged links, {} of them off SU({}), most of all link {} of site {}, by {:.3g}",
                    catalog().path, entry.name, links.far_links, entry.payload.spec.colors, links.worst_link,
                    site_text(links.worst_site), links.largest));
  } else if (links.largest_determinant > farthest_determinant) {
    if (!has_sum_) claim(entry, "in SU(N)", Evidence::nature, false);
    add(entry, Severity::warning, Code::ok, "determinant",
        fmt::format("{}: \"{}\": the links are unitary, but not all in SU({}): |det U - 1| is up to {:.3g}; links in "
                    "U({}), as after some smearings, or signs or phases are wrong",
                    catalog().path, entry.name, entry.payload.spec.colors, links.largest_determinant,
                    entry.payload.spec.colors));
  } else if (links.mean > single_rounding) {
    add(entry, Severity::note, Code::ok, "single-in-double",
        fmt::format("{}: \"{}\": the links are in SU({}) to single precision only: |U U^dagger - 1| is {:.3g} on "
                    "average; the numbers were in single precision earlier",
                    catalog().path, entry.name, entry.payload.spec.colors, links.mean));
  } else if (links.largest > double_rounding && !is_proven_) {
    claim(entry, "in SU(N)", Evidence::nature, false);
    add(entry, Severity::warning, Code::ok, "links-off",
        fmt::format("{}: \"{}\": links in double precision are off SU({}), most of all link {} of site {}, by {:.3g}, "
                    "where {:.3g} is the average: numbers may have changed in their last digits",
                    catalog().path, entry.name, entry.payload.spec.colors, links.worst_link,
                    site_text(links.worst_site), links.largest, links.mean));
  }
}

// A checksum of links that were written in a wrong order agrees nevertheless.
void Verifier::judge_order(const FieldEntry& entry, const physics::ExaminedLinks& links) {
  const Plaquette& plaquette = links.physics.plaquette;
  if (is_stated(entry.plaquette, plaquette.average, entry)) return;
  const bool is_transposed = links.transposed.is_transposed();
  if (!is_transposed && links.broken && links.zeros.all == 0) return report_broken(entry, *links.broken);
  if (!is_transposed && !links.is_noise(entry.payload.extents, entry.payload.spec.colors)) return;
  // Random links, such as those of a hot start, may be intended; links that are plausible only when transposed
  // are never written on purpose.
  if (is_transposed || !has_sum_) claim(entry, "plaquette above noise", Evidence::nature, false);
  add(entry, Severity::warning, Code::ok, is_transposed ? "transposed" : "noise",
      is_transposed
          ? fmt::format(
                "{}: \"{}\": rows and columns of the links are exchanged: the plaquette is {:.6g} as stored, "
                "and larger by {:.3g} with rows and columns exchanged; `lq diagnose` writes them as they should "
                "be",
                catalog().path, entry.name, plaquette.average, links.transposed.excess)
          : fmt::format(
                "{}: \"{}\": the links are in SU({}), but the plaquette is {:.6g}, which is noise: random links, or an "
                "order of sites, links, rows or columns that differs from the format; `lq diagnose` shows which",
                catalog().path, entry.name, entry.payload.spec.colors, plaquette.average));
}

void Verifier::report_broken(const FieldEntry& entry, const physics::Joints::Broken& broken) {
  claim(entry, "plaquettes alike everywhere", Evidence::nature, false);
  add(entry, Severity::warning, Code::ok, "joint",
      fmt::format("{}: \"{}\": {}", catalog().path, entry.name, io::text_of(broken, entry.payload.extents)));
}

bool Verifier::is_stated(const std::optional<double>& stated, double measured, const FieldEntry& entry) const {
  return stated && std::abs(*stated - measured) <= io::tolerance_of(*stated, entry.payload.spec.precision);
}

void Verifier::compare(const FieldEntry& entry, std::string_view what, const std::optional<double>& stated,
                       double measured) {
  if (!stated) return;
  // The stated value may have been measured before the links were rounded to the numbers in the file.
  const bool is_near = is_proven_ && std::abs(*stated - measured) <= io::largest_tolerance;
  const bool agrees = is_near || is_stated(stated, measured, entry);
  claim(entry, std::string(what), Evidence::check_value, agrees);
  if (agrees) return;
  const std::string factor = factor_between(*stated, measured);
  add(entry, Severity::error, Code::malformed, what == "plaquette" ? "plaquette" : "link-trace",
      fmt::format("{}: \"{}\": the {} of the links is {:.12g}, the file states {:.12g}: {}", catalog().path, entry.name,
                  what, measured, *stated,
                  factor.empty() ? "ordering, signs or data are wrong; `lq diagnose` shows which" : factor),
      fmt::format("{:.12g}", *stated), fmt::format("{:.12g}", measured));
}

Metadata Verifier::texts_of(const FieldEntry& entry) const {
  Metadata texts = entry.metadata;
  texts.insert(texts.end(), catalog().metadata.begin(), catalog().metadata.end());
  return texts;
}

// Values that cannot be measured are reported, which is not a fault of the file.
std::optional<Observables> Verifier::observe(const FieldEntry& entry, const std::optional<LinksInMemory>& links) {
  const auto why = [&](const std::string& reason) {
    comm::agree_alike(comm(), [&] {
      add(entry, Severity::warning, Code::ok, "observables",
          fmt::format("{}: \"{}\": {}", catalog().path, entry.name, reason));
    });
  };
  if (!links) {
    if (!is_gauge(entry)) return std::nullopt;
    why(options_.physics == Measure::never
            ? "no observables were measured: physics is never"
            : fmt::format("no observables were measured: the field needs {} bytes of memory, memory_bytes allows {}",
                          memory_for(entry), options_.memory_bytes));
    return std::nullopt;
  }
  ObservablesOptions how{
      .flow_steps = options_.flow_steps, .flow_step = options_.flow_step, .threads = options_.threads};
  const std::optional<std::string> anisotropy =
      how.flow_steps == 0 ? std::nullopt
                          : comm::agree_alike(comm(), [&] { return io::stated_anisotropy(texts_of(entry)); });
  if (anisotropy) {
    how.flow_steps = 0;
    why(
        fmt::format("no gradient flow: the file states an anisotropic lattice ({}), for which t0 and w0 of the "
                    "isotropic flow have no meaning; loops and charge are measured without flow",
                    *anisotropy));
  }
  try {
    return observables(links->grid, links->field, how);
  } catch (const Error& error) {
    // All ranks have it: an error of the links, which findings also report. Not of the machine.
    if (error.code() == Code::unsupported) how.flow_steps = 0;
    if (error.code() != Code::invalid_argument && error.code() != Code::unsupported) throw;
    why(error.what());
    if (error.code() == Code::unsupported) return observables(links->grid, links->field, how);
    return std::nullopt;
  }
}

// A text may refer to another flow time or normalisation; if no sum proves the links, it raises doubt.
void Verifier::compare_with_texts(const FieldEntry& entry, const Observables& measured) {
  for (const io::ComparedObservable& one : io::compare_observables(texts_of(entry), measured, entry.payload.spec)) {
    if (one.agrees) {
      claim(entry, one.name, Evidence::check_value, true);
      continue;
    }
    if (!is_proven_ && one.remark.empty()) claim(entry, one.name, Evidence::nature, false);
    add(entry, Severity::warning, Code::ok, "observables",
        fmt::format("{}: \"{}\": the {} of the links is {}, the file states {}{}", catalog().path, entry.name, one.name,
                    one.measured, one.stated,
                    one.remark.empty() ? ": ordering, signs or data may be wrong" : ": " + one.remark),
        one.stated, one.measured);
  }
}

void Verifier::claim(const FieldEntry& entry, std::string name, Evidence evidence, bool holds) {
  result_.claims.push_back({name_, std::move(name), evidence, holds ? Outcome::agrees : Outcome::differs,
                            entry.payload.offset, entry.payload.length});
}

void Verifier::add(const FieldEntry& entry, Severity severity, Code code, std::string rule, const std::string& message,
                   std::string expected, std::string found) {
  result_.findings.push_back({.severity = severity,
                              .code = code,
                              .rule = std::move(rule),
                              .message = message,
                              .record = entry.name,
                              .offset = entry.payload.offset,
                              .length = entry.payload.length,
                              .expected = std::move(expected),
                              .found = std::move(found)});
}

}  // namespace

Verification io::verify(const std::string& path, const Communicator& communicator, const VerifyOptions& options) {
  return verify(storage::resolve(path), path, communicator, options);
}

namespace {

// These options decide who measures, so all ranks must agree on them.
void require_same_options(const Communicator& communicator, const VerifyOptions& options) {
  comm::require_same(communicator.engine(), [&] {
    if (options.observables || options.flow_steps != 0) {
      physics::require_valid_flow(options.flow_steps, options.flow_step);
    }
    return options::stated("VerifyOptions", options);
  });
}

}  // namespace

Verification io::verify(storage::Transport& transport, const std::string& path, const Communicator& communicator,
                        const VerifyOptions& options) {
  require_same_options(communicator, options);
  return Verifier(transport, path, communicator, options).run();
}

Verification io::verify(const std::shared_ptr<ScannedFile>& file, const Communicator& communicator,
                        const VerifyOptions& options) {
  require_same_options(communicator, options);
  file->open_everywhere();
  return Verifier(file, communicator, options).run();
}

Verification io::verify_structure(std::shared_ptr<ScannedFile> file, const Communicator& communicator,
                                  const Limits& limits) {
  return Verifier(std::move(file), communicator, {.limits = limits}).run_without_data();
}

Verification io::verify_structure(storage::Transport& transport, const std::string& path,
                                  const Communicator& communicator, const Limits& limits) {
  return Verifier(transport, path, communicator, {.limits = limits}).run_without_data();
}

}  // namespace lq
