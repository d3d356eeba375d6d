"""The service's rules of limits and bans: one account, one key, no network."""

from __future__ import annotations

import json
import math
import threading
from typing import Dict, List, NamedTuple, Optional

from petstore_client._http import HttpResponse

DAY = 86_400.0


class Window(NamedTuple):
    name: str
    limit: int
    used: int
    resets_at: float

    @property
    def remaining(self) -> int:
        return max(0, self.limit - self.used)


class Reply(NamedTuple):
    response: HttpResponse
    windows: List[Window]
    is_ban: bool


class ModelService:
    def __init__(self, per_minute: int, per_day: int = 100_000) -> None:
        self.limits = {'minute': per_minute, 'day': per_day}
        self.bans = 0
        self._lock = threading.Lock()
        self._used: Dict[str, Window] = {}
        self._banned_until = -math.inf
        # The first refusal of each window, by its end, and how many refused calls ignored it.
        self._first_refusals: Dict[float, float] = {}
        self._strikes: Dict[float, int] = {}

    def spend(self, now: float) -> None:
        """Another key of the account uses up a call."""
        with self._lock:
            self._count(now)

    def ban(self, now: float) -> None:
        self.bans += 1
        self._banned_until = now + 900

    def lift_ban(self) -> None:
        self._banned_until = -math.inf

    def answer(self, now: float) -> Reply:
        with self._lock:
            if now < self._banned_until:
                return self._refuse('api_key_banned', self._banned_until, now)
            used_up = self._count(now)
            if used_up is None:
                windows = self._windows(now)
                headers = {**_headers_of(windows, now), 'link': '</v1/pets>; rel="first"'}
                return Reply(HttpResponse(200, headers, b'[]'), windows, False)
            window = used_up.resets_at
            first = self._first_refusals.setdefault(window, now)
            if now >= first + 10:
                self._strikes[window] = self._strikes.get(window, 0) + 1
            if self._strikes.get(window, 0) >= min(max(self.limits['minute'], 60), 300):
                self._strikes = {}
                self.ban(now)
                return self._refuse('api_key_banned', self._banned_until, now)
            return self._refuse('rate_limit_exceeded', used_up.resets_at, now)

    def _count(self, now: float) -> Optional[Window]:
        """Counts a call. Returns the window that is used up, if one is."""
        windows = self._windows(now)
        used_up = [window for window in windows if window.used >= window.limit]
        if used_up:
            return max(used_up, key=lambda window: window.resets_at)
        for window in windows:
            self._used[window.name] = window._replace(used=window.used + 1)
        return None

    def _windows(self, now: float) -> List[Window]:
        windows = []
        for name, limit in self.limits.items():
            window = self._used.get(name)
            if window is None or window.resets_at <= now:
                resets_at = now + 60 if name == 'minute' else (now // DAY + 1) * DAY
                window = Window(name, limit, 0, resets_at)
            windows.append(window._replace(limit=limit))
        return windows

    def _refuse(self, code: str, until: float, now: float) -> Reply:
        windows = self._windows(now)
        retry_after = str(math.ceil(until - now))
        body = json.dumps({'code': code, 'message': f'Refused: {code}.', 'status': 429})
        headers = {**_headers_of(windows, now), 'retry-after': retry_after}
        is_ban = code == 'api_key_banned'
        return Reply(HttpResponse(429, headers, body.encode()), windows, is_ban)


def _headers_of(windows: List[Window], now: float) -> Dict[str, str]:
    policy = [f'"{w.name}";q={w.limit};w={60 if w.name == "minute" else 86400}' for w in windows]
    state = [f'"{w.name}";r={w.remaining};t={math.ceil(w.resets_at - now)}' for w in windows]
    shown = min(windows, key=lambda w: (w.remaining, -w.resets_at))
    return {
        'x-ratelimit-limit': str(shown.limit),
        'x-ratelimit-remaining': str(shown.remaining),
        'x-ratelimit-reset': str(math.ceil(shown.resets_at)),
        'ratelimit-policy': ', '.join(policy),
        'ratelimit': ', '.join(state),
    }
