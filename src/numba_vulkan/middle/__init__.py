"""The middle: from LLVM assembly of one kernel to structured IR that a shader can hold."""
