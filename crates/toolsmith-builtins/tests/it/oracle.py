"""Computes expressions, one a line, in fractions, and in floats with a bound of their error.

Answers one line each: `E n d f` for the fraction n/d and its float, `F v e` for a float v that is
at most e away from the truth, `R` for what has no value, `U` where this oracle cannot be sure.
"""

import ast
import math
import sys
from fractions import Fraction

EPSILON = 2.0**-52
# Fractions beyond this are floats here: the calculator's own may leave 128 bits on the way.
LARGEST = 2**60


class Refused(Exception):
    pass


class Unsure(Exception):
    pass


class Near:
    def __init__(self, value, error):
        if not math.isfinite(value) or not error <= 1e-13 * abs(value) + 1e-300:
            raise Unsure
        self.value, self.error = value, error


def near(value, error):
    return Near(value, error + 8 * EPSILON * abs(value) + 1e-320)


def settle(x):
    if isinstance(x, Fraction) and max(abs(x.numerator), x.denominator) >= LARGEST:
        try:
            return near(x.numerator / x.denominator, 0.0)
        except OverflowError:
            raise Unsure
    return x


def floated(x):
    return near(float(x), 0.0) if isinstance(x, Fraction) else x


def exact(*xs):
    return all(isinstance(x, Fraction) for x in xs)


def span(x):
    x = floated(x)
    return x.value - x.error, x.value + x.error


def real(function, *xs):
    """Applies a float function at the corners of what its arguments may be."""
    xs = [floated(x) for x in xs]
    corners = [[]]
    for x in xs:
        corners = [c + [v] for c in corners for v in (x.value - x.error, x.value + x.error)]
    try:
        value = function(*[x.value for x in xs])
        error = max(abs(function(*corner) - value) for corner in corners)
    except (ValueError, OverflowError, ZeroDivisionError):
        raise Unsure
    return near(value, error)


def add(x, y):
    if exact(x, y):
        return x + y
    x, y = floated(x), floated(y)
    return near(x.value + y.value, x.error + y.error)


def negate(x):
    return -x if exact(x) else Near(-x.value, x.error)


def multiply(x, y):
    if exact(x, y):
        return x * y
    x, y = floated(x), floated(y)
    error = abs(x.value) * y.error + abs(y.value) * x.error + x.error * y.error
    return near(x.value * y.value, error)


def divide(x, y):
    if exact(y) and y == 0:
        raise Refused
    if exact(x, y):
        return x / y
    low, high = span(y)
    if low <= 0 <= high:
        raise Unsure
    return real(lambda a, b: a / b, x, y)


def floor(x):
    if exact(x):
        return Fraction(math.floor(x))
    low, high = (math.floor(v) for v in span(x))
    if low != high:
        raise Unsure
    return Fraction(low)


def floor_divide(x, y):
    return floor(settle(divide(x, y)))


def modulo(x, y):
    whole = floor_divide(x, y)
    return add(x, negate(multiply(settle(whole), y)))


def power(x, y):
    if exact(x) and x == 0:
        if exact(y):
            if y < 0:
                raise Refused
            return Fraction(1 if y == 0 else 0)
        raise Unsure
    if exact(x, y) and y.denominator == 1 and abs(y) <= 60:
        return x ** int(y)
    if exact(x) and x < 0:
        if exact(y) and y.denominator != 1:
            raise Refused
        raise Unsure
    if span(x)[0] <= 0:
        raise Unsure
    return real(math.pow, x, y)


def root(x):
    if exact(x):
        if x < 0:
            raise Refused
        top, bottom = math.isqrt(x.numerator), math.isqrt(x.denominator)
        if top * top == x.numerator and bottom * bottom == x.denominator:
            return Fraction(top, bottom)
    return real(math.sqrt, x)


def cube_root(x):
    return real(lambda v: math.copysign(abs(v) ** (1 / 3), v), x)


def logarithm(x, base=None):
    for value in (x, base):
        if exact(value) and value <= 0:
            raise Refused
    if base is None:
        return real(math.log, x)
    if exact(base) and base == 1:
        raise Refused
    return real(lambda a, b: math.log(a) / math.log(b), x, base)


def arc(function):
    def compute(x):
        if exact(x) and abs(x) > 1:
            raise Refused
        return real(function, x)

    return compute


def order(pick):
    def compute(*xs):
        if exact(*xs):
            return pick(xs)
        xs = [floated(x) for x in xs]
        return near(pick(x.value for x in xs), max(x.error for x in xs))

    return compute


def total(*xs):
    result = xs[0]
    for x in xs[1:]:
        result = settle(add(result, x))
    return result


def mean(*xs):
    return divide(total(*xs), Fraction(len(xs)))


def median(*xs):
    if not exact(*xs):
        raise Unsure
    xs = sorted(xs)
    return (xs[(len(xs) - 1) // 2] + xs[len(xs) // 2]) / 2


def away(x, digits=Fraction(0)):
    """Rounds halves away from 0."""
    if not exact(x, digits):
        raise Unsure
    if digits.denominator != 1 or abs(digits) > 15:
        raise Refused
    scale = Fraction(10) ** int(digits)
    size = math.floor(abs(x) * scale + Fraction(1, 2)) / scale
    return size if x >= 0 else -size


def sign(x):
    if exact(x):
        return Fraction((x > 0) - (x < 0))
    low, high = span(x)
    if low <= 0 <= high:
        raise Unsure
    return Fraction(1 if low > 0 else -1)


def absolute(x):
    return abs(x) if exact(x) else Near(abs(x.value), x.error)


def truncate(x):
    return negate(floor(negate(x))) if sign(x) < 0 else floor(x)


def whole(*xs):
    if not exact(*xs):
        raise Unsure
    if any(x.denominator != 1 for x in xs):
        raise Refused
    return [int(x) for x in xs]


def natural(*xs):
    numbers = whole(*xs)
    if any(n < 0 for n in numbers):
        raise Refused
    return numbers


def factorial(x):
    (n,) = natural(x)
    if n > 170:
        raise Refused
    return Fraction(math.factorial(n))


def choose(function):
    def compute(n, k):
        n, k = natural(n, k)
        if max(n, k) > 60:
            raise Unsure
        return Fraction(function(n, k))

    return compute


FUNCTIONS = {
    "abs": absolute, "sign": sign, "floor": floor, "trunc": truncate, "round": away,
    "ceil": lambda x: negate(floor(negate(x))), "sqrt": root, "cbrt": cube_root, "pow": power,
    "mod": modulo, "hypot": lambda x, y: real(math.hypot, x, y),
    "exp": lambda x: real(math.exp, x), "ln": logarithm, "log": logarithm,
    "log2": lambda x: logarithm(x, Fraction(2)), "log10": lambda x: logarithm(x, Fraction(10)),
    "sin": lambda x: real(math.sin, x), "cos": lambda x: real(math.cos, x),
    "tan": lambda x: real(math.tan, x), "asin": arc(math.asin), "acos": arc(math.acos),
    "atan": lambda x: real(math.atan, x), "atan2": lambda y, x: real(math.atan2, y, x),
    "sinh": lambda x: real(math.sinh, x), "cosh": lambda x: real(math.cosh, x),
    "tanh": lambda x: real(math.tanh, x), "degrees": lambda x: real(math.degrees, x),
    "radians": lambda x: real(math.radians, x), "min": order(min), "max": order(max),
    "sum": total, "mean": mean, "median": median,
    "gcd": lambda *xs: Fraction(math.gcd(*whole(*xs))),
    "lcm": lambda *xs: Fraction(math.lcm(*whole(*xs))),
    "factorial": factorial, "comb": choose(math.comb), "perm": choose(math.perm),
}

OPERATORS = {
    ast.Add: add, ast.Sub: lambda x, y: add(x, negate(y)), ast.Mult: multiply, ast.Div: divide,
    ast.FloorDiv: floor_divide, ast.Mod: modulo, ast.Pow: power,
}

CONSTANTS = {"pi": math.pi, "e": math.e, "tau": math.tau, "phi": (1 + math.sqrt(5)) / 2}


def number(text):
    text = text.replace("_", "")
    if text[:2].lower() in ("0x", "0b", "0o"):
        return Fraction(int(text, 0))
    return Fraction(text)


def every(nodes, line):
    """What is unsure about one goes before what is wrong with another: the order is open."""
    values, refused = [], False
    for node in nodes:
        try:
            values.append(compute(node, line))
        except Refused:
            refused = True
    if refused:
        raise Refused
    return values


def compute(node, line):
    if isinstance(node, ast.Constant):
        return settle(number(line[node.col_offset : node.end_col_offset]))
    if isinstance(node, ast.Name):
        return near(CONSTANTS[node.id], 0.0)
    if isinstance(node, ast.UnaryOp):
        (value,) = every([node.operand], line)
        return negate(value) if isinstance(node.op, ast.USub) else value
    if isinstance(node, ast.BinOp):
        return settle(OPERATORS[type(node.op)](*every([node.left, node.right], line)))
    return settle(FUNCTIONS[node.func.id](*every(node.args, line)))


def answer(line):
    try:
        value = compute(ast.parse(line, mode="eval").body, line)
    except Refused:
        return "R"
    except Unsure:
        return "U"
    if exact(value):
        n, d = value.numerator, value.denominator
        return f"E {n} {d} {float('%.14e' % (n / d))!r}"
    return f"F {value.value!r} {value.error!r}"


print("\n".join(answer(line) for line in sys.stdin.read().splitlines()))
