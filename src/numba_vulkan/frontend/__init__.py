"""The front end: Numba's ``vulkan`` target, from a Python function to device-independent LLVM assembly."""
