"""Weights at half the size: `python -m models.compact models/weights/*.onnx`.

Every large float32 initialiser is stored as float16 and cast back when the network is loaded. ONNX Runtime folds the
casts once at start, so the arithmetic and the speed stay those of float32; only the stored digits are fewer.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

SMALL = 256  # initialisers with fewer numbers stay as they are: nothing to win, and scales and shapes stay exact
LARGEST = 6.0e4  # what float16 can hold, with some air


def compact(path: Path, out: Path | None = None) -> tuple[int, int]:
    """Rewrite one network; returns its size before and after, in bytes. A compact network is left as it is."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    before = path.stat().st_size
    model = onnx.load(str(path))
    graph = model.graph
    casts = []
    for tensor in graph.initializer:
        if tensor.data_type != TensorProto.FLOAT:
            continue
        values = numpy_helper.to_array(tensor)
        if values.size < SMALL or not np.isfinite(values).all() or np.abs(values).max() > LARGEST:
            continue
        name = tensor.name
        stored = f"{name}_half"
        tensor.CopyFrom(numpy_helper.from_array(values.astype(np.float16), stored))
        casts.append(helper.make_node("Cast", [stored], [name], name=f"{name}_cast", to=TensorProto.FLOAT))
    if casts:
        nodes = [*casts, *graph.node]
        del graph.node[:]
        graph.node.extend(nodes)
        listed = {f"{cast.output[0]}" for cast in casts}
        inputs = [value for value in graph.input if value.name not in listed]
        del graph.input[:]
        graph.input.extend(inputs)
        onnx.checker.check_model(model)
    target = out or path
    part = target.with_name(target.name + ".part")
    part.write_bytes(model.SerializeToString())
    part.replace(target)
    return before, target.stat().st_size


def main() -> None:
    """Compact the named networks in place and say what it saved."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("networks", nargs="+", type=Path, help="ONNX files, rewritten in place")
    total = [0, 0]
    for path in parser.parse_args().networks:
        before, after = compact(path)
        total = [total[0] + before, total[1] + after]
        print(f"{path.name:28} {before / 1e6:6.2f} MB → {after / 1e6:6.2f} MB")
    print(f"{'together':28} {total[0] / 1e6:6.2f} MB → {total[1] / 1e6:6.2f} MB")


if __name__ == "__main__":
    main()
