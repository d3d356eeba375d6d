from __future__ import annotations

import re
from typing import Optional


def parse_key(text: str) -> str:
    """:raises ValueError: names the fault in the form of the key, and never repeats the key"""
    fault = _find_fault(text) if isinstance(text, str) else 'it is not a string'
    if fault is None:
        return text
    raise ValueError(f'api_key must be an API key issued by the operator of the service; {fault}.')


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


def _find_fault(text: str) -> Optional[str]:
    return next((fault for pattern, fault in _FAULTS if re.search(pattern, text)), None)
