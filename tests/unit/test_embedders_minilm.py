from __future__ import annotations

import asyncio
import logging
import math
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from pydantic import ValidationError
from tokenizers import Tokenizer

from orrery_knowledge.embedders import minilm, weights
from orrery_knowledge.embedders.minilm import MiniLMConfig, MiniLMEmbedder
from orrery_knowledge.errors import ConfigurationError, MissingExtra
from orrery_knowledge.protocols import Vectors
from orrery_knowledge.registry import load_component

ROOT = Path(__file__).parents[2]
DISK, POD = 9785, 17491  # line numbers in BERT's vocabulary, from 0


@pytest.fixture(scope="module")
def embedder() -> MiniLMEmbedder:
    return MiniLMEmbedder()


@pytest.fixture(scope="module")
def folder() -> Path:
    found = weights.package_folder(minilm.DISTRIBUTION, minilm.FOLDER)
    assert found is not None
    return found


class Bert:
    """BERT's encoder in numpy, written from the paper: one text, no batch, no mask.

    It shares the weight file with the product, and nothing else.
    """

    def __init__(self, folder: Path) -> None:
        data = np.fromfile(folder / "model.safetensors", np.uint8)
        self.tensors = weights.tensors(data)

    def dense(self, rows: Vectors, name: str) -> Vectors:
        result: Vectors = rows @ self.tensors[f"{name}.weight"].T + self.tensors[f"{name}.bias"]
        return result

    def normal(self, rows: Vectors, name: str) -> Vectors:
        centred = rows - rows.mean(axis=-1, keepdims=True)
        deviation = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-12)
        scale, shift = self.tensors[f"{name}.weight"], self.tensors[f"{name}.bias"]
        result: Vectors = centred / deviation * scale + shift
        return result

    def attention(self, rows: Vectors, name: str) -> Vectors:
        query, key, value = (
            self.dense(rows, f"{name}.{part}") for part in ("query", "key", "value")
        )
        heads = []
        for start in range(0, 384, 32):
            own = slice(start, start + 32)
            scores = query[:, own] @ key[:, own].T / math.sqrt(32)
            shares = np.exp(scores - scores.max(axis=1, keepdims=True))
            heads.append(shares / shares.sum(axis=1, keepdims=True) @ value[:, own])
        return np.concatenate(heads, axis=1)

    def mean(self, ids: Sequence[int]) -> Vectors:
        """The mean over the tokens' last hidden states, not scaled."""
        rows = (
            self.tensors["embeddings.word_embeddings.weight"][list(ids)]
            + self.tensors["embeddings.position_embeddings.weight"][: len(ids)]
            + self.tensors["embeddings.token_type_embeddings.weight"][0]
        ).astype(np.float64)
        rows = self.normal(rows, "embeddings.LayerNorm")
        erf = np.vectorize(math.erf)
        for layer in range(6):
            name = f"encoder.layer.{layer}"
            mixed = self.dense(
                self.attention(rows, f"{name}.attention.self"), f"{name}.attention.output.dense"
            )
            rows = self.normal(mixed + rows, f"{name}.attention.output.LayerNorm")
            inner = self.dense(rows, f"{name}.intermediate.dense")
            inner = inner * (1 + erf(inner / math.sqrt(2))) / 2
            outer = self.dense(inner, f"{name}.output.dense")
            rows = self.normal(outer + rows, f"{name}.output.LayerNorm")
        result: Vectors = rows.mean(axis=0)
        return result


@pytest.fixture(scope="module")
def bert(folder: Path) -> Bert:
    return Bert(folder)


def unit(vector: Vectors) -> Vectors:
    result: Vectors = vector / np.linalg.norm(vector)
    return result


class TestValues:
    async def test_equals_an_independent_forward_pass(
        self, embedder: MiniLMEmbedder, bert: Bert, folder: Path
    ) -> None:
        texts = [
            "hello world",
            "The kubelet evicts pods when the node runs out of disk.",
            "ORA-00942: table or view does not exist",
            "CrashLoopBackOff!",
        ]
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        tokenizer.no_padding()
        vectors = await embedder.embed_documents(texts)
        for text, vector in zip(texts, vectors, strict=True):
            expected = unit(bert.mean(tokenizer.encode(text).ids))
            np.testing.assert_allclose(vector, expected, atol=1e-5)

    async def test_known_token_ids(self, embedder: MiniLMEmbedder, bert: Bert) -> None:
        # [CLS] 101, hello 7592, world 2088, [SEP] 102
        vector = await embedder.embed_query("Hello WORLD")
        np.testing.assert_allclose(vector, unit(bert.mean([101, 7592, 2088, 102])), atol=1e-5)

    async def test_no_word_is_the_special_tokens(
        self, embedder: MiniLMEmbedder, bert: Bert
    ) -> None:
        expected = unit(bert.mean([101, 102]))
        for vector in await embedder.embed_documents(["", " \n\t", "\0", "\ud800"]):
            np.testing.assert_allclose(vector, expected, atol=1e-5)

    async def test_a_paraphrase_is_closer(self, embedder: MiniLMEmbedder) -> None:
        query = await embedder.embed_query("the database ran out of storage space")
        near, far = await embedder.embed_documents(
            ["Postgres volume is full: free or grow the disk", "Rotate the TLS certificate"]
        )
        assert float(query @ near) > float(query @ far) + 0.2

    async def test_special_tokens_in_a_text_are_text(self, embedder: MiniLMEmbedder) -> None:
        said, ended = await embedder.embed_documents(["reboot [SEP] the node", "reboot the node"])
        # As the token 102 it would end the sentence; spelled out it is "[", "sep", "]".
        spelled = await embedder.embed_query("reboot [ sep ] the node")
        np.testing.assert_allclose(said, spelled, atol=1e-5)
        assert not np.allclose(said, ended, atol=1e-2)

    async def test_surrogates_cannot_reach_the_tokenizer(self, embedder: MiniLMEmbedder) -> None:
        with_surrogate, without = await embedder.embed_documents(["disk\udcff full", "disk full"])
        np.testing.assert_allclose(with_surrogate, without, atol=1e-5)


class TestWindows:
    """ "disk" is one token, so the windows of a text that repeats it can be counted by hand."""

    async def test_256_tokens_are_one_window(self, embedder: MiniLMEmbedder) -> None:
        one, two, longer, shorter = await embedder.embed_documents(
            ["disk " * words for words in (254, 255, 128, 127)]
        )
        np.testing.assert_allclose(two, unit(longer + shorter), atol=1e-3)
        assert not np.allclose(one, shorter, atol=2e-3)  # as two windows it would be this

    async def test_windows_weigh_as_many_tokens_as_they_have(
        self, embedder: MiniLMEmbedder, bert: Bert, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(minilm, "MAX_TOKENS", 12)
        vector = await embedder.embed_query("disk " * 5 + "pod " * 6)
        # 11 words in windows of 10: 6 and 5, each between the special tokens.
        first = bert.mean([101, DISK, DISK, DISK, DISK, DISK, POD, 102])
        second = bert.mean([101, POD, POD, POD, POD, POD, 102])
        np.testing.assert_allclose(vector, unit(8 * first + 7 * second), atol=1e-5)

    async def test_nothing_is_cut_off_in_a_long_text(self, embedder: MiniLMEmbedder) -> None:
        fence = "disk " * 900
        plain, ending = await embedder.embed_documents(
            [fence, fence + "certificate expired " * 100]
        )
        query = await embedder.embed_query("certificate expired")
        assert float(query @ ending) > float(query @ plain) + 0.1

    async def test_windows_are_bounded(
        self,
        embedder: MiniLMEmbedder,
        caplog: pytest.LogCaptureFixture,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(minilm, "MAX_WINDOWS", 3)  # 64 of them take a while
        full = "disk " * (3 * 254)  # three times the same window
        with caplog.at_level(logging.WARNING):
            longest, window = await embedder.embed_documents([full, "disk " * 254])
        assert caplog.records == []
        np.testing.assert_allclose(longest, window, atol=1e-5)
        with caplog.at_level(logging.WARNING):
            over = await embedder.embed_query(full + "certificate " * 500)
        np.testing.assert_allclose(over, window, atol=1e-5)
        assert "beginning only" in caplog.text
        assert "certificate" not in caplog.text

    @pytest.mark.parametrize("piece", ["漢", "x", "\0", " ", "e\u0301", "a/"])
    async def test_five_megabytes(
        self, embedder: MiniLMEmbedder, piece: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(minilm, "MAX_WINDOWS", 2)  # what all 64 cost is no news
        text = piece * (5_000_000 // len(piece))
        vector = await embedder.embed_query(text)
        assert abs(float(np.linalg.norm(vector)) - 1) < 1e-5


class TestBatches:
    async def test_a_batch_changes_nothing(self, embedder: MiniLMEmbedder) -> None:
        # From 3 to 300 words, so that runs are mixed, padded and split.
        texts = [f"alert {number} fired " * (1 + number**2 % 100 // 3) for number in range(70)]
        texts[30] *= 3
        together = await embedder.embed_documents(texts)
        for number in (0, 1, 7, 30, 63, 64, 69):
            alone = await embedder.embed_query(texts[number])
            np.testing.assert_allclose(together[number], alone, atol=1e-5)

    @pytest.mark.parametrize("size", [1, 3, 1024])
    async def test_nor_does_its_size(self, embedder: MiniLMEmbedder, size: int) -> None:
        texts = ["short", "a few more words here", "long " * 50, ""] * 3
        other = MiniLMEmbedder(MiniLMConfig(batch_size=size, threads=1))
        np.testing.assert_allclose(
            await other.embed_documents(texts), await embedder.embed_documents(texts), atol=1e-5
        )


class TestEventLoop:
    async def test_other_tasks_run_meanwhile(self, embedder: MiniLMEmbedder) -> None:
        turns = 0
        call = asyncio.create_task(embedder.embed_documents(["words and words " * 80] * 8))
        while not call.done():
            turns += 1
            await asyncio.sleep(0)
        # At least 8 runs of 242 tokens; were they computed on the loop, each would be one turn.
        assert turns > 100

    async def test_a_query_overtakes_a_long_batch(self, embedder: MiniLMEmbedder) -> None:
        call = asyncio.create_task(embedder.embed_documents(["words and words " * 80] * 64))
        await asyncio.sleep(0)
        await embedder.embed_query("urgent")
        assert not call.done()
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)

    async def test_cancelled_work_stops(self, monkeypatch: pytest.MonkeyPatch) -> None:
        embedder = MiniLMEmbedder()
        await embedder.open()
        runs = 0
        started = asyncio.Event()
        loop = asyncio.get_running_loop()
        pool = minilm._Model.pool

        def counted(model: minilm._Model, rows: Sequence[Sequence[int]]) -> Vectors:
            nonlocal runs
            runs += 1
            loop.call_soon_threadsafe(started.set)
            return pool(model, rows)

        monkeypatch.setattr(minilm._Model, "pool", counted)
        call = asyncio.create_task(embedder.embed_documents(["words and words " * 80] * 200))
        await started.wait()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        await embedder.embed_query("after")
        # The one under way, at most one that was just handed over, and the query's.
        assert runs <= 3

    def test_it_outlives_an_event_loop(self, embedder: MiniLMEmbedder) -> None:
        async def several() -> list[Vectors]:
            return await asyncio.gather(*(embedder.embed_query("disk") for _ in range(4)))

        first, second = asyncio.run(several()), asyncio.run(several())
        np.testing.assert_array_equal(first[0], second[3])


class TestFiles:
    async def test_a_folder_of_ones_own(self, folder: Path, tmp_path: Path) -> None:
        for name in ("model.safetensors", "tokenizer.json"):
            (tmp_path / name).symlink_to(folder / name)
        own = MiniLMEmbedder(MiniLMConfig(model_dir=tmp_path))
        np.testing.assert_array_equal(
            await own.embed_query("disk"), await MiniLMEmbedder().embed_query("disk")
        )

    async def test_a_changed_tokenizer_is_refused(self, folder: Path, tmp_path: Path) -> None:
        (tmp_path / "model.safetensors").symlink_to(folder / "model.safetensors")
        text = (folder / "tokenizer.json").read_bytes()
        (tmp_path / "tokenizer.json").write_bytes(
            text.replace(b'"lowercase":', b'"lowercase" :', 1)
        )
        with pytest.raises(ConfigurationError, match=r"tokenizer\.json is not the file"):
            await MiniLMEmbedder(MiniLMConfig(model_dir=tmp_path)).open()

    async def test_a_pointer_in_place_of_the_weights(self, folder: Path, tmp_path: Path) -> None:
        (tmp_path / "tokenizer.json").symlink_to(folder / "tokenizer.json")
        pointer = "version https://git-lfs.github.com/spec/v1\n"
        (tmp_path / "model.safetensors").write_text(pointer)
        with pytest.raises(
            ConfigurationError, match=r"model\.safetensors is not .*\.model_dir must"
        ):
            await MiniLMEmbedder(MiniLMConfig(model_dir=tmp_path)).open()

    async def test_a_missing_folder(self, tmp_path: Path) -> None:
        with pytest.raises(
            ConfigurationError, match=r"tokenizer\.json does not exist; .*model_dir"
        ):
            await MiniLMEmbedder(MiniLMConfig(model_dir=tmp_path / "no")).embed_query("disk")

    async def test_weights_that_are_not_installed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(minilm, "DISTRIBUTION", "no-such-distribution-here")
        with pytest.raises(
            ConfigurationError, match=r"--require-hashes -r requirements/minilm-weights\.txt$"
        ):
            await MiniLMEmbedder().open()

    async def test_it_works_once_they_are(self, monkeypatch: pytest.MonkeyPatch) -> None:
        embedder = MiniLMEmbedder()
        with monkeypatch.context() as patch:
            patch.setattr(minilm, "DISTRIBUTION", "no-such-distribution-here")
            with pytest.raises(ConfigurationError):
                await embedder.open()
        await embedder.open()

    @pytest.mark.parametrize("module", ["onnxruntime", "tokenizers"])
    async def test_a_missing_package(self, module: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, module, None)
        with pytest.raises(MissingExtra, match=rf"{module} is not .*orrery-knowledge\[minilm\]"):
            await MiniLMEmbedder().open()

    def test_the_fix_names_a_real_file(self) -> None:
        name = minilm.INSTALL.split()[-1]
        assert (ROOT / name).read_text().startswith(f"{minilm.DISTRIBUTION}==")


class TestGraph:
    def test_the_committed_graph_is_what_the_tool_writes(self, tmp_path: Path) -> None:
        out = tmp_path / "graph.onnx"
        tool = ROOT / "tools" / "build_minilm_graph.py"
        subprocess.run([sys.executable, str(tool), str(out)], check=True, capture_output=True)
        committed = ROOT / "orrery_knowledge" / "embedders" / "minilm.onnx"
        assert out.read_bytes() == committed.read_bytes()


class TestSettings:
    def test_the_registry_finds_class_and_settings(self) -> None:
        component = load_component("embedders", "minilm")
        assert component is MiniLMEmbedder
        assert component.Config().type == "minilm"

    def test_the_fingerprint_names_everything_that_shapes_a_vector(self) -> None:
        assert (
            MiniLMEmbedder().fingerprint == "all-MiniLM-L6-v2.53aa5117.be50c362.mean.256.windows64"
        )

    def test_what_does_not_shape_it_is_left_out(self, tmp_path: Path) -> None:
        config = MiniLMConfig(threads=1, batch_size=1, model_dir=tmp_path)
        assert MiniLMEmbedder(config).fingerprint == MiniLMEmbedder().fingerprint

    @pytest.mark.parametrize(
        "settings", [{"threads": 0}, {"batch_size": 0}, {"type": "other"}, {"device": "cuda"}]
    )
    def test_wrong_settings_are_refused(self, settings: dict[str, object]) -> None:
        with pytest.raises(ValidationError):
            MiniLMConfig.model_validate(settings)

    def test_cores_are_those_of_this_process(self) -> None:
        code = (
            "import os; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))});"
            "from orrery_knowledge.embedders import minilm; print(minilm._cores())"
        )
        done = subprocess.run(
            [sys.executable, "-c", code],
            check=True,
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        assert done.stdout == "1\n"
