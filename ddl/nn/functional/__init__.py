"""Layers without parameters, and losses, as functions: torch.nn.functional's names and meaning.

`dim` and `keepdim` may also be called `axis` and `keepdims`.
"""

from ...ops import relu, sigmoid, tanh
from .activations import gelu, log_softmax, softmax
from .attention import scaled_dot_product_attention
from .dropout import dropout, dropout2d
from .linear import embedding, linear
from .losses import binary_cross_entropy_with_logits, cross_entropy, mse_loss
from .normalization import batch_norm, group_norm, layer_norm, rms_norm
