# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""File objects and URLs give what the files behind them give, and their failures say where and why."""

import array
import gc
import gzip
import importlib.util
import io
import itertools
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import threading
import time
import traceback
import zipfile

import numpy as np
import pytest
from conftest import random_links
from range_server import serving

import limequat as lq
from limequat import urls


@pytest.fixture
def content(gauge_file):
    return gauge_file.read_bytes()


@pytest.fixture
def large(tmp_path):
    """An ILDG file with a time slice of more than what is kept of the ends."""
    links = random_links((8, 8, 8, 8, 4))
    path = tmp_path / "large.ildg"
    lq.write(path, links)
    return path, links


@pytest.fixture(params=["BytesIO", "open", "gzip", "unbuffered"])
def opened(request, tmp_path, content):
    path = tmp_path / "object.ildg"
    if request.param == "gzip":
        path = tmp_path / "object.ildg.gz"
        path.write_bytes(gzip.compress(content))
    else:
        path.write_bytes(content)
    make = {"BytesIO": lambda: io.BytesIO(content), "open": lambda: open(path, "rb"), "gzip": lambda: gzip.open(path, "rb"),
            "unbuffered": lambda: open(path, "rb", buffering=0)}[request.param]
    with make() as file:
        yield file


def test_a_file_object_can_be_given_wherever_a_path_can(opened, links, tmp_path):
    assert np.array_equal(lq.read(opened), links)
    assert lq.verify(opened)["ok"] and lq.info(opened)["format"] == "ildg" and lq.inspect(opened)["fields"]
    lq.convert(opened, tmp_path / "copy.nersc", to="nersc")
    assert np.array_equal(lq.read(tmp_path / "copy.nersc"), links)
    assert lq.diff(opened, tmp_path / "copy.nersc")
    with lq.open(opened) as file:
        assert np.array_equal(file.fields["gauge"][1:3], links[1:3])
        assert file.path.endswith("object.ildg") or file.path.endswith("/file")
        with pytest.raises(lq.Unsupported, match="cannot be mapped"):
            file.fields["gauge"].memmap()
        assert file.fields["gauge"].verify() is None
    assert np.array_equal(lq.read_async(opened).wait(), links)


def test_a_source_is_one_object_for_many_calls(opened, links):
    with lq.Source(opened, name="conf.ildg") as source:
        assert os.fspath(source).endswith("/conf.ildg") and "conf.ildg" in repr(source)
        for _ in range(3):
            assert np.array_equal(lq.read(source), links)
        assert source.bytes_read >= 3 * links.nbytes and source.requests > 3
    with pytest.raises(lq.NotFound, match="conf.ildg"):
        lq.read(source)
    assert not opened.closed


def test_sources_are_forgotten_with_what_was_opened_of_them(content):
    from limequat import sources
    gc.collect()
    before = len(sources._readers)
    with lq.open(io.BytesIO(content)) as file:
        gc.collect()
        assert len(sources._readers) == before + 1
        assert file.fields["gauge"].shape
    del file
    lq.verify(io.BytesIO(content))
    gc.collect()
    assert len(sources._readers) == before


@pytest.mark.parametrize("given, words", [
    (lambda content: io.StringIO("text"), "text file"),
    (lambda content: _Pipe(content), "cannot seek"),
    (lambda content: _Half(), "no seek"),
    (lambda content: open(os.devnull, "wb"), "not opened for reading"),
    (lambda content: _closed(content), "is closed"),
    (lambda content: _streamed_member(content), "cannot seek"),
    (lambda content: zipfile.Path(_zip(content), "conf.ildg"), "a Path was given, which is not open: open it first"),
    (lambda content: _Told(content, 1.0), r"tell\(\) returned 1.0"),
    (lambda content: _Told(content, -1), r"tell\(\) returned -1"),
])
def test_what_cannot_be_read_at_any_place_is_refused(content, given, words):
    with pytest.raises(lq.InvalidArgument, match=words):
        lq.read(given(content))


def _closed(content):
    file = io.BytesIO(content)
    file.close()
    return file


def _streamed_member(content):
    """Of an archive that is read as a stream: on some versions of Python its seekable() fails."""
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w:gz") as archive:
        member = tarfile.TarInfo("conf.ildg")
        member.size = len(content)
        archive.addfile(member, io.BytesIO(content))
    file.seek(0)
    archive = tarfile.open(fileobj=file, mode="r|gz")
    return archive.extractfile(archive.next())


def _zip(content):
    archive = zipfile.ZipFile(io.BytesIO(), "w")
    archive.writestr("conf.ildg", content)
    return archive


class _Told(io.BytesIO):
    """Tells another place than it is at."""

    def __init__(self, content, place):
        super().__init__(content)
        self.place = place

    def tell(self):
        return self.place


class _Pipe(io.BytesIO):
    def seekable(self):
        return False


@pytest.mark.parametrize("given", [bytearray, memoryview, lambda data: np.frombuffer(data, np.uint8), lambda data: array.array("B", data)])
def test_what_is_read_may_be_any_bytes(content, links, given):
    class Gives(io.BytesIO):
        def read(self, size=-1):
            return given(super().read(size))

        def tell(self):
            return np.int64(super().tell())

    assert np.array_equal(lq.read(Gives(content)), links)


class _Half:
    def read(self, size):
        return b""


class _Failing(io.BytesIO):
    """Fails from the first read on."""

    def __init__(self, content, error):
        super().__init__(content)
        self.error = error

    def read(self, size=-1):
        raise self.error


@pytest.mark.parametrize("error", [RuntimeError("the tape is torn"), OSError(5, "Input/output error"), lq.NotFound("gone")])
def test_the_exception_of_an_object_is_the_cause_of_ours(content, error):
    with pytest.raises(lq.IoError, match="cannot read") as caught:
        lq.read(_Failing(content, error))
    assert caught.value.__cause__ is error and str(error) in str(caught.value)


def test_an_interrupt_within_an_object_is_raised_as_it_is(content):
    with pytest.raises(KeyboardInterrupt):
        lq.read(_Failing(content, KeyboardInterrupt()))


def test_an_object_that_ends_early_is_a_truncated_file(content):
    class Short(io.BytesIO):
        def read(self, size=-1):
            return super().read(min(size, max(0, len(content) // 2 - self.tell())))

    with pytest.raises(lq.Error) as caught:
        lq.read(Short(content))
    assert caught.value.code in (lq.Code.TRUNCATED, lq.Code.IO)


@pytest.mark.parametrize("target", [io.BytesIO(), "https://example.org/conf.ildg", "s3://bucket/conf.ildg"])
def test_nothing_is_written_to_objects_and_addresses(links, target):
    with pytest.raises(lq.InvalidArgument, match="file system"):
        lq.write(target, links)
    with pytest.raises(lq.InvalidArgument, match="file system"):
        lq.create(target)


def test_threads_may_share_a_source(content, links):
    found = []
    with lq.Source(io.BytesIO(content)) as source:
        threads = [threading.Thread(target=lambda: found.append(np.array_equal(lq.read(source), links))) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert found == [True] * 8


def test_a_file_url_is_the_file(gauge_file, links):
    assert np.array_equal(lq.read(gauge_file.as_uri()), links)
    with pytest.raises(lq.InvalidArgument, match="another machine"):
        lq.read("file://elsewhere/conf.ildg")


def test_a_file_whose_name_looks_like_an_address_is_a_file(tmp_path, links, monkeypatch):
    monkeypatch.chdir(tmp_path)
    os.makedirs("http:/here")
    lq.write("http:/here/conf.ildg", links)
    assert np.array_equal(lq.read("http://here/conf.ildg"), links)


def test_an_address_that_needs_fsspec_says_so_or_is_read(content, links):
    try:
        import fsspec
    except ImportError:
        with pytest.raises(ImportError, match="fsspec"):
            lq.read("memory://conf.ildg")
        return
    with fsspec.open("memory://conf.ildg", "wb") as file:
        file.write(content)
    assert np.array_equal(lq.read("memory://conf.ildg"), links)
    with pytest.raises(lq.NotFound, match="memory://none.ildg"):
        lq.read("memory://none.ildg")
    with fsspec.open("memory://conf.zip", "wb") as file, zipfile.ZipFile(file, "w") as archive:
        archive.writestr("conf.ildg", content)
    for address in ("zip://conf.ildg::memory://conf.zip", "simplecache::memory://conf.ildg"):  # the archive stays open
        assert np.array_equal(lq.read(address), links)


@pytest.fixture
def far():
    """A file system of fsspec that counts requests and may change its file."""
    spec = pytest.importorskip("fsspec.spec")
    import fsspec

    class FileExpired(OSError):
        pass

    class Far(spec.AbstractFileSystem):
        protocol, cachable = "far", False
        data, tag, requests, sent = b"", "one", 0, 0

        def _open(self, path, mode="rb", **options):
            return FarFile(self, path, mode, **options)

        def info(self, path, **_):
            return {"name": path, "size": len(Far.data), "type": "file", "ETag": Far.tag}

    class FarFile(spec.AbstractBufferedFile):
        def _fetch_range(self, start, end):
            if self.details["ETag"] != Far.tag:
                raise FileExpired("expired")
            Far.requests, Far.sent = Far.requests + 1, Far.sent + end - start
            return Far.data[start:end]

    fsspec.register_implementation("far", Far, clobber=True)
    return Far


def test_a_slice_by_fsspec_costs_three_requests_and_its_bytes_and_64_kib(far, large):
    path, links = large
    far.data = path.read_bytes()
    with lq.open("far://host/large.ildg") as file:
        part = file.fields["gauge"][3]
    assert np.array_equal(part, links[3])
    assert far.requests <= 3 and far.sent <= part.nbytes + 65536
    far.requests = far.sent = 0
    assert lq.verify("far://host/large.ildg")
    assert far.requests <= 8 and far.sent <= len(far.data) + 65536


def test_a_slice_of_an_object_in_s3_costs_three_requests(large):
    """The size of an object comes with its first bytes: no request is made for it alone."""
    spec = pytest.importorskip("fsspec.spec")
    import fsspec
    import fsspec.asyn

    path, links = large
    data, asked = path.read_bytes(), []

    class Body:
        def __init__(self, content):
            self.content = content

        async def read(self):
            return self.content

    class Bucket(spec.AbstractFileSystem):
        protocol, cachable, req_kw, loop = "buckets", False, {}, fsspec.asyn.get_loop()

        def _open(self, path, mode="rb", size=None, **options):
            return InBucket(self, path, mode, size=size, **options)

        def info(self, path, **_):
            asked.append("info")
            return {"name": path, "size": len(data), "type": "file", "ETag": "one"}

        def split_path(self, path):
            return "lattices", path, None

        def call_s3(self, what, **words):
            asked.append((what, words["Bucket"], words["Range"]))
            if not data:
                raise OSError("InvalidRange")
            return {"Body": Body(data[:32768]), "ContentRange": f"bytes 0-32767/{len(data)}", "ETag": "one", "LastModified": "now"}

    class InBucket(spec.AbstractBufferedFile):
        read_kw = {}

        def _fetch_range(self, start, end):
            asked.append((start, end, self.read_kw.get("IfMatch")))
            return data[start:end]

    fsspec.register_implementation("buckets", Bucket, clobber=True)
    with lq.open("buckets://host/large.ildg") as file:
        assert np.array_equal(file.fields["gauge"][3], links[3])
    assert asked[0] == ("get_object", "lattices", "bytes=0-32767") and len(asked) == 3
    assert all(version == "one" for _, _, version in asked[1:])
    data = b""
    with pytest.raises(lq.UnknownFormat):
        lq.read("buckets://host/large.ildg")
    assert asked[4] == "info"


def test_a_file_that_changes_behind_fsspec_is_an_error(far, large, tmp_path):
    path, _ = large
    far.data = path.read_bytes()
    with lq.open("far://host/large.ildg") as file:
        far.tag = "two"
        with pytest.raises(lq.IoError, match="far://host/large.ildg: the file has changed"):
            file.fields["gauge"][3]
    sources = []
    for far.tag in ("two", "three"):  # by which an interrupted copy knows whether it may go on
        with lq.Source("far://host/large.ildg") as source:
            sources.append(source.file.modified)
    assert sources[0] != sources[1] and 0 not in sources
    lq.copy("far://host/large.ildg", tmp_path / "copy.ildg")
    assert (tmp_path / "copy.ildg").read_bytes() == far.data
    assert abs(os.stat(tmp_path / "copy.ildg").st_mtime - time.time()) < 3600


@pytest.mark.parametrize("failure, error", [(PermissionError, lq.NoPermission), (FileNotFoundError, lq.NotFound),
                                            (OSError, lq.IoError), (RuntimeError, lq.IoError), (ValueError, lq.InvalidArgument)])
def test_words_of_other_libraries_show_no_password(failure, error):
    fsspec = pytest.importorskip("fsspec")

    class Leaky(fsspec.AbstractFileSystem):
        protocol = "leaky"

        @staticmethod
        def _strip_protocol(path):
            return path

        def _open(self, path, mode="rb", **_):
            if "later" not in path:
                raise failure(f"cannot reach {path}: user me, password hid%den or hid%den")

            class File(io.BytesIO):
                def read(self, *_):
                    raise failure(f"cannot read {path}")

            return File(b"x" * 1000)

    fsspec.register_implementation("leaky", Leaky, clobber=True)
    for host in ("host", "later"):
        with pytest.raises(lq.Error) as caught:
            lq.read(f"leaky://me:hid%25den@{host}/{failure.__name__}.ildg")
        told = "".join(traceback.format_exception(None, caught.value, None))
        assert "hid%den" not in told and "hid%25den" not in told
        assert f"leaky://{host}/{failure.__name__}.ildg" in str(caught.value) and isinstance(caught.value, error if host == "host" else lq.IoError)


def test_an_unknown_kind_of_address_is_named_with_what_is_missing():
    with pytest.raises((lq.InvalidArgument, ImportError), match="fsspec"):
        lq.read("nosuch://me:hidden@host/conf.ildg")
    if importlib.util.find_spec("fsspec_xrootd") is None:
        with pytest.raises((lq.InvalidArgument, ImportError), match="pip install (fsspec )?fsspec-xrootd"):
            lq.read("root://host//conf.ildg")


@pytest.mark.parametrize("scheme", ["dav", "webdav", "WebDAV"])
def test_webdav_is_http(content, links, scheme):
    with serving(conf__ildg=content) as (address, served):
        served["conf__ildg"].password = "me:hidden"
        url = address.replace("http://", f"{scheme}://me:hidden@") + "/conf.ildg"
        assert np.array_equal(lq.read(url), links)
        served["conf__ildg"].password = "me:another"
        with pytest.raises(lq.NoPermission, match=f"{scheme.lower()}://127.0.0.1") as caught:
            lq.read(url)
        assert "hidden" not in str(caught.value)


def test_a_url_gives_what_the_file_gives(content, links, tmp_path):
    with serving(conf__ildg=content) as (address, served):
        url = address + "/conf.ildg?signature=secret"
        assert np.array_equal(lq.read(url), links)
        assert lq.verify(url)["ok"] and lq.info(url)["format"] == "ildg"
        lq.convert(url, tmp_path / "copy.nersc", to="nersc")
        assert served["conf__ildg"].log[0][0].endswith("?signature=secret")
    assert np.array_equal(lq.read(tmp_path / "copy.nersc"), links)


def test_a_slice_costs_three_requests_and_its_bytes_and_64_kib(large):
    path, links = large
    with serving(conf__ildg=path.read_bytes()) as (address, served), lq.open(address + "/conf.ildg") as file:
        assert np.array_equal(file.fields["gauge"][5:6], links[5:6])
        assert served["conf__ildg"].requests <= 3
        assert served["conf__ildg"].sent <= links[5:6].nbytes + 65536


def test_a_whole_file_is_one_answer_that_flows(tmp_path):
    path = tmp_path / "whole.ildg"
    links = random_links((16, 16, 16, 8, 4))
    lq.write(path, links)
    content = path.read_bytes()
    with serving(conf__ildg=content) as (address, served):
        assert lq.verify(address + "/conf.ildg")["ok"]
        assert served["conf__ildg"].requests <= 12
        assert served["conf__ildg"].sent <= 1.1 * len(content) + 131072


def test_a_broken_connection_goes_on_where_it_broke(large):
    path, links = large
    content = path.read_bytes()
    with serving(conf__ildg=content) as (address, served):
        file = served["conf__ildg"]
        file.cut_after, file.cuts = 100000, 5
        assert np.array_equal(lq.read(address + "/conf.ildg"), links)
        assert file.cuts == 0 and file.sent <= len(content) + 8 * 65536


def test_a_busy_server_is_asked_again(content, links):
    with serving(conf__ildg=content) as (address, served):
        served["conf__ildg"].fails = 2
        assert np.array_equal(lq.read(address + "/conf.ildg"), links)


def _changed(file):
    file.etag, file.data = '"second"', bytes(reversed(file.data))


def _grown(file):
    file.etag, file.data = None, file.data + b"more"


def _dated(file):
    file.etag, file.date = None, "Sun, 29 Nov 2026 12:00:01 GMT"


@pytest.mark.parametrize("change", [_changed, _grown, _dated])
def test_a_file_that_changes_on_the_server_is_an_error(large, change):
    path, _ = large
    with serving(conf__ildg=path.read_bytes()) as (address, served):
        file = served["conf__ildg"]
        file.date = "Sun, 29 Nov 2026 12:00:00 GMT"
        if change is not _changed:
            file.etag = None
        with lq.open(address + "/conf.ildg") as opened:
            change(file)
            with pytest.raises(lq.Error, match="changed on the server"):
                opened.fields["gauge"][3]


def _all(file):
    file.ignores_ranges = True


def _other(file):
    file.shift = 8


def _forbidden(file):
    file.password = "somebody:secret"


def _circle(file):
    file.redirect = "/conf.ildg"


def _away(file):
    file.redirect = "ftp://example.org/conf.ildg"


def _gone(file):
    file.fails = 1000


@pytest.mark.parametrize("trouble, error, words", [
    (_all, lq.Unsupported, "ignores Range.*curl -O"), (_other, lq.IoError, "cannot be trusted"), (_forbidden, lq.NoPermission, "401"),
    (_circle, lq.IoError, "in a circle"), (_away, lq.IoError, "not safe"), (_gone, lq.IoError, "503")])
def test_a_server_that_misbehaves_is_named(content, trouble, error, words):
    with serving(conf__ildg=content) as (address, served):
        trouble(served["conf__ildg"])
        with pytest.raises(error, match=words) as caught:
            lq.read(address.replace("//", "//me:hidden@") + "/conf.ildg?token=hidden")
        assert "hidden" not in str(caught.value) and "/conf.ildg" in str(caught.value)


def _answer(status="206 Partial", **changes):
    """An answer with other headers than it should have."""
    def raw(first, last, data):
        headers = {"Content-Length": last + 1 - first, "Content-Range": f"bytes {first}-{last}/{len(data)}",
                   **{name.replace("_", "-"): value for name, value in changes.items()}}
        lines = [f"{name}: {value}\r\n" for name, value in headers.items() if value is not None]
        yield f"HTTP/1.1 {status}\r\n{''.join(lines)}\r\n".encode("latin-1") + data[first:last + 1]
    return raw


def _for_ever(start, more):
    return lambda *_: itertools.chain([start], itertools.repeat(more))


_CHUNKED = b"HTTP/1.1 206 P\r\nTransfer-Encoding: chunked\r\nContent-Range: bytes 0-9/10\r\n\r\n"


@pytest.mark.parametrize("raw, error, words", [
    (lambda *_: [b"\x1b[2J garbage\r\n\r\n"], lq.IoError, "BadStatusLine: .\\[2J garbage"), (lambda *_: [], lq.IoError, "Remote"),
    (_for_ever(b"HTTP/1.1 206 P\r\n", b"X-A: a\r\n"), lq.IoError, "100 headers"), (_for_ever(b"HTTP/1.1 206 P\r\nX: ", b"a" * 999), lq.IoError, "65536"),
    (_for_ever(b"", b"HTTP/1.1 100 Continue\r\n\r\n"), lq.IoError, "cannot read from byte 0"),
    (_answer(Content_Range="bytes 0-32767/" + "9" * 5000), lq.Unsupported, "does not say which bytes"),
    (_answer(Content_Range="bytes 0-32767/*"), lq.Unsupported, "does not say which bytes"), (_answer(Content_Range=None), lq.Unsupported, "which bytes"),
    (_answer(Content_Range="bytes 0-32767/5"), lq.IoError, "cannot be trusted"), (_answer(Content_Encoding="gzip"), lq.Unsupported, "which bytes"),
    (_answer(Content_Length=10), lq.IoError, "announces 10 bytes"), (_answer(Content_Length="many"), lq.IoError, "announces many bytes"),
    (lambda *_: [_CHUNKED + b"zz\r\n"], lq.IoError, "IncompleteRead"), (_for_ever(_CHUNKED, b"1" * 999), lq.IoError, "65536"),
    (_answer("302 Found", Location="http://[::1"), lq.IoError, "no address"), (_answer("302 Found", Location="http://x:99999/"), lq.IoError, "Port"),
    (_answer("302 Found", Location="ftp://h/\x1b[2J"), lq.IoError, "ftp://h/.?\\[2J"), (_answer("204 \x1b[2J"), lq.IoError, "204 .\\[2J")])
def test_no_bytes_of_a_server_do_more_than_an_error(content, raw, error, words):
    with serving(conf__ildg=content) as (address, served):
        served["conf__ildg"].raw = raw
        with pytest.raises(error, match=words) as caught:
            urls.HttpFile(address.replace("//", "//me:hidden@") + "/conf.ildg?token=hidden", timeout=0.2)
        assert str(caught.value).isprintable() and "hidden" not in str(caught.value)


def test_odd_headers_change_nothing(content, links):
    for headers in ({"Last_Modified": "Fri, 31 Dec 9999 23:59:59 -9999"}, {"Last_Modified": "Mon, 99 Foo 99999 99:99:99 GMT", "ETag": "\xff"},
                    {"Repr_Digest": "sha-256=:!!:, md5=", "Digest": "adler32=zz,,,="}, {"ETag": '"a\\"b'}):
        with serving(conf__ildg=content) as (address, served):
            served["conf__ildg"].raw, served["conf__ildg"].etag = _answer(**headers), None
            assert np.array_equal(lq.read(address + "/conf.ildg"), links)


def test_a_connection_that_breaks_after_few_bytes_is_given_up(large):
    path, _ = large
    with serving(conf__ildg=path.read_bytes()) as (address, served):
        served["conf__ildg"].cut_after, served["conf__ildg"].cuts = 10, 1 << 30
        with pytest.raises(lq.IoError, match="the server sent 10 of"):
            lq.read(address + "/conf.ildg")
        assert served["conf__ildg"].requests < 10


def test_a_password_goes_to_its_server_only(content, links):
    with serving(conf__ildg=content) as (there, elsewhere), serving(conf__ildg=content) as (address, served):
        served["conf__ildg"].password = "me:hidden word"
        url = address.replace("//", "//me:hidden%20word@") + "/conf.ildg"
        assert np.array_equal(lq.read(url), links)
        served["conf__ildg"].password, served["conf__ildg"].redirect = None, there + "/conf.ildg"
        assert np.array_equal(lq.read(url), links)
        assert not any("Authorization" in headers for _, headers in elsewhere["conf__ildg"].log)


def test_a_redirect_is_followed_once_and_again_when_its_address_expires(large):
    path, links = large
    data = path.read_bytes()
    with serving(here=b"", there=data, elsewhere=data) as (address, served):
        served["here"].redirect = "/there"
        with lq.open(f"{address}/here") as file:
            assert np.array_equal(file.fields["gauge"][3], links[3])
            assert (served["here"].requests, served["there"].requests) == (1, 3)
            served["here"].redirect, served["there"].password = "/elsewhere", "an:other"
            assert np.array_equal(file.fields["gauge"][5], links[5])
            assert (served["here"].requests, served["there"].requests, served["elsewhere"].requests) == (2, 4, 1)
            assert np.array_equal(file.fields["gauge"][1], links[1])
            assert (served["here"].requests, served["elsewhere"].requests) == (2, 2)
            served["here"].redirect, served["elsewhere"].password = "/there", "an:other"
            with pytest.raises(lq.IoError, match="refuses: 401"):
                file.fields["gauge"][6]


def test_what_is_not_there_is_not_found(content):
    with serving(conf__ildg=content) as (address, _), pytest.raises(lq.NotFound, match="none.ildg"):
        lq.read(address + "/none.ildg")
    with pytest.raises(lq.IoError, match="cannot read"):
        lq.read(address + "/conf.ildg")  # the server is gone


@pytest.mark.parametrize("url", ["http://host:99999/x.ildg", "http://me:SECRET/x.ildg", "https://[::1/x.ildg", "http://a SECRET/x.ildg",
                                 "http://host/x\r\nHost: other.ildg", "dav://host:/\0.ildg", "s3://[SECRET/x.ildg"])
def test_what_is_no_address_is_refused_at_once_and_not_shown(url):
    with pytest.raises(lq.InvalidArgument, match="this is no address: [a-z0-9]+://...") as caught:
        lq.read(url)
    shown = "".join(traceback.format_exception_only(type(caught.value), caught.value))
    assert "SECRET" not in shown and caught.value.__cause__ is None


def test_messages_name_the_address_though_another_source_has_it(content):
    damaged = bytearray(content)
    damaged[len(content) // 2] ^= 1
    with serving(conf__ildg=bytes(damaged)) as (address, _), lq.open(address + "/conf.ildg"):
        with pytest.raises(lq.ChecksumError, match=f"^{re.escape(address)}/conf.ildg: ") as caught:
            lq.read(address + "/conf.ildg")
        assert caught.value.path == address + "/conf.ildg"


def test_a_file_that_is_not_empty_has_first_bytes(content):
    with serving(conf__ildg=content) as (address, served), pytest.raises(lq.IoError, match="refuses the first bytes"):
        served["conf__ildg"].raw = lambda first, last, data: [b"HTTP/1.1 416 No\r\nContent-Range: bytes */%d\r\nContent-Length: 0\r\n\r\n"
                                                              % len(content)]
        lq.read(address + "/conf.ildg")


def test_an_empty_file_is_empty_there_as_here():
    with serving(conf__ildg=b"") as (address, _), pytest.raises(lq.Error, match="empty|no format|0 bytes"):
        lq.read(address + "/conf.ildg")


def _run(*words):
    program = os.environ.get("LQ_PROGRAM") or shutil.which("lq")
    if program is None:
        pytest.skip("lq is not built")
    folder = pathlib.Path(sys.executable).parent  # its first python3 is the one with numpy
    environment = {**os.environ, "PYTHONPATH": str(pathlib.Path(lq.__file__).parent.parent), "PATH": f"{folder}:{os.environ['PATH']}"}
    return subprocess.run([program, *map(str, words)], env=environment, capture_output=True, text=True)


def test_the_command_reads_addresses_wherever_it_reads_files(content, gauge_file, links, tmp_path):
    with serving(conf__ildg=content) as (address, served):
        url, name = address + "/conf.ildg?signature=hidden", address + "/conf.ildg"
        for verb in ("verify", "info", "ls", "validate", "explain"):
            there, here = _run(verb, url), _run(verb, gauge_file)
            assert there.returncode == here.returncode == 0, there.stderr
            assert there.stdout.replace(name, "PATH") == here.stdout.replace(str(gauge_file), "PATH"), verb
        assert _run("diff", url, gauge_file).returncode == 0
        assert _run("convert", url, tmp_path / "copy.nersc").returncode == 0
        assert _run("copy", url, f"{tmp_path}/there/").returncode == 0
        served["conf__ildg"].data = content[:5000] + b"x" + content[5001:]
        damaged = _run("verify", url)
        assert damaged.returncode == 1 and "FAILED" in damaged.stdout and "hidden" not in damaged.stdout + damaged.stderr
        missing = _run("verify", address.replace("//", "//me:hidden@") + "/none.ildg")
        assert missing.returncode == _run("verify", tmp_path / "none.ildg").returncode and "none.ildg" in missing.stderr and "hidden" not in missing.stderr
        refused = _run("convert", gauge_file, name)
        assert refused.returncode != 0 and "Traceback" not in refused.stderr
    assert np.array_equal(lq.read(tmp_path / "copy.nersc"), links) and (tmp_path / "there" / "conf.ildg").read_bytes() == content
    gone = _run("verify", name)
    assert gone.returncode == 4 and "cannot read" in gone.stderr


def test_two_sources_of_one_address_have_their_own_paths(content, links):
    with serving(conf__ildg=content) as (address, _):
        with lq.Source(address + "/conf.ildg?a=1") as one, lq.Source(address + "/conf.ildg?a=2") as other:
            assert os.fspath(one) == address + "/conf.ildg" and os.fspath(other) != os.fspath(one)
            assert np.array_equal(lq.read(one), links) and np.array_equal(lq.read(other), links)
