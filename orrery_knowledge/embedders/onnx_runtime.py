"""ONNX Runtime, imported so that it stays silent.

Its official builds report usage to their makers from native code, where no Python hook sees it: on
Linux and macOS since 1.29, switched on by default, with an id and a queue of events under
``~/.cache``. Local embeddings promise no network, so whoever needs the runtime takes it from here.
"""

from __future__ import annotations

import importlib
import os
from typing import Any

from orrery_knowledge.errors import MissingExtra


def load(extra: str) -> Any:
    """Import `onnxruntime` with its telemetry off.

    Args:
        extra: the extra of ``orrery-knowledge`` that brings it, for the error.

    Raises:
        MissingExtra: it is not installed.
    """
    # Read once, when the library starts, hence before the import. Nothing is then created or sent.
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    try:
        runtime = importlib.import_module("onnxruntime")
    except ImportError as error:
        raise MissingExtra(extra, "onnxruntime") from error
    # For a process where somebody else imported it first: stops what is not yet sent.
    runtime.disable_telemetry_events()
    return runtime
