"""How texts become work for a model: windows of a long text, runs of similar length.

Pure functions over lengths and token ids; no model in sight.
"""

from __future__ import annotations

from collections.abc import Sequence


def cut(ids: Sequence[int], size: int, most: int) -> list[Sequence[int]]:
    """Cut token ids into windows that don't overlap and differ by at most one token in length.

    Args:
        ids: tokens of one text, without special ones.
        size: how many tokens a window may hold.
        most: how many windows a text may have; tokens past the last are left out.

    Returns:
        At least one window, which is empty when the text has no tokens.
    """
    kept = ids[: size * most]
    count = max(1, -(-len(kept) // size))
    short, longer = divmod(len(kept), count)
    windows = []
    start = 0
    for number in range(count):
        end = start + short + (number < longer)
        windows.append(kept[start:end])
        start = end
    return windows


def runs(lengths: Sequence[int], rows: int, tokens: int) -> list[list[int]]:
    """Group items of similar length, so that padding costs little.

    Args:
        lengths: length of each item in tokens.
        rows: how many items a group may hold.
        tokens: how many tokens a group may hold once padded to its longest; an item longer than
            that is a group of its own.

    Returns:
        Groups of indices into `lengths`, shortest first.
    """
    groups: list[list[int]] = []
    for index in sorted(range(len(lengths)), key=lengths.__getitem__):
        # The newest item is the longest of its group, since they come in order of length.
        full = not groups or (
            len(groups[-1]) >= rows or (len(groups[-1]) + 1) * lengths[index] > tokens
        )
        if full:
            groups.append([])
        groups[-1].append(index)
    return groups
