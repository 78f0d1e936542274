"""Weights that ship with the package: `GPT2.from_pretrained(SMALL)`, and how they came about in SMALL / "record.json"."""

from pathlib import Path

SMALL = Path(__file__).parent / "small"
