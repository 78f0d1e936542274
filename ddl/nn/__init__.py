"""Layers that own their parameters."""

from . import functional, init
from .activations import GELU, ReLU, Sigmoid, Tanh
from .attention import CausalSelfAttention, KVCache
from .containers import ModuleDict, ModuleList, Sequential
from .dropout import Dropout, Dropout2d
from .linear import Embedding, Linear
from .losses import BCEWithLogitsLoss, CrossEntropyLoss, MSELoss
from .modes import evaluating
from .module import Module
from .normalization import BatchNorm1d, BatchNorm2d, GroupNorm, LayerNorm, RMSNorm
from .parameter import Buffer, Parameter, shapes_only
from .recurrent import GRU, LSTM, RNN, GRUCell, LSTMCell, RNNCell
from .transformer import MLP, TransformerBlock
