"""Layers that own their parameters."""

from . import functional, init
from .activations import (
    ELU,
    GELU,
    GLU,
    Hardsigmoid,
    Hardtanh,
    Identity,
    LeakyReLU,
    LogSigmoid,
    LogSoftmax,
    ReLU,
    ReLU6,
    Sigmoid,
    SiLU,
    Softmax,
    Softplus,
    SwiGLU,
    Tanh,
)
from .attention import CausalSelfAttention, KVCache, MultiHeadAttention
from .containers import ModuleDict, ModuleList, Sequential
from .convolution import Conv1d, Conv2d, ConvTranspose1d, ConvTranspose2d
from .dropout import Dropout, Dropout2d
from .linear import Embedding, Linear
from .losses import (
    BCELoss,
    BCEWithLogitsLoss,
    CosineEmbeddingLoss,
    CrossEntropyLoss,
    FocalLoss,
    GaussianNLLLoss,
    HingeEmbeddingLoss,
    HingeLoss,
    HuberLoss,
    KLDivLoss,
    L1Loss,
    MarginRankingLoss,
    MSELoss,
    NLLLoss,
    PoissonNLLLoss,
    SmoothL1Loss,
    SquaredHingeLoss,
    TripletMarginLoss,
)
from .modes import evaluating
from .module import Module
from .normalization import BatchNorm1d, BatchNorm2d, GroupNorm, LayerNorm, RMSNorm
from .parameter import Buffer, Parameter, shapes_only
from .pooling import (
    AdaptiveAvgPool1d,
    AdaptiveAvgPool2d,
    AdaptiveMaxPool1d,
    AdaptiveMaxPool2d,
    AvgPool1d,
    AvgPool2d,
    Flatten,
    Fold,
    MaxPool1d,
    MaxPool2d,
    Unflatten,
    Unfold,
    Upsample,
)
from .positions import ALiBi, LearnedPositions, RotaryEmbedding, SinusoidalPositions
from .recurrent import GRU, LSTM, RNN, GRUCell, LSTMCell, RNNCell
from .transformer import MLP, TransformerBlock, TransformerDecoderLayer, TransformerEncoderLayer
