"""What answers, in whatever order they come, say about the remaining calls."""

from __future__ import annotations

import math
import unittest

from petstore_client._answer import Answer
from petstore_client._quota import Quota, Time


def learn(
    quota: Quota,
    sent_at: float,
    ended_at: float,
    remaining: int,
    seconds: int,
    limit: int = 60,
    name: str = 'minute',
    is_ban: bool = False,
) -> None:
    headers = {
        'ratelimit-policy': f'"{name}";q={limit};w=60, "day";q=1000;w=86400',
        'ratelimit': f'"{name}";r={remaining};t={seconds}, "day";r=900;t=86400',
    }
    answer = Answer(200, headers, b'', 0, '', '', math.inf)
    quota.learn(answer, is_ban, Time(sent_at, ended_at))


class QuotaTest(unittest.TestCase):
    def test_the_lowest_number_about_a_window_counts(self) -> None:
        quota = Quota()
        learn(quota, 1, 2, 50, 60)
        learn(quota, 0, 3, 55, 60)
        self.assertEqual(quota.remaining(3), 50)

    def test_a_late_answer_about_a_window_that_is_over_says_nothing_about_the_next(self) -> None:
        quota = Quota()
        learn(quota, 61, 62, 59, 60)
        learn(quota, 40, 69, 0, 19)
        self.assertEqual(quota.remaining(69), 59)
        self.assertEqual(quota.used_up_until(69), -math.inf)

    def test_a_late_answer_does_not_make_its_window_last_longer(self) -> None:
        quota = Quota()
        learn(quota, 0, 1, 5, 60)
        learn(quota, 2, 31, 0, 58)
        self.assertEqual(quota.used_up_until(31), 61)

    def test_after_the_reset_nothing_is_known_and_nothing_is_used_up(self) -> None:
        quota = Quota()
        learn(quota, 0, 0, 0, 60)
        self.assertEqual(quota.used_up_until(59.9), 60)
        self.assertEqual(quota.used_up_until(60), -math.inf)
        self.assertFalse(quota.is_fresh(60))
        self.assertEqual(quota.remaining(60), math.inf)

    def test_a_raised_plan_holds_from_the_first_call_sent_afterwards(self) -> None:
        quota = Quota()
        learn(quota, 0, 1, 10, 60)
        learn(quota, 2, 3, 250, 58, limit=300)
        learn(quota, 1, 4, 0, 59)
        self.assertEqual(quota.remaining(4), 250)

    def test_calls_without_an_answer_count_until_a_later_answer_includes_them(self) -> None:
        quota = Quota()
        learn(quota, 0, 0, 8, 60)
        quota.note_uncertain(2)
        quota.note_uncertain(3)
        learn(quota, 1, 4, 7, 56)
        self.assertEqual(quota.remaining(4), 5)
        learn(quota, 5, 6, 6, 54)
        self.assertEqual(quota.remaining(6), 6)

    def test_the_windows_of_a_ban_and_of_callers_without_a_key_are_not_the_accounts(self) -> None:
        quota = Quota()
        learn(quota, 0, 0, 8, 60)
        learn(quota, 1, 1, 0, 900, is_ban=True)
        self.assertEqual(quota.remaining(1), 8)
        assert quota.rate_limit
        self.assertEqual(quota.rate_limit.remaining, 0)
        learn(quota, 2, 2, 0, 60, name='anonymous')
        self.assertEqual(quota.rate_limit.windows[0].name, 'minute')

    def test_headers_that_a_proxy_has_damaged_are_ignored(self) -> None:
        for header in (
            '',
            'minute',
            '"minute";r=x;t=5',
            '"other";r=1;t=5',
            f'"minute";r=1;t={9**20}',
        ):
            quota = Quota()
            headers = {'ratelimit-policy': '"minute";q=60;w=60', 'ratelimit': header}
            quota.learn(Answer(200, headers, b'', 0, '', '', math.inf), False, Time(0, 0))
            self.assertIsNone(quota.rate_limit)


if __name__ == '__main__':
    unittest.main()
