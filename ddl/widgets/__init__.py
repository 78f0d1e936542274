"""Widgets for notebooks, whose outputs are also pictures and words; they need the extra `course`."""

from .attend import Attend, attend
from .base import Widget
from .boundary import Boundary, boundary
from .broadcast import Broadcaster, broadcast
from .convolve import Convolver, convolve
from .dashboard import Dashboard, dashboard
from .digits import Digits, digits
from .features import Features, features
from .initialisers import Initialisers, initialisers
from .lens import Lens, lens
from .microscope import Microscope, watch
from .player import Player, play
from .race import Race, race
from .roofline import Roofline, roofline
from .rotary import Rotary, rotary
from .sample import Sample, sample
from .strides import Strider, strides
from .tokens import Tokens, tokens

__all__ = [
    "Attend",
    "Boundary",
    "Broadcaster",
    "Convolver",
    "Dashboard",
    "Digits",
    "Features",
    "Initialisers",
    "Lens",
    "Microscope",
    "Player",
    "Race",
    "Roofline",
    "Rotary",
    "Sample",
    "Strider",
    "Tokens",
    "Widget",
    "attend",
    "boundary",
    "broadcast",
    "convolve",
    "dashboard",
    "digits",
    "features",
    "initialisers",
    "lens",
    "play",
    "race",
    "roofline",
    "rotary",
    "sample",
    "strides",
    "tokens",
    "watch",
]
