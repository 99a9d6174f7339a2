# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Copies of URLs: they go on where they ended, and a digest that the server states is compared before a file has its name."""

import base64
import contextlib
import hashlib
import io
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tarfile
import time
import zlib

import pytest
from conftest import random_links
from range_server import serving

import limequat as lq
from limequat.fetching import stated_digests

DATE = "Sun, 29 Nov 2026 12:00:00 GMT"


@pytest.fixture(scope="module")
def content(tmp_path_factory):
    path = tmp_path_factory.mktemp("made") / "conf.ildg"
    lq.write(path, random_links((16, 8, 8, 8, 4)))
    return path.read_bytes()


def _sha256(data):
    return {"Repr-Digest": "sha-256=:" + base64.b64encode(hashlib.sha256(data).digest()).decode() + ":"}


def _s3(data):
    return {"ETag": f'"{hashlib.md5(data).hexdigest()}"', "x-amz-request-id": "1"}


def _xrootd(data):
    return {"Digest": f"adler32={zlib.adler32(data):08x}"}


@pytest.mark.parametrize("state, algorithm", [(_sha256, "sha-256"), (_s3, "md5"), (_xrootd, "adler32"), (lambda data: {}, None)])
def test_a_copy_is_the_file_and_has_the_digest_that_the_server_states(content, tmp_path, state, algorithm):
    with serving(conf__ildg=content) as (address, served):
        served["conf__ildg"].headers, served["conf__ildg"].date = state(content), DATE
        served["conf__ildg"].etag = state(content).get("ETag", '"first"')
        made = lq.copy(address + "/conf.ildg?signature=hidden", tmp_path)
        assert served["conf__ildg"].sent <= len(content) + 3 * 65536
    target = tmp_path / "conf.ildg"
    assert target.read_bytes() == content and made.files == [str(target)] and made.bytes == len(content)
    assert [path.split(":")[0] for path in made.digests.values()] == ([algorithm] if algorithm else [])
    assert os.listdir(tmp_path) == ["conf.ildg"] and target.stat().st_mtime == 1795953600


@pytest.mark.parametrize("state", [_sha256, _s3, _xrootd])
def test_a_digest_that_differs_leaves_no_file(content, tmp_path, state):
    raw = bytes(content[:100]) + b"x" * 1000  # a file whose format has no checksum of its own
    with serving(conf__ildg=raw) as (address, served):
        served["conf__ildg"].headers = state(b"other bytes")
        served["conf__ildg"].etag = state(b"other bytes").get("ETag", '"first"')
        with pytest.raises(lq.ChecksumError, match="server states") as caught:
            lq.copy(address.replace("//", "//me:hidden@") + "/conf.ildg?token=hidden", tmp_path, verify=False)
    assert "hidden" not in str(caught.value) and os.listdir(tmp_path) == []


def test_a_copy_that_broke_goes_on_where_it_ended(content, tmp_path):
    with serving(conf__ildg=content) as (address, served):
        file = served["conf__ildg"]
        file.headers, file.date = _sha256(content), DATE
        file.before = lambda number: setattr(file, "fails", 1000) if number > 5 else None
        with pytest.raises(lq.IoError, match="cannot read"):
            lq.copy(address + "/conf.ildg", tmp_path, block_bytes=1 << 19)
        assert not (tmp_path / "conf.ildg").exists()
        file.before, file.fails, before = (lambda number: None), 0, file.sent
        made = lq.copy(address + "/conf.ildg", tmp_path, block_bytes=1 << 19)
        assert made.moved_bytes < len(content) and file.sent - before <= made.moved_bytes + 3 * 65536
    assert (tmp_path / "conf.ildg").read_bytes() == content and os.listdir(tmp_path) == ["conf.ildg"]


@pytest.mark.parametrize("date", [DATE, None])
def test_a_copy_of_a_file_that_changed_begins_again(content, tmp_path, date):
    other = content[:-1000] + bytes(1000)
    with serving(conf__ildg=content) as (address, served):
        file = served["conf__ildg"]
        file.date = date
        file.before = lambda number: setattr(file, "fails", 1000) if number > 5 else None
        with pytest.raises(lq.IoError):
            lq.copy(address + "/conf.ildg", tmp_path, block_bytes=1 << 19)
        file.before, file.fails, file.data, file.etag = (lambda number: None), 0, other, '"second"'
        file.date = date and "Sun, 29 Nov 2026 12:00:01 GMT"
        made = lq.copy(address + "/conf.ildg", tmp_path, block_bytes=1 << 19)
        assert made.moved_bytes == len(content) and made.findings
    assert (tmp_path / "conf.ildg").read_bytes() == other
    assert abs((tmp_path / "conf.ildg").stat().st_mtime - time.time()) < 60 or date


def test_data_that_no_sum_proves_are_examined_where_they_were_copied_to(tmp_path, monkeypatch):
    """A stated plaquette makes lq.copy look at the links once more: at those of the copy."""
    monkeypatch.setattr("limequat.seeking._KEPT_BYTES", 1 << 20)
    links = lq.generate((8, 8, 8, 16), sweeps=1)
    plaquette = f"{lq.plaquette(links).average:.10f}"
    lq.write(tmp_path / "stated.ildg", links, metadata={"xlf-info": f"plaquette = {plaquette}\n"})
    content = (tmp_path / "stated.ildg").read_bytes()
    wrong = content.replace(plaquette.encode(), b"0.1234567890")
    with serving(conf__ildg=content) as (address, served):
        file = served["conf__ildg"]
        assert lq.copy(address + "/conf.ildg", tmp_path).findings == []
        assert file.sent <= len(content) + 3 * 65536 and file.requests <= 8
        file.data = wrong
        findings = lq.copy(address + "/conf.ildg", tmp_path, overwrite=True).findings
    assert [one["severity"] for one in findings] == ["error"] and "/conf.ildg" in findings[0]["message"]
    assert "lq-copy" not in findings[0]["message"] and (tmp_path / "conf.ildg").read_bytes() == wrong


def test_blocks_that_are_there_cost_no_requests(content, tmp_path):
    with serving(conf__ildg=content) as (address, served):
        file = served["conf__ildg"]
        file.before = lambda number: setattr(file, "fails", 1000) if file.sent > len(content) // 2 else None
        file.cut_after, file.cuts = len(content) // 2, 1
        with pytest.raises(lq.IoError, match="cannot read"):
            lq.copy(address + "/conf.ildg", tmp_path, block_bytes=1 << 16)
        file.before, file.fails, requests = (lambda number: None), 0, file.requests
        made = lq.copy(address + "/conf.ildg", tmp_path, block_bytes=1 << 16)
        assert made.moved_bytes < 0.6 * len(content) and file.requests - requests <= 10
    assert (tmp_path / "conf.ildg").read_bytes() == content


def test_killed_copies_end_as_the_file_and_fetch_little_twice(content, tmp_path):
    program = "import limequat as lq, sys; lq.copy(sys.argv[1], sys.argv[2])"
    environment = {**os.environ, "PYTHONPATH": str(pathlib.Path(lq.__file__).parent.parent)}
    with serving(conf__ildg=content) as (address, served):
        file = served["conf__ildg"]
        file.headers, file.date = _sha256(content), DATE
        file.before = lambda number: time.sleep(0.02)
        command = [sys.executable, "-c", program, address + "/conf.ildg", str(tmp_path)]
        for trial in range(10):
            process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(0.15 + 0.03 * trial)
            process.send_signal(signal.SIGKILL)
            process.wait()
            if (tmp_path / "conf.ildg").exists():
                assert (tmp_path / "conf.ildg").read_bytes() == content
                (tmp_path / "conf.ildg").unlink()
        subprocess.run(command, env=environment, check=True)
    assert (tmp_path / "conf.ildg").read_bytes() == content and os.listdir(tmp_path) == ["conf.ildg"]


def test_names_are_not_taken_and_must_be_names(content, tmp_path):
    with serving(conf__ildg=content) as (address, served):
        served["conf__ildg"].headers = _sha256(content)
        (tmp_path / "conf.ildg").write_bytes(b"mine")
        with pytest.raises(lq.Exists, match="conf.ildg"):
            lq.copy(address + "/conf.ildg", tmp_path)
        assert (tmp_path / "conf.ildg").read_bytes() == b"mine"
        lq.copy(address + "/conf.ildg", tmp_path, overwrite=True)
        assert (tmp_path / "conf.ildg").read_bytes() == content
        again = lq.copy(address + "/conf.ildg", tmp_path)  # it is there
        assert again.present_files == 1 and again.moved_bytes == 0 and len(again.digests) == 1
        lq.copy(address + "/conf.ildg", tmp_path / "renamed.ildg")
        assert (tmp_path / "renamed.ildg").read_bytes() == content
        for bad in (address + "/", address + "/..", address + "/%2e%2e"):
            with pytest.raises(lq.Error):
                lq.copy(bad, tmp_path)
        with pytest.raises(lq.InvalidArgument, match="several files"):
            lq.copy([address + "/conf.ildg", address + "/conf.ildg"], tmp_path / "one")
    assert sorted(os.listdir(tmp_path)) == ["conf.ildg", "renamed.ildg"]


def test_files_urls_and_objects_are_copied_together(content, tmp_path):
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "a.ildg").write_bytes(content)
    with serving(b__ildg=content) as (address, _), open(tmp_path / "here" / "a.ildg", "rb") as opened:
        made = lq.copy([tmp_path / "here" / "a.ildg", address + "/b.ildg"], f"{tmp_path}/there/")
        assert made.bytes == 2 * len(content)
        lq.copy(opened, tmp_path / "c.ildg")
    for path in ("there/a.ildg", "there/b.ildg", "c.ildg"):
        assert (tmp_path / path).read_bytes() == content
    with pytest.raises(lq.InvalidArgument, match="does not end in a file name"):
        lq.copy(io.BytesIO(content), tmp_path)


def test_a_copy_into_a_url_is_refused(content, tmp_path):
    (tmp_path / "a.ildg").write_bytes(content)
    with pytest.raises(lq.InvalidArgument, match="file system"):
        lq.copy(tmp_path / "a.ildg", "https://example.org/a.ildg")


@pytest.mark.parametrize("headers, expected", [
    ({"Repr-Digest": "sha-256=:AAAA:, md5=:1B2M2Y8AsgTpgAmY7PhCfg==:"}, {"md5": hashlib.md5(b"").digest()}),
    ({"Repr-Digest": "unknown=:AAAA:, ,=, sha-256"}, {}),
    ({"Digest": "adler32=00000001;q=1"}, {"adler32": b"\0\0\0\1"}),
    ({"Digest": "md5=d41d8cd98f00b204e9800998ecf8427e"}, {"md5": hashlib.md5(b"").digest()}),
    ({"ETag": '"d41d8cd98f00b204e9800998ecf8427e"'}, {}),  # of some other server: no digest
    ({"ETag": '"d41d8cd98f00b204e9800998ecf8427e-3"', "x-amz-id-2": "1"}, {}),  # of several parts
    ({"ETag": '"d41d8cd98f00b204e9800998ecf8427e"', "x-amz-id-2": "1", "x-amz-server-side-encryption": "aws:kms"}, {}),
])
def test_digests_are_taken_only_from_what_states_them(headers, expected):
    assert stated_digests(headers) == expected



def _md5(data):
    return {"Content-MD5": base64.b64encode(hashlib.md5(data).digest()).decode()}


def test_what_only_headers_state_is_asked_for_once(content, tmp_path):
    with serving(conf__ildg=content) as (address, served):
        file = served["conf__ildg"]
        file.whole_headers, file.headers = _md5(content), _md5(content[:32768])  # of a part it is that of the part
        made = lq.copy(address + "/conf.ildg", tmp_path)
        assert made.digests == {str(tmp_path / "conf.ildg"): "md5:" + hashlib.md5(content).hexdigest()}
        file.whole_headers = _md5(b"other")
        with pytest.raises(lq.ChecksumError, match="md5"):
            lq.copy(address + "/conf.ildg", tmp_path / "other.ildg")
        before = file.requests
        lq.verify(address + "/conf.ildg")  # which needs no digest
        assert not any(log[0] == "HEAD" for log in file.log) and file.requests - before < 10
    assert os.listdir(tmp_path) == ["conf.ildg"]


@pytest.mark.parametrize("headers", [
    {"Repr-Digest": "sha-256=:not base64!:"}, {"Repr-Digest": "sha-256=:" + "A" * 10000 + ":"}, {"Digest": "md5=d41d8"},
    {"Digest": "adler32=xyz"}, {"Content-MD5": "\xff\xfe"}, {"Repr-Digest": "=::"}, {"Digest": ",,,;;;"}, {"x-goog-hash": "md5"},
])
def test_digests_that_are_none_are_no_digests(content, tmp_path, headers):
    with serving(conf__ildg=content) as (address, served):
        served["conf__ildg"].headers = headers
        made = lq.copy(address + "/conf.ildg", tmp_path)
    assert made.digests == {} and (tmp_path / "conf.ildg").read_bytes() == content


def test_a_list_of_digests_is_asked_for_with_headers_alone(content, tmp_path):
    """XRootD 5.5.3 answers GET with such a list by 500."""
    with serving(conf__ildg=content) as (address, served):
        file = served["conf__ildg"]
        file.whole_headers = _xrootd(content)
        assert lq.copy(address + "/conf.ildg", tmp_path).digests
        assert not any("Want-Digest" in headers for _, headers in file.log)


def _program():
    """`lq`, and the environment in which it finds this package."""
    program = os.environ.get("LQ_PROGRAM") or shutil.which("lq")
    if program is None:
        pytest.skip("no program lq")
    environment = {**os.environ, "PYTHONPATH": str(pathlib.Path(lq.__file__).parent.parent)}
    return program, environment


def _lq(*words, code=0, **options):
    program, environment = _program()
    done = subprocess.run([program, *map(str, words)], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)
    assert done.returncode == code, done.stderr
    return done.stdout + done.stderr


def test_lq_compares_the_digest_of_the_server(content, tmp_path):
    with serving(conf__ildg=content) as (address, served):
        url, file = address.replace("//", "//me:hidden@") + "/conf.ildg?token=hidden", served["conf__ildg"]
        file.headers, file.date = _sha256(content), DATE
        assert "the server's sha-256 agrees" in _lq("copy", url, ".", cwd=tmp_path)
        assert "already present: 1" in _lq("copy", url, ".", cwd=tmp_path)
        told = json.loads(_lq("copy", "--json", "--overwrite", url, ".", cwd=tmp_path))
        assert told["path"] == "." and told["moved_bytes"] == len(content) and len(told["digests"]) == 1
        (tmp_path / "conf.ildg").write_bytes(b"mine")
        assert "--overwrite" in _lq("copy", url, ".", cwd=tmp_path, code=2)
        (tmp_path / "conf.ildg").unlink()
        file.headers = _sha256(b"other")
        told = _lq("copy", url, ".", cwd=tmp_path, code=1)
        assert "the server states" in told and "hidden" not in told
        file.headers = {}
        assert "would be copied" in _lq("copy", "--dry-run", url, ".", cwd=tmp_path)
        assert os.listdir(tmp_path) == []
        assert "agrees" not in _lq("copy", url, ".", cwd=tmp_path)
        assert "nohup" in _lq("copy", "--background", url, ".", cwd=tmp_path, code=2)
    assert (tmp_path / "conf.ildg").read_bytes() == content


def test_killed_copies_of_lq_go_on(content, tmp_path):
    program, environment = _program()
    with serving(conf__ildg=content) as (address, served):
        file = served["conf__ildg"]
        file.headers, file.date = _sha256(content), DATE
        file.before = lambda number: time.sleep(0.05)
        for trial in range(4):
            with subprocess.Popen([program, "copy", "--block-bytes", "524288", address + "/conf.ildg", str(tmp_path)], env=environment, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL, start_new_session=True) as process:
                time.sleep(0.5 + 0.2 * trial)
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
        _lq("copy", "--block-bytes", "524288", address + "/conf.ildg", tmp_path)
    assert (tmp_path / "conf.ildg").read_bytes() == content and os.listdir(tmp_path) == ["conf.ildg"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_signal_ends_a_copy_from_a_slow_server_at_once(content, tmp_path, number):
    """What `lq` started ends with it, and the same command fetches only what is missing."""
    program, environment = _program()
    with serving(conf__ildg=content) as (address, served):
        file = served["conf__ildg"]
        file.date, file.pause = DATE, 0.1
        with subprocess.Popen([program, "copy", address + "/conf.ildg", str(tmp_path)], env=environment, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)) as process:
            while file.sent < 1.6 * 2**20:
                assert process.poll() is None
                time.sleep(0.01)
            process.send_signal(number)
            begin = time.monotonic()
            assert process.wait(timeout=60) == -number
            assert time.monotonic() - begin < 2
        time.sleep(0.5)
        sent = file.sent
        time.sleep(0.5)
        assert file.sent == sent < len(content)
        file.pause = 0
        _lq("copy", address + "/conf.ildg", tmp_path)
        assert file.sent < len(content) + 1.2 * 2**20
    assert (tmp_path / "conf.ildg").read_bytes() == content and os.listdir(tmp_path) == ["conf.ildg"]


def test_members_of_archives_are_copied_out(content, tmp_path):
    with tarfile.open(tmp_path / "a.tar", "w") as tar:
        info = tarfile.TarInfo("run/conf.ildg")
        info.size, info.mtime = len(content), 1_700_000_000
        tar.addfile(info, io.BytesIO(content))
    (tmp_path / "out").mkdir()
    lq.copy(tmp_path / "a.tar" / "run" / "conf.ildg", tmp_path / "out")
    _lq("copy", "a.tar/run/conf.ildg", "a.tar", "there/", cwd=tmp_path)
    assert (tmp_path / "out" / "conf.ildg").read_bytes() == content == (tmp_path / "there" / "conf.ildg").read_bytes()
    assert (tmp_path / "there" / "a.tar").read_bytes() == (tmp_path / "a.tar").read_bytes()
    assert (tmp_path / "there" / "conf.ildg").stat().st_mtime == 1_700_000_000


@pytest.mark.parametrize("headers, algorithm", [
    ({"etag": '"{md5}"', "x-amz-request-id": "1"}, "md5"),
    ({"etag": '"{md5}"', "x-amz-request-id": "1", "x-amz-server-side-encryption": "aws:kms"}, None),
    ({"etag": '"{md5}-2"', "x-amz-request-id": "1"}, None),
])
def test_the_etag_of_an_object_in_s3_is_asked_for_by_fsspec(content, tmp_path, headers, algorithm):
    spec = pytest.importorskip("fsspec.spec")
    import fsspec

    class Bucket(spec.AbstractFileSystem):
        protocol, cachable, req_kw = "bucket", False, {"RequestPayer": "requester"}

        def _open(self, path, mode="rb", **options):
            return InBucket(self, path, mode, **options)

        def info(self, path, **_):
            return {"name": path, "size": len(content), "type": "file"}

        def split_path(self, path):
            return "lattices", path, None

        def call_s3(self, what, **words):
            assert (what, words["Bucket"], words["Key"], words["RequestPayer"]) == ("head_object", "lattices", "lattices/conf.ildg", "requester")
            md5 = hashlib.md5(content).hexdigest()
            return {"ResponseMetadata": {"HTTPHeaders": {name: text.replace("{md5}", md5) for name, text in headers.items()}}}

    class InBucket(spec.AbstractBufferedFile):
        def _fetch_range(self, start, end):
            return content[start:end]

    fsspec.register_implementation("bucket", Bucket, clobber=True)
    made = lq.copy("bucket://lattices/conf.ildg", tmp_path / "copy.ildg")
    assert (tmp_path / "copy.ildg").read_bytes() == content
    assert [digest.partition(":")[0] for digest in made.digests.values()] == ([] if algorithm is None else [algorithm])
