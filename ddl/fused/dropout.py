"""Each value is dropped with probability p, the rest scaled up so that the mean stays."""

from ..define import op
from ..spec import Spec


@op(r"\operatorname{{drop}}({x})", binds=3)
def dropout(xp, x, *, p, seed):
    """x * keep / (1 - p). `keep` depends on p, `seed` and the element's place alone, on any device alike."""
    return xp.where(keep(xp, x.size, p, seed).reshape(x.shape), x * (1.0 / (1.0 - p)), xp.zeros((), dtype=x.dtype))


dropout.vjp(x=lambda g, p, seed: dropout(g, p=p, seed=seed))
dropout.kernel("shapes")(lambda x, p, seed: Spec(x.shape, x.dtype))


def keep(xp, size, p, seed):
    """For each of `size` places whether it stays: a 32-bit mix of place and seed is >= p (murmur3's mixer, twice)."""
    h = xp.arange(size, dtype=xp.uint32) * xp.uint32(0x9E3779B9) + xp.uint32(seed & 0xFFFFFFFF)
    for salt in (0, seed >> 32 & 0xFFFFFFFF):
        h ^= xp.uint32(salt)
        h ^= h >> xp.uint32(16)
        h *= xp.uint32(0x85EBCA6B)
        h ^= h >> xp.uint32(13)
        h *= xp.uint32(0xC2B2AE35)
        h ^= h >> xp.uint32(16)
    return h >= xp.uint32(min(int(p * 2**32), 2**32 - 1))
