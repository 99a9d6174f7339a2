// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// First how numbers are stored, told by unitarity; then in which order they stand, told by the plaquette; then what is
// damaged, told by a walk over all sites; then whether the checksum agrees, and with which order of the sites it would.
#include <limequat/diagnose.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/text.hpp"
#include "diagnosis/basis.hpp"
#include "diagnosis/detective.hpp"
#include "diagnosis/pass.hpp"
#include "diagnosis/rewrite.hpp"
#include "diagnosis/slices.hpp"
#include "diagnosis/subject.hpp"
#include "diagnosis/words.hpp"
#include "diagnosis/writer_grid.hpp"
#include "io/damage.hpp"
#include "io/journal.hpp"
#include "io/payload_files.hpp"
#include "threads/how_many.hpp"
#include "transport/transport.hpp"

namespace lq::diagnosis {
namespace {

constexpr std::uint64_t few_sites = 8, sampled_links_sites = 64;
constexpr std::uint64_t ordering_sites = 512;
constexpr std::uint64_t all_sites = 1 << 16, many_sites = 4096;  // measured all of them up to so many, else a sample
constexpr std::uint64_t shown_readings = 5;
// Stated plaquettes are printed with six digits at least, and computed in whatever precision.
constexpr double plaquette_tolerance = 1e-5;
constexpr double standard_errors = 6;
// Of the largest plaquette, that the declared order has where it is not wrong.
constexpr double least_part = 0.5;

// Most programs divide by the number of all plaquettes, those of zeros at open boundaries among them.
bool is_within(const Average& average, double factor, double stated) {
  const double tolerance = std::abs(factor) * (plaquette_tolerance + standard_errors * average.error);
  const auto is_near = [&](double value) { return std::abs(stated - factor * value) <= tolerance; };
  return is_near(average.value) || is_near(average.value * average.part);
}

// By which the stated plaquette is larger than the average over colours: other conventions; 0: by none of them.
double factor_of(const Average& average, double stated) {
  constexpr double factors[] = {1, 3, 2, 6, 1.0 / 3, 1.0 / 2};
  const auto fits = [&](double factor) { return is_within(average, factor, stated); };
  const auto found = std::ranges::find_if(factors, fits);
  return found == std::end(factors) ? 0 : *found;
}

// An error that a new file would not mend.
bool is_open(const Finding& finding) { return finding.severity == Severity::error && !is_mended(finding); }

class Detective {
 public:
  Detective(base::ByteSource& file, const DiagnoseOptions& options, transport::Transport* files)
      : options_(options),
        subject_(subject_of(file, options)),
        gathered_(gather(files)),
        file_(gathered_ ? gathered_->sequence() : file),
        ordering_(subject_.ordering) {
    result_.path = file.path();
    result_.format = subject_.format;
    result_.field = subject_.field;
    result_.extents = subject_.extents;
    result_.plaquette = subject_.plaquette;
    result_.stored = subject_.stored;
    result_.findings = subject_.findings;
  }

  Diagnosis run() {
    if (subject_.declared) {
      find_encoding();
      if (fit_.is_group()) find_ordering();
    }
    report_length();
    if (subject_.end > subject_.offset && subject_.end - subject_.offset <= options_.whole_bytes) walk_over();
    judge_plaquette();
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
  bool has_errors() const {
    return std::ranges::any_of(result_.findings, [](const Finding& f) { return f.severity == Severity::error; });
  }
  std::uint64_t sites_in(const Encoding& encoding) const {
    if (encoding.offset >= subject_.end) return 0;
    return std::min(volume(subject_.extents), (subject_.end - encoding.offset) / encoding.site_bytes());
  }
  std::uint64_t site_bytes() const { return encoding_ ? encoding_->site_bytes() : subject_.site_bytes; }
  std::uint64_t offset() const { return encoding_ ? encoding_->offset : subject_.offset; }

  std::unique_ptr<io::PayloadFiles> gather(transport::Transport* files) const;
  void find_encoding();
  Fit declared_fit() const;
  std::vector<Encoding> candidates() const;
  void find_ordering();
  void prefer_declared(std::vector<Ranked>& ranked);
  void measure(Ranked& one);
  void add_reading(const Encoding& encoding, const Fit& fit, const Ranked& one);
  void report_length();
  void walk_over();
  bool is_stored_otherwise() const;
  void judge_sums(const Pass& pass, threads::Team& team);
  void vouch_for_numbers();
  void report_order(const FoundOrder& found);
  void report_basis(const BasisFit& fit);
  void judge_plaquette();
  void conclude();
  std::string command() const;
  std::string remedy() const;
  void write_anew();

  const DiagnoseOptions& options_;
  Subject subject_;
  std::unique_ptr<io::PayloadFiles> gathered_;
  base::ByteSource& file_;  // or the sequence of the sites
  Diagnosis result_;
  std::optional<Encoding> encoding_;  // that was found, or the declared one
  Fit fit_;
  Ordering ordering_;
  std::optional<Average> plaquette_;  // in that ordering
  bool is_damaged_ = false;
};

// The sites one after the other, where they do not lie so. nullptr: they do.
std::unique_ptr<io::PayloadFiles> Detective::gather(transport::Transport* files) const {
  if (!subject_.is_gathered) return nullptr;
  if (files != nullptr) {
    return std::make_unique<io::PayloadFiles>(*files, subject_.catalog, subject_.entry->payload);
  }
  throw Error(
      Code::unsupported,
      fmt::format("{}: \"{}\" does not lie in one piece, site after site, and where its other pieces are is not "
                  "known",
                  subject_.catalog.path, subject_.field),
      {.path = subject_.catalog.path, .record = subject_.field});
}

// As declared, and at the end of what there is.
std::vector<Encoding> Detective::candidates() const {
  const std::uint64_t sites = volume(subject_.extents);
  std::vector<Encoding> all = encodings(*subject_.declared), moved;
  for (Encoding one : all) {
    const std::uint64_t bytes = sites * one.site_bytes();
    if (bytes > subject_.end || subject_.end - bytes == one.offset) continue;
    one.offset = subject_.end - bytes;
    moved.push_back(one);
  }
  all.insert(all.end(), moved.begin(), moved.end());
  return all;
}

void Detective::find_encoding() {
  fit_ = {};
  for (const Encoding& one : candidates()) {
    const std::uint64_t sites = sites_in(one);
    if (sites == 0) continue;
    const Fit fit = fit_of(one, file_, sites, few_sites);
    const bool is_better = fit.share > fit_.share || (fit_.share == 0 && fit.unitarity < fit_.unitarity);
    if (encoding_ && !is_better) continue;
    encoding_ = one;
    fit_ = fit;
  }
  if (!encoding_) encoding_ = subject_.declared;
  if (sites_in(*encoding_) > 0) fit_ = fit_of(*encoding_, file_, sites_in(*encoding_), sampled_links_sites);
  if (fit_.is_group()) {
    if (subject_.is_described) add(differences(subject_, *encoding_));
    return;
  }
  const Fit declared = declared_fit();
  add(Severity::error, "no-reading",
      fmt::format(
          "read in none of the {} ways that were tried are the links SU({}) matrices: |U U^dagger - 1| is {:.2g} "
          "at best, and {:.2g} as the header says; these are other data, smeared or rescaled links, or the "
          "lattice is not {}",
          candidates().size(), subject_.spec.colors, fit_.unitarity, declared.unitarity, to_string(subject_.extents)));
  encoding_ = subject_.declared;
  fit_ = declared;
  add_reading(*encoding_, fit_, Ranked{.ordering = ordering_, .plaquette = {}, .is_declared = true});
}

Fit Detective::declared_fit() const {
  const std::uint64_t sites = sites_in(*subject_.declared);
  return sites == 0 ? Fit{} : fit_of(*subject_.declared, file_, sites, sampled_links_sites);
}

void Detective::measure(Ranked& one) {
  const std::uint64_t sites = volume(subject_.extents);
  one.plaquette = average_plaquette(*encoding_, one.ordering, file_,
                                    sample_of(subject_.extents, sites <= all_sites ? sites : many_sites));
}

// Links that follow a pattern may have larger plaquettes in a wrong order: what the header states goes before.
void Detective::prefer_declared(std::vector<Ranked>& ranked) {
  const auto declared = std::ranges::find_if(ranked, &Ranked::is_declared);
  if (declared == ranked.begin() || declared == ranked.end()) return;
  const double largest = ranked.front().plaquette.value;
  measure(*declared);
  const bool is_kept = subject_.plaquette ? factor_of(declared->plaquette, *subject_.plaquette) != 0
                                          : declared->plaquette.value >= least_part * largest;
  if (!is_kept) return;
  if (!subject_.plaquette) {
    add(Severity::warning, "order-doubtful",
        fmt::format(
            "in another order of the sites or links plaquettes average to {:.3f}, in the order of the format to "
            "{:.3f}; no plaquette is stated that would tell which is right",
            largest, declared->plaquette.value));
  }
  std::rotate(ranked.begin(), declared, declared + 1);
}

void Detective::find_ordering() {
  const std::vector<Coord> sample = sample_of(subject_.extents, ordering_sites);
  std::vector<Ranked> ranked = rank_orderings(*encoding_, subject_.ordering, file_, sample);
  result_.sampled_sites = sample.size();
  const auto declared = std::ranges::find_if(ranked, &Ranked::is_declared);
  const Average& sampled = ranked.front().plaquette;
  const bool is_told = sampled.value >= standard_errors * sampled.error;
  if (!is_told && declared != ranked.end()) {
    add(subject_.is_described ? Severity::warning : Severity::error, "order-unknown",
        "in none of the orders of sites and links that were tried do plaquettes average to more than chance: the links "
        "are random, or the sites stand in another order, such as process by process, which the checksum would prove");
    std::rotate(ranked.begin(), declared, declared + 1);
  }
  prefer_declared(ranked);
  measure(ranked.front());
  plaquette_ = ranked.front().plaquette;
  ordering_ = ranked.front().ordering;
  const bool is_measured_whole = plaquette_->error == 0;
  if (is_measured_whole && subject_.plaquette && factor_of(*plaquette_, *subject_.plaquette) != 0)
    forget("order-unknown");
  if (subject_.is_described) add(differences(subject_.ordering, ranked.front()));
  const auto stated = std::ranges::find_if(ranked, &Ranked::is_declared);
  if (stated != ranked.begin() && stated != ranked.end()) {
    measure(*stated);
    std::rotate(ranked.begin() + 1, stated, stated + 1);
  }
  add_reading(*encoding_, fit_, ranked.front());
  if (*encoding_ != *subject_.declared && subject_.is_described) {
    const Ranked as_stated{.ordering = subject_.ordering, .plaquette = {}, .is_declared = true};
    add_reading(*subject_.declared, declared_fit(), as_stated);
  }
  for (std::size_t k = 1; k < std::min<std::size_t>(shown_readings, ranked.size()); ++k) {
    add_reading(*encoding_, fit_, ranked[k]);
  }
}

void Detective::add_reading(const Encoding& encoding, const Fit& fit, const Ranked& one) {
  Reading reading{.offset = encoding.offset,
                  .precision = encoding.precision,
                  .byte_order = encoding.byte_order,
                  .halves_exchanged = encoding.halves_exchanged,
                  .parts = encoding.parts,
                  .third_rows_missing = encoding.third_rows_missing,
                  .is_transposed = one.ordering.is_transposed,
                  .sites = one.ordering.order,
                  .links = one.ordering.links,
                  .is_declared = one.is_declared && !subject_.said && encoding == *subject_.declared,
                  .unitarity = fit.unitarity,
                  .determinant = fit.determinant};
  if (one.plaquette.plaquettes > 0) {
    reading.plaquette = one.plaquette.value;
    reading.plaquette_error = one.plaquette.error;
    if (subject_.plaquette) reading.factor = factor_of(one.plaquette, *subject_.plaquette);
  }
  result_.readings.push_back(std::move(reading));
}

void Detective::report_length() {
  const std::uint64_t needed = volume(subject_.extents) * site_bytes();
  const std::uint64_t there = offset() >= subject_.end ? 0 : subject_.end - offset();
  if (there < needed) {
    Finding one = finding(
        Severity::error, "truncated",
        fmt::format("the lattice {} needs {} bytes of numbers, the file has {}: its last {} sites are "
                    "missing, or the lattice is another one",
                    to_string(subject_.extents), needed, there, volume(subject_.extents) - there / site_bytes()));
    one.code = Code::truncated;
    result_.findings.push_back(std::move(one));
  } else if (subject_.is_exact && there > needed) {
    add(Severity::error, "lattice",
        fmt::format("the lattice {} of the header has {} sites, the data are {} sites: it is another lattice, which "
                    "--lattice tries",
                    to_string(subject_.extents), volume(subject_.extents), there / site_bytes()));
  }
}

void Detective::walk_over() {
  Walk what{.offset = offset(), .site_bytes = site_bytes(), .ordering = ordering_};
  const std::uint64_t there = offset() >= subject_.end ? 0 : subject_.end - offset();
  what.sites = std::min(volume(subject_.extents), there / what.site_bytes);
  if (gathered_) what.of = io::of_sites(subject_.entry->payload);
  if (encoding_ && fit_.is_group()) what.encoding = encoding_;
  if (what.encoding && is_stored_otherwise()) {
    what.declared = subject_.declared;
    what.declared_links = subject_.ordering.links;
  }
  const bool bears_threads = !gathered_ || gathered_->bear_threads();
  threads::Team team(bears_threads ? threads::how_many(options_.threads, what.sites * what.site_bytes) : 1);
  const Pass pass = walk(what, file_, team, options_.progress);
  result_.is_whole_read = true;
  if (const auto fit = basis_of(subject_, file_, {})) report_basis(*fit);
  if (what.encoding) {
    std::vector<Finding> damage = damage_in(what, pass);
    is_damaged_ = std::ranges::any_of(damage, [](const Finding& f) { return f.severity == Severity::error; });
    add(std::move(damage));
  }
  if (pass.crcs.size() == volume(subject_.extents)) judge_sums(pass, team);
}

// In a way that can be turned into the declared one without rounding.
bool Detective::is_stored_otherwise() const {
  const Encoding& found = *encoding_;
  Encoding declared = *subject_.declared;
  declared.offset = found.offset;
  const bool is_reversible =
      found.precision == declared.precision && found.third_rows_missing == declared.third_rows_missing;
  return subject_.is_described && is_reversible &&
         (found != declared || ordering_.is_transposed || ordering_.links != subject_.ordering.links);
}

void Detective::judge_sums(const Pass& pass, threads::Team& team) {
  result_.computed = checksum_of(pass.crcs, subject_.ordering.sites);
  if (!subject_.stored) return;
  if (*subject_.stored == *result_.computed) return vouch_for_numbers();
  const Checksum& stored = *subject_.stored;
  if (stored.suma == result_.computed->sumb && stored.sumb == result_.computed->suma) {
    return add(Severity::error, "sums-exchanged", "the two sums of the checksum are exchanged; the data are right");
  }
  FoundOrder found = find_order(pass.crcs, subject_.extents, stored, options_.seconds, team);
  if (!found.answer.is_found && !pass.crcs_as_declared.empty()) {
    const WriterGrid before = found.answer;
    found = find_order(pass.crcs_as_declared, subject_.extents, stored, options_.seconds, team);
    found.answer.tried += before.tried;
    found.answer.grids += before.grids;
    found.answer.seconds += before.seconds;
    found.answer.is_complete = found.answer.is_complete && before.is_complete;
  }
  result_.grid = found.answer;
  if (found.answer.is_found) return report_order(found);
  add(Severity::error, "checksum",
      fmt::format(
          "the data have checksum {}, {} {}, and in none of {} grids of processes and {} other orders of the sites "
          "do they have that{}: numbers were changed since it was computed",
          to_string(*result_.computed), options_.sums.empty() ? "the file states" : "it should be", to_string(stored),
          found.answer.grids, found.answer.tried - found.answer.grids,
          found.answer.is_complete ? "" : " (there are more, but the time was over)"));
}

// They may be no links of the group, and still be what was written.
void Detective::vouch_for_numbers() {
  for (Finding& one : result_.findings) {
    if (one.rule != "no-reading") continue;
    one.severity = Severity::warning;
    one.message += ". The checksum agrees: they are the numbers that were written";
  }
}

void Detective::report_order(const FoundOrder& found) {
  const std::string sums = to_string(*subject_.stored);
  if (found.map == subject_.ordering.sites) {
    return add(Severity::note, "checksum-afterwards",
               fmt::format("with this put right the data have the stated checksum {}: they were changed after it was "
                           "computed, and nothing is lost",
                           sums));
  }
  forget("order-unknown");
  const std::string proof = fmt::format("both sums of the stated checksum {} agree in this order", sums);
  const bool is_known = !found.answer.sites.empty() && found.answer.sites == ordering_.order;
  forget("site-order");
  if (!found.answer.sites.empty()) {
    add(Severity::error, "site-order",
        fmt::format("the sites stand with {}: {}", order_text(found.answer.sites), proof));
  } else {
    add(Severity::error, "writer-grid",
        fmt::format("the sites stand process by process, as {} ranks on the process grid {} write them one after the "
                    "other, numbered with {}: {}",
                    volume(found.answer.processes), to_string(found.answer.processes),
                    found.answer.ranks_last_fastest ? "t fastest (more of them in t give the same order)" : "x fastest",
                    proof));
  }
  ordering_.sites = found.map;
  ordering_.order = found.answer.sites;
  if (is_known || !encoding_ || !fit_.is_group()) return;
  // What the plaquette said of other orders is settled.
  forget("link-order");
  forget("transposed");
  ordering_.links = subject_.ordering.links;
  ordering_.is_transposed = false;
  Ranked one{.ordering = ordering_, .plaquette = {}};
  measure(one);
  plaquette_ = one.plaquette;
  if (found.answer.sites.empty()) result_.readings.clear();
  add_reading(*encoding_, fit_, one);
  std::rotate(result_.readings.begin(), result_.readings.end() - 1, result_.readings.end());
}

void Detective::report_basis(const BasisFit& fit) {
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

void Detective::judge_plaquette() {
  if (!plaquette_ || plaquette_->plaquettes == 0) return;
  const bool is_sequence = !ordering_.order.empty() && ordering_.order.back() + 1 == subject_.extents.size() &&
                           sites_in(*encoding_) == volume(subject_.extents);
  const bool is_explained = subject_.plaquette ? factor_of(*plaquette_, *subject_.plaquette) != 0
                                               : subject_.stored && result_.computed == subject_.stored;
  const Joints joints = is_sequence && !is_explained ? examine_joints(*encoding_, ordering_, file_) : Joints{};
  add(damage_in(joints, subject_.extents));
  if (!subject_.plaquette || is_damaged_ || !joints.broken.empty()) return;
  const double stated = *subject_.plaquette, factor = factor_of(*plaquette_, stated);
  if (factor == 1) return;
  if (factor != 0) {
    return add(
        Severity::error, "plaquette-factor",
        fmt::format("the header states the plaquette {:.10g}, which is {:.4g} times that of the links, {:.10g}: "
                    "another normalisation (the average of Re Tr U/3 is at most 1; without the 1/3 it is at most "
                    "3); the links are right",
                    stated, factor, plaquette_->value));
  }
  add(Severity::error, "plaquette",
      fmt::format(
          "the header states the plaquette {:.10g}, the links have {:.10g}{}: header and data belong to different "
          "configurations, or the order of the sites is none that was tried",
          stated, plaquette_->value,
          plaquette_->error > 0 ? fmt::format(" (+- {:.2g}, a sample)", plaquette_->error) : std::string()));
}

void Detective::conclude() {
  result_.ok = !has_errors();
  std::string text;
  for (const Finding& one : result_.findings) {
    if (one.severity == Severity::error) text += (text.empty() ? "" : "\n") + one.message;
  }
  for (const Finding& one : result_.findings) {
    if (one.rule == "spinor-basis" || one.rule == "checksum-afterwards")
      text += (text.empty() ? "" : "\n") + one.message;
  }
  if (result_.ok) {
    const std::string basis = text.empty() ? "" : "\n" + text;
    const std::string checked = subject_.stored && result_.computed ? ", and the checksum agrees" : "";
    text = has("no-reading") ? "the numbers are those that were written, for the checksum agrees"
           : !encoding_      ? fmt::format("nothing is wrong as far as it can be told{}{}", checked, basis)
           : !plaquette_     ? fmt::format("the links are SU({}) matrices{}", subject_.spec.colors, checked)
           : subject_.is_described
               ? fmt::format("the file is what it says: SU({}) links in the order of the format{}{}",
                             subject_.spec.colors, subject_.plaquette ? ", with the stated plaquette" : "", checked)
               : fmt::format("the numbers are a gauge field: {}", description_of(*encoding_, ordering_));
  }
  result_.verdict = std::move(text);
  result_.remedy = remedy();
}

std::string Detective::command() const {
  const auto option = [](std::string_view name, const std::string& value) {
    return value.empty() ? std::string() : fmt::format(" --{} {}", name, base::printable(value, 1000));
  };
  return fmt::format("lq diagnose {}{}{} --rewrite NEW.{}", base::printable(result_.path, 1000),
                     option("lattice", options_.lattice), option("sums", options_.sums),
                     subject_.spec.kind == FieldKind::gauge ? "ildg" : "scidac");
}

std::string Detective::remedy() const {
  if (result_.ok) return subject_.is_described || !plaquette_ ? "" : command() + " makes a file that says so";
  if (std::ranges::none_of(result_.findings, is_open)) {
    return command() + " writes the numbers as they should stand, with a header and sums of their own";
  }
  if (has("order-unknown"))
    return "give the checksum with --sums, if it is known: the order of the sites is found from it";
  if (has("no-reading")) return "tell another lattice with --lattice, or ask who wrote the file what is in it";
  if (has("truncated")) return "copy the file again from its source; lq repair rescues the whole time slices";
  if (has("sums-exchanged")) return "the numbers can be used; read them without comparing sums, and write them again";
  return "take a good copy if there is one, or have it written again; where the damage is, the sentences above say";
}

// Only what is known to be whole gets a new header and new sums.
void Detective::write_anew() {
  const auto open = std::ranges::find_if(result_.findings, is_open);
  if (open != result_.findings.end()) {
    throw Error(
        Code::wrong_state,
        fmt::format("{}: it is not written anew, for that would not mend this: {}", result_.path, open->message),
        {.path = result_.path});
  }
  if (result_.ok && subject_.is_described) {
    throw Error(Code::wrong_state, fmt::format("{}: nothing is wrong, there is nothing to write anew", result_.path),
                {.path = result_.path});
  }
  Rewriting how{.path = options_.rewrite,
                .overwrite = options_.overwrite,
                .encoding = encoding_,
                .ordering = ordering_,
                .plaquette = {}};
  if (has("plaquette-factor")) how.plaquette = plaquette_->value;
  result_.rewritten = rewrite(subject_, file_, how);
}

}  // namespace

Diagnosis diagnose(base::ByteSource& file, const DiagnoseOptions& options, transport::Transport* files) {
  return Detective(file, options, files).run();
}

}  // namespace lq::diagnosis

namespace lq {

std::string_view name(ComplexParts parts) noexcept {
  constexpr std::string_view names[] = {"interleaved", "exchanged", "apart"};
  return names[static_cast<std::size_t>(parts)];
}

Diagnosis diagnose(const std::string& path, const DiagnoseOptions& options) {
  transport::Transport& files = transport::resolve(path);
  return diagnosis::diagnose(*io::open_journaled(files, path), options, &files);
}

}  // namespace lq
