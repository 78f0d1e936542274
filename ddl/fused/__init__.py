"""Ops with a hand-written pull-back. Their definitions are written in ops: a definition runs on arrays, traces into its
own expansion, gives its own shape rule, and is what any kernel is tested against."""

from . import kernels
from .attention import scaled_dot_product_attention
from .cross_entropy import cross_entropy_rows
from .dropout import dropout
from .erf import erf
from .gelu import gelu, gelu_tanh
from .layer_norm import layer_norm
from .softmax import log_softmax, softmax
