"""Ops with a hand-written pull-back. Their definitions are written in ops: a definition runs on arrays, traces into its
own expansion, gives its own shape rule, and is what any kernel is tested against."""

from . import kernels
from .alibi import alibi
from .attention import scaled_dot_product_attention
from .binary_cross_entropy import binary_cross_entropy
from .cross_entropy import cross_entropy_rows
from .dropout import dropout
from .gelu import gelu, gelu_tanh
from .layer_norm import layer_norm
from .rope import rope, waves
from .softmax import log_softmax, softmax
