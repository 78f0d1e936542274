"""Weights that ship with the package: `GPT2.from_pretrained(SMALL)`; SMALL / "record.json" says how they came about."""

from pathlib import Path

SMALL = Path(__file__).parent / "small"
