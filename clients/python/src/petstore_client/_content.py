from __future__ import annotations

import http.client
import zlib


class InvalidGzip(http.client.HTTPException):
    """The content is not valid gzip, although Content-Encoding says so."""


class ContentTooLarge(Exception):
    """The unpacked content exceeds the limit."""


class Content:
    """
    The content of a response, unpacked as it arrives. A few bytes can unpack to gigabytes, so
    unpacking stops at the limit.

    :param coding: the value of Content-Encoding; content with any other coding than gzip stays
        unchanged
    """

    def __init__(self, coding: str, max_bytes: int) -> None:
        is_gzip = coding.strip().lower() in ('gzip', 'x-gzip')
        self._unpacker = zlib.decompressobj(16 + zlib.MAX_WBITS) if is_gzip else None
        self._max_bytes = max_bytes
        self._bytes = bytearray()
        self._is_empty = True

    def add(self, chunk: bytes) -> None:
        """
        :raises ContentTooLarge:
        :raises InvalidGzip:
        """
        self._is_empty = False
        self._bytes += self._unpack(chunk)
        if len(self._bytes) > self._max_bytes:
            raise ContentTooLarge

    def end(self) -> bytes:
        """
        :returns: the whole content
        :raises InvalidGzip: if the last part is missing
        """
        if self._unpacker and not self._is_empty and not self._unpacker.eof:
            raise InvalidGzip
        return bytes(self._bytes)

    def _unpack(self, chunk: bytes) -> bytes:
        if not self._unpacker:
            return chunk
        try:
            # Reading one byte more than allowed shows whether there is more.
            return self._unpacker.decompress(chunk, self._max_bytes + 1 - len(self._bytes))
        except zlib.error as cause:
            raise InvalidGzip from cause
