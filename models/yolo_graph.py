"""A YOLO's graph, written so that it is fast: `python -m models.yolo_graph models/weights/cards-detector.onnx`.

The weights stay the same and so do the answers, but for the order of a few sums (`rewrite` compares them, and refuses
a graph that answers otherwise). Two things change:

- A convolution whose output is cut in two becomes two convolutions. ONNX Runtime keeps channels in blocks and would
  unfold them for the cut and fold them again.
- Boxes are computed only around the places where some class scores at least `least`, an optional input. That is a fifth
  of a nano YOLO's arithmetic, and the boxes of all other places are thrown away by whoever calls the network. With
  `least` = 0 every box is computed, as in the graph that was exported.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from vision.onnx import Network

LEAST = 0.1  # what `least` is when nobody says; below what any caller asks for
MARGIN = 2  # places around one that scores which its box depends on: two convolutions of three by three
LEVELS, BINS = 3, 16
SAME = 1e-3  # pixels and probabilities by which the answers may differ


class Graph:
    """An ONNX graph that is being rewritten: nodes are appended, those that lead nowhere are dropped at the end."""

    def __init__(self, model: Any) -> None:
        self.model, self.graph = model, model.graph
        self.nodes: list[Any] = list(model.graph.node)

    def constant(self, name: str, values: Any, kind: Any = np.int64) -> str:
        """A constant by its name; the same name gives the same constant."""
        from onnx import numpy_helper

        if all(tensor.name != name for tensor in self.graph.initializer):
            self.graph.initializer.append(numpy_helper.from_array(np.array(values, kind), name))
        return name

    def add(self, kind: str, inputs: Iterable[str], name: str, **settings: Any) -> str:
        """A node with one output, which is called as the node."""
        from onnx import helper

        self.nodes.append(helper.make_node(kind, list(inputs), [name], name=name, **settings))
        return name

    def maker(self, output: str) -> Any:
        """The node that makes a tensor; None for an input or a constant that is stored."""
        return next((node for node in self.nodes if output in node.output), None)

    def readers(self, output: str) -> list[Any]:
        """The nodes that take a tensor."""
        return [node for node in self.nodes if output in node.input]

    def replace(self, old: str, new: str) -> None:
        """Whoever took one tensor takes another from now on."""
        for node in self.nodes:
            for place, name in enumerate(node.input):
                if name == old:
                    node.input[place] = new

    def finish(self) -> None:
        """Put the nodes in order, without those that nobody needs."""
        makers = {output: node for node in self.nodes for output in node.output}
        ordered: list[Any] = []
        done: set[str] = set()
        todo = [(output.name, False) for output in self.graph.output]
        while todo:
            name, ready = todo.pop()
            node = makers.get(name)
            if node is None or name in done:
                continue
            if ready:
                ordered.append(node)
                done |= set(node.output)
            else:
                todo.append((name, True))
                todo += [(given, False) for given in node.input]
        used = {name for node in ordered for name in node.input}
        kept = [tensor for tensor in self.graph.initializer if tensor.name in used]
        for target, values in ((self.graph.node, ordered), (self.graph.initializer, kept)):
            del target[:]
            target.extend(values)
        del self.graph.value_info[:]


def halve(graph: Graph) -> int:
    """Every activated convolution whose output is only cut in two becomes two; returns how many there were."""
    count = 0
    for act in [node for node in graph.nodes if node.op_type == "Mul"]:
        conv, gate = (graph.maker(name) for name in act.input)
        if conv is None or gate is None or (conv.op_type, gate.op_type) != ("Conv", "Sigmoid"):
            continue
        parts = _two_parts(graph, act.output[0])
        if parts is None:
            continue
        bounds = (("0", "mid"), ("mid", "end"))
        weight, bias = conv.input[1], conv.input[2]
        half = _channels(graph, weight) // 2
        places = {"0": [0], "mid": [half], "end": [2 * half]}
        for side, (part, (low, high)) in enumerate(zip(parts, bounds, strict=True)):
            cut = [graph.constant(f"cut_{half}_{places[end][0]}", places[end]) for end in (low, high)]
            axis = graph.constant("axis_0", [0])
            halves = [graph.add("Slice", [stored, *cut, axis], f"{stored}_{side}") for stored in (weight, bias)]
            name = f"{conv.name}_{side}"
            made = graph.add("Conv", [conv.input[0], *halves], name)
            graph.nodes[-1].attribute.extend(conv.attribute)
            graph.replace(part, _silu(graph, made, name))
        count += 1
    return count


def _two_parts(graph: Graph, output: str) -> tuple[str, str] | None:
    """The names of a tensor's two halves along its channels, where nothing else is made of it."""
    readers = graph.readers(output)
    splits = [node for node in readers if node.op_type == "Split" and len(node.output) == 2]
    slices = sorted((node for node in readers if node.op_type == "Slice"), key=lambda node: len(node.name))
    others = [node for node in readers if node.op_type not in ("Split", "Slice", "Shape")]
    if others or len(splits) + len(slices) // 2 != 1:
        return None
    if splits:
        return splits[0].output[0], splits[0].output[1]
    return slices[0].output[0], slices[1].output[0]


def _channels(graph: Graph, weight: str) -> int:
    maker = graph.maker(weight)
    stored = weight if maker is None else maker.input[0]
    return int(next(tensor.dims[0] for tensor in graph.graph.initializer if tensor.name == stored))


def _silu(graph: Graph, given: str, name: str) -> str:
    gate = graph.add("Sigmoid", [given], f"{name}_sigmoid")
    return graph.add("Mul", [given, gate], f"{name}_silu")


def boxes_where_seen(graph: Graph) -> bool:
    """The head's boxes only where a class scores at least `least`; False if the graph is that way already."""
    from onnx import TensorProto, helper

    if any(given.name == "least" for given in graph.graph.input):
        return False
    head = next(node.name.split("/cv2.0/")[0] for node in graph.nodes if "/cv2.0/" in node.name)
    graph.constant("least", [LEAST], np.float32)
    graph.graph.input.append(helper.make_tensor_value_info("least", TensorProto.FLOAT, [1]))
    distances, scores = [], []
    for level in range(LEVELS):
        logits = next(n.output[0] for n in graph.nodes if n.name == f"{head}/cv3.{level}/cv3.{level}.2/Conv")
        score = graph.add("Sigmoid", [logits], f"seen/{level}/scores")
        scores.append(_flat(graph, score, f"seen/{level}/scores_flat"))
        distances.append(_level(graph, head, level, score))
    anchors, strides = _anchors(graph, head)
    side = graph.add("Concat", distances, "seen/distances", axis=2)
    halves = graph.constant("seen/two", [2, 2])
    graph.nodes.append(helper.make_node("Split", [side, halves], ["seen/low", "seen/high"], name="seen/split", axis=1))
    low = graph.add("Sub", [anchors, "seen/low"], "seen/first")
    high = graph.add("Add", [anchors, "seen/high"], "seen/last")
    half = graph.constant("seen/half", [0.5], np.float32)
    middle = graph.add("Mul", [graph.add("Add", [low, high], "seen/sum"), half], "seen/middle")
    size = graph.add("Sub", [high, low], "seen/size")
    boxes = graph.add("Mul", [graph.add("Concat", [middle, size], "seen/boxes", axis=1), strides], "seen/pixels")
    output = graph.graph.output[0].name
    old = graph.maker(output)
    old.output[0] = f"{output}_before"
    graph.add("Concat", [boxes, graph.add("Concat", scores, "seen/scores", axis=2)], output, axis=1)
    return True


def _anchors(graph: Graph, head: str) -> tuple[str, str]:
    """The tensors of the places' middles (1, 2, n) and strides (1, n) in the exported graph."""
    last = next(node for node in graph.nodes if node.name == f"{head}/Sub")
    scaled = next(node for node in graph.nodes if node.name == f"{head}/Mul_5")
    return str(last.input[0]), str(scaled.input[1])


def _flat(graph: Graph, given: str, name: str) -> str:
    """(n, c, height, width) as (n, c, places)."""
    return graph.add("Reshape", [given, graph.constant("seen/flat", [0, 0, -1])], name)


def _level(graph: Graph, head: str, level: int, score: str) -> str:
    """The four distances (n, 4, places) of one level: computed on the window around what scores, nought elsewhere."""
    here = f"seen/{level}"
    branch = [node for node in graph.nodes if node.name.startswith(f"{head}/cv2.{level}/")]
    first, last = branch[0], branch[-1]
    features = first.input[0]
    start, end, size = _window(graph, score, here)
    axes = graph.constant("seen/plane", [2, 3])
    # A convolution of the window sees noughts outside it: two places from its edge this makes no difference any more.
    first.input[0] = graph.add("Slice", [features, start, end, axes], f"{here}/window")
    bins = graph.add("Reshape", [last.output[0], graph.constant("seen/bins", [0, 4, BINS, -1])], f"{here}/bins")
    top = graph.add("ReduceMax", [bins], f"{here}/top", axes=[2], keepdims=1)
    weights = graph.add("Exp", [graph.add("Sub", [bins, top], f"{here}/low")], f"{here}/weights")
    steps = graph.constant("seen/steps", np.arange(BINS)[None], np.float32)
    ones = graph.constant("seen/ones", np.ones((1, BINS)), np.float32)
    moment = graph.add("MatMul", [steps, weights], f"{here}/moment")
    mean = graph.add("Div", [moment, graph.add("MatMul", [ones, weights], f"{here}/sum")], f"{here}/mean")
    window = graph.add("Sub", [end, start], f"{here}/window_size")
    plane = graph.add("Concat", [graph.constant("seen/keep", [0, 4]), window], f"{here}/plane_shape", axis=0)
    plane = graph.add("Reshape", [mean, plane], f"{here}/plane")
    after = graph.add("Sub", [size, end], f"{here}/after")
    none = graph.constant("seen/none", [0, 0])
    around = graph.add("Concat", [none, start, none, after], f"{here}/around", axis=0)
    return _flat(graph, graph.add("Pad", [plane, around], f"{here}/padded"), f"{here}/distances")


def _window(graph: Graph, score: str, here: str) -> tuple[str, str, str]:
    """The first row and column, the last ones (not included) and the size of what has to be computed."""
    best = graph.add("ReduceMax", [score], f"{here}/best", axes=[0, 1], keepdims=0)
    seen = graph.add("GreaterOrEqual", [best, "least"], f"{here}/seen")
    shape = graph.add("Shape", [best], f"{here}/shape")
    starts, ends = [], []
    for axis, name in enumerate(("rows", "columns")):
        size = graph.add("Gather", [shape, graph.constant(f"seen/index_{axis}", axis)], f"{here}/{name}/size")
        places = graph.add("Range", [graph.constant("seen/0", 0), size, graph.constant("seen/1", 1)], f"{here}/{name}")
        column = graph.constant("seen/column", [-1, 1])
        if axis == 0:
            places = graph.add("Reshape", [places, column], f"{here}/{name}/column")
        first = graph.add("Where", [seen, places, size], f"{here}/{name}/or_none")
        last = graph.add("Where", [seen, places, graph.constant("seen/-1", -1)], f"{here}/{name}/or_nothing")
        first = graph.add("ReduceMin", [first], f"{here}/{name}/first", keepdims=0)
        last = graph.add("ReduceMax", [last], f"{here}/{name}/last", keepdims=0)
        one, margin = graph.constant("seen/1", 1), graph.constant("seen/margin", MARGIN)
        inside = graph.add("Sub", [size, one], f"{here}/{name}/inside")  # where nothing scores, one place is computed
        start = graph.add("Sub", [first, margin], f"{here}/{name}/wanted_start")
        start = graph.add("Max", [graph.constant("seen/0", 0), start], f"{here}/{name}/not_below")
        start = graph.add("Min", [start, inside], f"{here}/{name}/start")
        end = graph.add("Add", [last, graph.constant("seen/beyond", MARGIN + 1)], f"{here}/{name}/wanted_end")
        least_end = graph.add("Add", [start, one], f"{here}/{name}/one_more")
        end = graph.add("Max", [end, least_end], f"{here}/{name}/not_before")
        end = graph.add("Min", [end, size], f"{here}/{name}/end")
        unit = graph.constant("seen/unit", [0])
        starts.append(graph.add("Unsqueeze", [start, unit], f"{here}/{name}/start_1"))
        ends.append(graph.add("Unsqueeze", [end, unit], f"{here}/{name}/end_1"))
    return (
        graph.add("Concat", starts, f"{here}/start", axis=0),
        graph.add("Concat", ends, f"{here}/end", axis=0),
        shape,
    )


def rewrite(path: Path, out: Path | None = None) -> tuple[int, bool]:
    """Rewrite one detector: how many convolutions were halved, and whether its boxes were narrowed."""
    import onnx

    model = onnx.load(str(path))
    graph = Graph(model)
    done = halve(graph), boxes_where_seen(graph)
    if any(done):
        graph.finish()
        onnx.checker.check_model(model)
        target = out or path
        part = target.with_name(target.name + ".part")
        part.write_bytes(model.SerializeToString())
        try:
            compare(path, part)
        except ValueError:
            part.unlink()
            raise
        part.replace(target)
    return done


def compare(plain: Path, fast: Path, sizes: Sequence[tuple[int, int]] = ((64, 96), (160, 128))) -> None:
    """Raise ValueError unless two networks answer alike, on noise of several sizes, where every box is asked for."""
    networks = [Network(path, 1) for path in (plain, fast)]
    rng = np.random.default_rng(1)
    for height, width in sizes:
        images = rng.random((1, 3, height, width), np.float32)
        answers = [network(images, least=0.0)[0] for network in networks]
        gap = float(np.abs(answers[0] - answers[1]).max())
        if not gap <= SAME:
            raise ValueError(f"the rewritten graph answers otherwise, by {gap:.3g}")


def main() -> None:
    """Rewrite the named networks in place."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("networks", nargs="+", type=Path, help="ONNX files, rewritten in place")
    for path in parser.parse_args().networks:
        halved, narrowed = rewrite(path)
        print(f"{path.name}: {halved} convolutions halved, boxes {'narrowed' if narrowed else 'as they were'}")


if __name__ == "__main__":
    main()
