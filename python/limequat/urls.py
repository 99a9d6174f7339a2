# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Files on HTTP servers, read in parts (RFC 9110, sections 13 and 14)."""

import base64
import contextlib
import email.utils
import http.client
import re
import socket
import ssl
import threading
import time
import urllib.parse

from limequat import signals
from limequat.errors import Error, IoError, NoPermission, NotFound, Unsupported, WrongState
from limequat.fetching import stated_digests
from limequat.seeking import END_BYTES, FileInParts
from limequat.sources import number_of, parts_of, shown

SCHEMES = {"http": "http", "dav": "http", "webdav": "http", "https": "https", "davs": "https", "webdavs": "https"}
_RANGE = re.compile(r"bytes ([0-9]{1,18})-([0-9]{1,18})/([0-9]{1,18})$")
_LEAST_RATE = 1024     # bytes per second
_REDIRECTS = 5
_TRIES = 4             # of one request that gives next to nothing
_LEAST = 4096          # bytes of an answer that broke which count as progress
_USER_AGENT = "limequat"


class HttpFile(FileInParts):
    """A file at an http or https URL, or of WebDAV (dav, webdav, davs, webdavs), as a seekable binary file object.

    The first request reads the beginning and returns the size; the end is requested once, because headers and checksums are
    there. A large read is one request for these bytes. Sequential reads become one request to the end of the file. A file
    that changes on the server between two requests is an error (detected by its ETag, date or size), and so is a server that
    cannot send parts of a file. A broken connection is opened again and resumed at the same byte.

    url           with user and password if the server requires them (basic authentication); they are never shown, and are sent
                  to no other server
    timeout       seconds that the server may be silent; twice that until an answer begins, and no less than 1 KiB per second after it
    modified      nanoseconds since 1970, as stated by the server (is_dated); otherwise a number from its ETag; 0: neither is
                  known
    digests       of the whole file, as stated by the server: {"sha-256": bytes, ...}
    requests      number of requests so far, including redirects
    bytes_fetched bytes of the file that came over the network

    Raises NotFound, NoPermission (also if a password is required), Unsupported (no ranges), WrongState (the file changed),
    IoError.
    """

    def __init__(self, url, timeout=30.0):
        super().__init__()
        self._parts = parts_of(url, of_server=True)
        self._parts = self._parts._replace(scheme=SCHEMES[self._parts.scheme])
        self._shown = self.name = shown(url)
        self._timeout = timeout
        self._authorization = _authorization(self._parts)
        self._home = _origin(self._parts)
        self._connection = self._origin = self._socket = None
        self._stream, self._stream_at = None, 0
        self._size = self._tag = self._date = None
        self.is_dated, self.modified, self.digests = False, 0, {}
        self._final, self._asked = self._parts, False  # where the redirects end
        self.requests = self.bytes_fetched = 0
        self._ends[0] = self._fetch(0, END_BYTES)

    def close(self):
        if not self.closed:
            self._drop()
        super().close()

    def _fetch_next(self, begin, end):
        """The next bytes of one answer that extends to the end of the file."""
        if self._stream is None or self._stream_at != begin:
            self._drop()
            self._stream = self._request(begin, self._size)
            self._stream_at = begin
        try:
            with self._not_for_ever(end - begin):
                data = self._stream.read(end - begin)
        except (OSError, http.client.HTTPException):
            data = b""
        self.bytes_fetched += len(data)
        self._stream_at += len(data)
        if self._stream_at == self._size:
            self._stream = None
        if len(data) == end - begin:
            return data
        self._drop()
        return data + self._fetch(begin + len(data), end)

    def _fetch(self, begin, end):
        """Fetches these bytes, with as many requests as needed; fewer only at the end of a file whose size is not known yet."""
        pieces, tries = [], 0
        while begin < end:
            try:
                answer = self._request(begin, end)
                if self._size is not None:
                    end = min(end, self._size)
                    if begin >= end:  # an empty file
                        break
                with self._not_for_ever(end - begin):
                    data = answer.read(end - begin)
            except (OSError, http.client.HTTPException, ValueError) as error:  # ValueError: a name that no server can have
                if isinstance(error, Error):
                    raise
                data, failure = b"", error
            else:
                is_progress = len(data) >= min(_LEAST, end - begin)
                failure = None if is_progress else f"the server sent {len(data)} of {end - begin} bytes" if data else "the server sent nothing"
                if len(data) < end - begin:
                    self._drop()
            pieces.append(data)
            begin += len(data)
            self.bytes_fetched += len(data)
            tries = tries + 1 if failure is not None else 0
            if failure is not None:
                self._drop()
                if tries >= _TRIES:
                    raise IoError(f"{self._shown}: cannot read from byte {begin}: {_words(failure)}; tried {tries} times: check "
                                  "the network, or fetch it whole (curl -O URL), and read the copy", path=self._shown, offset=begin) from (
                                      failure if isinstance(failure, BaseException) else None)
                self._wait(0.1 * 4 ** (tries - 1))
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def _request(self, begin, end):
        """The answer to a request for a range, ready to be read, after checking status, range and version."""
        if self._stream is not None:
            self._drop()
        parts, seen = self._final, set()
        for _ in range(_REDIRECTS + 1):
            answer = self._send(parts, begin, end)
            if answer.status in (401, 403, 404, 410) and not seen and parts != self._parts:  # what a redirect named is valid for a while
                self._drop()
                parts = self._parts
                answer = self._send(parts, begin, end)
            if answer.status not in (301, 302, 303, 307, 308):
                break
            target = answer.getheader("Location", "")
            self._drop()
            try:
                following = urllib.parse.urlsplit(urllib.parse.urljoin(urllib.parse.urlunsplit(parts), target))
            except ValueError as error:
                raise IoError(f"{self._shown}: the server redirects to what is no address: {_plain(str(error))}", path=self._shown) from None
            there = _plain(shown(urllib.parse.urlunsplit(following)))
            if following.scheme not in ("http", "https") or (parts.scheme == "https" and following.scheme == "http"):
                raise IoError(f"{self._shown}: the server redirects to {there}, which is not safe: use that "
                              "address directly if you trust it", path=self._shown)
            if following in seen:
                raise IoError(f"{self._shown}: the server redirects in a circle, to {there}", path=self._shown)
            seen.add(following)
            parts = following
        else:
            raise IoError(f"{self._shown}: the server redirects more than {_REDIRECTS} times", path=self._shown)
        try:
            self._judge(answer, begin, end)
        except BaseException:
            self._drop()
            raise
        self._final = parts
        return answer

    def find_digests(self):
        """``digests``; if the server stated none with the first bytes, its headers are requested once."""
        if self.digests or self._asked:
            return self.digests
        self._asked = True
        if self._stream is not None:
            self._drop()
        with contextlib.suppress(OSError, http.client.HTTPException):
            answer = self._send(self._final, 0, 0, "HEAD")
            answer.read()
            tag = answer.getheader("ETag", "")
            is_same = answer.getheader("Content-Length") == str(self._size) and (not self._tag or tag == self._tag)
            if answer.status == 200 and is_same:
                self.digests = stated_digests(answer.headers, is_whole=True)
        return self.digests

    def _send(self, parts, begin, end, method="GET"):
        origin = _origin(parts)
        if self._connection is None or self._origin != origin:
            self._drop()
            self._connection, self._origin = self._connect(parts), origin
        headers = {"Accept-Encoding": "identity", "User-Agent": _USER_AGENT}
        if method == "GET":
            headers["Range"] = f"bytes={begin}-{end - 1}"
        if self._size is None or method == "HEAD":
            headers["Want-Repr-Digest"] = "sha-256=10, sha-512=5"
        if method == "HEAD":  # XRootD 5.5 answers a GET with a list of several by 500
            headers["Want-Digest"] = "sha-256, sha-512, md5, adler32"
        if self._authorization and origin == self._home:
            headers["Authorization"] = self._authorization
        if self._tag:
            headers["If-Match"] = self._tag
        path = urllib.parse.quote(parts.path or "/", safe="/%:@!$&'()*+,;=~-._") + (f"?{parts.query}" if parts.query else "")
        self.requests += 1
        fresh = self._connection.sock is None
        try:
            self._connection.request(method, path, headers=headers)
            self._socket = self._connection.sock
            with self._not_for_ever(0):
                answer = self._connection.getresponse()
            answer.reason = _plain(answer.reason)
            return answer
        except (http.client.BadStatusLine, ConnectionError, BrokenPipeError):
            self._drop()
            if fresh:
                raise
            return self._send(parts, begin, end, method)  # the server had closed a connection that was idle

    def _connect(self, parts):
        try:
            port = parts.port
        except ValueError as error:
            raise IoError(f"{self._shown}: {error}", path=self._shown) from None
        if not parts.hostname:
            raise IoError(f"{self._shown}: the URL names no server", path=self._shown)
        if parts.scheme == "https":
            return http.client.HTTPSConnection(parts.hostname, port, timeout=self._timeout, context=ssl.create_default_context())
        return http.client.HTTPConnection(parts.hostname, port, timeout=self._timeout)

    def _judge(self, answer, begin, end):
        status = answer.status
        if status in (401, 403, 407):
            raise NoPermission(f"{self._shown}: the server refuses: {status} {answer.reason}; give a user and password in the "
                               "URL if you have them, or a signed URL", path=self._shown)
        if status in (404, 410):
            raise NotFound(f"{self._shown}: there is no such file on the server: {status} {answer.reason}", path=self._shown)
        if status == 412:
            raise self._changed("its ETag has changed")
        if status == 416 and self._size is None:
            if re.search(r"/0*[1-9]", answer.getheader("Content-Range", "")):
                raise IoError(f"{self._shown}: the server refuses the first bytes of a file that is not empty; fetch it whole (curl "
                              "-O URL), and read the copy", path=self._shown)
            self._size = 0  # no byte to give
            return
        if status == 200:
            raise Unsupported(f"{self._shown}: the server does not send parts of this file (it ignores Range), so it cannot be "
                              "read from there: fetch it whole (curl -O URL), and read the copy", path=self._shown)
        if status in (408, 429) or status >= 500:
            wait = answer.getheader("Retry-After", "")
            self._wait(min(int(wait), 10) if wait.isdigit() else 0)
            raise http.client.HTTPException(f"{status} {answer.reason}")
        if status != 206:
            raise IoError(f"{self._shown}: the server answers {status} {answer.reason}", path=self._shown)
        self._judge_range(answer, begin, end)

    def _judge_range(self, answer, begin, end):
        stated = answer.getheader("Content-Range", "")
        found = _RANGE.match(stated.strip())
        if found is None or answer.getheader("Content-Encoding", "identity") != "identity":
            raise Unsupported(f"{self._shown}: the server's answer does not say which bytes it holds (Content-Range: "
                              f"{stated!r}); fetch it whole (curl -O URL), and read the copy", path=self._shown, offset=begin)
        first, last, size = map(int, found.groups())
        length = answer.getheader("Content-Length")
        if length is not None and length.strip() != str(last + 1 - first):
            raise IoError(f"{self._shown}: the server announces {_plain(length)} bytes for bytes {first} to {last}: it cannot be trusted; "
                          "fetch the file in another way", path=self._shown, offset=begin)
        if self._size is not None and size != self._size:
            raise self._changed(f"it had {self._size} bytes and has {size} now")
        if first != begin or last + 1 != min(end, size):
            raise IoError(f"{self._shown}: asked for bytes {begin} to {min(end, size) - 1}, the server sends {first} to {last}: "
                          "it cannot be trusted; fetch the file in another way", path=self._shown, offset=begin,
                          expected=f"{begin}-{min(end, size) - 1}", found=f"{first}-{last}")
        tag, date = answer.getheader("ETag", ""), answer.getheader("Last-Modified")
        strong = tag if tag and not tag.startswith("W/") else None
        if self._size is None:
            self._size, self._tag, self._date = size, strong, date
            dated = _nanoseconds(date)
            self.is_dated, self.modified = dated != 0, dated or number_of(tag)
            self.digests = stated_digests(answer.headers, is_whole=last + 1 == size)
        elif strong and self._tag and strong != self._tag:
            raise self._changed("its ETag has changed")
        elif date and self._date and date != self._date:
            raise self._changed(f"it was modified on {_plain(date)}")

    def _changed(self, what):
        return WrongState(f"{self._shown}: the file has changed on the server since it was opened: {what}; open it again",
                          path=self._shown)

    @contextlib.contextmanager
    def _not_for_ever(self, size):
        """Breaks the connection if these bytes take too long: a server may send one now and then without end."""
        timer = threading.Timer(2 * self._timeout + size / _LEAST_RATE, _shut, [self._socket])
        timer.daemon = True
        with contextlib.suppress(RuntimeError):  # no thread can be made
            timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def _wait(self, seconds):
        """A pause that Ctrl-C interrupts."""
        end = time.monotonic() + seconds
        while True:
            if signals.deferred.is_within and signals.deferred.handle(None):
                raise IoError(f"{self._shown}: interrupted", path=self._shown)
            left = end - time.monotonic()
            if left <= 0:
                return
            time.sleep(min(left, 0.1))

    def _drop(self):
        """Closes the connection and discards pending data."""
        connection, self._connection, self._stream, self._origin = self._connection, None, None, None
        if connection is not None:
            connection.close()


def _shut(connected):
    with contextlib.suppress(OSError):
        connected.shutdown(socket.SHUT_RDWR)


def _nanoseconds(date):
    """Nanoseconds since 1970 for a date in a header; 0 if it is not a date."""
    with contextlib.suppress(TypeError, ValueError, OverflowError):
        return int(email.utils.parsedate_to_datetime(date).timestamp()) * 1_000_000_000
    return 0


def _origin(parts):
    return parts.scheme, parts.hostname, parts.port


def _authorization(parts):
    if parts.username is None:
        return None
    user, password = (urllib.parse.unquote(part or "") for part in (parts.username, parts.password))
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


def _words(failure):
    return failure if isinstance(failure, str) else f"{type(failure).__name__}: {_plain(str(failure))}"


def _plain(text):
    """A server's words without what would move the cursor of a terminal, and not too many."""
    return "".join(one if one.isprintable() else "?" for one in text.strip()[:200])
