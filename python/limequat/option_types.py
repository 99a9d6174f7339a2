# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Options for type checkers; made of the tables in src/options by tools/make_options.py."""

from typing import Callable, Literal, Mapping, Optional, Sequence, TypedDict, Union

from typing_extensions import Unpack

__all__ = ["WriteOptions", "ReadOptions", "FurtherReadOptions", "Limits", "VerifyOptions", "DiagnoseOptions", "ConvertOptions", "DiffOptions", "PlanRequest", "ObservablesOptions", "GenerateOptions", "MultifileOptions", "MultifileReadOptions", "RepackOptions", "RepairOptions", "CheckpointsOptions", "CheckpointListOptions", "CopyOptions", "RepartitionOptions", "SqueezeOptions", "ProtectOptions", "Hdf5Options", "CatalogueOptions", "QcdmlOptions", "Unpack"]


class WriteOptions(TypedDict, total=False):
    """Writing a field, or a file of several."""

    format: Optional[str]
    to: Optional[str]
    name: Optional[str]
    precision: Union[Literal["single", "double"], bool, None]
    metadata: Optional[Mapping[str, str]]
    verify: Union[Literal["none", "checksum", "read-back"], bool, None]
    sync: Union[Literal["none", "data", "full"], bool, None]
    overwrite: Optional[bool]
    force: Optional[bool]
    measure: Optional[bool]
    slice_checksums: Optional[bool]
    block_bytes: Optional[int]
    strategy: Union[Literal["auto", "direct", "shared", "pull", "messages"], bool, None]
    aggregators: Optional[int]
    chunk_bytes: Optional[int]
    chunk: Optional[int]
    alignment: Optional[int]
    memory_bytes: Optional[int]
    memory: Optional[int]
    threads: Optional[int]
    profile: Optional[str]
    machine: Optional[str]
    layout: Optional[str]
    dataset_chunk: Optional[Union[str, Sequence[int]]]
    filters: Optional[str]
    parts: Optional[Union[str, Sequence[int]]]
    time_stamps: Optional[bool]
    protect: Optional[str]
    stripe_count: Optional[int]
    stripe_bytes: Optional[int]
    stripes_by_size: Optional[bool]
    progress: Union[Callable[..., None], bool, None]


class FurtherReadOptions(TypedDict, total=False):
    """Reading a field."""

    index: Optional[int]
    block_bytes: Optional[int]
    limit_records: Optional[int]
    limit_text_bytes: Optional[int]
    strategy: Union[Literal["auto", "direct", "shared", "pull", "messages"], bool, None]
    aggregators: Optional[int]
    chunk_bytes: Optional[int]
    chunk: Optional[int]
    alignment: Optional[int]
    memory_bytes: Optional[int]
    memory: Optional[int]
    threads: Optional[int]
    profile: Optional[str]
    machine: Optional[str]
    progress: Union[Callable[..., None], bool, None]


class ReadOptions(FurtherReadOptions, total=False):
    """Reading a field."""

    field: Optional[str]
    region: Optional[Union[Mapping[Union[str, int], Union[slice, int]], str]]
    verify: Union[Literal["none", "checksum", "read-back"], bool, None]


class Limits(TypedDict, total=False):
    """Inspecting a file."""

    limit_records: Optional[int]
    limit_text_bytes: Optional[int]


class VerifyOptions(TypedDict, total=False):
    """Verifying a file."""

    physics: Union[Literal["when-it-fits", "always", "never"], bool, None]
    memory_bytes: Optional[int]
    block_bytes: Optional[int]
    require: Union[Literal["consistent", "sound"], bool, None]
    observables: Optional[bool]
    flow_steps: Optional[int]
    flow_step: Optional[float]
    limit_records: Optional[int]
    limit_text_bytes: Optional[int]
    threads: Optional[int]
    progress: Union[Callable[..., None], bool, None]


class DiagnoseOptions(TypedDict, total=False):
    """Finding out what is wrong with a file."""

    field: Optional[str]
    index: Optional[int]
    lattice: Optional[Union[str, Sequence[int]]]
    sums: Optional[str]
    whole_bytes: Optional[int]
    seconds: Optional[float]
    rewrite: Optional[str]
    overwrite: Optional[bool]
    force: Optional[bool]
    reading: Optional[int]
    limit_records: Optional[int]
    limit_text_bytes: Optional[int]
    threads: Optional[int]
    progress: Union[Callable[..., None], bool, None]


class ConvertOptions(WriteOptions, total=False):
    """Converting, in addition to the options of writing."""

    dry_run: Optional[bool]
    allow_loss: Optional[bool]
    accept_damage: Optional[bool]
    field: Optional[str]
    index: Optional[int]
    region: Optional[str]
    limit_records: Optional[int]
    limit_text_bytes: Optional[int]


class DiffOptions(TypedDict, total=False):
    """Comparing two files."""

    tolerance: Optional[float]
    tol: Optional[float]
    field: Optional[str]
    index: Optional[int]
    limit_records: Optional[int]
    limit_text_bytes: Optional[int]
    threads: Optional[int]
    progress: Union[Callable[..., None], bool, None]


class PlanRequest(TypedDict, total=False):
    """Planning a transfer."""

    checksum: Optional[bool]
    payload_offset: Optional[int]
    offset: Optional[int]
    strategy: Union[Literal["auto", "direct", "shared", "pull", "messages"], bool, None]
    aggregators: Optional[int]
    chunk_bytes: Optional[int]
    chunk: Optional[int]
    alignment: Optional[int]
    memory_bytes: Optional[int]
    memory: Optional[int]
    threads: Optional[int]
    profile: Optional[str]
    machine: Optional[str]
    stripe_count: Optional[int]
    stripe_bytes: Optional[int]
    stripes_by_size: Optional[bool]


class ObservablesOptions(TypedDict, total=False):
    """Measuring observables of a gauge field."""

    flow_steps: Optional[int]
    flow_step: Optional[float]
    threads: Optional[int]


class GenerateOptions(TypedDict, total=False):
    """Generating a gauge configuration."""

    beta: Optional[float]
    sweeps: Optional[int]
    over_relaxation: Optional[int]
    seed: Optional[int]
    hot_start: Optional[bool]
    hot: Optional[bool]
    threads: Optional[int]
    after_sweep: Optional[Callable[..., None]]


class MultifileOptions(TypedDict, total=False):
    """Writing a multifile, or appending to one."""

    streams: Optional[int]
    tasks: Optional[int]
    expected_bytes: Optional[int]
    files: Optional[int]
    compression: Union[Literal["none", "lz4", "zstd"], bool, None]
    level: Optional[int]
    checksums: Optional[bool]
    overwrite: Optional[bool]
    force: Optional[bool]
    sync: Union[Literal["none", "data", "full"], bool, None]
    buffer_bytes: Optional[int]
    stripe_count: Optional[int]
    stripe_bytes: Optional[int]
    stripes_by_size: Optional[bool]


class MultifileReadOptions(TypedDict, total=False):
    """Reading a multifile."""

    record_bytes: Optional[int]
    verify: Union[Literal["none", "checksum", "read-back"], bool, None]
    accept_missing: Optional[bool]


class RepackOptions(TypedDict, total=False):
    """Multifiles made from files, from multifiles, and from what is left of them."""

    overwrite: Optional[bool]
    force: Optional[bool]
    dry_run: Optional[bool]
    sync: Union[Literal["none", "data", "full"], bool, None]
    block_size: Optional[int]
    unit: Optional[int]
    checkpoint: Optional[bool]
    compression: Union[Literal["none", "lz4", "zstd"], bool, None]
    verify: Union[Literal["none", "checksum", "read-back"], bool, None]
    limit_records: Optional[int]
    limit_text_bytes: Optional[int]
    threads: Optional[int]
    progress: Union[Callable[..., None], bool, None]


class RepairOptions(TypedDict, total=False):
    """A multifile made in place from the remains of an interrupted one."""

    overwrite: Optional[bool]
    force: Optional[bool]
    dry_run: Optional[bool]


class CheckpointsOptions(TypedDict, total=False):
    """A folder of checkpoints."""

    keep: Optional[int]
    keep_every: Optional[int]
    proven: Optional[int]
    read_only: Optional[bool]
    local: Optional[str]
    files: Optional[int]
    compression: Union[Literal["none", "lz4", "zstd"], bool, None]
    node_group: Optional[int]
    lost_nodes: Optional[int]


class CheckpointListOptions(TypedDict, total=False):
    """Listing a folder of checkpoints."""

    verify: Union[Literal["none", "checksum", "read-back"], bool, None]
    threads: Optional[int]


class CopyOptions(TypedDict, total=False):
    """Copying files between folders and file systems."""

    verify: Union[Literal["none", "checksum", "read-back"], bool, None]
    resume: Optional[bool]
    overwrite: Optional[bool]
    force: Optional[bool]
    recursive: Optional[bool]
    dry_run: Optional[bool]
    sync: Union[Literal["none", "data", "full"], bool, None]
    block_bytes: Optional[int]
    stripe_count: Optional[int]
    stripe_bytes: Optional[int]
    stripes_by_size: Optional[bool]
    progress: Union[Callable[..., None], bool, None]


class RepartitionOptions(TypedDict, total=False):
    """Files as sets of subfiles, and back."""

    to: Optional[str]
    folders: Optional[str]
    extents: Optional[Union[str, Sequence[int]]]
    element_bytes: Optional[int]
    begin: Optional[int]
    verify: Union[Literal["none", "checksum", "read-back"], bool, None]
    resume: Optional[bool]
    overwrite: Optional[bool]
    force: Optional[bool]
    dry_run: Optional[bool]
    sync: Union[Literal["none", "data", "full"], bool, None]
    block_bytes: Optional[int]
    progress: Union[Callable[..., None], bool, None]


class SqueezeOptions(TypedDict, total=False):
    """Squeezing files and restoring them."""

    verify: Union[Literal["none", "checksum", "read-back"], bool, None]
    overwrite: Optional[bool]
    force: Optional[bool]
    sync: Union[Literal["none", "data", "full"], bool, None]
    threads: Optional[int]
    progress: Union[Callable[..., None], bool, None]


class ProtectOptions(TypedDict, total=False):
    """Parity next to files."""

    parity: Optional[str]
    lost_files: Optional[int]
    together: Optional[bool]
    check: Optional[bool]
    overwrite: Optional[bool]
    force: Optional[bool]
    accept_damage: Optional[bool]
    sync: Union[Literal["none", "data", "full"], bool, None]
    threads: Optional[int]
    progress: Union[Callable[..., None], bool, None]


class Hdf5Options(TypedDict, total=False):
    """A session with an HDF5 file."""

    overwrite: Optional[bool]
    force: Optional[bool]
    layout: Optional[str]
    time_stamps: Optional[bool]
    digests: Union[Literal["check", "ignore"], bool, None]
    sync: Union[Literal["none", "data", "full"], bool, None]
    limit_records: Optional[int]
    limit_text_bytes: Optional[int]


class CatalogueOptions(TypedDict, total=False):
    """Catalogues of ensembles."""

    db: Optional[str]
    threads: Optional[int]
    forget: Optional[bool]
    since: Optional[str]
    physics: Union[Literal["when-it-fits", "always", "never"], bool, None]
    sort: Optional[str]
    most: Optional[int]
    title: Optional[str]
    overwrite: Optional[bool]
    force: Optional[bool]
    observables: Optional[bool]
    flow_steps: Optional[int]
    flow_step: Optional[float]
    limit_records: Optional[int]
    limit_text_bytes: Optional[int]
    progress: Union[Callable[..., None], bool, None]
    exclude: Optional[str]
    which: Optional[str]
    rate: Optional[str]


class QcdmlOptions(TypedDict, total=False):
    """QCDml documents."""

    schema: Optional[str]
    crc: Optional[str]
    metadata: Optional[Mapping[str, str]]
    limit_records: Optional[int]
    limit_text_bytes: Optional[int]
