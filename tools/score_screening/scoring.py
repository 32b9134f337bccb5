"""Answers of a screener, and the shares that come of them."""

from __future__ import annotations

import json
import subprocess
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from orrery_knowledge.errors import ConfigurationError
from tools.score_screening.cases import Cases
from tools.score_screening.measures import Rate, carrier_kept, neutralised, removed, tokens


class Answer(NamedTuple):
    """What a screener made of a text."""

    text: str
    found: bool


class Scores(NamedTuple):
    """Shares by group; `all` is the whole.

    Attributes:
        rates: measure, then group, then the share.
        carrier_kept: mean share of the words around instructions that is still there.
        missed: measure, then the ids of what went wrong.
    """

    rates: dict[str, dict[str, Rate]]
    carrier_kept: float
    missed: dict[str, list[str]]


def screen(command: Sequence[str], texts: Mapping[str, str]) -> dict[str, Answer]:
    """Let a command screen texts: ``{"id","text"}`` lines in, with ``findings`` out.

    Raises:
        ConfigurationError: the command can't be run, fails, or doesn't answer every line.
    """
    lines = (json.dumps({"id": name, "text": text}) for name, text in texts.items())
    try:
        ran = subprocess.run(  # noqa: S603 - the caller's own command, no shell
            command,
            input="".join(f"{line}\n" for line in lines).encode(),
            stdout=subprocess.PIPE,
            check=False,
        )
    except OSError as error:
        raise ConfigurationError(f"can't run {command[0]}: {error.strerror}") from error
    if ran.returncode:
        raise ConfigurationError(f"{command[0]} ended with exit code {ran.returncode}")
    answers = dict(_answers(ran.stdout, command[0]))
    missing = texts.keys() - answers.keys()
    if missing:
        raise ConfigurationError(
            f"{command[0]} answered {len(answers)} of {len(texts)} texts; {min(missing)} is missing"
        )
    return answers


def _answers(output: bytes, name: str) -> Iterable[tuple[str, Answer]]:
    # Not splitlines() on text: it would cut at line separators inside of a string.
    for line in filter(None, output.split(b"\n")):
        try:
            answer = json.loads(line)
            yield answer["id"], Answer(str(answer["text"]), bool(answer.get("findings")))
        except (ValueError, KeyError, TypeError) as error:
            raise ConfigurationError(f"{name}: a line is no answer with id and text") from error


def score(cases: Cases, answers: Mapping[str, Answer]) -> Scores:
    """Compare the answers with the labels."""
    verdicts: dict[str, dict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    missed: dict[str, list[str]] = defaultdict(list)

    def note(measure: str, case: str, good: bool, *groups: str) -> None:
        for group in ("all", *groups):
            verdicts[measure][group].append(good)
        if not good:
            missed[measure].append(case)

    kept = []
    for injection in cases.injections:
        output = answers[injection.id].text
        kept.append(carrier_kept(injection, output))
        measure = "explicit neutralised" if injection.explicit else "plain neutralised"
        groups = (injection.technique, f"language {injection.language}")
        note(measure, injection.id, neutralised(injection, output), *groups)
    for passage in cases.benign:
        answer = answers[passage.id]
        same = answer.text == passage.text
        note("benign untouched", passage.id, same and not answer.found, passage.kind)
        words = same or tokens(answer.text) == tokens(passage.text)
        note("benign words kept", passage.id, words, passage.kind)
    for secret in cases.secrets:
        measure = "personal removed" if secret.personal else "credentials removed"
        note(measure, secret.id, removed(secret, answers[secret.id].text), secret.kind)
    for negative in cases.negatives:
        same = answers[negative.id].text == negative.text
        note("negatives kept", negative.id, same, negative.kind)
    rates = {
        measure: {group: Rate(sum(good), len(good)) for group, good in sorted(groups.items())}
        for measure, groups in verdicts.items()
    }
    return Scores(rates, sum(kept) / len(kept) if kept else 1.0, dict(missed))
