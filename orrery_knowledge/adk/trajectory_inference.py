"""The one place that touches ADK's evaluation machinery, part of which is private to it."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

from google.adk.apps import App
from google.adk.evaluation.eval_case import EvalCase, Invocation, get_all_tool_calls
from google.adk.evaluation.eval_metrics import EvalMetric, ToolTrajectoryCriterion
from google.adk.evaluation.evaluation_generator import EvaluationGenerator
from google.adk.evaluation.simulation.static_user_simulator import StaticUserSimulator
from google.adk.evaluation.trajectory_evaluator import TrajectoryEvaluator
from google.adk.sessions import InMemorySessionService
from google.genai import types


async def play(app: App, case: EvalCase, session: str) -> list[Invocation]:
    """Hold the conversation of a case with an app, its plugins included (ADK 2.7 and later).

    Args:
        app: whose root agent answers.
        case: one with a fixed conversation.
        session: id of the session.
    """
    assert app.root_agent is not None  # noqa: S101 - an app without one is no app to evaluate
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # ADK calls its own evaluation experimental
        return await EvaluationGenerator._generate_inferences_from_root_agent(
            root_agent=app.root_agent,
            app=app,
            user_simulator=StaticUserSimulator(static_conversation=case.conversation or []),
            initial_session=case.session_input,
            session_id=session,
            session_service=InMemorySessionService(),
        )


def trajectory_score(actual: Sequence[Invocation], expected: Sequence[Invocation]) -> float:
    """ADK's own score: share of turns with every expected call, in order, arguments alike."""
    metric = EvalMetric(
        metric_name="tool_trajectory_avg_score",
        threshold=1.0,
        criterion=ToolTrajectoryCriterion(
            threshold=1.0, match_type=ToolTrajectoryCriterion.MatchType.IN_ORDER
        ),
    )
    result = TrajectoryEvaluator(eval_metric=metric).evaluate_invocations(
        list(actual), list(expected)
    )
    return result.overall_score or 0.0


def calls(invocations: Sequence[Invocation]) -> list[types.FunctionCall]:
    """Every tool call of every turn, ADK's own included."""
    return [call for one in invocations for call in get_all_tool_calls(one.intermediate_data)]


def final_text(invocation: Invocation) -> str:
    """What the user read in the end."""
    content = invocation.final_response
    return "".join(part.text or "" for part in (content.parts or [] if content else []))
