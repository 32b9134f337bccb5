from __future__ import annotations

import os
import sys
from types import SimpleNamespace

import pytest

from orrery_knowledge.embedders import onnx_runtime
from orrery_knowledge.errors import MissingExtra


def test_telemetry_is_off_whatever_the_user_has_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ORT_DISABLE_TELEMETRY", "0")
    runtime = onnx_runtime.load("minilm")
    assert runtime.get_available_providers()
    assert os.environ["ORT_DISABLE_TELEMETRY"] == "1"


def test_telemetry_stops_when_somebody_else_came_first(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    first = SimpleNamespace(disable_telemetry_events=lambda: calls.append("off"))
    monkeypatch.setitem(sys.modules, "onnxruntime", first)
    assert onnx_runtime.load("minilm") is first
    assert calls == ["off"]


def test_the_missing_extra_is_the_callers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(MissingExtra, match=r"orrery-knowledge\[fastembed\]"):
        onnx_runtime.load("fastembed")
