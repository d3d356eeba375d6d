from __future__ import annotations

import re
import sys
import warnings
from email.utils import parsedate_to_datetime

from ._answer import Answer
from ._clock import date_from_unix


def warn_if_deprecated(answer: Answer, operation: str) -> None:
    """
    Warns, at the line that makes the call, if the service will remove the operation according to
    `Deprecation` (RFC 9745) and `Sunset` (RFC 8594).

    :param operation: its name in this package
    """
    since = re.fullmatch(r'@(\d{1,12})', answer.headers.get('deprecation', ''), re.ASCII)
    if not since:
        return
    message = f'{operation} has been deprecated since {date_from_unix(int(since[1])):%Y-%m-%d}'
    try:
        removed = parsedate_to_datetime(answer.headers.get('sunset', ''))
        message += f' and will be removed on {removed:%Y-%m-%d}'
    except (TypeError, ValueError, OverflowError):
        pass
    warnings.warn(f'{message}.', DeprecationWarning, stacklevel=_depth_of_caller())


def _depth_of_caller() -> int:
    """How many frames the calling program is above `warn_if_deprecated`."""
    depth = 1
    frame = sys._getframe(1)
    while frame.f_back and frame.f_globals.get('__package__') == __package__:
        frame = frame.f_back
        depth += 1
    return depth
