"""Stand-ins on CuPy, in CUDA C++: each reads its arrays once and writes its results once, in a fixed order.

They take on float32 and float64, rows that lie one behind the other, and decline the rest.
"""

from . import attention, cross_entropy, dropout, gelu, layer_norm, rope, softmax
