"""Arithmetic of 64-bit integers as pairs of 32-bit words; the pass `split_int64` is made of it."""
