"""A softmax over channels, written so that it is fast: `python -m models.softmax models/weights/NAME.onnx`.

ONNX Runtime takes a softmax along any axis but the last one row by row: the sixteen bins of a YOLO's box sides cost
more than most of its convolutions. The same arithmetic as exp, sum and division runs over whole planes.
"""

from __future__ import annotations

import argparse
from pathlib import Path


def rewrite(path: Path, out: Path | None = None) -> int:
    """Replace every softmax that is not along the last axis of four; returns how many there were."""
    import onnx
    from onnx import TensorProto, helper

    model = onnx.load(str(path))
    graph = model.graph
    nodes, count = [], 0
    for node in graph.node:
        axis = next((a.i for a in node.attribute if a.name == "axis"), -1)
        if node.op_type != "Softmax" or axis != 1:
            nodes.append(node)
            continue
        name, (given,), (wanted,) = node.name or f"softmax{count}", node.input, node.output
        axes = f"{name}_axes"
        graph.initializer.append(helper.make_tensor(axes, TensorProto.INT64, [1], [axis]))
        nodes += [
            helper.make_node("ReduceMax", [given], [f"{name}_top"], name=f"{name}_top", axes=[axis], keepdims=1),
            helper.make_node("Sub", [given, f"{name}_top"], [f"{name}_low"], name=f"{name}_low"),
            helper.make_node("Exp", [f"{name}_low"], [f"{name}_exp"], name=f"{name}_exp"),
            helper.make_node("ReduceSum", [f"{name}_exp", axes], [f"{name}_sum"], name=f"{name}_sum", keepdims=1),
            helper.make_node("Div", [f"{name}_exp", f"{name}_sum"], [wanted], name=f"{name}_div"),
        ]
        count += 1
    if count:
        del graph.node[:]
        graph.node.extend(nodes)
        onnx.checker.check_model(model)
        target = out or path
        part = target.with_name(target.name + ".part")
        part.write_bytes(model.SerializeToString())
        part.replace(target)
    return count


def main() -> None:
    """Rewrite the named networks in place."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("networks", nargs="+", type=Path, help="ONNX files, rewritten in place")
    for path in parser.parse_args().networks:
        print(f"{path.name}: {rewrite(path)} rewritten")


if __name__ == "__main__":
    main()
