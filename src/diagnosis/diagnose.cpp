// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// First finds the readings of the bytes that fit (diagnosis/readings); then the damage in the chosen one, by a
// walk over all sites; then whether the sums and values that the file states agree, and for which order of the
// sites they would. All faults that lq::verify finds in the file as stored are reported here, too.
#include <limequat/diagnose.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/text.hpp"
#include "comm/alone.hpp"
#include "comm/node.hpp"
#include "diagnosis/diagnose.hpp"
#include "diagnosis/pass.hpp"
#include "diagnosis/readings.hpp"
#include "diagnosis/words.hpp"
#include "io/damage.hpp"
#include "io/journal.hpp"
#include "io/judgement.hpp"
#include "io/payload_files.hpp"
#include "io/verdict.hpp"
#include "sets/checkpoint/repair.hpp"
#include "storage/transport.hpp"

namespace lq::diagnosis {
namespace {

constexpr std::uint64_t sampled_links_sites = 64;
constexpr double observable_tolerance = 1e-5;  // as in lq::verify
constexpr double needed_errors = 6;
// In double precision, links further from the group are damaged.
constexpr double precise_link = 1e-8;

bool is_error(const Finding& finding) { return finding.severity == Severity::error; }

class Diagnoser {
 public:
  Diagnoser(base::ByteSource& file, const DiagnoseOptions& options, storage::Transport* files)
      : options_(options),
        files_(files),
        subject_(subject_of(file, options)),
        gathered_(gather(files)),
        file_(gathered_ ? gathered_->sequence() : file),
        ordering_(subject_.ordering),
        team_(may_share() ? comm::thread_count(options.threads, subject_.end - subject_.begin) : 1) {
    result_.path = file.path();
    result_.format = subject_.format;
    result_.field = subject_.field;
    result_.extents = subject_.extents;
    result_.plaquette = subject_.plaquette;
    result_.stored = subject_.stored;
    result_.findings = subject_.findings;
  }

  Diagnosis run() {
    if (subject_.declared) read_links();
    report_length();
    if (is_small() || !options_.rewrite.empty()) walk_over();
    judge_values();
    report_doubt();
    verify_as_stored();
    conclude();
    if (!options_.rewrite.empty()) write_anew();
    return std::move(result_);
  }

 private:
  void add(Severity severity, std::string rule, std::string message) {
    result_.findings.push_back(finding(severity, std::move(rule), std::move(message)));
  }
  void add(std::vector<Finding> findings) { std::ranges::move(findings, std::back_inserter(result_.findings)); }
  bool has(std::string_view rule) const {
    return std::ranges::find(result_.findings, rule, &Finding::rule) != result_.findings.end();
  }
  void forget(std::string_view rule) {
    std::erase_if(result_.findings, [&](const Finding& f) { return f.rule == rule; });
  }
  bool has_errors() const { return io::has_errors(result_.findings); }
  bool is_open(const Finding& finding) const;
  std::uint64_t length() const { return subject_.end > subject_.begin ? subject_.end - subject_.begin : 0; }
  bool is_small() const { return length() > 0 && length() <= options_.whole_bytes; }
  bool may_share() const { return !gathered_ || gathered_->are_thread_safe(); }
  std::uint64_t sites_in(const Encoding& encoding) const {
    if (encoding.offset >= subject_.end) return 0;
    return std::min(volume(subject_.extents), (subject_.end - encoding.offset) / encoding.site_bytes());
  }
  std::uint64_t sites_there() const;
  const Choice& choice() const { return all_.at(chosen_); }
  std::span<const Choice> fitting() const {
    return std::span(all_).first(std::min(all_.size(), readings_.fitting.size()));
  }
  // Encoding of the links of the chosen reading.
  const Encoding& encoding() const { return choice().way->sequence.encoding; }
  base::ByteSource& sites_file() const { return reads_links() ? *choice().way->sequence.file : file_; }
  bool reads_links() const { return !all_.empty(); }

  std::unique_ptr<io::PayloadFiles> gather(storage::Transport* files) const;
  void read_links();
  void report_no_reading();
  void choose_reading();
  void take(std::size_t number);
  void report_choice();
  void report_length();
  void walk_over();
  void find_by_sums();
  Walk walk_of(const Choice* one) const;
  Encoding usual_form() const;
  bool is_stored_otherwise(const Choice& one) const;
  bool is_as_declared() const;
  void judge_sums(const Pass& pass);
  FoundOrder order_by_sums(std::span<const std::uint32_t> crcs);
  void vouch_for_numbers();
  void report_order(const FoundOrder& found);
  void judge_other_sums();
  void report_basis(const BasisFit& fit);
  void judge_values();
  void report_low();
  void judge_plaquette();
  void report_doubt();
  void report_several();
  bool is_of_field(const Finding& finding) const;
  void verify_as_stored();
  void conclude();
  std::string verdict() const;
  std::string command() const;
  std::string remedy() const;
  void write_anew();
  void require_right_numbers() const;

  const DiagnoseOptions& options_;
  storage::Transport* files_;
  Subject subject_;
  std::unique_ptr<io::PayloadFiles> gathered_;
  base::ByteSource& file_;  // or the sequence of the sites
  Readings readings_;
  std::vector<Choice> all_;  // as listed: the fitting ones first
  std::size_t chosen_ = 0;
  Diagnosis result_;
  Ordering ordering_;                 // of the chosen reading, or as declared
  std::optional<Average> plaquette_;  // in that ordering
  LowRegion low_;
  double link_trace_ = 0;
  comm::Team team_;
  bool is_damaged_ = false;
  bool is_proven_ = false;
  bool is_proven_by_sums_ = false;
};

// The sites as a sequence if they are not stored as one; nullptr: they are.
std::unique_ptr<io::PayloadFiles> Diagnoser::gather(storage::Transport* files) const {
  if (!subject_.is_gathered) return nullptr;
  if (files != nullptr) {
    return std::make_unique<io::PayloadFiles>(*files, subject_.catalog, subject_.entry->payload);
  }
  throw Error(
      Code::unsupported,
      fmt::format(
          "{}: \"{}\" is not stored contiguously, site after site, and the positions of its other pieces are not known",
          subject_.catalog.path, subject_.field),
      {.path = subject_.catalog.path, .record = subject_.field});
}

// An error that a new file would not repair. It would repair findings about a description that --lattice replaces.
bool Diagnoser::is_open(const Finding& finding) const {
  if (!is_error(finding) || is_mended(finding)) return false;
  const auto is_same = [&](const Finding& other) { return other.message == finding.message; };
  return !(subject_.is_told && std::ranges::any_of(subject_.findings, is_same));
}

std::uint64_t Diagnoser::sites_there() const {
  const std::uint64_t all = volume(subject_.extents);
  if (!reads_links()) {
    const std::uint64_t there = subject_.offset >= subject_.end ? 0 : subject_.end - subject_.offset;
    return std::min(all, there / subject_.site_bytes);
  }
  const Extraction& way = *choice().way;
  return way.sites || way.marks ? all : sites_in(way.encoding);
}

void Diagnoser::read_links() {
  readings_ = find_readings(subject_, file_);
  result_.sampled_sites = readings_.sampled_sites;
  all_ = readings_.fitting;
  all_.insert(all_.end(), readings_.others.begin(), readings_.others.end());
  is_proven_ = readings_.is_proven;
  if (all_.empty()) return report_no_reading();
  choose_reading();
}

void Diagnoser::report_no_reading() {
  const std::uint64_t sites = sites_in(*subject_.declared);
  const Fit declared = sites == 0 ? Fit{} : fit_of(*subject_.declared, file_, sites, sampled_links_sites);
  add(Severity::error, "no-reading",
      fmt::format("the links are not SU(N) matrices in any precision, byte order or order of the axes, wherever the "
                  "numbers begin; {}|U U^dagger - 1| is {:.2g}: these are other data, smeared or rescaled links, or "
                  "the lattice is not {}",
                  subject_.is_described ? "as the header says " : "as in ILDG files ", declared.unitarity,
                  to_string(subject_.extents)));
  Reading reading{.offset = subject_.declared->offset,
                  .precision = subject_.declared->precision,
                  .byte_order = subject_.declared->byte_order,
                  .third_rows_missing = subject_.declared->third_rows_missing,
                  .sites = ordering_.order,
                  .links = ordering_.links,
                  .colors = subject_.declared->colors,
                  .lattice = subject_.extents,
                  .axes = axes_text(*subject_.declared, ordering_),
                  .is_declared = !subject_.said,
                  .unitarity = declared.unitarity,
                  .determinant = declared.determinant};
  result_.readings.push_back(std::move(reading));
}

void Diagnoser::choose_reading() {
  const auto asked = static_cast<std::size_t>(options_.reading);
  if (options_.reading < 0 || asked > all_.size()) {
    throw Error(Code::invalid_argument,
                fmt::format("{}: reading {} was requested; the listed readings are 1 to {}", result_.path,
                            options_.reading, all_.size()),
                {.path = result_.path});
  }
  take(asked == 0 ? 0 : asked - 1);
  report_choice();
}

void Diagnoser::take(std::size_t number) {
  chosen_ = number;
  ordering_ = choice().ordering;
  plaquette_ = choice().plaquette;
  result_.extents = ordering_.sites.extents;
}

// Reports differences from the header, and conclusions from plaquettes alone.
void Diagnoser::report_choice() {
  result_.readings.clear();
  for (std::size_t k = 0; k < all_.size(); ++k) {
    result_.readings.push_back(reading_of(subject_, all_[k], k == chosen_ && is_proven_));
  }
  const Extraction& way = *choice().way;
  if (subject_.is_described) {
    add(differences(subject_, way.encoding, way.offset(), way.marks));
    add(differences(subject_.ordering, ordering_));
  }
  if (!readings_.is_order_known) {
    add(subject_.is_described ? Severity::warning : Severity::error, "order-unknown",
        fmt::format("{}in none of the tried orders of sites and links do plaquettes average to more than "
                    "chance: the links are random, or the sites are in another order, such as process by process, "
                    "which the checksum would prove",
                    subject_.is_described ? "" : fmt::format("these are links of SU({}), but ", way.encoding.colors)));
  }
  const bool is_explained =
      plaquette_->error == 0 && subject_.plaquette && factor_of(*plaquette_, *subject_.plaquette) != 0;
  if (is_explained) forget("order-unknown");
  if (readings_.larger) {
    add(Severity::warning, "order-doubtful",
        fmt::format("in another order of the sites or links plaquettes average to {:.3f}, in the order of the format "
                    "to {:.3f}; no stated plaquette decides which is correct",
                    *readings_.larger, plaquette_->value));
  }
  if (way.fit.is_single_in_double) {
    add(Severity::note, "single-in-double",
        fmt::format("these are single precision numbers, stored as doubles: links are in SU({}) to {:.1e}",
                    way.encoding.colors, way.fit.unitarity));
  } else if (!way.fit.is_precise(way.encoding.precision)) {
    add(Severity::warning, "imprecise",
        fmt::format("the links are in SU({}) to {:.1e} only, which is less than double precision allows",
                    way.encoding.colors, way.fit.unitarity));
  }
}

void Diagnoser::report_length() {
  const std::uint64_t all = volume(subject_.extents), sites = sites_there();
  const std::uint64_t site_bytes = reads_links() ? encoding().site_bytes() : subject_.site_bytes;
  if (sites < all) {
    const std::uint64_t offset = reads_links() ? choice().way->encoding.offset : subject_.offset;
    Finding one =
        finding(Severity::error, "truncated",
                fmt::format("the lattice {} needs {} bytes of numbers, the file has {}: its last {} sites are "
                            "missing, or the lattice is different",
                            to_string(subject_.extents), all * site_bytes,
                            offset >= subject_.end ? 0 : subject_.end - offset, all - sites));
    one.code = Code::truncated;
    result_.findings.push_back(std::move(one));
  } else if (subject_.is_exact && length() > all * site_bytes) {
    add(Severity::error, "lattice",
        fmt::format("the lattice {} of the header has {} sites, the data are {} sites: the lattice is different, which "
                    "options.lattice tries",
                    to_string(subject_.extents), all, length() / site_bytes));
  } else if (reads_links() && choice().way->goes_on) {
    add(Severity::error, "lattice",
        fmt::format("immediately before the first link that was read, or after the last one, there are more links: the "
                    "lattice is larger than {}, or the file holds several fields",
                    to_string(subject_.extents)));
  }
}

// The sites of a reading; without one, as the file states.
Walk Diagnoser::walk_of(const Choice* one) const {
  if (one == nullptr) {
    return {
        .offset = subject_.offset, .site_bytes = subject_.site_bytes, .sites = sites_there(), .ordering = ordering_};
  }
  const Encoding& encoding = one->way->sequence.encoding;
  Walk what{.offset = encoding.offset, .site_bytes = encoding.site_bytes(), .sites = sites_there()};
  what.encoding = encoding;
  what.ordering = one->ordering;
  if (encoding.precision == Precision::double_ && one->way->fit.is_precise(Precision::double_) &&
      !one->way->fit.is_single_in_double) {
    what.largest_distance = precise_link;
  }
  if (is_stored_otherwise(*one)) {
    what.declared = usual_form();
    what.declared_links = subject_.ordering.links;
  }
  return what;
}

// The form of a site's numbers by the header, or else that of ILDG files.
Encoding Diagnoser::usual_form() const {
  Encoding form = *subject_.declared;
  if (subject_.is_described || !reads_links()) return form;
  form.colors = encoding().colors;
  form.precision = encoding().precision;
  return form;
}

// True if the form can be converted to the usual one without rounding.
bool Diagnoser::is_stored_otherwise(const Choice& one) const {
  const Encoding& found = one.way->sequence.encoding;
  Encoding usual = usual_form();
  usual.offset = found.offset;
  const bool is_reversible = found.precision == usual.precision && found.colors == usual.colors &&
                             found.third_rows_missing == usual.third_rows_missing;
  return is_reversible &&
         (found != usual || one.ordering.is_transposed || one.ordering.links != subject_.ordering.links);
}

bool Diagnoser::is_as_declared() const {
  return reads_links() && choice().way->encoding == *subject_.declared && are_same(ordering_, subject_.ordering);
}

void Diagnoser::walk_over() {
  if (subject_.stored && readings_.fitting.size() > 1 && options_.reading == 0) find_by_sums();
  Walk what = walk_of(reads_links() ? &choice() : nullptr);
  if (gathered_) what.of = io::of_sites(subject_.entry->payload);
  if (reads_links() && choice().way->sites) what.of = " of its sites, in sequence";
  if (reads_links() && choice().way->marks) what.of = " of what its records hold";
  const Pass pass = walk(what, sites_file(), team_, options_.progress);
  result_.is_whole_read = true;
  link_trace_ = pass.link_trace;
  if (const auto fit = basis_of(subject_, file_, {})) report_basis(*fit);
  if (what.encoding) {
    std::vector<Finding> damage = damage_in(what, pass);
    is_damaged_ = io::has_errors(damage);
    add(std::move(damage));
  }
  if (pass.crcs.size() == volume(subject_.extents)) judge_sums(pass);
  if (!reads_links()) return;
  judge_other_sums();
  if (sites_there() == volume(subject_.extents) && !ordering_.sites.digits.empty()) {
    const WholePlaquette whole = whole_plaquette(encoding(), ordering_, sites_file(), team_);
    plaquette_ = whole.average;
    low_ = whole.low;
    all_[chosen_].plaquette = *plaquette_;
    all_[chosen_].ordering = ordering_;
    if (!result_.readings.empty()) result_.readings[chosen_] = reading_of(subject_, all_[chosen_], false);
  }
}

// Of several fitting readings, selects the one with the stated checksum.
void Diagnoser::find_by_sums() {
  for (std::size_t k = 0; k < readings_.fitting.size(); ++k) {
    take(k);
    const Pass pass = walk(walk_of(&choice()), sites_file(), team_, {});
    if (pass.crcs.size() != volume(subject_.extents)) continue;
    const bool agrees =
        checksum_of(pass.crcs, ordering_.sites) == *subject_.stored ||
        (!pass.crcs_as_declared.empty() && checksum_of(pass.crcs_as_declared, ordering_.sites) == *subject_.stored);
    if (!agrees) continue;
    is_proven_by_sums_ = true;
    std::rotate(all_.begin(), all_.begin() + static_cast<std::ptrdiff_t>(k),
                all_.begin() + static_cast<std::ptrdiff_t>(k) + 1);
    break;
  }
  take(0);
  result_.findings = subject_.findings;
  report_choice();
}

// The order already found is tried first.
FoundOrder Diagnoser::order_by_sums(std::span<const std::uint32_t> crcs) {
  if (reads_links() && checksum_of(crcs, ordering_.sites) == *subject_.stored) {
    FoundOrder found{.answer = {}, .map = ordering_.sites};
    found.answer.tried = 1;
    found.answer.is_found = true;
    found.answer.sites = ordering_.order;
    return found;
  }
  return find_order(crcs, subject_.extents, *subject_.stored, options_.seconds, team_);
}

void Diagnoser::judge_sums(const Pass& pass) {
  result_.computed = checksum_of(pass.crcs, subject_.ordering.sites);
  if (!subject_.stored) return;
  if (*subject_.stored == *result_.computed) return vouch_for_numbers();
  const Checksum& stored = *subject_.stored;
  if (stored.suma == result_.computed->sumb && stored.sumb == result_.computed->suma) {
    is_proven_by_sums_ = true;
    return add(Severity::error, "sums-exchanged", "the two sums of the checksum are exchanged; the data are correct");
  }
  FoundOrder found = order_by_sums(pass.crcs);
  if (!found.answer.is_found && !pass.crcs_as_declared.empty()) {
    const WriterGrid before = found.answer;
    found = order_by_sums(pass.crcs_as_declared);
    found.answer.tried += before.tried;
    found.answer.grids += before.grids;
    found.answer.seconds += before.seconds;
    found.answer.is_complete = found.answer.is_complete && before.is_complete;
  }
  result_.grid = found.answer;
  if (found.answer.is_found) return report_order(found);
  add(Severity::error, "checksum",
      fmt::format("the data have checksum {}, {} {}, and none of {} process grids and {} other orders of the sites "
                  "gives that{}: numbers were changed since it was computed",
                  to_string(*result_.computed), options_.sums.empty() ? "the file states" : "it should be",
                  to_string(stored), found.answer.grids, found.answer.tried - found.answer.grids,
                  found.answer.is_complete ? "" : " (there are more, but the time limit was reached)"));
}

// Links may be outside the group, and still be the data that were written. The sum does not prove the meaning of
// numbers stored in another form or order than the header says.
void Diagnoser::vouch_for_numbers() {
  if (!reads_links() || is_as_declared()) is_proven_by_sums_ = true;
  for (Finding& one : result_.findings) {
    if (one.rule != "no-reading") continue;
    one.severity = Severity::warning;
    one.message += ". The checksum agrees: the numbers are those that were written";
  }
}

void Diagnoser::report_order(const FoundOrder& found) {
  is_proven_by_sums_ = true;
  const std::string sums = to_string(*subject_.stored);
  forget("order-unknown");
  if (found.map == subject_.ordering.sites) {
    return add(Severity::note, "checksum-afterwards",
               fmt::format("with this corrected the data have the stated checksum {}: they were changed after it was "
                           "computed, and nothing is lost",
                           sums));
  }
  const std::string proof = fmt::format("both sums of the stated checksum {} agree in this order", sums);
  const bool is_known = !found.answer.sites.empty() && found.map == ordering_.sites;
  forget("site-order");
  if (found.map.parity != Parity::none) {
    add(Severity::note, "checksum-afterwards", proof);
  } else if (!found.answer.sites.empty()) {
    add(Severity::error, "site-order",
        fmt::format("the sites are stored with {}: {}", order_text(found.answer.sites), proof));
  } else {
    add(Severity::error, "writer-grid",
        fmt::format("the sites are stored process by process, as {} ranks on the process grid {} write them in "
                    "sequence, numbered with {}: {}",
                    volume(found.answer.processes), to_string(found.answer.processes),
                    found.answer.ranks_last_fastest ? "t fastest (more of them in t give the same order)" : "x fastest",
                    proof));
  }
  ordering_.sites = found.map;
  ordering_.order = found.answer.sites;
  if (is_known || !reads_links()) return;
  // Findings from plaquettes about other orders are no longer needed.
  forget("link-order");
  forget("transposed");
  forget("parity");
  ordering_.links = subject_.ordering.links;
  ordering_.is_transposed = false;
  Choice one = choice();
  one.ordering = ordering_;
  one.is_declared = false;
  if (found.answer.sites.empty()) {
    all_.clear();
    result_.readings.clear();
  }
  all_.insert(all_.begin(), std::move(one));
  result_.readings.insert(result_.readings.begin(), reading_of(subject_, all_.front(), true));
  chosen_ = 0;
}

// Sums of NERSC, MILC and others: over the bytes as stored, which verify compares, or in the form of the header.
void Diagnoser::judge_other_sums() {
  if (!subject_.entry || is_as_declared() || subject_.stored || io::sums_of(*subject_.entry).empty()) return;
  if (sites_there() < volume(subject_.extents)) return;
  Encoding declared = *subject_.declared;
  declared.offset = 0;
  if (choice().way->encoding.site_bytes() != declared.site_bytes()) return;
  DeclaredSites as_declared(choice().way->sequence, ordering_, declared, subject_.ordering);
  const io::Judgement judgement = io::judge_sequence(as_declared, *subject_.entry);
  if (judgement.status == ChecksumStatus::ok) {
    is_proven_by_sums_ = true;
    return add(Severity::note, "checksum-afterwards",
               "with this corrected the data have the stated sums: they were changed after the sums were "
               "computed, and nothing is lost");
  }
  if (judgement.status != ChecksumStatus::mismatch) return;
  if (io::judge_sequence(sites_file(), *subject_.entry).status == ChecksumStatus::ok) return;
  add(Severity::error, "checksum",
      fmt::format("neither as stored nor with this corrected do the data have the stated sum ({}; they "
                  "have {}): numbers were changed after it was computed",
                  judgement.stated, judgement.found));
}

void Diagnoser::report_basis(const BasisFit& fit) {
  const std::optional<Basis> basis = fit.basis();
  if (!basis) return;
  const bool is_chiral = *basis == Basis::chiral;
  result_.basis = is_chiral ? "chiral" : "dirac";
  add(Severity::note, "spinor-basis",
      fmt::format(
          "the spins are in {}: at the source ({}) S and gamma5 S^dagger gamma5 differ by {:.1e} of the largest "
          "number, in the other basis by {:.1e}",
          is_chiral ? "a chiral basis, gamma5 is diagonal (DeGrand-Rossi)"
                    : "a Dirac basis, gamma5 exchanges upper and lower spins (Dirac-Pauli, UKQCD)",
          site_text(fit.source), is_chiral ? fit.chiral : fit.dirac, is_chiral ? fit.dirac : fit.chiral));
}

void Diagnoser::judge_values() {
  if (!reads_links() || !plaquette_ || plaquette_->plaquettes == 0) return;
  const bool is_sequence = !ordering_.order.empty() && ordering_.order.back() + 1 == ordering_.sites.extents.size() &&
                           ordering_.sites.parity == Parity::none && sites_there() == volume(subject_.extents);
  const bool is_explained = subject_.plaquette ? factor_of(*plaquette_, *subject_.plaquette) != 0
                                               : subject_.stored && result_.computed == subject_.stored;
  const Joints joints = is_sequence && !is_explained ? examine_joints(encoding(), ordering_, sites_file()) : Joints{};
  add(damage_in(joints, ordering_.sites.extents));
  is_damaged_ = is_damaged_ || !joints.broken.empty();
  if (!is_explained && joints.broken.empty() && low_.sites > 0 && readings_.is_order_known) report_low();
  if (is_damaged_) return;
  judge_plaquette();
  const std::optional<double> trace = subject_.entry ? subject_.entry->link_trace : std::nullopt;
  if (!trace || !result_.is_whole_read || std::abs(*trace - link_trace_) <= observable_tolerance) return;
  add(Severity::error, "link-trace",
      fmt::format("the header states the link trace {:.10g}, the links have {:.10g}: header and data belong to "
                  "different configurations, or numbers were changed",
                  *trace, link_trace_));
}

void Diagnoser::report_low() {
  is_damaged_ = true;
  add(Severity::error, "low-plaquettes",
      fmt::format("damage: among {} sites between ({}) and ({}) plaquettes average to {:.3g} only, in the whole field "
                  "to {:.3g}: links are exchanged there, or belong to another field",
                  low_.sites, site_text(site_of(ordering_.sites, low_.first)),
                  site_text(site_of(ordering_.sites, low_.last)), low_.plaquette, plaquette_->value));
}

void Diagnoser::judge_plaquette() {
  if (!subject_.plaquette) return;
  const double stated = *subject_.plaquette, factor = factor_of(*plaquette_, stated);
  if (factor == 1) return;
  if (factor != 0) {
    return add(Severity::error, "plaquette-factor",
               fmt::format("the header states the plaquette {:.10g}, {:.4g} times the value of the links, {:.10g}: "
                           "another normalisation (the average of Re Tr U/3 is at most 1; without the 1/3 it is at "
                           "most 3); the links are correct",
                           stated, factor, plaquette_->value));
  }
  add(Severity::error, "plaquette",
      fmt::format(
          "the header states the plaquette {:.10g}, the links have {:.10g}{}: header and data belong to different "
          "configurations, or the order of the sites was not among those tried",
          stated, plaquette_->value,
          plaquette_->error > 0 ? fmt::format(" (+- {:.2g}, a sample)", plaquette_->error) : std::string()));
}

// How certain the meaning of the numbers is, however well they fit.
void Diagnoser::report_doubt() {
  if (!reads_links()) return;
  is_proven_ = is_proven_ || is_proven_by_sums_;
  const bool is_precise = choice().way->fit.is_precise(choice().way->encoding.precision);
  if (!subject_.is_described && !is_proven_by_sums_) {
    is_proven_ = is_proven_ && readings_.is_order_known && is_precise && !is_damaged_ && !choice().way->goes_on;
  }
  if (has("plaquette") || has("link-trace") || has("checksum")) is_proven_ = false;
  if (options_.reading != 0) {
    is_proven_ = is_proven_ && chosen_ == 0;
    if (!is_proven_) {
      add(Severity::warning, "reading-chosen",
          fmt::format("reading {} is used because it was requested; nothing in the file proves it", options_.reading));
    }
  } else if (!is_proven_ && !has_errors()) {
    report_several();
  }
  if (chosen_ < result_.readings.size()) result_.readings[chosen_].is_proven = is_proven_;
}

void Diagnoser::report_several() {
  if (readings_.fitting.size() == 1) {
    return add(Severity::error, "unproven",
               fmt::format("one reading fits, and nothing proves it: {}", list_of(fitting())));
  }
  add(Severity::error, "ambiguous",
      fmt::format("{} readings fit, and nothing in the file distinguishes them (an order of the extents, names of "
                  "directions): {}",
                  readings_.fitting.size(), list_of(fitting())));
}

// True if it is about the numbers of the field in question, which may have another explanation.
bool Diagnoser::is_of_field(const Finding& finding) const {
  const auto is_its_record = [&] {
    return subject_.entry && subject_.entry->record < subject_.catalog.records.size() &&
           subject_.catalog.records[static_cast<std::size_t>(subject_.entry->record)].type == finding.record;
  };
  return finding.record.empty() || finding.record == subject_.field || is_its_record() ||
         (finding.offset && *finding.offset >= subject_.begin && *finding.offset < subject_.end);
}

// The examination that lq::verify makes of the file as stored. Faults found there are never ignored here.
void Diagnoser::verify_as_stored() {
  if (files_ == nullptr || subject_.catalog.format.empty() || !is_small()) return;
  const Verification stored =
      sets::verify_file(*files_, result_.path, {}, {.limits = options_.limits, .threads = options_.threads});
  if (stored.ok) return;
  const auto is_sum_that_differs = [&](const Claim& claim) {
    return claim.outcome == Outcome::differs && claim.evidence != Evidence::nature &&
           claim.evidence != Evidence::check_value;
  };
  const bool is_explained = has_errors();
  if (is_explained && !is_proven_by_sums_ && !has("checksum") &&
      std::ranges::any_of(stored.claims, is_sum_that_differs)) {
    add(Severity::error, "checksum", "a sum that the file states does not match its data");
  }
  for (const Finding& one : stored.findings) {
    const auto is_same = [&](const Finding& known) {
      return known.message == one.message || (known.rule == one.rule && known.record == one.record);
    };
    if (!is_error(one) || (is_explained && is_of_field(one)) || std::ranges::any_of(result_.findings, is_same))
      continue;
    result_.findings.push_back(one);
  }
  if (has_errors()) return;
  std::string claims;
  for (const Claim& claim : stored.claims) {
    if (claim.outcome == Outcome::agrees || claim.outcome == Outcome::absent || claim.outcome == Outcome::uncovered) {
      continue;
    }
    claims += fmt::format("{}{} of {}: {}", claims.empty() ? "" : ", ", claim.name, claim.of, name(claim.outcome));
  }
  add(Severity::error, "verify", fmt::format("`lq verify` calls the file {} ({})", name(stored.verdict), claims));
}

void Diagnoser::conclude() {
  result_.ok = !has_errors();
  result_.verdict = verdict();
  result_.remedy = remedy();
}

std::string Diagnoser::verdict() const {
  std::string text;
  for (const Finding& one : result_.findings) {
    if (is_error(one)) text += (text.empty() ? "" : "\n") + one.message;
  }
  for (const Finding& one : result_.findings) {
    if (one.rule == "spinor-basis" || one.rule == "checksum-afterwards")
      text += (text.empty() ? "" : "\n") + one.message;
  }
  if (!result_.ok) return text;
  const std::string basis = text.empty() ? "" : "\n" + text;
  const std::string checked = (subject_.stored && result_.computed ? ", and the checksum agrees" : "") +
                              std::string(result_.is_whole_read ? "" : "; only a sample of it was read");
  if (has("no-reading")) return "the numbers are those that were written, because the checksum agrees";
  if (!reads_links()) {
    return subject_.declared ? fmt::format("the links are SU({}) matrices{}", subject_.spec.colors, checked)
                             : fmt::format("nothing wrong was found{}{}", checked, basis);
  }
  if (subject_.is_described) {
    return fmt::format("the file is as it states: SU({}) links in the order of the format{}{}", encoding().colors,
                       subject_.plaquette ? ", with the stated plaquette" : "", checked);
  }
  const Extraction& way = *choice().way;
  return fmt::format("the numbers are a gauge field: {}{}",
                     description_of(way.encoding, ordering_, way.offset(), way.marks),
                     result_.is_whole_read ? "" : "; only a sample of it was read");
}

std::string Diagnoser::command() const {
  const auto option = [](std::string_view name, const std::string& value) {
    return value.empty() ? std::string() : fmt::format(" --{} {}", name, base::printable(value, 1000));
  };
  const bool needs_choice = has("ambiguous") || has("unproven") || options_.reading != 0;
  const std::string reading =
      options_.reading != 0 ? std::to_string(options_.reading) : std::string(needs_choice ? "N" : "");
  return fmt::format("lq diagnose {}{}{}{} --rewrite NEW.{}", base::printable(result_.path, 1000),
                     option("lattice", options_.lattice), option("sums", options_.sums), option("reading", reading),
                     subject_.spec.kind == FieldKind::gauge ? "ildg" : "scidac");
}

std::string Diagnoser::remedy() const {
  if (result_.ok) return subject_.is_described || !plaquette_ ? "" : command() + " writes a file that states this";
  if (std::ranges::none_of(result_.findings, [&](const Finding& one) { return is_open(one); })) {
    return command() + (has("ambiguous") || has("unproven")
                            ? " writes reading N of the list, if you know which is correct"
                            : " writes the numbers in the correct form, with a new header and sums");
  }
  if (has("order-unknown"))
    return "give the checksum with --sums, if it is known: the order of the sites is found from it";
  if (has("no-reading"))
    return "give another lattice with options.lattice, or ask the author of the file for its contents";
  if (has("lattice")) return "give another lattice with options.lattice";
  if (has("truncated")) return "copy the file again from its source; lq repair rescues the complete time slices";
  if (has("sums-exchanged")) return "the numbers can be used; read them without comparing sums, and write them again";
  return "use a good copy if there is one, or write the file again; the lines above show where the damage is";
}

// Only data known to be complete and correct get a new header and new sums.
void Diagnoser::write_anew() {
  const auto refuse = [&](const std::string& why) {
    throw Error(Code::wrong_state, fmt::format("{}: {}", result_.path, why), {.path = result_.path});
  };
  const auto open = std::ranges::find_if(result_.findings, [&](const Finding& one) { return is_open(one); });
  if (open != result_.findings.end()) {
    refuse(fmt::format("it is not rewritten, because that would not repair this: {}", open->message));
  }
  if (result_.ok && subject_.is_described) refuse("nothing is wrong, so there is nothing to rewrite");
  if (reads_links() && !is_proven_ && options_.reading == 0) {
    refuse(fmt::format("it is not rewritten, because no reading is proven: {}; select one with options.reading = N",
                       list_of(fitting())));
  }
  require_right_numbers();
  Rewriting how{.path = options_.rewrite,
                .overwrite = options_.overwrite,
                .encoding = {},
                .ordering = ordering_,
                .plaquette = {},
                .threads = options_.threads};
  if (reads_links()) how.encoding = encoding();
  if (has("plaquette-factor")) how.plaquette = plaquette_->value;
  result_.rewritten = rewrite(subject_, sites_file(), how);
}

// Links whose plaquettes are noise are read wrongly, whoever requested the reading, unless a checksum or a header
// says otherwise.
void Diagnoser::require_right_numbers() const {
  if (!reads_links() || is_proven_by_sums_ || (subject_.is_described && options_.reading == 0)) return;
  if (plaquette_ && plaquette_->value >= needed_errors * plaquette_->noise) return;
  throw Error(Code::wrong_state,
              fmt::format("{}: it is not rewritten, because in this reading plaquettes average to {:.3g}, which is the "
                          "value of random links",
                          result_.path, plaquette_ ? plaquette_->value : 0.0),
              {.path = result_.path});
}

}  // namespace

Diagnosis diagnose(base::ByteSource& file, const DiagnoseOptions& options, storage::Transport* files) {
  return Diagnoser(file, options, files).run();
}

}  // namespace lq::diagnosis

namespace lq {

std::string_view name(ComplexParts parts) noexcept {
  constexpr std::string_view names[] = {"interleaved", "exchanged", "apart"};
  return names[static_cast<std::size_t>(parts)];
}

Diagnosis diagnose(const std::string& path, const DiagnoseOptions& options) {
  return comm::alone([&] {
    storage::Transport& files = storage::resolve(path);
    return diagnosis::diagnose(*io::open_journaled(files, path), options, &files);
  });
}

}  // namespace lq
