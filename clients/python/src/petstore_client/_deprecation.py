from __future__ import annotations

import re
import sys
import warnings
from email.utils import parsedate_to_datetime

from ._answer import Answer
from ._clock import date_from_unix


def warn_if_deprecated(answer: Answer, operation: str) -> None:
    """
    Warns where the program makes a call that the service will remove, as `Deprecation` (RFC 9745)
    and `Sunset` (RFC 8594) say.

    :param operation: as programs call it
    """
    since = re.fullmatch(r'@(\d{1,12})', answer.headers.get('deprecation', ''), re.ASCII)
    if not since:
        return
    message = f'{operation} has been deprecated since {date_from_unix(int(since[1])):%Y-%m-%d}'
    try:
        removed = parsedate_to_datetime(answer.headers.get('sunset', ''))
        message += f' and will be removed on {removed:%Y-%m-%d}'
    except (TypeError, ValueError):
        pass
    warnings.warn(f'{message}.', DeprecationWarning, stacklevel=_depth_of_caller())


def _depth_of_caller() -> int:
    """How many frames above `warn_if_deprecated` the program is that uses this package."""
    depth = 1
    frame = sys._getframe(1)
    while frame.f_back and frame.f_globals.get('__package__') == __package__:
        frame = frame.f_back
        depth += 1
    return depth
