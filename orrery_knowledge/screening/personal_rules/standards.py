"""Check digits of numbers that are given to people, by python-stdnum; no look-up anywhere."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any


def standard(*names: str, **options: bool) -> Callable[[str], bool]:
    """Whether a number without its separators passes the check of one of these modules.

    Args:
        names: modules of python-stdnum, below its package. Each is loaded when the first number of
            its kind is seen: a search without any must not pay for all of them.
        options: for the modules' `is_valid`.
    """
    return lambda value: any(_module(name).is_valid(value, **options) for name in names)


@cache
def _module(name: str) -> Any:
    return import_module(f"stdnum.{name}")
