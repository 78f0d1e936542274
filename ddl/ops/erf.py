"""The error function, by the rational approximations of W. J. Cody's kind that fdlibm's s_erf.c states (Sun, 1993)."""

import math

import numpy as np

from ..define import op
from ..spec import Spec
from .elementwise import exp

# Coefficients of numerator and denominator, lowest power first, on each range of |x|.
SMALL = (
    (1.28379167095512558561e-01, -3.25042107247001499370e-01, -2.84817495755985104766e-02, -5.77027029648944159157e-03,
     -2.37630166566501626084e-05),
    (1.0, 3.97917223959155352819e-01, 6.50222499887672944485e-02, 5.08130628187576562776e-03,
     1.32494738004321644526e-04, -3.96022827877536812320e-06),
)  # fmt: skip
MIDDLE = (
    (-2.36211856075265944077e-03, 4.14856118683748331666e-01, -3.72207876035701323847e-01, 3.18346619901161753674e-01,
     -1.10894694282396677476e-01, 3.54783043256182359371e-02, -2.16637559486879084300e-03),
    (1.0, 1.06420880400844228286e-01, 5.40397917702171048937e-01, 7.18286544141962662868e-02,
     1.26171219808761642112e-01, 1.36370839120290507362e-02, 1.19844998467991074170e-02),
)  # fmt: skip
LARGE = (
    (-9.86494403484714822705e-03, -6.93858572707181764372e-01, -1.05586262253232909814e01, -6.23753324503260060396e01,
     -1.62396669462573470355e02, -1.84605092906711035994e02, -8.12874355063065934246e01, -9.81432934416914548592e00),
    (1.0, 1.96512716674392571292e01, 1.37657754143519042600e02, 4.34565877475229228821e02, 6.45387271733267880336e02,
     4.29008140027567833386e02, 1.08635005541779435134e02, 6.57024977031928170135e00, -6.04244152148580987438e-02),
)  # fmt: skip
HUGE = (
    (-9.86494292470009928597e-03, -7.99283237680523006574e-01, -1.77579549177547519889e01, -1.60636384855821916062e02,
     -6.37566443368389627722e02, -1.02509513161107724954e03, -4.83519191608651397019e02),
    (1.0, 3.03380607434824582924e01, 3.25792512996573918826e02, 1.53672958608443695994e03, 3.19985821950859553908e03,
     2.55305040643316442583e03, 4.74528541206955367215e02, -2.24409524465858183362e01),
)  # fmt: skip
AT_ONE = 8.45062911510467529297e-01


def _ratio(s, coefficients):
    """P(s) / Q(s), each by Horner's scheme."""
    values = []
    for powers in coefficients:
        total = powers[-1] + 0.0 * s
        for c in powers[-2::-1]:
            total = total * s + c
        values.append(total)
    return values[0] / values[1]


@op(r"\operatorname{{erf}} {x}", binds=3, real=True)
def erf(xp, x):
    """2 / sqrt(pi) times the integral of exp(-t^2) from 0 to x, within 2 ulp in float64."""
    wide = x.astype(np.float64)
    a = xp.abs(wide)
    low = xp.minimum(a, 0.84375)
    mid = xp.clip(a, 0.84375, 1.25) - 1.0
    far = xp.clip(a, 1.25, 6.0)
    s = 1.0 / (far * far)
    tail = xp.exp(xp.where(far < 1 / 0.35, _ratio(s, LARGE), _ratio(s, HUGE)) - 0.5625 - far * far) / far
    out = xp.where(
        a < 0.84375, low + low * _ratio(low * low, SMALL), xp.where(a < 1.25, AT_ONE + _ratio(mid, MIDDLE), 1.0 - tail)
    )
    return xp.where(xp.isnan(a), a, xp.where(wide < 0, -out, out)).astype(x.dtype)


erf.vjp(x=lambda g, x: g * exp(-(x * x)) * (2 / math.sqrt(math.pi)))
erf.kernel("shapes")(lambda x: Spec(x.shape, x.dtype))
