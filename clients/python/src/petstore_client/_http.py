from __future__ import annotations

import http.client
import io
import queue
import selectors
import socket
import ssl
import threading
import time
from base64 import b64encode
from dataclasses import dataclass
from functools import partial
from typing import Any, Callable, Mapping, Optional, Union, cast
from urllib.parse import SplitResult, unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

from ._content import Content, ContentTooLarge
from ._exchange import Exchange
from ._fork import on_fork
from ._secret import Secret


@dataclass(frozen=True)
class HttpRequest:
    method: str
    #: Appended to the base address, such as /pets?limit=20.
    path: str
    headers: Mapping[str, str]
    body: Optional[bytes]


@dataclass(frozen=True)
class HttpResponse:
    status: int
    #: By name in lower case.
    headers: Mapping[str, str]
    body: bytes


class HttpFailure(Exception):
    """No complete response arrived. The message gives the reason, for people."""

    def __init__(
        self, message: str, *, is_permanent: bool = False, is_timeout: bool = False
    ) -> None:
        super().__init__(message)
        #: Whether another attempt would fail in the same way.
        self.is_permanent = is_permanent
        #: Whether the request ran out of time. Then it may be unknown whether there is a server.
        self.is_timeout = is_timeout


class Connections:
    """
    Sends requests to one address, and keeps connections open between them. This does not use an
    HTTP library because the common ones only have a timeout for each read: a server that sends a
    byte now and then could keep a call waiting forever. Here each request has a deadline that
    covers everything: the DNS lookup, connecting, TLS, sending and receiving.
    """

    def __init__(
        self, base_url: str, authorization: Secret, ssl_context: Optional[ssl.SSLContext]
    ) -> None:
        self._url = urlsplit(base_url)
        self._authorization = authorization
        self._ssl_context = ssl_context
        self._idle: list[_Connection] = []
        self._lock = threading.Lock()
        on_fork(self)

    def send(
        self, request: HttpRequest, exchange: Exchange, on_head: Callable[[], object]
    ) -> HttpResponse:
        """
        :param on_head: called as soon as the head of any response has arrived
        :raises HttpFailure: if there is no complete response in time
        """
        connection = self._take_idle() or self._connect(exchange)
        try:
            response, is_reusable = connection.exchange(
                request, self._authorization, exchange, on_head
            )
        except BaseException:
            connection.close()
            raise
        if is_reusable:
            self._keep(connection)
        else:
            connection.close()
        return response

    def close(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def after_fork(self) -> None:
        # The parent still uses these connections. This closes only the child's copies.
        self._lock = threading.Lock()
        self.close()

    def __del__(self) -> None:
        # Without this, Python warns of connections that were not closed.
        for connection in self.__dict__.get('_idle', ()):
            connection.close()

    def _take_idle(self) -> Optional[_Connection]:
        while True:
            with self._lock:
                if not self._idle:
                    return None
                # The most recently used connection is the most likely to be still open.
                connection = self._idle.pop()
            if connection.is_usable():
                return connection
            connection.close()

    def _keep(self, connection: _Connection) -> None:
        connection.idle_since = time.monotonic()
        with self._lock:
            self._idle.append(connection)
            surplus = self._idle.pop(0) if len(self._idle) > _MAX_IDLE else None
        if surplus:
            surplus.close()

    def _connect(self, exchange: Exchange) -> _Connection:
        url = self._url
        host, port = _host_and_port(url)
        try:
            proxy = _proxy_for(url)
            if proxy is None:
                return self._connect_to(host, port, exchange)
            return self._connect_through(proxy, host, port, exchange)
        except (OSError, http.client.HTTPException, UnicodeError) as cause:
            raise _failure(cause) from cause

    def _connect_to(self, host: str, port: int, exchange: Exchange) -> _Connection:
        sock = _open_socket(host, port, exchange)
        if self._url.scheme == 'https':
            sock = self._start_tls(sock, host, exchange)
        return _Connection(sock, self._url.netloc, self._url.path)

    def _connect_through(
        self, proxy: SplitResult, host: str, port: int, exchange: Exchange
    ) -> _Connection:
        sock = _open_socket(*_host_and_port(proxy), exchange)
        authorization = _proxy_authorization(proxy)
        if self._url.scheme == 'http':
            base = f'http://{self._url.netloc}{self._url.path}'
            return _Connection(sock, self._url.netloc, base, authorization)
        try:
            _open_tunnel(sock, f'[{host}]' if ':' in host else host, port, authorization, exchange)
        except BaseException:
            sock.close()
            raise
        sock = self._start_tls(sock, host, exchange)
        return _Connection(sock, self._url.netloc, self._url.path)

    def _start_tls(self, sock: socket.socket, host: str, exchange: Exchange) -> socket.socket:
        if self._ssl_context is None:
            self._ssl_context = ssl.create_default_context()
        try:
            sock.settimeout(exchange.left())
            sock = self._ssl_context.wrap_socket(
                sock, server_hostname=host, do_handshake_on_connect=False
            )
            exchange.guard(partial(_shut_down, sock))
            sock.do_handshake()
            return sock
        except BaseException:
            sock.close()
            raise


class _Connection:
    """
    :param authority: for the Host header
    :param base: what request targets begin with
    """

    def __init__(
        self,
        sock: socket.socket,
        authority: str,
        base: str,
        headers: Optional[Mapping[str, str]] = None,
    ) -> None:
        self._socket = sock
        self._authority = authority
        self._base = base
        self._headers = headers or {}
        self.idle_since = 0.0

    def exchange(
        self,
        request: HttpRequest,
        authorization: Secret,
        exchange: Exchange,
        on_head: Callable[[], object],
    ) -> tuple[HttpResponse, bool]:
        """:returns: the response, and whether the connection can be used again"""
        try:
            exchange.guard(partial(_shut_down, self._socket))
            self._socket.settimeout(exchange.left())
            # Not in a variable: tracebacks can show those, and this contains the key.
            self._socket.sendall(self._message_of(request, authorization))
            received = _receive(self._socket, request.method, exchange, on_head)
            # Another exchange may use the connection next.
            exchange.guard(None)
            return received
        except (OSError, http.client.HTTPException, ValueError) as cause:
            raise _failure(cause) from cause

    def _message_of(self, request: HttpRequest, authorization: Secret) -> bytes:
        headers = {
            'Host': self._authority,
            'Accept-Encoding': 'gzip',
            'Authorization': authorization.reveal(),
            **self._headers,
            **request.headers,
        }
        body = request.body or b''
        if request.body is not None:
            headers['Content-Length'] = str(len(body))
        return _head_of(f'{request.method} {self._base}{request.path} HTTP/1.1', headers) + body

    def is_usable(self) -> bool:
        """Whether nothing has arrived since the last response, not even the end of the connection."""
        if time.monotonic() - self.idle_since > _MAX_IDLE_SECONDS:
            return False
        with selectors.DefaultSelector() as selector:
            selector.register(self._socket, selectors.EVENT_READ)
            return not selector.select(0)

    def close(self) -> None:
        self._socket.close()


# Nine times the largest page. Much larger ones would take longer to parse than a call may take.
MAX_ANSWER_BYTES = 1_024 * 1_024
# With the heads before it, the sizes of its chunks and what follows its end: a server could
# otherwise send without end.
_MAX_RECEIVED_BYTES = 8 * MAX_ANSWER_BYTES
_CHUNK_BYTES = 64 * 1_024
_MAX_IDLE = 64
# Shorter than the idle timeout of most servers and load balancers.
_MAX_IDLE_SECONDS = 30.0


def _head_of(first_line: str, headers: Mapping[str, str]) -> bytes:
    lines = [first_line, *(f'{name}: {value}' for name, value in headers.items()), '', '']
    return '\r\n'.join(lines).encode('latin-1')


def _receive(
    sock: socket.socket, method: str, exchange: Exchange, on_head: Callable[[], object]
) -> tuple[HttpResponse, bool]:
    with _begin(sock, method, exchange) as response:
        on_head()
        content = Content(response.getheader('Content-Encoding', ''), MAX_ANSWER_BYTES)
        try:
            while chunk := response.read(_CHUNK_BYTES):
                content.add(chunk)
        except ContentTooLarge:
            raise _too_large() from None
        if response.length:
            raise http.client.IncompleteRead(b'', response.length)
        headers: dict[str, str] = {}
        for name, value in response.getheaders():
            # Python itself removes only the spaces before a value.
            name, value = name.lower(), value.strip(' \t')
            headers[name] = f'{headers[name]}, {value}' if name in headers else value
        return HttpResponse(response.status, headers, content.end()), not response.will_close


def _begin(sock: socket.socket, method: str, exchange: Exchange) -> http.client.HTTPResponse:
    """Reads the head of a response."""
    source = _Source(sock, exchange)
    response = http.client.HTTPResponse(cast(Any, source), method=method)
    try:
        response.begin()
        # Python itself skips only interim responses with status 100.
        while response.status < 200:
            cast(Any, response).headers = None  # so that it reads the next head
            response.begin()
        # Python treats the end of the connection as the end of the head.
        if source.reader.has_ended:
            raise http.client.IncompleteRead(b'')
    except BaseException:
        response.close()
        raise
    return response


class _Source:
    """The part of a socket that a response uses."""

    def __init__(self, sock: socket.socket, exchange: Exchange) -> None:
        self.reader = _Reader(sock, exchange)

    def makefile(self, _mode: str) -> io.BufferedReader:
        return io.BufferedReader(self.reader, _CHUNK_BYTES)


class _Reader(io.RawIOBase):
    """Reads from a socket until a deadline, however often something arrives before that."""

    def __init__(self, sock: socket.socket, exchange: Exchange) -> None:
        self._socket = sock
        self._exchange = exchange
        self._bytes_left = _MAX_RECEIVED_BYTES
        self.has_ended = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._socket.settimeout(self._exchange.left())
        length = self._socket.recv_into(buffer)
        self.has_ended = length == 0
        self._bytes_left -= length
        if self._bytes_left < 0:
            raise _too_large()
        return length


def _too_large() -> HttpFailure:
    reason = f'the response is larger than {MAX_ANSWER_BYTES:,} bytes'
    return HttpFailure(reason, is_permanent=True)


def _shut_down(sock: socket.socket) -> None:
    """Ends what another thread sends or receives; closing the socket would not wake it."""
    try:
        # The method of TLS sockets would let that thread continue without encryption.
        socket.socket.shutdown(sock, socket.SHUT_RDWR)
    except OSError:
        # It is not connected.
        pass


def _host_and_port(url: SplitResult) -> tuple[str, int]:
    return url.hostname or '', url.port or (443 if url.scheme == 'https' else 80)


def _open_socket(host: str, port: int, exchange: Exchange) -> socket.socket:
    """Tries the host's addresses in turn. Each gets only its share of the time left."""
    addresses = _look_up(host, port, exchange)
    failure: Optional[OSError] = None
    for index, (family, kind, protocol, _, address) in enumerate(addresses):
        sock = socket.socket(family, kind, protocol)
        try:
            exchange.guard(partial(_shut_down, sock))
            sock.settimeout(exchange.left() / (len(addresses) - index))
            sock.connect(address)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return sock
        except BaseException as error:
            sock.close()
            if not isinstance(error, OSError):
                raise
            failure = error
    raise failure or OSError(f'{host} has no address')


def _look_up(host: str, port: int, exchange: Exchange) -> list[Any]:
    """Runs in a separate thread, because a DNS lookup has no timeout."""
    results: queue.SimpleQueue[Union[list[Any], BaseException]] = queue.SimpleQueue()

    def look_up() -> None:
        try:
            results.put(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        except BaseException as error:
            results.put(error)

    exchange.guard(lambda: results.put(ConnectionAbortedError()))
    threading.Thread(target=look_up, name=f'look up {host}', daemon=True).start()
    try:
        result = results.get(timeout=exchange.left())
    except queue.Empty:
        raise socket.timeout('timed out') from None
    if isinstance(result, BaseException):
        raise result
    return result


def _proxy_for(url: SplitResult) -> Optional[SplitResult]:
    """
    The proxy that HTTP_PROXY, HTTPS_PROXY and NO_PROXY or the system settings name, if any.

    :raises HttpFailure: if it is not an HTTP proxy; others would get the password unencrypted
    """
    proxy = getproxies().get(url.scheme)
    if not proxy or proxy_bypass(url.netloc):
        return None
    try:
        # Reading the port checks it.
        parts = urlsplit(proxy if '://' in proxy else f'http://{proxy}')
        is_http = parts.scheme == 'http' and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_http = False
    if not is_http:
        # Without user name and password, which Python's own message may quote.
        shown = proxy.rpartition('@')[2]
        raise HttpFailure(f'the proxy {shown} is not an HTTP proxy', is_permanent=True)
    return parts


def _proxy_authorization(proxy: SplitResult) -> dict[str, str]:
    if proxy.username is None:
        return {}
    credentials = f'{unquote(proxy.username)}:{unquote(proxy.password or "")}'
    return {'Proxy-Authorization': f'Basic {b64encode(credentials.encode()).decode()}'}


def _open_tunnel(
    sock: socket.socket, host: str, port: int, headers: Mapping[str, str], exchange: Exchange
) -> None:
    authority = f'{host}:{port}'
    sock.settimeout(exchange.left())
    sock.sendall(_head_of(f'CONNECT {authority} HTTP/1.1', {'Host': authority, **headers}))
    with _begin(sock, 'CONNECT', exchange) as response:
        if response.status != 200:
            raise HttpFailure(f'the proxy answered with status {response.status}')


def _failure(cause: Exception) -> HttpFailure:
    # The variables in its frames contain the request, including the key.
    cause.__traceback__ = None
    cause.__context__ = None
    if isinstance(cause, socket.timeout):
        return HttpFailure('no response arrived in time', is_timeout=True)
    if isinstance(cause, http.client.RemoteDisconnected):
        return HttpFailure('the connection was closed without a response')
    if isinstance(cause, http.client.IncompleteRead):
        return HttpFailure('the connection was closed in the middle of the response')
    if isinstance(cause, ssl.SSLCertVerificationError):
        reason = f'its certificate is not trusted: {cause.verify_message}'
        return HttpFailure(reason, is_permanent=True)
    if isinstance(cause, ssl.SSLError) and cause.reason:
        return HttpFailure(f'TLS failed ({cause.reason.replace("_", " ").lower()})')
    if isinstance(cause, http.client.HTTPException):
        # Leave out its text, which may quote arbitrary bytes.
        return HttpFailure(f'the response is not valid HTTP ({type(cause).__name__})')
    return HttpFailure(getattr(cause, 'strerror', None) or str(cause) or type(cause).__name__)
