"""SPIR-V: instruction tables, the emitter, and the checker that every module passes before a driver sees it."""
