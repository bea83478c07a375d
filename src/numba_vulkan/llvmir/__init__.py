"""The small LLVM IR: types, values, parsing, printing, building and verifying."""
