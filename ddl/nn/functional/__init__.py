"""Layers without parameters, and losses, as functions: torch.nn.functional's names and meaning.

`dim` and `keepdim` may also be called `axis` and `keepdims`.
"""

from .activations import (
    elu,
    gelu,
    glu,
    hardsigmoid,
    hardtanh,
    leaky_relu,
    log_softmax,
    logsigmoid,
    relu,
    relu6,
    sigmoid,
    silu,
    softmax,
    softplus,
    swiglu,
    tanh,
)
from .attention import attention_weights, scaled_dot_product_attention
from .binary import (
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    focal_loss,
    hinge_loss,
    squared_hinge_loss,
)
from .classification import cross_entropy, kl_div, nll_loss
from .convolution import conv1d, conv2d, conv_transpose1d, conv_transpose2d, fold, unfold
from .distance import cosine_similarity, normalize, pairwise_distance
from .dropout import dropout, dropout2d
from .linear import embedding, linear, one_hot
from .normalization import batch_norm, group_norm, layer_norm, rms_norm
from .padding import pad
from .pooling import (
    adaptive_avg_pool1d,
    adaptive_avg_pool2d,
    adaptive_max_pool1d,
    adaptive_max_pool2d,
    avg_pool1d,
    avg_pool2d,
    max_pool1d,
    max_pool2d,
)
from .ranking import cosine_embedding_loss, hinge_embedding_loss, margin_ranking_loss, triplet_margin_loss
from .regression import gaussian_nll_loss, huber_loss, l1_loss, mse_loss, poisson_nll_loss, smooth_l1_loss
from .resizing import interpolate
