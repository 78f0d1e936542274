"""What a profile sees: every op once, with the costs that its graph has, on the clock of its device."""

import threading

import numpy as np
import pytest

import ddl
from ddl import nn
from ddl.define import Binary, Op
from ddl.graph import costs
from ddl.models import GPT2, GPT2Config
from ddl.ops import getitem

CEILINGS = (4e9, 1e9)
SMALL = GPT2Config(vocab_size=13, block_size=9, n_embd=16, n_layer=2, n_head=4)


def test_a_product_and_its_pull_back_cost_what_is_counted_by_hand():
    x, y = ddl.randn(8, 16), ddl.tensor(np.ones((16, 4), np.float32), requires_grad=True)
    with ddl.profile(CEILINGS) as seen:
        (x @ y).tanh().sum().backward()
    product, tanh, total, *back = seen.ops
    assert (product.name, product.flops, product.bytes) == ("matmul", 2 * 8 * 16 * 4, 4 * (128 + 64 + 32))
    assert (tanh.name, tanh.flops, tanh.bytes) == ("tanh", 32, 4 * 64)
    assert (total.name, total.flops, total.bytes) == ("sum", 32, 4 * 33)
    assert [op.name for op in back] == ["sum, back", "tanh, back", "matmul, back"]
    assert (back[-1].flops, back[-1].bytes) == (2 * 8 * 16 * 4, 4 * (128 + 64 + 32))  # x wants no gradient


def test_both_gradients_of_a_product_are_counted():
    x, y = (ddl.tensor(np.ones(s, np.float32), requires_grad=True) for s in ((8, 16), (16, 4)))
    with ddl.profile(CEILINGS) as seen:
        (x @ y).backward(ddl.ones(8, 4))
    assert seen.ops[-1].flops == 2 * (2 * 8 * 16 * 4)
    assert seen.ops[-1].bytes == 4 * (32 + 2 * (128 + 64))


def test_a_models_ops_cost_what_its_graph_says():
    model, ids = GPT2(SMALL), ddl.tensor(np.arange(18).reshape(2, 9) % 13)
    with ddl.profile(CEILINGS) as seen:
        model(ids)
    graph = ddl.trace(model, ids)
    assert [op.name for op in seen.ops] == [node.op for node in graph.nodes if node.kind == "op"]
    assert (sum(op.flops for op in seen.ops), sum(op.bytes for op in seen.ops)) == costs(graph)


def step(model, optimizer):
    ids = np.arange(20).reshape(2, 10) % 13
    ids = ddl.tensor(ids, device=model.wte.weight.device)
    loss = nn.functional.cross_entropy(model(ids[:, :-1]).reshape(-1, 13), ids[:, 1:].reshape(-1))
    optimizer.backward_step(loss)
    return loss.item()


def trained(watched, device):
    ddl.manual_seed(0)
    model = GPT2(SMALL).to(device)
    optimizer = ddl.optim.AdamW(model.parameters())
    losses = []
    for _ in range(2):
        if watched:
            with ddl.profile(CEILINGS) as seen:
                losses.append(step(model, optimizer))
        else:
            losses.append(step(model, optimizer))
    return losses, seen if watched else None


@pytest.mark.parametrize("device", ["cpu", "gpu"])
def test_a_training_step_is_the_same_when_watched_and_every_op_has_a_time(device, cupy):
    (plain, _), (watched, seen) = trained(False, device), trained(True, device)
    assert plain == watched
    assert {op.device for op in seen.ops} == {device}
    names = [op.name for op in seen.ops]
    assert names[-1] == "AdamW.step"
    for name in ("linear", "layer_norm", "scaled_dot_product_attention", "gelu_tanh", "cross_entropy_rows"):
        assert names.count(name) == names.count(f"{name}, back") > 0
    assert all(op.flops is not None for op in seen.ops[:-1])
    starts = [op.start for op in seen.ops]
    assert starts == sorted(starts)
    ends = [op.start + op.microseconds for op in seen.ops]
    assert all(end <= start + 2 for end, start in zip(ends, starts[1:]))  # no time counts twice, by the clocks' ticks
    assert 0 < sum(op.microseconds for op in seen.ops) <= 1e6 * seen.seconds
    assert 0 < seen.asking <= seen.seconds
    assert ("the GPU was done after" in str(seen)) is (device == "gpu")


def test_the_table_adds_up_and_says_what_is_left():
    _, seen = trained(True, "cpu")
    assert sum(row.times for row in seen.rows) == len(seen.ops)
    assert sum(row.microseconds for row in seen.rows) == pytest.approx(sum(op.microseconds for op in seen.ops))
    took = [row.microseconds for row in seen.rows]
    assert took == sorted(took, reverse=True)
    head, *body, total, roof = str(seen).splitlines()
    assert head.split() == ["op", "times", "ms", "of", "all", "computes", "moves", "of", "the", "roofline"]
    assert len(body) == len(seen.rows) + 1
    assert body[-1].startswith("between ops")
    assert "100.0%" in total
    assert roof == "The roofline: 4 GFLOP/s in a large product, 1 GB/s in a large copy."


def test_the_share_of_the_roofline_is_the_least_time_over_the_time_taken():
    x = ddl.randn(64, 64)
    with ddl.profile(CEILINGS) as seen:
        _ = x @ x
    (row,) = seen.rows
    assert row.share == pytest.approx(1e6 * 2 * 64**3 / 4e9 / row.microseconds)  # 131 us of arithmetic, 49 of memory


def test_it_says_when_a_gpu_waited_for_python(cupy):
    with ddl.profile(CEILINGS) as seen:
        _ = ddl.ones(3, device="gpu") * 2
    seen.asking, seen.seconds = 0.001, 0.002
    assert not seen.waiting
    assert "Python asked for all of it within 1 ms, and the GPU was done after 2 ms." in str(seen)
    seen.asking = 0.00195
    assert seen.waiting
    assert "the times above are those of asking" in str(seen)


def test_an_op_whose_shape_depends_on_values_has_a_time_and_no_costs():
    with ddl.profile(CEILINGS) as seen:
        _ = ddl.randn(5).nonzero()
    assert [(op.name, op.flops, op.bytes) for op in seen.ops] == [("nonzero", None, None)]
    assert seen.rows[0].share is None


def test_a_gradient_added_to_a_part_is_seen():
    x = ddl.randn(6, requires_grad=True)
    with ddl.profile(CEILINGS) as seen:
        x[:3].sum().backward()
    back = seen.ops[-1]
    assert (back.name, back.flops, back.bytes) == ("getitem, back", 3, 3 * 12)


def test_other_threads_are_not_seen_and_all_is_put_back():
    before = Op.__call__, Binary.__call__, Op.pull, Binary.pull, ddl.optim.Optimizer.step, getitem.adds_into
    thread = threading.Thread(target=lambda: ddl.ones(2) + 1)
    with ddl.profile(CEILINGS) as seen:
        thread.start()
        thread.join()
    assert before == (Op.__call__, Binary.__call__, Op.pull, Binary.pull, ddl.optim.Optimizer.step, getitem.adds_into)
    with pytest.raises(TypeError), ddl.profile(CEILINGS):
        ddl.ones(2) + "1"
    assert before == (Op.__call__, Binary.__call__, Op.pull, Binary.pull, ddl.optim.Optimizer.step, getitem.adds_into)
    assert seen.ops == []
    assert str(seen) == "no op ran inside this profile"


def test_the_roofline_draws_what_was_seen():
    pytest.importorskip("anywidget")
    _, seen = trained(True, "cpu")
    data = ddl.widgets.roofline(seen).data
    assert (data["most_flops"] >= 4e9, data["most_bytes"]) == (True, 1e9)
    assert [op["name"] for op in data["ops"]] == [op.name for op in seen.ops if op.bytes is not None]
