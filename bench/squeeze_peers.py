#!/usr/bin/env python3
# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""usage: squeeze_peers.py --bench build/openmpi/bin/bench_squeeze [--rounds N] [--json FILE] FIELD.ildg

The links of a double precision ILDG file, compressed and restored without loss, tile by tile in memory on one core: by
Limequat, and by each of pcodec, blosc2, fpzip, zfp and zstd that is installed in this Python (packages pcodec, blosc2,
fpzip, zfpy, zstandard); the others are left out, and named. They get the numbers in the byte order of the machine.
Medians of the rounds, in seconds of the processor, because other programs may be running; every tile is compared."""

import argparse
import importlib
import json
import pathlib
import platform
import statistics
import subprocess
import sys
import time

import numpy as np

REALS = 18


def payload_of(path):
    """The bytes of the record ildg-binary-data."""
    data, at = path.read_bytes(), 0
    while at < len(data):
        length = int.from_bytes(data[at + 8:at + 16], "big")
        if data[at + 16:at + 144].startswith(b"ildg-binary-data\0"):
            return data[at + 144:at + 144 + length]
        at += 144 + -(-length // 8) * 8
    sys.exit(f"squeeze_peers: {path}: there is no record ildg-binary-data in it")


def with_pcodec(pcodec):
    from pcodec import standalone  # noqa: PLC0415  (only where it is installed)
    settings = pcodec.ChunkConfig()
    yield "pcodec", "its defaults", lambda tile: standalone.simple_compress(tile.reshape(-1), settings), \
        lambda stored, shape: standalone.simple_decompress(stored).reshape(shape)


def with_blosc2(blosc2):
    blosc2.set_nthreads(1)
    for name, mode in (("byte shuffle", blosc2.Filter.SHUFFLE), ("bit shuffle", blosc2.Filter.BITSHUFFLE)):
        yield "blosc2", f"zstd, level 5, {name}", \
            lambda tile, m=mode: blosc2.compress(tile.tobytes(), 8, 5, m, blosc2.Codec.ZSTD), \
            lambda stored, shape: np.frombuffer(blosc2.decompress(stored)).reshape(shape)


def with_fpzip(fpzip):
    yield "fpzip", "precision 0 (lossless)", lambda tile: fpzip.compress(tile, precision=0, order="C"), \
        lambda stored, shape: fpzip.decompress(stored, order="C").reshape(shape)


def with_zfpy(zfpy):
    yield "zfp", "reversible", lambda tile: zfpy.compress_numpy(tile, write_header=True), \
        lambda stored, shape: zfpy.decompress_numpy(stored).reshape(shape)


def with_zstandard(zstandard):
    for level in (1, 3, 19):
        yield "zstd", f"level {level}", zstandard.ZstdCompressor(level).compress, \
            lambda stored, shape: np.frombuffer(zstandard.ZstdDecompressor().decompress(stored)).reshape(shape)


PEERS = {"pcodec": with_pcodec, "blosc2": with_blosc2, "fpzip": with_fpzip, "zfpy": with_zfpy, "zstandard": with_zstandard}


def one_round(tiles, encode, decode):
    """Seconds that compression and restoring take, and bytes stored."""
    encoding = decoding = 0.0
    stored_bytes = 0
    for tile in tiles:
        begin = time.process_time()
        stored = encode(tile)
        middle = time.process_time()
        back = decode(stored, tile.shape)
        decoding += time.process_time() - middle
        encoding += middle - begin
        stored_bytes += len(stored)
        if back.tobytes() != tile.tobytes():
            raise ValueError("a tile did not come back")
    return encoding, decoding, stored_bytes


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("field", type=pathlib.Path)
    parser.add_argument("--bench", required=True, help="the program bench_squeeze of a build")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=pathlib.Path, help="write the results there, too")
    options = parser.parse_args()
    ours = json.loads(subprocess.run([options.bench, str(options.field), str(options.rounds)], check=True,
                                     capture_output=True, text=True).stdout)
    squeezed = ours["results"][0]
    results = [{"name": "Limequat", "settings": "`lq squeeze`, without its check", "version": "this one",
                **{key: squeezed[key] for key in ("bytes", "stored")},
                "encode_seconds": squeezed["encode_cpu_seconds"], "decode_seconds": squeezed["decode_cpu_seconds"]}]
    numbers = np.frombuffer(payload_of(options.field), ">f8").astype("<f8").reshape(-1, REALS)
    links = ours["tile_bytes"] // (8 * REALS)
    tiles = [np.ascontiguousarray(numbers[at:at + links]) for at in range(0, len(numbers), links)]
    ways, missing = [], []
    for module, peers in PEERS.items():
        try:
            found = importlib.import_module(module)
        except ImportError:
            missing.append(module)
            continue
        ways += [(*way, getattr(found, "__version__", "?")) for way in peers(found)]
    rounds = [[] for _ in ways]
    for _ in range(options.rounds):
        for measured, (name, settings, encode, decode, _version) in zip(rounds, ways):
            measured.append(one_round(tiles if (name, settings) != ("zstd", "level 19") else tiles[:4], encode, decode))
    for measured, (name, settings, _encode, _decode, version) in zip(rounds, ways):
        count = 4 if (name, settings) == ("zstd", "level 19") else len(tiles)
        results.append({"name": name, "settings": settings, "version": version, "bytes": sum(t.nbytes for t in tiles[:count]),
                        "stored": measured[0][2], "encode_seconds": statistics.median(m[0] for m in measured),
                        "decode_seconds": statistics.median(m[1] for m in measured)})
    answer = {"machine": platform.machine(), "processor": ours["processor"], "rounds": options.rounds,
              "tile_bytes": ours["tile_bytes"], "missing": missing, "results": results}
    if options.json:
        options.json.write_text(json.dumps(answer, indent=1) + "\n", encoding="utf-8")
    for r in results:
        print(f"{r['name']:10} {r['settings']:32} {r['stored'] / r['bytes']:.3f} of the bytes, "
              f"{r['bytes'] / r['encode_seconds'] / 1e9:6.3f} GB/s in, {r['bytes'] / r['decode_seconds'] / 1e9:6.3f} GB/s out")
    if missing:
        print("not installed, left out:", ", ".join(missing))


if __name__ == "__main__":
    main()
