"""What are the values of Bessel functions, and of inverse error functions? One number at a time, in double.

Sources: Abramowitz and Stegun, chapters 7 and 9. Relative errors are some 1e-15 away from zeros.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import cache

EULER = 0.5772156649015329
ASYMPTOTIC_FROM = 25.0  # from here on Hankel's series is exact to the last bits
CONTINUED_FROM = 2.0
SERIES_BELOW = 1e-5  # where two terms of the power series are exact
GAMMA_SERIES_BELOW = 8.0  # from here on Python's own is as exact
VANISHES_FROM = 300  # orders, beyond twice x: there J is less than any double
ROOT_2_EXACTLY = Fraction(math.isqrt(2 * 10**60), 10**30)
ROOT_2, ROOT_PI = math.sqrt(2), math.sqrt(math.pi)


def _zeta_less_one(s: int, summed: int = 50) -> float:
    """2^-s + 3^-s + …: the first terms, then Euler and Maclaurin's formula: 23.2.3."""
    n = float(summed)
    rest = n ** (1 - s) / (s - 1) + n**-s / 2 + s * n ** (-s - 1) / 12
    rest -= s * (s + 1) * (s + 2) * n ** (-s - 3) / 720
    rest += s * (s + 1) * (s + 2) * (s + 3) * (s + 4) * n ** (-s - 5) / 30240
    return math.fsum([k**-s for k in range(2, summed)]) + rest


@cache
def _zetas() -> list[float]:
    return [_zeta_less_one(s) for s in range(2, 40)]


def log_gamma(x: float) -> float:
    """The logarithm of |Γ(x)|, infinite at the poles; by a series next to its zeros at 1 and 2: 6.1.33."""
    if x <= 0 and x == math.floor(x):
        return math.inf
    if not 0.5 < x < GAMMA_SERIES_BELOW:
        return math.lgamma(x)
    if x >= 2.5:
        return log_gamma(x - 1) + math.log(x - 1)
    z = x - (1 if x < 1.5 else 2)
    series = math.fsum((-z) ** k * zeta / k for k, zeta in enumerate(_zetas(), 2))
    return z * (1 - EULER) + series - (math.log1p(z) if x < 1.5 else 0)


def bessel_below(order: int, x: float) -> list[float]:
    """J_0(x) … J_order(x), by recurrence from above (Miller): 9.12 example 1."""
    if x < SERIES_BELOW:
        return [(x / 2) ** k / math.factorial(k) * (1 - x * x / 4 / (k + 1)) for k in range(order + 4)]
    start = 2 * ((max(order, int(x)) + int(math.sqrt(40 * max(order, x, 1))) + 20) // 2)
    values = [0.0] * (start + 2)
    values[start] = 1e-250
    for n in range(start, 0, -1):
        values[n - 1] = 2 * n / x * values[n] - values[n + 1]
        if abs(values[n - 1]) > 1e200:
            values = [value * 1e-200 for value in values]
    total = values[0] + 2 * math.fsum(values[2 : start + 1 : 2])
    return [value / total for value in values]


def hankel(order: int, x: float) -> tuple[float, float]:
    """J and Y of order 0 or 1 for a large x: 9.2.5 to 9.2.10."""
    mu, term, p, q, k = 4 * order * order, 1.0, 0.0, 0.0, 0
    while True:
        if k % 2 == 0:
            p += term if k % 4 == 0 else -term
        else:
            q += term if k % 4 == 1 else -term
        k += 1
        following = term * (mu - (2 * k - 1) ** 2) / (k * 8 * x)
        if abs(following) >= abs(term) or abs(following) < 1e-18:
            break
        term = following
    # the cosine and sine of x - (order / 2 + 1 / 4)·π, from those of x alone, which are exact
    sine, cosine = math.sin(x), math.cos(x)
    root = math.sqrt(0.5)
    if order == 0:
        cos_angle, sin_angle = root * (cosine + sine), root * (sine - cosine)
    else:
        cos_angle, sin_angle = root * (sine - cosine), -root * (sine + cosine)
    scale = math.sqrt(2 / (math.pi * x))
    return scale * (p * cos_angle - q * sin_angle), scale * (p * sin_angle + q * cos_angle)


def j(order: float, x: float) -> float:
    """The Bessel function of the first kind; NaN for a negative order, as in CUDA."""
    n = int(order)
    if n < 0 or math.isnan(x):
        return math.nan
    sign = math.copysign(1.0, x) if n % 2 else 1.0
    x = abs(x)
    if x == 0 or math.isinf(x) or n > 2 * x + VANISHES_FROM:
        return 1.0 if n == 0 and x == 0 else sign * 0.0
    if x < ASYMPTOTIC_FROM or n > x:
        return sign * bessel_below(n, x)[n]
    before, now = hankel(0, x)[0], hankel(1, x)[0]
    return sign * (before if n == 0 else _upward(n, x, before, now))


def y(order: float, x: float) -> float:
    """The Bessel function of the second kind; NaN for a negative order or number."""
    n = int(order)
    if n < 0 or math.isnan(x) or x < 0:
        return math.nan
    if x == 0 or math.isinf(x):
        return 0.0 if x else -math.inf
    before, now = (hankel(0, x)[1], hankel(1, x)[1]) if x >= ASYMPTOTIC_FROM else _neumann(x)
    return before if n == 0 else _upward(n, x, before, now)


def _neumann(x: float) -> tuple[float, float]:
    """Y_0 and Y_1 from the J of all orders: 9.1.88."""
    js = bessel_below(1, x)
    log = math.log(x) - math.log(2) + EULER
    y0 = (
        2
        / math.pi
        * (log * js[0] - 2 * math.fsum((-1) ** k * js[2 * k] / k for k in range(1, (len(js) - 1) // 2)))
    )
    tail = math.fsum(
        (-1) ** k * (2 * k + 1) / (k * (k + 1)) * js[2 * k + 1] for k in range(1, (len(js) - 2) // 2)
    )
    y1 = -2 * js[0] / (math.pi * x) + 2 / math.pi * ((log - 1) * js[1] - tail)
    return y0, y1


def _upward(order: int, x: float, before: float, now: float) -> float:
    for n in range(1, order):
        if math.isinf(now):
            break
        before, now = now, 2 * n / x * now - before
    return now


def modified_bessel(order: int) -> Callable[[float], float]:
    """I_0 or I_1, by the power series, whose terms are all positive: 9.6.10."""

    def value(x: float) -> float:
        if math.isinf(x) or math.isnan(x) or (order and x == 0):
            return x if order else abs(x)
        quarter, term, total, k = x * x / 4, (x / 2) ** order, 0.0, 0
        while abs(term) > abs(total) * 1e-18 and not math.isinf(total):
            total += term
            k += 1
            term *= quarter / (k * (k + order))
        return total

    return value


def scaled_erfc(x: float) -> float:
    """exp(x²)·erfc(x), by a continued fraction where erfc is tiny: 7.1.14."""
    if x < CONTINUED_FROM:
        if not x > -27:
            return math.nan if math.isnan(x) else math.inf
        lost = float(Fraction(x) ** 2 - Fraction(x * x))  # exp(x²) is sensitive to the last bits of x²
        return math.exp(x * x) * (1 + lost) * math.erfc(x)
    if x > 1e8:
        return 1 / x / ROOT_PI
    fraction = x
    for k in range(200, 0, -1):
        fraction = x + k / 2 / fraction
    return 1 / (fraction * ROOT_PI)


def inverse_erfc(p: float) -> float:
    """The x with erfc(x) = p: a guess (26.2.23), then Halley's steps."""
    if not 0 <= p <= 2:
        return math.nan
    if p in (0, 2):
        return math.inf if p == 0 else -math.inf
    if p > 1:
        return -inverse_erfc(2 - p) if p > 1.5 else inverse_erf(1 - p)
    if p > 0.5:
        return inverse_erf(1 - p)
    log = math.log(p)
    t = math.sqrt(2 * (math.log(2) - log))
    x = (t - (2.30753 + t * 0.27061) / (1 + t * (0.99229 + t * 0.04481))) / ROOT_2
    for _step in range(4):
        # the error over the slope, both divided by exp(-x²)
        error = (scaled_erfc(x) - math.exp(log + x * x)) * ROOT_PI / 2
        x += error / (1 - x * error)
    return x


def inverse_erf(p: float) -> float:
    """The x with erf(x) = p."""
    if abs(p) > 0.5:
        return math.copysign(inverse_erfc(1 - abs(p)), p) if abs(p) <= 1 else math.nan
    x = p * ROOT_PI / 2
    for _step in range(5):
        error = (math.erf(x) - p) * math.exp(x * x) * ROOT_PI / 2
        x -= error / (1 + x * error)
    return x


def normal(x: float) -> float:
    """The probability that a normal variable is less than x; x / √2 is rounded, and that is made good."""
    if math.isinf(x) or math.isnan(x):
        return math.erfc(-x) / 2
    scaled = -x / ROOT_2
    missing = float((-Fraction(x) - Fraction(scaled) * ROOT_2_EXACTLY) / ROOT_2_EXACTLY)
    return math.erfc(scaled) / 2 - missing * math.exp(-scaled * scaled) / ROOT_PI


FUNCTIONS: dict[str, tuple[Callable[..., float], int]] = {
    "j0": (lambda x: j(0, x), 1),
    "j1": (lambda x: j(1, x), 1),
    "jn": (j, 2),
    "y0": (lambda x: y(0, x), 1),
    "y1": (lambda x: y(1, x), 1),
    "yn": (y, 2),
    "cyl_bessel_i0": (modified_bessel(0), 1),
    "cyl_bessel_i1": (modified_bessel(1), 1),
    "erfcx": (scaled_erfc, 1),
    "erfinv": (inverse_erf, 1),
    "erfcinv": (inverse_erfc, 1),
    "normcdf": (normal, 1),
    "normcdfinv": (lambda p: 0.0 - ROOT_2 * inverse_erfc(2 * p), 1),
}
