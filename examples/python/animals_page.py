"""Keeps a copy of all animals of a Petstore, and serves a page from it.

The page works while the service does not: it shows the last complete copy, which a file keeps over
a restart. The key is read from its file each time, so it can be exchanged while the program runs.
"""

from __future__ import annotations

import html
import json
import os
import sys
import threading
import time
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from petstore_client import Petstore

URL = os.environ.get('PETSTORE_URL')
KEY_FILE = os.environ.get('PETSTORE_KEY_FILE')
COPY_FILE = Path(os.environ.get('COPY_FILE', 'animals.json'))
PORT = int(os.environ.get('PORT', '3000'))
REFRESH_SECONDS = float(os.environ.get('REFRESH_SECONDS', '900'))
# After an error.
MAX_RETRY_SECONDS = 60.0


class Copy:
    """The last complete copy. It is replaced as a whole: the page never shows half of a new one."""

    def __init__(self) -> None:
        self.current: dict[str, Any] | None = read_copy()

    def keep_copying(self) -> None:
        while True:
            wait = REFRESH_SECONDS
            try:
                self.current = read_animals()
                write_copy(self.current)
                print(len(self.current['animals']), 'animals', flush=True)
            except Exception as error:
                # The client has already retried what a retry can solve. The error says when calls
                # are possible again, if the service has said so. Another key may be in the file
                # before that; with the same key, the client sends nothing until then.
                wait = MAX_RETRY_SECONDS
                retry_at: datetime | None = getattr(error, 'retry_at', None)
                if retry_at:
                    wait = (retry_at - datetime.now(timezone.utc)).total_seconds()
                wait = min(REFRESH_SECONDS, wait)
                print(f'{type(error).__name__}: {error}', file=sys.stderr, flush=True)
            time.sleep(max(wait, 1))


def read_animals() -> dict[str, Any]:
    api_key = Path(KEY_FILE or '').read_text().strip()
    at = datetime.now(timezone.utc).isoformat(timespec='seconds')
    # Paced, so that calls are left for other work with the same key.
    with Petstore(base_url=URL or '', api_key=api_key, is_paced=True) as client:
        animals = [
            {'id': pet.id, 'name': pet.name, 'categoryId': pet.category_id, 'status': pet.status}
            for pet in client.pets.list(limit=100)
        ]
    return {'at': at, 'animals': animals}


def read_copy() -> dict[str, Any] | None:
    try:
        copy: dict[str, Any] = json.loads(COPY_FILE.read_text(encoding='utf-8'))
        return copy
    except FileNotFoundError:
        return None
    except ValueError as error:
        print(f'{COPY_FILE} is not used: {error}', file=sys.stderr, flush=True)
        return None


def write_copy(copy: dict[str, Any]) -> None:
    """In one step, so that a crash leaves the earlier file."""
    new = COPY_FILE.with_name(COPY_FILE.name + '.new')
    with new.open('w', encoding='utf-8') as file:
        json.dump(copy, file)
        file.flush()
        os.fsync(file.fileno())
    new.replace(COPY_FILE)


def format_page(copy: dict[str, Any]) -> str:
    # Names come from others: they may contain anything.
    rows = '\n'.join(
        f'<tr><td>{pet["id"]}<td>{html.escape(pet["name"], quote=False)}<td>{pet["status"]}'
        for pet in copy['animals']
    )
    return f"""<!doctype html>
<html lang="en">
<title>Animals</title>
<h1>{len(copy['animals'])} animals</h1>
<p>As of <time datetime="{copy['at']}">{copy['at']}</time></p>
<table>
<tr><th>Id<th>Name<th>Status
{rows}
</table>
"""


def main() -> None:
    if not URL or not KEY_FILE:
        sys.exit(
            'Set PETSTORE_URL, such as https://pets.example.com/v1, '
            'and PETSTORE_KEY_FILE, a file with your key.'
        )
    copy = Copy()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            current = copy.current
            text = format_page(current) if current else 'There is no copy of the animals yet.'
            body = text.encode()
            self.send_response(200 if current else 503)
            self.send_header('Content-Type', 'text/html; charset=utf-8')
            self.send_header('Content-Length', str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Only copies are logged."""

    server = ThreadingHTTPServer(('127.0.0.1', PORT), Handler)
    print(f'http://127.0.0.1:{server.server_port}', flush=True)
    threading.Thread(target=copy.keep_copying, daemon=True).start()
    server.serve_forever()


if __name__ == '__main__':
    main()
