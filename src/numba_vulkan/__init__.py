"""numba_vulkan: a Vulkan compute target for Numba.

Write a kernel in Python, decorate it with `jit`, run it on any device with a Vulkan 1.2 driver:

    import numba_vulkan as nv

    @nv.jit
    def saxpy(a, x, y):
        i = nv.global_id(0)
        if i < x.size:
            y[i] = a * x[i] + y[i]

    saxpy.forall(x.size)(a, x, y)
"""

