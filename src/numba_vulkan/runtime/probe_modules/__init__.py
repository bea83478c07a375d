"""SPIR-V modules that ask a driver how it behaves."""
