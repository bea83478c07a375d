// What needs care is behind one branch.
float rare(float x, float y, float s) {
    if (!(x == x)) return x;
    if (x > 88.72284) return uintBitsToFloat(0x7F800000u);
    if (x < -104.0) return 0.0;
    int k = int(floatBitsToUint(s) - 0x4B400000u);
    int h = k >> 1;
    precise float a = uintBitsToFloat(uint(h + 127) << 23);
    precise float b = uintBitsToFloat(uint(k - h + 127) << 23);
    precise float z = (y * a) * b;
    return z;
}
float twin(float x) {
    precise float s = x * 1.44269502 + 12582912.0;
    precise float n = s - 12582912.0;
    precise float r = fma(n, -3.19461833e-05, fma(n, -0.693115234, x));
    precise float p = r * 0.00138429995 + 0.00836952683;
    p = r * p + 0.0416680612;
    p = r * p + 0.166665137;
    p = r * p + 0.49999994;
    precise float y = 1.0 + (r + (r * r) * p);
    precise float z = uintBitsToFloat(floatBitsToUint(y) + (floatBitsToUint(s) << 23));
    if (!(abs(x) < 87.0)) z = rare(x, y, s);
    return z;
}
