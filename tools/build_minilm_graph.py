"""Write the ONNX graph of all-MiniLM-L6-v2: `python tools/build_minilm_graph.py [OUT]`.

The graph holds no weights. It names them as the official ``model.safetensors`` does, and
`orrery_knowledge.embedders.minilm` hands them over when it loads. The result is committed as
``orrery_knowledge/embedders/minilm.onnx``, so `onnx` is needed here and in no installation; a unit
test builds the graph again and compares the bytes.

The computation is BERT's encoder (Devlin et al., 2019, arXiv:1810.04805) in the sizes of the
model's ``config.json``, then the mean over the tokens that the mask keeps. Scaling to unit length
is left to the caller, who first adds up the windows of a long text.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

OPSET = 20  # the first with Gelu
IR_VERSION = 9  # the one that came with opset 20; set so that a newer onnx writes the same bytes
LAYERS, HEADS, WIDTH, INNER = 6, 12, 384, 1536
VOCABULARY, POSITIONS, TYPES = 30522, 512, 2
EPSILON = 1e-12  # layer_norm_eps
MASKED = -1e9  # added to the scores of padding: its exp is exactly 0 in float32
DEFAULT_OUT = Path(__file__).parents[1] / "orrery_knowledge" / "embedders" / "minilm.onnx"


@dataclass
class Graph:
    """Collects nodes, constants and the weights that are named but not held."""

    nodes: list[NodeProto] = field(default_factory=list)
    constants: list[TensorProto] = field(default_factory=list)
    weights: list[TensorProto] = field(default_factory=list)

    def op(self, kind: str, inputs: Sequence[str], **attributes: Any) -> str:
        """Add a node and return the name of its output."""
        output = f"{kind.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [output], **attributes))
        return output

    def constant(self, name: str, value: object, dtype: type) -> str:
        """Add a small constant under a name."""
        self.constants.append(numpy_helper.from_array(np.asarray(value, dtype), name))
        return name

    def weight(self, name: str, *shape: int) -> str:
        """Name a weight. Its location is a label only: the values come by name at load."""
        tensor = TensorProto(name=name, data_type=TensorProto.FLOAT, dims=shape)
        tensor.data_location = TensorProto.EXTERNAL
        tensor.external_data.add(key="location", value="weights")
        self.weights.append(tensor)
        return name

    def dense(self, rows: str, name: str, inner: int, outer: int) -> str:
        """Apply a linear layer to a matrix; torch stores the weight as (outer, inner)."""
        weight = self.weight(f"{name}.weight", outer, inner)
        return self.op("Gemm", [rows, weight, self.weight(f"{name}.bias", outer)], transB=1)

    def normal(self, value: str, name: str) -> str:
        """Apply a layer normalisation."""
        scale = self.weight(f"{name}.weight", WIDTH)
        shift = self.weight(f"{name}.bias", WIDTH)
        return self.op("LayerNormalization", [value, scale, shift], axis=-1, epsilon=EPSILON)


def build() -> ModelProto:
    """Build the model: int64 ``input_ids`` and float ``mask``, (batch, length), to ``pooled``."""
    graph = Graph()
    for name, numbers in {
        "zero": [0],
        "one": [1],
        "two": [2],
        "middle": [1, 2],
        "width": [WIDTH],
        "heads": [HEADS, WIDTH // HEADS],
        "rows_shape": [-1, WIDTH],
    }.items():
        graph.constant(name, numbers, np.int64)
    graph.constant("unit", 1.0, np.float32)
    graph.constant("masked", MASKED, np.float32)
    graph.constant("scale", (WIDTH // HEADS) ** -0.5, np.float32)

    shape = graph.op("Shape", ["input_ids"])
    heads_shape = graph.op("Concat", [shape, "heads"], axis=0)
    away = graph.op("Mul", [graph.op("Sub", ["unit", "mask"]), "masked"])
    bias = graph.op("Unsqueeze", [away, "middle"])

    hidden = _embeddings(graph, shape)
    for layer in range(LAYERS):
        hidden = _layer(graph, hidden, heads_shape, bias, f"encoder.layer.{layer}")
    _pool(graph, hidden, shape)

    inputs = [
        helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["batch", "length"]),
        helper.make_tensor_value_info("mask", TensorProto.FLOAT, ["batch", "length"]),
    ]
    outputs = [helper.make_tensor_value_info("pooled", TensorProto.FLOAT, ["batch", WIDTH])]
    return helper.make_model(
        helper.make_graph(
            graph.nodes, "all-MiniLM-L6-v2", inputs, outputs, graph.constants + graph.weights
        ),
        opset_imports=[helper.make_opsetid("", OPSET)],
        producer_name="orrery-knowledge",
        ir_version=IR_VERSION,
    )


def _embeddings(graph: Graph, shape: str) -> str:
    """Rows (batch * length, width) of word, position and type 0, normalised."""
    words = graph.weight("embeddings.word_embeddings.weight", VOCABULARY, WIDTH)
    places = graph.weight("embeddings.position_embeddings.weight", POSITIONS, WIDTH)
    types = graph.weight("embeddings.token_type_embeddings.weight", TYPES, WIDTH)
    length = graph.op("Slice", [shape, "one", "two"])
    word = graph.op("Gather", [words, "input_ids"])
    place = graph.op("Slice", [places, "zero", length])
    kind = graph.op("Slice", [types, "zero", "one"])
    total = graph.op("Add", [word, graph.op("Add", [place, kind])])
    normal = graph.normal(total, "embeddings.LayerNorm")
    return graph.op("Reshape", [normal, "rows_shape"])


def _layer(graph: Graph, rows: str, heads_shape: str, bias: str, name: str) -> str:
    """One encoder layer over rows (batch * length, width)."""
    own = f"{name}.attention.self"

    def heads(part: str, axes: list[int]) -> str:
        dense = graph.dense(rows, f"{own}.{part}", WIDTH, WIDTH)
        return graph.op("Transpose", [graph.op("Reshape", [dense, heads_shape])], perm=axes)

    query, key = heads("query", [0, 2, 1, 3]), heads("key", [0, 2, 3, 1])
    value = heads("value", [0, 2, 1, 3])
    scores = graph.op("Mul", [graph.op("MatMul", [query, key]), "scale"])
    shares = graph.op("Softmax", [graph.op("Add", [scores, bias])], axis=-1)
    mixed = graph.op("Transpose", [graph.op("MatMul", [shares, value])], perm=[0, 2, 1, 3])
    mixed = graph.op("Reshape", [mixed, "rows_shape"])
    mixed = graph.dense(mixed, f"{name}.attention.output.dense", WIDTH, WIDTH)
    rows = graph.normal(graph.op("Add", [mixed, rows]), f"{name}.attention.output.LayerNorm")
    inner = graph.op("Gelu", [graph.dense(rows, f"{name}.intermediate.dense", WIDTH, INNER)])
    outer = graph.dense(inner, f"{name}.output.dense", INNER, WIDTH)
    return graph.normal(graph.op("Add", [outer, rows]), f"{name}.output.LayerNorm")


def _pool(graph: Graph, rows: str, shape: str) -> None:
    """The mean over the tokens that the mask keeps, as the graph's output."""
    wide = graph.op("Reshape", [rows, graph.op("Concat", [shape, "width"], axis=0)])
    share = graph.op("Div", ["mask", graph.op("ReduceSum", ["mask", "one"], keepdims=1)])
    kept = graph.op("MatMul", [graph.op("Unsqueeze", [share, "one"]), wide])
    graph.nodes.append(helper.make_node("Squeeze", [kept, "one"], ["pooled"]))


def graph_bytes() -> bytes:
    """The model as it is committed."""
    data: bytes = build().SerializeToString(deterministic=True)
    return data


if __name__ == "__main__":
    out = Path(sys.argv[1]) if len(sys.argv) > 1 else DEFAULT_OUT
    out.write_bytes(graph_bytes())
    print(f"{out.name}: {out.stat().st_size} bytes")
