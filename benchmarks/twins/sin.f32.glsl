float large(float x, out uint q, out float tail) {
    // stands for the branch of huge arguments: some integer work that depends on x
    uint u = floatBitsToUint(x);
    uint e = (u >> 23) & 255u, mant = (u & 0x7FFFFFu) | 0x800000u;
    uint hi, lo, h2, l2;
    uint a = (e & 64u) != 0u ? 0xA2F9836Eu : 0x4E441529u, b = (e & 32u) != 0u ? 0xFC2757D1u : 0xF534DDC0u;
    a = (a << (e & 31u)) | ((b >> 1) >> (31u - (e & 31u)));
    umulExtended(mant, a, hi, lo);
    umulExtended(mant, b, h2, l2);
    uint s = lo + h2;
    q = (hi + 0x20000000u) >> 30;
    tail = float(int(l2 >> 8)) * 1e-20;
    return float(int(hi - (q << 30))) * 1e-9 + float(int(s >> 1)) * 1e-19;
}
float twin(float x) {
    uint q;
    precise float r, tail;
    if (abs(x) < 3000.0) {
        precise float s = x * 0.636619747 + 12582912.0;
        precise float n = s - 12582912.0;
        q = floatBitsToUint(s);
        precise float w = fma(n, -1.57055664, x);
        precise float h = fma(n, -0.000239670277, w);
        precise float l = fma(n, -0.000239670277, w - h);
        l = fma(n, -1.58906914e-08, l) - n * 2.56334407e-12;
        r = h + l;
        tail = (h - r) + l;
    } else {
        float t2;
        r = large(x, q, t2);
        tail = t2;
    }
    precise float z = r * r;
    // Sine and cosine as one form: a + (b + m * (c0 + z * (c1 + z * c2)))
    bool odd = (q & 1u) != 0u;
    precise float half_z = 0.5 * z;
    precise float v = 1.0 - half_z;
    precise float vt = (1.0 - v) - half_z;
    precise float c = z * (odd ? 2.44610619e-05 : -0.000195078595) + (odd ? -0.00138876063 : 0.00833210628);
    c = z * c + (odd ? 0.041666653 : -0.166666538);
    precise float a = odd ? v : r;
    precise float m = odd ? z : r;
    precise float b = odd ? vt - r * tail : tail;
    precise float y = a + (b + (m * z) * c);
    y = uintBitsToFloat(floatBitsToUint(y) ^ ((q & 2u) << 30));
    return y;
}
