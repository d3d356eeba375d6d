"""Real sockets: time budgets, connections, proxies, TLS, and where the key must not appear."""

from __future__ import annotations

import builtins
import gc
import gzip
import json
import os
import pickle
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import tracemalloc
import unittest
from itertools import count
from pathlib import Path
from typing import Any, Callable, Dict, List
from unittest import mock

import petstore_client
from petstore_client import (
    ApiKeyError,
    NetworkError,
    PetstoreError,
    RateLimitError,
    ServiceError,
    TimeoutError,
)

from .support.kinds import Kind, for_both_clients
from .support.raw_server import EMPTY_PAGE, RawServer, answering, read_request

HEAD = b'HTTP/1.1 200 OK\r\nLink: </v1/pets>; rel="first"\r\n'
#: Far longer than the time that a call has here, and than the tests wait.
LONG = 60.0
_keys = count()


class ClientTest:
    kind: Kind

    def client_of(self, url: str, **options: Any) -> Any:
        """Each has a key and so a gate of its own."""
        return self.kind.new_client(
            base_url=url, api_key=f'petstore_test_{next(_keys)}', **options
        )


def error_of(call: Callable[[], object]) -> PetstoreError:
    try:
        call()
    except PetstoreError as error:
        return error
    raise AssertionError('The call has succeeded.')


def gzipped(packed: bytes) -> bytes:
    head = HEAD + b'Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n' % len(packed)
    return head + packed


@for_both_clients
class BudgetTest(ClientTest):
    """However a server sends its response, the call ends in time."""

    def assert_in_time(self, serve: Callable[[socket.socket], object]) -> PetstoreError:
        with RawServer(serve) as server, self.client_of(server.url) as client:
            started_at = time.monotonic()
            error = error_of(lambda: client.pets.list(timeout=0.4))
            self.assertLess(time.monotonic() - started_at, LONG / 4)
        return error

    def drip(self, first: bytes, rest: Callable[[], bytes]) -> Callable[[socket.socket], None]:
        def serve(sock: socket.socket) -> None:
            read_request(sock)
            sock.sendall(first)
            end = time.monotonic() + LONG
            while time.monotonic() < end:
                sock.sendall(rest())
                time.sleep(0.02)

        return serve

    def test_silence(self) -> None:
        self.assertIsInstance(self.assert_in_time(lambda sock: sock.recv(1)), PetstoreError)
        error = self.assert_in_time(self.drip(b'', lambda: b''))
        self.assertIsInstance(error, TimeoutError)
        self.assertIsInstance(error, builtins.TimeoutError)

    def test_a_head_that_comes_byte_by_byte(self) -> None:
        error = self.assert_in_time(self.drip(HEAD + b'X: ', lambda: b'a'))
        self.assertIsInstance(error, TimeoutError)

    def test_a_body_that_comes_byte_by_byte(self) -> None:
        start = HEAD + b'Content-Length: 100000\r\n\r\n['
        self.assertIsInstance(self.assert_in_time(self.drip(start, lambda: b' ')), TimeoutError)

    def test_chunks_that_come_one_by_one(self) -> None:
        start = HEAD + b'Transfer-Encoding: chunked\r\n\r\n'
        error = self.assert_in_time(self.drip(start, lambda: b'1\r\n \r\n'))
        self.assertIsInstance(error, TimeoutError)

    def test_a_body_that_never_ends_is_not_read_completely(self) -> None:
        sent = 0

        def serve(sock: socket.socket) -> None:
            nonlocal sent
            read_request(sock)
            sock.sendall(HEAD + b'\r\n')
            while True:
                sent += sock.send(b' ' * 65_536)

        with RawServer(serve) as server, self.client_of(server.url) as client:
            error = error_of(lambda: client.pets.list(timeout=LONG))
        self.assertIsInstance(error, NetworkError)
        self.assertIn('the response is larger than 1,048,576 bytes', error.message)
        self.assertLess(sent, 64 * 1_048_576)

    def test_a_server_cannot_make_it_read_on_after_the_end_or_in_a_chunk_without_end(self) -> None:
        chunked = HEAD + b'Transfer-Encoding: chunked\r\n\r\n-1\r\n'
        packed = HEAD + b'Content-Encoding: gzip\r\n\r\n' + gzip.compress(b'[]')
        interim = b'HTTP/1.1 100 -\r\nX: '
        for start, more in [
            (chunked, b' ' * 65_536),
            (packed, b' ' * 65_536),
            (interim, b' ' * 60_000 + b'\r\n\r\n' + interim),
        ]:
            sent = 0

            def serve(sock: socket.socket) -> None:
                nonlocal sent
                read_request(sock)
                sock.sendall(start)
                while sent < 256 * 1_048_576:
                    sent += sock.send(more)

            with RawServer(serve) as server, self.client_of(server.url) as client:
                error = error_of(lambda: client.pets.list(timeout=LONG))
            self.assertIn('the response is larger than 1,048,576 bytes', error.message)
            self.assertLess(sent, 64 * 1_048_576)

    def test_a_small_body_that_unpacks_to_a_huge_one_is_not_unpacked_completely(self) -> None:
        packed = gzip.compress(b' ' * 64 * 1_048_576)
        tracemalloc.start()
        with RawServer(answering(gzipped(packed))) as server, self.client_of(server.url) as client:
            error = error_of(lambda: client.pets.list(timeout=LONG))
            _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        self.assertIsInstance(error, NetworkError)
        self.assertIn('the response is larger than 1,048,576 bytes', error.message)
        self.assertLess(peak, 8 * 1_048_576)

    def test_a_server_that_does_not_read(self) -> None:
        def serve(sock: socket.socket) -> None:
            time.sleep(LONG)

        listener = socket.create_server(('127.0.0.1', 0), backlog=1)
        with listener, self.client_of(f'http://127.0.0.1:{listener.getsockname()[1]}/v1') as client:
            call = lambda: client.pets.create(name='x' * 30_000_000, category_id=1, timeout=0.4)
            self.assertIsInstance(error_of(call), TimeoutError)

    def test_a_look_up_that_hangs(self) -> None:
        stop = threading.Event()
        with mock.patch('socket.getaddrinfo', lambda *_, **__: stop.wait(LONG)):
            with self.client_of('http://petstore.example/v1') as client:
                error = error_of(lambda: client.pets.list(timeout=0.2))
        stop.set()
        self.assertIsInstance(error, TimeoutError)

    def test_a_tls_handshake_that_hangs(self) -> None:
        with RawServer(lambda sock: time.sleep(LONG)) as server:
            with self.client_of(server.url.replace('http:', 'https:')) as client:
                self.assertIsInstance(error_of(lambda: client.pets.list(timeout=0.4)), TimeoutError)


@for_both_clients
class ConnectionsTest(ClientTest):
    def test_a_connection_is_used_again(self) -> None:
        server = RawServer(answering(*[EMPTY_PAGE] * 3))
        with server, self.client_of(server.url) as client:
            for _ in range(3):
                client.pets.list()
            self.assertEqual(server.connections, 1)

    def test_a_connection_that_the_server_has_closed_is_replaced_without_an_error(self) -> None:
        failures: List[object] = []
        with RawServer(answering(EMPTY_PAGE)) as server:
            client = self.client_of(
                server.url, on_response=lambda event: failures.append(event.error)
            )
            with client:
                for number in range(1, 4):
                    client.pets.list()
                    self.assertEqual(server.connections, number)
                    # Until the end of the connection has arrived.
                    [idle] = client._connections._idle
                    end = time.monotonic() + 10
                    while idle.is_usable() and time.monotonic() < end:
                        time.sleep(0.005)
        self.assertEqual(failures, [None] * 3)

    def test_a_connection_with_connection_close_is_not_used_again(self) -> None:
        response = EMPTY_PAGE.replace(b'Link:', b'Connection: close\r\nLink:')
        with RawServer(answering(response)) as server, self.client_of(server.url) as client:
            client.pets.list()
            client.pets.list()
            self.assertEqual(server.connections, 2)

    def test_a_response_that_is_cut_off_is_repeated(self) -> None:
        cut = [
            b'',
            b'HTTP/1.1 200 OK\r\nLink: ',
            EMPTY_PAGE[:-1],
            HEAD + b'Transfer-Encoding: chunked\r\n\r\n2\r\n[]\r\n',
            b'not HTTP at all\r\n\r\n',
        ]
        responses = iter(cut)

        def serve(sock: socket.socket) -> None:
            read_request(sock)
            sock.sendall(next(responses, EMPTY_PAGE))

        with RawServer(serve) as server, self.client_of(server.url) as client:
            self.assertEqual(client.pets.list().pets, ())

    def test_interim_responses_are_not_taken_for_the_response(self) -> None:
        interim = [b'HTTP/1.1 %d -\r\nLink: </a>\r\n\r\n' % status for status in (100, 102, 103)]
        server = RawServer(answering(*[b''.join([*interim, EMPTY_PAGE])] * 2))
        with server, self.client_of(server.url) as client:
            for _ in range(2):
                self.assertEqual(client.pets.list().pets, ())
            self.assertEqual(server.connections, 1)

    def test_what_is_sent(self) -> None:
        requests: List[bytes] = []

        def serve(sock: socket.socket) -> None:
            requests.append(read_request(sock))
            sock.sendall(EMPTY_PAGE)

        with RawServer(serve) as server:
            key = 'petstore_test_what_is_sent'
            with self.kind.new_client(base_url=f'{server.url}/', api_key=key) as client:
                client.pets.list(limit=5, cursor='a+b&c')
        first_line, *lines = requests[0].decode().strip().split('\r\n')
        self.assertEqual(first_line, 'GET /v1/pets?limit=5&cursor=a%2Bb%26c HTTP/1.1')
        headers: Dict[str, str] = dict(line.split(': ') for line in lines)
        self.assertRegex(headers.pop('X-Request-Id'), '^[0-9a-f]{32}$')
        self.assertEqual(
            headers,
            {
                'Host': f'127.0.0.1:{server.port}',
                'Authorization': f'Bearer {key}',
                'Accept': 'application/json',
                'Accept-Encoding': 'gzip',
                'User-Agent': f'petstore-client-python/{petstore_client.__version__}',
            },
        )

    def test_spaces_after_the_value_of_a_header_are_not_part_of_it(self) -> None:
        refused = EMPTY_PAGE.replace(b'200 OK\r\n', b'429 No\r\nRetry-After: 600 \t\r\n')
        with RawServer(answering(refused)) as server, self.client_of(server.url) as client:
            error = error_of(lambda: client.pets.list(timeout=5))
        assert isinstance(error, RateLimitError)
        self.assertEqual(error.retry_after, 600)

    def test_a_compressed_response_is_unpacked(self) -> None:
        pets = b'[{"id": 1, "name": "Rex", "categoryId": 7, "status": "sold"}]'
        with RawServer(answering(gzipped(gzip.compress(pets)))) as server:
            with self.client_of(server.url) as client:
                [pet] = client.pets.list().pets
        self.assertEqual(pet.name, 'Rex')

    def test_compressed_content_that_is_damaged_or_cut_off_is_an_error(self) -> None:
        packed = gzip.compress(b'[]')
        damaged = packed[:12] + bytes([packed[12] ^ 0xFF]) + packed[13:]
        for content in (packed[:-1], damaged, b'[]'):
            server = RawServer(answering(gzipped(content)))
            with server, self.client_of(server.url) as client:
                error = error_of(lambda: client.pets.list(max_retries=0))
            self.assertIsInstance(error, NetworkError)
            self.assertIn('the response is not valid HTTP (InvalidGzip)', error.message)

    def test_connections_are_closed_with_the_client_even_if_it_is_only_dropped(self) -> None:
        with RawServer(answering(EMPTY_PAGE, EMPTY_PAGE)) as server:
            client = self.client_of(server.url)
            client.pets.list()
            [idle] = client._connections._idle
            del client
            gc.collect()
            self.assertEqual(idle._socket.fileno(), -1)

    @unittest.skipUnless(hasattr(os, 'fork'), 'this platform has no fork')
    def test_a_forked_process_uses_connections_of_its_own(self) -> None:
        server = RawServer(answering(*[EMPTY_PAGE] * 9))
        with server, self.client_of(server.url) as client:
            client.pets.list()
            # As if another thread were just using them.
            client._connections._lock.acquire()
            child = os.fork()
            if child == 0:
                # If it hangs, it ends.
                signal.alarm(20)
                os._exit(0 if client.pets.list().pets == () else 1)
            client._connections._lock.release()
            self.assertEqual(os.waitpid(child, 0)[1], 0)
            client.pets.list()
            self.assertEqual(server.connections, 2)

    def test_addresses_at_which_there_is_no_petstore_are_named_quickly(self) -> None:
        with socket.create_server(('127.0.0.1', 0)) as free:
            port = free.getsockname()[1]
        for url, reason in [
            (f'http://127.0.0.1:{port}/v1', 'Connection refused'),
            ('http://petstore.invalid/v1', ''),
        ]:
            with self.client_of(url) as client:
                started_at = time.monotonic()
                error = error_of(client.pets.list)
                self.assertLess(time.monotonic() - started_at, LONG / 4)
            self.assertIsInstance(error, NetworkError)
            self.assertIn(f'{url} could not be reached: {reason}', error.message)
            self.assertRegex(error.message, r'Check base_url\.$')


@for_both_clients
class ProxyTest(ClientTest):
    def test_http_requests_go_through_the_proxy_of_the_environment(self) -> None:
        requests: List[bytes] = []

        def serve(sock: socket.socket) -> None:
            requests.append(read_request(sock))
            sock.sendall(EMPTY_PAGE)

        with RawServer(serve) as proxy:
            env = {'http_proxy': f'http://user:p%40ss@127.0.0.1:{proxy.port}', 'no_proxy': ''}
            with mock.patch.dict(os.environ, env):
                with self.client_of('http://petstore.example/v1') as client:
                    client.pets.list()
        first_line, *lines = requests[0].decode().split('\r\n')
        self.assertEqual(first_line, 'GET http://petstore.example/v1/pets HTTP/1.1')
        self.assertIn('Host: petstore.example', lines)
        self.assertIn('Proxy-Authorization: Basic dXNlcjpwQHNz', lines)

    def test_a_proxy_is_not_used_for_the_hosts_in_no_proxy(self) -> None:
        with RawServer(answering(EMPTY_PAGE)) as server:
            env = {'http_proxy': 'http://127.0.0.1:1', 'no_proxy': '127.0.0.1'}
            with mock.patch.dict(os.environ, env), self.client_of(server.url) as client:
                client.pets.list()

    def test_a_proxy_that_refuses_a_tunnel_is_named(self) -> None:
        with RawServer(answering(b'HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n')) as proxy:
            env = {'https_proxy': f'127.0.0.1:{proxy.port}', 'no_proxy': ''}
            with mock.patch.dict(os.environ, env):
                with self.client_of('https://petstore.example/v1') as client:
                    error = error_of(lambda: client.pets.list(max_retries=0))
        self.assertIn('the proxy answered with status 407', error.message)

    def test_a_proxy_that_does_not_speak_http_gets_nothing_and_no_password_is_shown(self) -> None:
        with RawServer(answering(EMPTY_PAGE)) as server:
            at = f'127.0.0.1:{server.port}'
            for proxy, shown in [
                (f'https://user:secret@{at}', at),
                (f'socks5://user:secret@{at}', at),
                (f'socks5://user:se@cr/et@{at}', at),
                ('http://user:secret@127.0.0.1:abc', '127.0.0.1:abc'),
                ('http://user:secret@127.0.0.1:99999', '127.0.0.1:99999'),
                ('http://user:sec/ret@[::1', '[::1'),
                ('http://127.0.0.1:abc', 'http://127.0.0.1:abc'),
            ]:
                for scheme in ('http', 'https'):
                    env = {f'{scheme}_proxy': proxy, 'no_proxy': ''}
                    with self.subTest(proxy=proxy, scheme=scheme), mock.patch.dict(os.environ, env):
                        with self.client_of(f'{scheme}://petstore.example/v1') as client:
                            error = error_of(client.pets.list)
                        self.assertIsInstance(error, NetworkError)
                        self.assertIn(f'the proxy {shown} is not an HTTP proxy', error.message)
                        text = ''.join(traceback.format_exception(None, error, error.__traceback__))
                        self.assertNotRegex(text, 'user|sec')
            self.assertEqual(server.connections, 0)


@for_both_clients
class TlsTest(ClientTest):
    folder: 'tempfile.TemporaryDirectory[str]'
    certificate: Path
    key: Path

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = tempfile.TemporaryDirectory()
        cls.certificate = Path(cls.folder.name, 'certificate.pem')
        cls.key = Path(cls.folder.name, 'key.pem')
        command = [
            'openssl',
            'req',
            '-x509',
            '-newkey',
            'ec',
            '-pkeyopt',
            'ec_paramgen_curve:P-256',
        ]
        command += ['-nodes', '-subj', '/CN=localhost', '-days', '2']
        command += ['-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1']
        command += ['-keyout', str(cls.key), '-out', str(cls.certificate)]
        try:
            subprocess.run(command, check=True, capture_output=True)
        except FileNotFoundError:
            cls.folder.cleanup()
            raise unittest.SkipTest('openssl is not installed') from None

    @classmethod
    def tearDownClass(cls) -> None:
        cls.folder.cleanup()

    def server(self) -> RawServer:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, self.key)
        return RawServer(answering(EMPTY_PAGE, EMPTY_PAGE), context)

    def test_with_an_authority_of_your_own(self) -> None:
        context = ssl.create_default_context(cafile=str(self.certificate))
        with self.server() as server, self.client_of(server.url, ssl_context=context) as client:
            client.pets.list()
            client.pets.list()
            self.assertEqual(server.connections, 1)

    def test_a_certificate_that_is_not_trusted_is_named_and_the_key_is_not_sent(self) -> None:
        with self.server() as server, self.client_of(server.url) as client:
            error = error_of(client.pets.list)
        self.assertIsInstance(error, NetworkError)
        self.assertIn('its certificate is not trusted: self', error.message)

    def test_an_error_of_the_tls_library_does_not_keep_what_was_sent(self) -> None:
        context = ssl.create_default_context(cafile=str(self.certificate))
        server_context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        server_context.load_cert_chain(self.certificate, self.key)
        with RawServer(lambda sock: time.sleep(LONG), server_context) as server:
            with self.client_of(server.url, ssl_context=context) as client:
                name = 'SECRET' * 1_000_000
                error = error_of(lambda: client.pets.create(name=name, category_id=1, timeout=0.4))
        self.assertIsInstance(error, TimeoutError)
        for one in chain_of(error):
            for frame, _ in traceback.walk_tb(one.__traceback__):
                if frame.f_code.co_filename == ssl.__file__:
                    self.assertNotIn('SECRET', repr(frame.f_locals))

    def test_a_server_without_tls_is_named(self) -> None:
        def serve(sock: socket.socket) -> None:
            sock.recv(1)
            sock.sendall(b'HTTP/1.1 400 No\r\n\r\n')
            sock.recv(65_536)

        with RawServer(serve) as server:
            url = server.url.replace('http:', 'https:')
            with self.client_of(url) as client:
                error = error_of(lambda: client.pets.list(max_retries=0))
        self.assertRegex(error.message, f'^{url} could not be reached: .+. Check base_url.$')
        self.assertNotIn('_ssl.c', error.message)

    def test_through_a_tunnel(self) -> None:
        context = ssl.create_default_context(cafile=str(self.certificate))
        with self.server() as server:

            def serve(sock: socket.socket) -> None:
                head = read_request(sock).decode()
                self.assertIn(f'CONNECT 127.0.0.1:{server.port} HTTP/1.1\r\n', head)
                self.assertNotIn('Authorization', head)
                with socket.create_connection(('127.0.0.1', server.port)) as upstream:
                    sock.sendall(b'HTTP/1.1 200 OK\r\n\r\n')
                    for source, target in [(sock, upstream), (upstream, sock)]:
                        threading.Thread(target=copy, args=(source, target), daemon=True).start()
                    time.sleep(LONG)

            with RawServer(serve) as proxy:
                env = {'https_proxy': f'http://127.0.0.1:{proxy.port}', 'no_proxy': ''}
                with mock.patch.dict(os.environ, env):
                    with self.client_of(server.url, ssl_context=context) as client:
                        client.pets.list()
                        client.pets.list()
                self.assertEqual(proxy.connections, 1)


def copy(source: socket.socket, target: socket.socket) -> None:
    try:
        while chunk := source.recv(65_536):
            target.sendall(chunk)
    except OSError:
        pass


def chain_of(error: BaseException) -> List[BaseException]:
    """An error, its causes and theirs."""
    chain = [error]
    for one in chain:
        chain += [e for e in (one.__cause__, one.__context__) if e and e not in chain]
    return chain


@for_both_clients
class KeyTest(ClientTest):
    KEY = 'petstore_test_SECRET'

    def client(self, url: str, **options: Any) -> Any:
        return self.kind.new_client(base_url=url, api_key=self.KEY, **options)

    def test_no_repr_shows_the_key(self) -> None:
        events: List[object] = []
        with RawServer(answering(EMPTY_PAGE)) as server:
            client = self.client(server.url, on_request=events.append, on_response=events.append)
            page = client.pets.list()
        seen: List[object] = [client, client.pets, page, client.rate_limit, *events]
        for thing in list(seen):
            seen += list(vars(thing).values()) if hasattr(thing, '__dict__') else []
        seen.append(client._transport._options)
        seen.append(client._connections._authorization)
        for thing in seen:
            self.assertNotIn('SECRET', repr(thing))
        client.close()

    def test_no_error_and_no_variable_of_its_traceback_contains_the_key(self) -> None:
        refused = b'HTTP/1.1 401 No\r\nContent-Length: 60\r\n\r\n'
        refused += b'{"code":"invalid_api_key","message":"No.","status":401}'.ljust(60)
        servers: List[Callable[[socket.socket], object]] = [
            lambda sock: read_request(sock) and None,
            answering(refused),
            answering(b'HTTP/1.1 200 OK\r\n\r\n<html>'),
            answering(b'nonsense\r\n\r\n'),
        ]
        for serve in servers:
            with RawServer(serve) as server, self.client(server.url) as client:
                error = error_of(
                    lambda: client.pets.create(name='Rex', category_id=1, max_retries=0)
                )
            whole = ''.join(traceback.format_exception(type(error), error, error.__traceback__))
            self.assertNotIn('SECRET', whole)
            for one in chain_of(error):
                for frame, _ in traceback.walk_tb(one.__traceback__):
                    if 'petstore_client' in frame.f_code.co_filename:
                        self.assertNotIn('SECRET', repr(frame.f_locals), frame)

    def test_no_variable_of_the_traceback_of_a_wrong_option_contains_the_key(self) -> None:
        for wrong in [
            {'timeout': 0},
            {'max_retries': -1},
            {'on_wait': 5},
            {'base_url': ''},
            {'api_key': f'"{self.KEY}"'},
        ]:
            options: Dict[str, Any] = {'base_url': 'http://127.0.0.1:1/v1', 'api_key': self.KEY}
            # Not `assertRaises`, which clears the variables.
            try:
                self.kind.new_client(**{**options, **wrong})
                self.fail(f'{wrong} was accepted')
            except (TypeError, ValueError) as error:
                for frame, _ in traceback.walk_tb(error.__traceback__):
                    if 'petstore_client' in frame.f_code.co_filename:
                        self.assertNotIn('SECRET', repr(frame.f_locals), wrong)

    def test_a_client_cannot_be_pickled(self) -> None:
        with self.assertRaisesRegex(TypeError, 'create one in each process'):
            pickle.dumps(self.client('http://127.0.0.1:1/v1'))

    def test_errors_can_be_pickled(self) -> None:
        with RawServer(answering(EMPTY_PAGE.replace(b'200 OK', b'429 No'))) as server:
            with self.client(server.url) as client:
                error = error_of(lambda: client.pets.list(max_retries=0))
        assert isinstance(error, RateLimitError)
        copied = pickle.loads(pickle.dumps(error))
        self.assertIs(type(copied), RateLimitError)
        self.assertEqual(vars(copied), vars(error))
        self.assertEqual(str(copied), str(error))


@for_both_clients
class OptionsTest(ClientTest):
    def test_wrong_options_are_rejected(self) -> None:
        wrong: Dict[str, Any]
        good: Dict[str, Any] = {'base_url': 'https://petstore.example/v1', 'api_key': 'key'}
        for wrong in [
            {'base_url': ''},
            {'base_url': 'petstore.example/v1'},
            {'base_url': 'ftp://petstore.example/v1'},
            {'base_url': 'https:///v1'},
            {'base_url': 'https://petstore.example/v1?x=1'},
            {'base_url': 'https://user:password@petstore.example/v1'},
            {'base_url': 'https://petstore.example:99999/v1'},
            {'base_url': 'https://petstore.example/v1\r\nX: y'},
            {'base_url': None},
            {'timeout': 0},
            {'timeout': float('nan')},
            {'attempt_timeout': -1},
            {'max_wait': 0},
            {'max_retries': -1},
        ]:
            with self.subTest(wrong), self.assertRaises(ValueError):
                self.kind.new_client(**{**good, **wrong})
        for wrong in [{'timeout': '5'}, {'timeout': None}, {'on_wait': 5}, {'max_retries': '1'}]:
            with self.subTest(wrong), self.assertRaises(TypeError):
                self.kind.new_client(**{**good, **wrong})

    def test_a_key_pasted_with_extras_is_rejected_and_the_error_names_the_fault_alone(self) -> None:
        key = 'petstore_live_0123456789'
        wrong: Any
        for fault, *pasted in [
            ('it is not a string', None, 5),
            ('it is empty', ''),
            ('it begins with "Bearer"', f'Bearer {key}', f' bearer: "{key}"'),
            ('it contains quotes', f'"{key}"', f"'{key}'", f'\u201c{key}\u201d', f'{key}"\n'),
            ('it contains brackets', f'<{key}>', f'[{key}]', f'{{{{{key}}}}}'),
            ('it contains a line end', f'{key}\n', f'{key}\r', f'{key}\\n', f'{key}%0A'),
            ('it contains a space', f'{key} ', f' {key}', f'{key}\t', f'{key} {key}'),
            ('it contains a comma or a semicolon', f'{key},', f'{key};'),
            (
                'it contains a character that is invisible or not ASCII',
                *(f'{key}\u200b', f'\ufeff{key}', f'{key}\xa0', f'{key}\x00', 'schl\xfcssel'),
            ),
        ]:
            for wrong in pasted:
                with self.subTest(repr(wrong)), self.assertRaises(ValueError) as caught:
                    self.kind.new_client(base_url='https://petstore.example/v1', api_key=wrong)
                expected = f'api_key must be an API key issued by the operator of the service; {fault}.'
                self.assertEqual(str(caught.exception), expected)

    def test_the_client_has_a_short_repr(self) -> None:
        client = self.kind.new_client(base_url='https://petstore.example/v1/', api_key='key')
        self.assertRegex(
            repr(client), r"^(Async)?Petstore\(base_url='https://petstore.example/v1'\)$"
        )

    def test_clients_with_the_same_address_and_key_share_a_gate(self) -> None:
        def gate(base_url: str, api_key: str) -> object:
            return self.kind.new_client(base_url=base_url, api_key=api_key)._gate

        one = gate('https://petstore.example/v1', 'a')
        self.assertIs(gate('https://petstore.example/v1/', 'a'), one)
        self.assertIsNot(gate('https://petstore.example/v1', 'b'), one)
        self.assertIsNot(gate('https://staging.petstore.example/v1', 'a'), one)

    def test_classes_are_named_as_programs_import_them(self) -> None:
        self.assertEqual(ApiKeyError.__module__, 'petstore_client')
        self.assertEqual(ServiceError.__qualname__, 'ServiceError')


if __name__ == '__main__':
    unittest.main()
