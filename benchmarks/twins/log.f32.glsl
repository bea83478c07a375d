float core(uint v, int more) {
    int k = int(v - 0x3F2AAAABu) >> 23;
    float m = uintBitsToFloat(v - (uint(k) << 23));
    precise float n = float(k - more);
    precise float f = m - 1.0;
    precise float z = f * f;
    precise float p = f * -0.0603674762 + 0.121866159;
    p = f * p + -0.111083984;
    p = f * p + 0.107066736;
    p = f * p + -0.123716429;
    p = f * p + 0.143087596;
    p = f * p + -0.166723147;
    p = f * p + 0.199994475;
    p = f * p + -0.249999195;
    p = f * p + 0.333333373;
    precise float y = fma(n, 0.693145752, f - (0.5 * z - ((f * z) * p + n * 1.42860677e-06)));
    return y;
}
// Denormals, zeros, negative numbers, infinity and NaN are behind one branch, which changes the argument.
float twin(float x) {
    uint u = floatBitsToUint(x);
    int more = 0;
    uint v = u;
    bool special = u - 0x00800000u >= 0x7F000000u;
    if (special) {
        v = floatBitsToUint(float(int(u)));
        more = 149;
    }
    precise float y = core(v, more);
    if (special) {
        if (int(u) <= 0) y = (u & 0x7FFFFFFFu) == 0u ? uintBitsToFloat(0xFF800000u) : uintBitsToFloat(0x7FC00000u);
        else if (u >= 0x7F800000u) y = x;
    }
    return y;
}
