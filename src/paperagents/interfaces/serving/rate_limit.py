"""How often somebody may do something: a bucket that fills up again with time."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable

MOST_KEYS = 10_000


class RateLimit:
    """So many at once, and so many a second after that; counted for each key by itself."""

    def __init__(self, *, burst: float, per_second: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._burst = burst
        self._per_second = per_second
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def allows(self, key: str) -> bool:
        """Take one, where there is one left."""
        if (left := self.left(key)) < 1:
            return False
        self._buckets[key] = (left - 1, self._clock())
        self._buckets.move_to_end(key)
        if len(self._buckets) > MOST_KEYS:
            # Whoever has not come for longest starts afresh; that is bounded by how many can come.
            self._buckets.popitem(last=False)
        return True

    def left(self, key: str) -> float:
        """How many there are now."""
        left, at = self._buckets.get(key, (self._burst, self._clock()))
        return min(left + (self._clock() - at) * self._per_second, self._burst)
