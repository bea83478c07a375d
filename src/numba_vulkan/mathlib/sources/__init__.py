"""Sources of the math functions: a file per family and precision."""
