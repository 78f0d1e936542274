"""Layers that own their parameters."""

from . import functional, init
from .layers import GELU, Dropout, Embedding, LayerNorm, Linear, ReLU, Sigmoid, Tanh
from .losses import BCEWithLogitsLoss, CrossEntropyLoss, MSELoss
from .module import Module, Sequential, evaluating
from .parameter import Parameter, shapes_only
from .transformer import MLP, CausalSelfAttention, KVCache, TransformerBlock

__all__ = [
    "GELU",
    "MLP",
    "BCEWithLogitsLoss",
    "CausalSelfAttention",
    "CrossEntropyLoss",
    "Dropout",
    "Embedding",
    "KVCache",
    "LayerNorm",
    "Linear",
    "MSELoss",
    "Module",
    "Parameter",
    "ReLU",
    "Sequential",
    "Sigmoid",
    "Tanh",
    "TransformerBlock",
    "evaluating",
    "functional",
    "init",
    "shapes_only",
]
