from __future__ import annotations

from roofline import figures


def test_the_figures_of_an_update_of_eight_gigaflop() -> None:
    cell = {
        "operations": {"model": {"MatMul": 1e9, "Conv2D": 5e9}, "policy": {"MatMul": 2e9}},
        "seconds": {"model": 0.06, "policy": 0.02},
        "product": 200e9,
        "samples": 128,
    }
    # 8 GFLOP in 0.08 s are 100 GFLOP/s, half of 200; at 200 the update takes 0.04 s.
    expected = ["6.0, 2.0", "62%", "60, 20", "100", "200", "50%", "1,600.0", "3,200.0"]
    assert figures(cell) == expected
