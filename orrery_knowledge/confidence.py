"""Is the answer there at all? A calibrated probability that the first passage answers.

Fused scores say nothing here: the best candidate of an off-topic query also ranks first. What
counts are raw signals that hardly depend on how many chunks the index holds, nor on the other
results: the best cosine, the share of the query's information that the best lexical candidate
holds, whether a rare identifier stands there whole, whether the passage is called what was asked
for. A logistic regression turns them into a probability. Its weights are fitted on labelled queries
for each embedder and way of searching by ``orrery-knowledge eval calibrate``.
"""

from __future__ import annotations

import json
import math
from functools import cache
from importlib import resources
from pathlib import Path
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from orrery_knowledge.errors import ConfigurationError
from orrery_knowledge.identifiers import QueryTerms, query_terms
from orrery_knowledge.models import FetchedChunk, Mode, Rankings

FLOOR = 0.2
"""Cosine below which, without any word or identifier in common, nothing was found."""

COVERAGE_FLOOR = 0.15
"""Share of the query's information below which matching words alone are no answer."""

RARE = 2.0
"""Identifier score (weight * idf) from which an identifier is rare: about one chunk in seven."""

SHORTEST_NAME = 5
"""Letters and digits from which equal names are hardly chance."""

_NEAR_0 = 0.01


class Signals(NamedTuple):
    """What speaks for and against a first passage; each field is a column of the regression.

    Attributes:
        cosine: logit of the best cosine, cut to [0.01, 0.99]; of 0.01 without vectors.
        coverage: logit of the share of the query's information that the best lexical candidate
            holds, cut likewise.
        exact: that share if the first passage holds a rare identifier of the query whole, else 0.
        named: 1 if its title, file or a heading over it is a name in the query or the query.
        words: ln(1 + number of different words in the query); much covered of much says more.
    """

    cosine: float
    coverage: float
    exact: float
    named: float
    words: float


class ConfidenceModel(BaseModel):
    """A fitted regression.

    Attributes:
        fingerprint: of the embedder whose cosines it was fitted on; None for words alone.
        mode: which rankings took part.
        weights: one for each field of `Signals`.
        intercept: added to the weighted sum.
        threshold: probability from which an answer counts as one, in [0, 1].
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)
    fingerprint: str | None
    mode: Mode
    weights: Signals
    intercept: float
    threshold: float = Field(ge=0, le=1)

    def probability(self, signals: Signals) -> float:
        """Logistic function of the weighted sum, in (0, 1)."""
        weighted = (w * s for w, s in zip(self.weights, signals, strict=True))
        return 1.0 / (1.0 + math.exp(-max(-60.0, min(60.0, self.intercept + math.fsum(weighted)))))


class Calibration(BaseModel):
    """What ``eval calibrate`` writes.

    Attributes:
        fitted_on: names of the labelled sets.
        models: one for each embedder and way of searching.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    fitted_on: tuple[str, ...]
    models: tuple[ConfidenceModel, ...]

    def model(self, rankings: Rankings, fingerprint: str | None) -> ConfidenceModel | None:
        """The model for what was found.

        Args:
            rankings: which of them took part decides.
            fingerprint: of the embedder.

        Returns:
            for an embedder that was never calibrated the model for words alone, which looks at no
            cosine; None where vectors are all there is.
        """
        mode: Mode = "hybrid"
        if "vector" not in rankings.rankings:
            mode, fingerprint = "lexical", None
        elif len(rankings.rankings) == 1:
            mode = "vector"
        fitted = {(model.mode, model.fingerprint): model for model in self.models}
        found = fitted.get((mode, fingerprint))
        return fitted.get(("lexical", None)) if found is None and mode != "vector" else found


class Confidence(NamedTuple):
    """How sure an answer is.

    Attributes:
        probability: that the first passage answers, in [0, 1].
        confident: whether it reaches the threshold.
    """

    probability: float
    confident: bool


def read_calibration(file: Path | None = None) -> Calibration:
    """Read a calibration; without a file the one that comes with the package.

    Raises:
        ConfigurationError: there is no such file, or it is no calibration.
    """
    if file is None:
        return _shipped()
    try:
        return Calibration.model_validate_json(file.read_bytes())
    except OSError as error:
        raise ConfigurationError(f"calibration {file}: {error.strerror}") from None
    except ValidationError as error:
        where = ".".join(map(str, error.errors()[0]["loc"])) or "the file"
        raise ConfigurationError(
            f"{file} is no calibration: {where}: {error.errors()[0]['msg']}; write one with: "
            "orrery-knowledge eval calibrate DATASET... --output FILE"
        ) from None


@cache
def _shipped() -> Calibration:
    text = resources.files("orrery_knowledge").joinpath("confidence.json").read_text("utf-8")
    return Calibration.model_validate(json.loads(text))


def confidence(
    rankings: Rankings,
    query: str,
    best: FetchedChunk | None,
    calibration: Calibration,
    fingerprint: str | None,
) -> Confidence:
    """How likely the first passage answers.

    Args:
        rankings: what was found.
        query: what was asked.
        best: the passage that would be shown first; None when there is none.
        calibration: fitted weights and thresholds.
        fingerprint: of the embedder that took part.
    """
    model = calibration.model(rankings, fingerprint)
    if best is None or model is None:
        return Confidence(0.0, False)
    probability = model.probability(signals(rankings, query, best))
    return Confidence(round(probability, 4), probability >= model.threshold)


def signals(rankings: Rankings, query: str, best: FetchedChunk) -> Signals:
    """Read the signals off an answer.

    Args:
        rankings: what was found.
        query: what was asked.
        best: the passage that would be shown first.
    """
    terms = query_terms(query)
    cosines = [c.vector for c in rankings.candidates.values() if c.vector is not None]
    coverage = rankings.coverage if math.isfinite(rankings.coverage) else 0.0
    return Signals(
        cosine=_logit(max((c for c in cosines if math.isfinite(c)), default=0.0)),
        coverage=_logit(coverage),
        exact=coverage if _names_exactly(rankings, terms, best) else 0.0,
        named=float(_is_called(query, terms, best)),
        words=math.log1p(len(terms.words)),
    )


def found_something(rankings: Rankings) -> bool:
    """Whether any candidate reaches a floor; else the answer is an honest `no_match`."""
    candidates = rankings.candidates.values()
    return (
        any(candidate.identifiers > 0.0 for candidate in candidates)
        or any(c.vector is not None and c.vector >= FLOOR for c in candidates)
        or rankings.coverage >= COVERAGE_FLOOR
    )


def _logit(share: float) -> float:
    share = min(max(share, _NEAR_0), 1.0 - _NEAR_0)
    return math.log(share / (1.0 - share))


def _asked_names(terms: QueryTerms) -> set[str]:
    """Identifiers of a query as they stand there; pieces of them don't count."""
    return {name for name, weight in terms.identifiers.items() if weight == 1.0}


def _names_exactly(rankings: Rankings, terms: QueryTerms, best: FetchedChunk) -> bool:
    """Whether a passage holds a rare identifier of the query as it stands."""
    candidate = rankings.candidates.get(best.id)
    if candidate is None or candidate.identifiers < RARE:
        return False
    return not _asked_names(terms).isdisjoint(best.identifiers)


def _is_called(query: str, terms: QueryTerms, best: FetchedChunk) -> bool:
    """Whether a title, file name or heading is a name in the query, or all of it."""
    file_name = best.path.rpartition("/")[2].rpartition(".")[0]
    called = {_letters(name) for name in (best.title, file_name, *best.chunk.heading_path)}
    asked = {_letters(name) for name in (*_asked_names(terms), query)}
    return any(len(name) >= SHORTEST_NAME for name in asked & called)


def _letters(name: str) -> str:
    return "".join(filter(str.isalnum, name.casefold()))
