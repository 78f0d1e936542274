"""What constructors refuse: a size that no layer could have."""


def positive(layer: str, **sizes: int) -> None:
    """Refuse a size that is no whole number of 1 or more."""
    for name, n in sizes.items():
        if not isinstance(n, int) or isinstance(n, bool) or n < 1:
            raise ValueError(f"{layer} needs {name} to be a whole number of 1 or more, but {n!r} was given")
