from __future__ import annotations

import re
from typing import Optional

from ._secret import Secret


def check_key(key: Secret) -> None:
    """:raises ValueError: names the fault in the form of the key, and never repeats the key"""
    fault = _find_fault(key.reveal())
    if fault is not None:
        must = 'api_key must be an API key issued by the operator of the service'
        raise ValueError(f'{must}; {fault}.')


#: How keys are pasted by mistake. The service decides about all other texts.
_FAULTS = [
    (r'^\Z', 'it is empty'),
    (r'^\s*(?i:bearer)\b', 'it begins with "Bearer"'),
    (r'["\'`\u2018-\u201f\u00ab\u00bb]', 'it contains quotes'),
    (r'[<>()\[\]{}]', 'it contains brackets'),
    (r'[\r\n]|\\[nr]|%0[adAD]', 'it contains a line end'),
    (r'[ \t]', 'it contains a space'),
    (r'[,;]', 'it contains a comma or a semicolon'),
    (r'[^\x21-\x7e]', 'it contains a character that is invisible or not ASCII'),
]


def _find_fault(text: object) -> Optional[str]:
    if not isinstance(text, str):
        return 'it is not a string'
    return next((fault for pattern, fault in _FAULTS if re.search(pattern, text)), None)
