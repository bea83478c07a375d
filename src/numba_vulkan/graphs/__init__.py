"""Graphs over blocks: orders, dominators, loops."""
