"""Shows how far a long command is, on a terminal only."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Never

from tqdm import tqdm

from orrery_knowledge.cli.terminal import is_terminal, plural


class EvaluationBar(ExitStack):
    """Shows how far an evaluation is, on a terminal only."""

    def __init__(self, *, quiet: bool) -> None:
        super().__init__()
        self._bar: tqdm[Never] = tqdm(disable=quiet or not is_terminal(), leave=False, unit="")
        self.callback(self._bar.close)

    def sync(self, what: str, documents: int, chunks: int) -> None:
        """Documents are being indexed."""
        seen = f"{plural(documents, 'document')}, {plural(chunks, 'chunk')}"
        self._bar.set_description(f"{what}: {seen}")

    def query(self, done: int, total: int) -> None:
        """Queries are being ranked."""
        self._bar.total = total
        self._bar.set_description("queries", refresh=False)
        self._bar.update(done - self._bar.n)
