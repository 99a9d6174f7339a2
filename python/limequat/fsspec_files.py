# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Files at addresses of fsspec (s3://, root://, gs://, ...), read in as few requests as files on HTTP servers."""

import contextlib
import email.message

from limequat.errors import WrongState
from limequat.fetching import stated_digests
from limequat.seeking import END_BYTES, FileInParts
from limequat.sources import Addressed, number_of

# What file systems tell of a version of a file; which of these depends on the file system.
_VERSION = ("ETag", "etag", "LastModified", "last_modified", "mtime", "modified", "updated", "generation", "VersionId", "md5Hash", "content_md5")


def opened_by(fsspec, url, address, secrets):
    """The file at a URL. Its file system is kept with it: of an archive that holds the only reference, and would be closed."""
    system, path = fsspec.core.url_to_fs(url)
    file, first = _opened_on_s3(fsspec, system, path)
    if file is None:
        file = system.open(path, "rb", cache_type="none")  # those without a cache of their own ignore this
    kind = _InParts if isinstance(file, fsspec.spec.AbstractBufferedFile) else Addressed
    made = kind(file, address, secrets)
    if first:
        made.keep_beginning(first)
    made.system = system
    return made


def _opened_on_s3(fsspec, system, path):
    """A file of s3fs and its first bytes, by one request that also tells size and ETag, for which s3fs makes one of its own; (None, b"") if
    that is not possible."""
    if not hasattr(system, "call_s3") or getattr(system, "version_aware", False):
        return None, b""
    with contextlib.suppress(Exception):  # an empty object, no permission, another version of s3fs: opened as any file
        bucket, key, version = system.split_path(path)
        answer = system.call_s3("get_object", Bucket=bucket, Key=key, Range=f"bytes=0-{END_BYTES - 1}",
                                **({"VersionId": version} if version else {}), **system.req_kw)
        first = fsspec.asyn.sync(system.loop, answer["Body"].read)
        size = int(answer["ContentRange"].rpartition("/")[2])
        if len(first) == min(size, END_BYTES):
            file = system.open(path, "rb", cache_type="none", size=size)
            file.details = {"name": path, "type": "file", "size": size, "ETag": answer["ETag"], "LastModified": answer["LastModified"]}
            file.read_kw = {**file.read_kw, "IfMatch": answer["ETag"]}
            return file, first
    return None, b""


class _InParts(FileInParts):
    """A file of which each read is a request to a server."""

    def __init__(self, file, address, secrets):
        super().__init__()
        self.address, self.secrets, self._file, self._size = address, secrets, file, file.size
        facts = getattr(file, "details", None) or {}
        version = [f"{name}={facts[name]}" for name in _VERSION if facts.get(name)] if hasattr(facts, "get") else []
        self.is_dated, self.modified = False, number_of(" ".join(version))

    def keep_beginning(self, data):
        self._ends[0] = data

    def _fetch(self, begin, end):
        if begin == 0:
            end = max(end, min(END_BYTES, self._size))
        try:
            self._file.seek(begin)
            return self._file.read(end - begin)
        except OSError as error:
            if type(error).__name__ == "FileExpired":  # of s3fs, which compares the ETag
                raise WrongState(f"{self.address}: the file has changed on the server since it was opened; open it again",
                                 path=self.address) from None
            raise

    def close(self):
        self._file.close()
        super().close()

    def find_digests(self):
        """What the server states of the whole file: {algorithm: bytes}. XRootD and S3 can tell."""
        system, path = self.system, self._file.path
        if hasattr(system, "call_s3"):
            with contextlib.suppress(Exception):  # then nothing is known
                bucket, key, version = system.split_path(path)
                stated = email.message.Message()
                for name, value in system.call_s3("head_object", Bucket=bucket, Key=key, **({"VersionId": version} if version else {}),
                                                  **system.req_kw)["ResponseMetadata"]["HTTPHeaders"].items():
                    stated[name] = value
                return stated_digests(stated, is_whole=True)
        with contextlib.suppress(Exception):
            name, digest = system.checksum(path)  # others give a number of their own, or nothing
            return {name.lower(): bytes.fromhex(digest)}
        return {}
