// The functions of an expression that a driver's own would get wrong. Sigmoid, safe_tanh and erf_approx are finite for every
// finite argument and within 3e-7 of the true value (erf_approx and safe_tanh absolutely, sigmoid and, near 0, safe_tanh
// relatively). What is no number stays none, and what GLSL leaves undefined is what C has: a driver may hold x / 0, log(-1)
// or the larger of NaN and 0 for whatever it likes, and plausible logits would come of it.

float infinity() { return uintBitsToFloat(0x7f800000u); }
float not_a_number() { return uintBitsToFloat(0x7fc00000u); }

// By its bits: drivers may fold isnan away.
bool is_nan(float x) { return (floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u; }
bool is_finite(float x) { return (floatBitsToUint(x) & 0x7f800000u) != 0x7f800000u; }

// a / b, also by 0: of the sign of both, and not a number of 0 / 0.
float quotient(float a, float b) {
  return b == 0.0 ? a * uintBitsToFloat(0x7f800000u | (floatBitsToUint(b) & 0x80000000u)) : a / b;
}

// Of std::max, std::min and std::clamp: a first argument that is no number is given back.
float larger(float a, float b) { return is_nan(a) ? a : max(a, b); }
float smaller(float a, float b) { return is_nan(a) ? a : min(a, b); }
float within(float x, float low, float high) { return is_nan(x) ? x : clamp(x, low, high); }
int larger(int a, int b) { return max(a, b); }
int smaller(int a, int b) { return min(a, b); }
int within(int x, int low, int high) { return clamp(x, low, high); }

float safe_log(float x) { return x > 0.0 ? log(x) : x == 0.0 ? -infinity() : not_a_number(); }
float safe_sqrt(float x) { return x >= 0.0 ? sqrt(x) : not_a_number(); }
float safe_sin(float x) { return is_finite(x) ? sin(x) : not_a_number(); }
float safe_cos(float x) { return is_finite(x) ? cos(x) : not_a_number(); }

float sigmoid(float x) {
  const float e = exp(-abs(x));  // exp(x) of a large x overflows; this cannot
  return (x >= 0.0 ? 1.0 : e) / (1.0 + e);
}

// Near 0 the quotient would cancel: there an odd polynomial, relative error 2e-8 on |x| <= 0.5. Drivers' own tanh gives NaN
// above 88 on some.
float safe_tanh(float x) {
  const float magnitude = abs(x);
  if (magnitude <= 0.5) {
    const float z = x * x;
    return x + x * z * (-0.333331436 + z * (0.13325879 + z * (-0.0530454405 + z * 0.0172413643)));
  }
  const float e = exp(-2.0 * magnitude);
  return sign(x) * ((1.0 - e) / (1.0 + e));
}

// exp(x) - 1 and log(1 + x), which cancel near 0: there a polynomial, and the series of log(1 + x) = 2 atanh(x / (2 + x)).
float safe_expm1(float x) {
  const float z = clamp(x, -0.5, 0.5);
  const float near = z * (1.0 + z * (0.5 + z * (0.166666667 + z * (0.0416666667 + z * (0.00833333333 +
                     z * (0.00138888889 + z * (0.000198412698 + z * 2.48015873e-05)))))));
  return abs(x) <= 0.5 ? near : exp(x) - 1.0;  // no branch: a recurrence has one for each element that it keeps
}

float safe_log1p(float x) {
  if (!(abs(x) <= 0.5)) return safe_log(1.0 + x);
  const float s = x / (2.0 + x);
  const float z = s * s;
  return 2.0 * s * (1.0 + z * (0.333333333 + z * (0.2 + z * (0.142857143 + z * (0.111111111 + z * (0.0909090909 +
         z * (0.0769230769 + z * 0.0666666667)))))));
}

// x to a whole power, by squaring: GLSL's pow is undefined below 0.
float whole_power(float x, int n) {
  float power = 1.0;
  float square = x;
  for (uint left = uint(abs(n)); left != 0u; left >>= 1) {
    if ((left & 1u) != 0u) power *= square;
    square *= square;
  }
  return n < 0 ? 1.0 / power : power;
}

// pow of C, where GLSL's is undefined too: at 0 and below. NaN for a power that is not whole of a negative number.
float safe_pow(float x, float y) {
  if (y == 0.0) return 1.0;
  if (x == 0.0) return y > 0.0 ? 0.0 : infinity();
  const float magnitude = pow(abs(x), y);
  if (x > 0.0) return magnitude;
  if (y != floor(y)) return not_a_number();
  return fract(0.5 * y) == 0.0 ? magnitude : -magnitude;
}

// Odd polynomial on |x| <= 1; beyond, 1 - exp(-p(|x|)) with p fitted to -log(erfc). From 4 on erf is 1 in f32.
float erf_approx(float x) {
  if (is_nan(x)) return x;
  const float magnitude = min(abs(x), 4.0);
  if (magnitude <= 1.0) {
    const float z = x * x;
    return x * (1.12837911 + z * (-0.37612626 + z * (0.112835854 + z * (-0.026853811 + z * (0.00518832589 +
           z * (-0.000801017624 + z * 7.85379962e-05))))));
  }
  const float p = -0.00018344057 + magnitude * (1.12955678 + magnitude * (0.633262634 + magnitude * (0.108372442 +
                  magnitude * (-0.0251789428 + magnitude * (0.00419360166 + magnitude * (-0.000439104391 +
                  magnitude * 2.14959418e-05))))));
  return sign(x) * (1.0 - exp(-p));
}

// The floored remainder: of the sign of b, and 0 where b is 0. GLSL's % is undefined for numbers below 0.
int floor_mod(int a, int b) {
  if (b == 0) return 0;
  const int size = abs(b), rest = int(uint(abs(a)) % uint(size));
  const int magnitude = rest != 0 && (a < 0) != (b < 0) ? size - rest : rest;
  return b < 0 ? -magnitude : magnitude;
}
