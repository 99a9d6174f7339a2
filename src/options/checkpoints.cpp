// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Rows of folders of checkpoints.
#include "options/shared_rows.hpp"

namespace lq::options {
namespace {

constexpr std::string_view no_saving_verb = "only programs save checkpoints";

}  // namespace

Table checkpoints_table() {
  using V = CheckpointsOptions;
  using C = lq_checkpoints_options;
  using Row = Rows<V, C>;
  auto result = table<C>("A folder of checkpoints", {"Checkpoints"}, {"checkpoints"});
  result.rows = {
      Row::row<&V::keep, &C::keep>(
          {.name = "keep",
           .meaning = "number of newest valid checkpoints that stay (default 2)",
           .advice = "Older ones are removed when a new one is complete, so that the disk holds one more than this "
                     "for a while. With 1 nothing is left to go back to if the newest is damaged later.",
           .bounds = {.least = 1}}),
      Row::row<&V::keep_every, &C::keep_every>(
          {.name = "keep_every",
           .meaning = "checkpoints whose step is a multiple of this also stay (default 0: none)",
           .advice = "Keeps older states to return to."}),
      Row::row<&V::proven, &C::proven>(
          {.name = "proven",
           .meaning = "number of checkpoints that stay which are read and compared before one is removed (default 2)",
           .advice = "The new one, and those before it, up to keep. One that is found to be damaged does not count, so "
                     "that an older one stays in its stead. 1 saves reading one checkpoint for each that is saved.",
           .bounds = {.least = 1}}),
      Row::row<&V::read_only, &C::read_only>(
          {.name = "read_only",
           .meaning = "only load: lock, mark and remove nothing",
           .advice = "For programs that analyse the newest checkpoint while a job saves more."}),
      Row::row<&V::local, &C::local>(
          {.name = "local",
           .meaning = "folder on each node, on a local disk or in memory, that is saved to first",
           .advice = "A save is complete once every rank has its part there, and is copied to the checkpoint folder "
                     "while the program computes; the copy needs memory for one checkpoint. After a kill the newest "
                     "one is loaded: by as many ranks on the same nodes, or by any number if every rank sees the "
                     "parts of all.",
           .ranks = Ranks::own}),
      Row::row<&V::files, &C::files>(
          {.name = "files",
           .meaning = "number of physical files of the streams, one per rank at most (default 0: chosen)",
           .advice = "As when a multifile is written.",
           .bounds = {.least = 0}}),
      Row::row<&V::compression, &C::compression>(
          {.name = "compression",
           .meaning = "compression of each stream (default none)",
           .advice = "As when a multifile is written. Fields are not compressed."}),
      Row::row<&V::node_group, &C::node_group>(
          {.name = "node_group",
           .meaning = "number of nodes that keep parity of each other's parts, with local (default 8)",
           .advice = "A node needs lost_nodes / (node_group - lost_nodes) of the space of its parts for parity. The "
                     "fewer nodes, the more of them can be lost in all, and the more space is needed.",
           .bounds = {.least = 2, .most = 100}}),
      Row::row<&V::lost_nodes, &C::lost_nodes>(
          {.name = "lost_nodes",
           .meaning = "nodes of each group that can be lost, with local (default 1; 0: no parity)",
           .advice = "The parts of a lost node are restored on a new one from what the other nodes of its group have.",
           .bounds = {.least = 0, .most = 16}}),
  };
  for (Option& row : result.rows) {
    if (row.name != "keep" && row.name != "keep_every" && row.name != "proven") row.not_in_lq = no_saving_verb;
  }
  return result;
}

Table checkpoint_list_table() {
  using V = CheckpointListOptions;
  using C = lq_checkpoint_list_options;
  using Row = Rows<V, C>;
  auto result = table<C>("Listing a folder of checkpoints", {"list_checkpoints"}, {"checkpoints"});
  result.rows = {Row::row<&V::verify, &C::verify>(
      {.name = "verify",
       .meaning = "read all bytes and compare them with their checksums (default checksum)",
       .advice = "With none the list is made from the manifests alone, and checkpoints are \"not checked\".",
       .shorthands = {{"no-verify", "none", "do not read the bytes of checkpoints; they are then \"not checked\""}}})};
  result.rows.push_back(threads_row<V, C>());
  return result;
}

}  // namespace lq::options
