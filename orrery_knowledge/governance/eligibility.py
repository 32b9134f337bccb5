"""The one rule that decides whether a document may be found."""

from __future__ import annotations

from orrery_knowledge.governance.records import Decision
from orrery_knowledge.models import Model, Trust


class Eligibility(Model):
    """The rule's answer.

    Attributes:
        eligible: whether searches may return it.
        reason: why, in a few words, for reviewers.
        trust_words: what people and agents read beside a passage.
    """

    eligible: bool
    reason: str
    trust_words: str


def eligibility(
    *, status: str, tainted: bool, trust: Trust, decision: Decision | None
) -> Eligibility:
    """Decide on one document version.

    Eligible is what is stable, not tainted, and either approved by the latest decision or, without
    any decision, from a source that is reviewed elsewhere. A decision that narrows wins over the
    source's trust. Everything not named here is not eligible.

    Args:
        status: from the front matter, which can only lower eligibility.
        tainted: whether screening or a person marked it.
        trust: what the source's configuration declares.
        decision: the latest one on exactly this document and digest; None without any.
    """
    if decision is not None:
        by = f"{decision.decision} by {decision.reviewer}"
        words = f"reviewed by {decision.reviewer}" if decision.decision == "approved" else by
    else:
        by = ""
        words = "from a reviewed source" if trust == "reviewed" else "not reviewed"

    def no(reason: str) -> Eligibility:
        return Eligibility(eligible=False, reason=reason, trust_words=words)

    if status != "stable":
        return no(f"its status is {status}")
    if tainted:
        return no("it is tainted")
    if decision is not None and decision.decision != "approved":
        return no(by)
    if decision is not None:
        return Eligibility(eligible=True, reason=by, trust_words=words)
    if trust == "reviewed":
        return Eligibility(eligible=True, reason="its source is reviewed", trust_words=words)
    return no("it waits for a review")
