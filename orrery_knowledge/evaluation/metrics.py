"""TREC's measures over one ranked list. Higher is better; all lie in [0, 1].

Definitions: recall@k and precision@k count targets of grade 2 or more, or of the highest grade
that the query has; the reciprocal rank looks for the first target of grade 1 or more within ten;
nDCG@10 has gains 2^grade - 1 and discounts log2(rank + 1) (Jarvelin and Kekalainen 2002).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Generic, TypeVar

T = TypeVar("T")


class Judged(Generic[T]):
    """A ranked list of distinct targets beside the judgements on them.

    Args:
        ranked: targets, best first; a target that stands twice counts where it stands first.
        grades: target -> grade; must hold a positive one.

    Raises:
        ValueError: there is nothing to find, which is neither 0 nor 1.
    """

    def __init__(self, ranked: Sequence[T], grades: Mapping[T, int]) -> None:
        if not any(grade > 0 for grade in grades.values()):
            raise ValueError("a query without a relevant target can't be scored")
        self._ranked = list(dict.fromkeys(ranked))
        self._grades = {target: grade for target, grade in grades.items() if grade > 0}
        highest = max(self._grades.values())
        self._wanted = {t for t, grade in self._grades.items() if grade == highest}

    def recall(self, k: int) -> float:
        """Share of the wanted targets in the first k, capped by k: min(k, wanted) can be found."""
        found = sum(target in self._wanted for target in self._ranked[:k])
        return found / min(k, len(self._wanted))

    def precision(self, k: int) -> float:
        """Share of the first k that is relevant; a shorter list counts as filled with misses."""
        return sum(target in self._grades for target in self._ranked[:k]) / k

    def reciprocal_rank(self, depth: int = 10) -> float:
        """1 / rank of the first relevant target, 0 beyond `depth`."""
        for rank, target in enumerate(self._ranked[:depth], start=1):
            if target in self._grades:
                return 1.0 / rank
        return 0.0

    def ndcg(self, depth: int = 10) -> float:
        """Normalised discounted cumulative gain."""
        gains = [_gain(self._grades.get(target, 0)) for target in self._ranked[:depth]]
        ideal = sorted((_gain(grade) for grade in self._grades.values()), reverse=True)[:depth]
        return _discounted(gains) / _discounted(ideal)


def _gain(grade: int) -> float:
    return float(2**grade - 1)


def _discounted(gains: Sequence[float]) -> float:
    return math.fsum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))
