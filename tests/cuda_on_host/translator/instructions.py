"""What each instruction of PTX does, as C++ over runtime/arithmetic.hpp and runtime/machine.hpp.

One method an opcode or a family of them; it returns C++ statements. An opcode that is not known here is an error.
"""

from operands import cpp_type, identifier, is_float, unsigned, vector, widened
from ptx import PtxError, size_of

_HANDLERS = {}
_ROUNDINGS = ("rn", "rz", "rm", "rp")
_INTEGER_ROUNDINGS = {"rni": "std::nearbyint", "rzi": "std::trunc", "rmi": "std::floor", "rpi": "std::ceil"}
_COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_UNSIGNED_COMPARISONS = {"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}
_BITWISE = {"and": "&", "or": "|", "xor": "^"}
_ATOMICS = ("add", "and", "or", "xor", "min", "max", "exch", "cas", "inc", "dec")


def opcode(*names):
    def register(method):
        _HANDLERS.update(dict.fromkeys(names, method))
        return method

    return register


def one_of(choices, modifiers, default=None):
    return next((m for m in modifiers if m in choices), default)


class Translator:
    """Translates the instructions of one function. `synchronises` is set when one waits for other threads."""

    def __init__(self, names, in_kernel):
        self.names = names
        self.in_kernel = in_kernel
        self.synchronises = False

    def translate(self, instruction):
        handler = _HANDLERS.get(instruction.opcode[0])
        if handler is None:
            raise PtxError(f"opcode {'.'.join(instruction.opcode)}")
        statements = handler(self, instruction, *instruction.operands)
        if not instruction.guard:
            return f"{{ {statements} }}"
        sign = "!" if instruction.guard_negated else ""
        return f"if ({sign}{self.names.register(instruction.guard)}) {{ {statements} }}"

    def _unary(self, instruction, result, operand, form):
        type_name = instruction.opcode[-1]
        return self.names.write(result, type_name, form.format(self.names.read(operand, type_name)))

    # Moves.

    @opcode("mov")
    def _mov(self, instruction, result, operand):
        type_name = instruction.opcode[-1]
        results, operands = vector(result), vector(operand)
        bits = 8 * size_of(type_name) // max(len(results), len(operands))
        if len(results) > 1:
            whole = f"const std::uint64_t q = {self.names.read(operand, f'b{8 * size_of(type_name)}')}; "
            return whole + "".join(self._part(r, bits, f"q >> {bits * i}") for i, r in enumerate(results))
        if len(operands) > 1:
            parts = [f"(std::uint64_t({self.names.read(o, f'b{bits}')}) << {bits * i})" for i, o in enumerate(operands)]
            return self.names.write(result, type_name, " | ".join(parts))
        return self.names.write(result, type_name, self.names.read(operand, type_name))

    def _part(self, register, bits, expression):
        return "" if register == "_" else self.names.write(register, f"b{bits}", expression)

    @opcode("cvta")  # an address is the host's, in every state space
    def _cvta(self, instruction, result, operand):
        return self._mov(instruction, result, operand)

    @opcode("isspacep")
    def _isspacep(self, instruction, result, operand):
        address = self.names.read(operand, "u64")
        return self.names.write(result, "pred", f"t.in_space<Space::{instruction.opcode[1]}>({address})")

    @opcode("selp")
    def _selp(self, instruction, result, yes, no, predicate):
        type_name, read = instruction.opcode[-1], self.names.read
        choice = f"{self.names.predicate(predicate)} ? {read(yes, type_name)} : {read(no, type_name)}"
        return self.names.write(result, type_name, choice)

    # Arithmetic.

    @opcode("add", "sub", "mul", "mad", "fma", "div", "rem", "min", "max")
    def _arithmetic(self, instruction, result, *operands):
        if is_float(instruction.opcode[-1]):
            return self._float_arithmetic(instruction, result, operands)
        return self._integer_arithmetic(instruction, result, operands)

    def _float_arithmetic(self, instruction, result, operands):
        name, *modifiers, type_name = instruction.opcode
        target = cpp_type(type_name)
        flush = "flushed" if "ftz" in modifiers else ""
        read = [f"{flush}({self.names.read(o, type_name)})" for o in operands]
        rounding = one_of(_ROUNDINGS, modifiers, "rn")
        form = {
            "add": "{0} + {1}", "sub": "{0} - {1}", "mul": "{0} * {1}", "div": "{0} / {1}",
            "mad": "fused({0}, {1}, {2})", "fma": "fused({0}, {1}, {2})",
            "min": "smaller({0}, {1})", "max": "larger({0}, {1})",
        }[name]  # fmt: skip
        if rounding == "rn":
            expression = form.format(*read)
        else:  # volatile: what is computed under another rounding mode must not be moved out of it
            variables = [f"volatile {target} x{i} = {value};" for i, value in enumerate(read)]
            names = [f"{target}(x{i})" for i in range(len(read))]
            expression = f"rounded_{rounding}([&] {{ {' '.join(variables)} return {form.format(*names)}; }})"
        if "sat" in modifiers:
            expression = f"saturated({target}({expression}))"
        return self.names.write(result, type_name, f"{flush}({expression})")

    def _integer_arithmetic(self, instruction, result, operands):
        name, *modifiers, type_name = instruction.opcode
        if name in ("add", "sub"):
            return self._wrapping(result, type_name, "+" if name == "add" else "-", operands)
        if name in ("mul", "mad"):
            return self._product(name == "mad", modifiers, type_name, result, operands)
        function = {"div": "quotient", "rem": "remainder_of", "min": "std::min", "max": "std::max"}[name]
        a, b = (self.names.read(o, type_name) for o in operands)
        return self.names.write(result, type_name, f"{function}<{cpp_type(type_name)}>({a}, {b})")

    def _wrapping(self, result, type_name, sign, operands):
        type_name = unsigned(type_name)
        a, b = (self.names.read(o, type_name) for o in operands)
        return self.names.write(result, type_name, f"{a} {sign} {b}")

    def _product(self, adds, modifiers, type_name, result, operands):
        half = one_of(("wide", "hi", "lo"), modifiers)
        wide = widened(type_name)
        target = wide if half == "wide" else unsigned(type_name)
        if half == "wide":
            a, b = (f"{cpp_type(wide)}({self.names.read(o, type_name)})" for o in operands[:2])
            product = f"{a} * {b}"
        elif half == "hi":
            a, b = (self.names.read(o, type_name) for o in operands[:2])
            product = f"high_product<{cpp_type(type_name)}>({a}, {b})"
        else:
            a, b = (f"std::uint64_t({self.names.read(o, unsigned(type_name))})" for o in operands[:2])
            product = f"{a} * {b}"
        if adds:
            sum_type = unsigned(target)
            product = f"{cpp_type(sum_type)}({product}) + {self.names.read(operands[2], sum_type)}"
            target = sum_type
        return self.names.write(result, target, product)

    @opcode("neg")
    def _neg(self, instruction, result, operand):
        type_name = instruction.opcode[-1]
        if is_float(type_name):
            return self._unary(instruction, result, operand, "-{}")
        return self._wrapping(result, type_name, "-", ("0", operand))

    @opcode("abs")
    def _abs(self, instruction, result, operand):
        return self._unary(instruction, result, operand, "absolute({})")

    @opcode("copysign")
    def _copysign(self, instruction, result, sign, magnitude):
        type_name, read = instruction.opcode[-1], self.names.read
        copied = f"std::copysign({read(magnitude, type_name)}, {read(sign, type_name)})"
        return self.names.write(result, type_name, copied)

    @opcode("sqrt", "rcp", "rsqrt", "ex2", "lg2", "sin", "cos", "tanh")
    def _function(self, instruction, result, operand):
        name, *modifiers, type_name = instruction.opcode
        if one_of(("rz", "rm", "rp"), modifiers):
            raise PtxError(f"rounding of {'.'.join(instruction.opcode)}")
        if type_name == "f64" and "approx" in modifiers:
            return self._unary(instruction, result, operand, f"approximate_{name}({{}})")
        form = {
            "sqrt": "std::sqrt({})", "rcp": "1 / {}", "rsqrt": "1 / std::sqrt({})", "ex2": "std::exp2({})",
            "lg2": "std::log2({})", "sin": "std::sin({})", "cos": "std::cos({})", "tanh": "std::tanh({})",
        }[name]  # fmt: skip
        if "ftz" in modifiers:
            form = f"flushed({form.format('flushed({})')})"
        return self._unary(instruction, result, operand, form)

    # Bits.

    @opcode("not")
    def _not(self, instruction, result, operand):
        return self._unary(instruction, result, operand, "!{}" if instruction.opcode[-1] == "pred" else "~{}")

    @opcode("and", "or", "xor")
    def _bitwise(self, instruction, result, a, b):
        name, type_name = instruction.opcode[0], instruction.opcode[-1]
        read = self.names.read
        return self.names.write(result, type_name, f"{read(a, type_name)} {_BITWISE[name]} {read(b, type_name)}")

    @opcode("shl", "shr")
    def _shift(self, instruction, result, operand, count):
        name, type_name = instruction.opcode[0], instruction.opcode[-1]
        arguments = f"{self.names.read(operand, type_name)}, {self.names.read(count, 'u32')}"
        return self.names.write(result, type_name, f"{name}<{cpp_type(type_name)}>({arguments})")

    @opcode("shf", "prmt", "lop3")
    def _words(self, instruction, result, *operands):
        name, *modifiers, type_name = instruction.opcode
        if name == "prmt" and modifiers:
            raise PtxError(f"mode of {'.'.join(instruction.opcode)}")
        arguments = ", ".join(self.names.read(o, "u32") for o in operands)
        return self.names.write(result, type_name, f"{'_'.join((name, *modifiers))}({arguments})")

    @opcode("bfi")
    def _bfi(self, instruction, result, a, b, position, length):
        type_name, read = instruction.opcode[-1], self.names.read
        fields = f"{read(a, type_name)}, {read(b, type_name)}, {read(position, 'u32')}, {read(length, 'u32')}"
        return self.names.write(result, type_name, f"bfi<{cpp_type(type_name)}>({fields})")

    @opcode("bfe")
    def _bfe(self, instruction, result, a, position, length):
        type_name, read = instruction.opcode[-1], self.names.read
        fields = f"{read(a, type_name)}, {read(position, 'u32')}, {read(length, 'u32')}"
        return self.names.write(result, type_name, f"bfe<{cpp_type(type_name)}>({fields})")

    @opcode("bmsk")
    def _bmsk(self, instruction, result, position, length):
        fields = f"{self.names.read(position, 'u32')}, {self.names.read(length, 'u32')}"
        return self.names.write(result, "u32", f"bmsk_{instruction.opcode[1]}({fields})")

    @opcode("popc", "clz")
    def _count(self, instruction, result, operand):
        function = {"popc": "std::popcount", "clz": "std::countl_zero"}[instruction.opcode[0]]
        operand = self.names.read(operand, unsigned(instruction.opcode[-1]))
        return self.names.write(result, "u32", f"{function}({operand})")

    @opcode("brev")
    def _brev(self, instruction, result, operand):
        return self._unary(instruction, result, operand, "reversed({})")

    # Comparisons and conversions.

    @opcode("setp")
    def _setp(self, instruction, result, a, b, combined=None):
        modifiers, type_name = instruction.opcode[1:-1], instruction.opcode[-1]
        expression = self._comparison(modifiers[0], type_name, a, b)
        if combination := one_of(_BITWISE, modifiers[1:]):
            expression = f"({expression}) {_BITWISE[combination]} {self.names.predicate(combined)}"
        yes, _, no = result.partition("|")
        statements = f"const bool z = {expression}; {self.names.write(yes, 'pred', 'z')}"
        return statements + (self.names.write(no, "pred", "!z") if no else "")

    def _comparison(self, kind, type_name, a, b):
        if kind in _UNSIGNED_COMPARISONS:
            kind, type_name = _UNSIGNED_COMPARISONS[kind], unsigned(type_name)
        x, y = self.names.read(a, type_name), self.names.read(b, type_name)
        unordered = f"is_nan({x}) | is_nan({y})"
        if kind in ("nan", "num"):
            return unordered if kind == "nan" else f"!({unordered})"
        if is_float(type_name):
            if len(kind) == 3:  # equ, neu, ...: true of a NaN
                return f"{unordered} | ({x} {_COMPARISONS[kind[:2]]} {y})"
            if kind == "ne":  # in C++ true of a NaN
                return f"!({unordered}) & ({x} != {y})"
        return f"{x} {_COMPARISONS[kind]} {y}"

    @opcode("cvt")
    def _cvt(self, instruction, result, operand):
        modifiers, target, source = instruction.opcode[1:-2], instruction.opcode[-2], instruction.opcode[-1]
        value, to = self.names.read(operand, source), cpp_type(target)
        whole = one_of(_INTEGER_ROUNDINGS, modifiers)
        rounding = one_of(_ROUNDINGS, modifiers, "rn")
        if is_float(source) and "ftz" in modifiers and source == "f32":
            value = f"flushed({value})"
        if is_float(source):
            value = f"{_INTEGER_ROUNDINGS[whole]}({value})" if whole else value
        if is_float(source) and not is_float(target):
            expression = f"to_integer<{to}>({value})"
        elif is_float(target) and rounding != "rn":
            expression = f"rounded_{rounding}([&] {{ volatile {cpp_type(source)} x = {value}; return {to}(x); }})"
        elif is_float(target):
            expression = f"saturated({to}({value}))" if "sat" in modifiers else f"{to}({value})"
        else:
            expression = f"clamped<{to}>({value})" if "sat" in modifiers else value
        return self.names.write(result, target, expression)

    # Memory.

    def _checked(self, access, instruction, address, size):
        strong = one_of(("volatile", "relaxed", "acquire", "release", *_ATOMICS), instruction.opcode[1:-1])
        strength = "strong" if strong else "weak"
        space = one_of(("global", "shared", "local", "const", "param"), instruction.opcode[1:-1], "generic")
        space = {"const": "constant"}.get(space, space)
        return (
            f"const std::uint64_t a = {self.names.address(address)}; "
            f"t.check<Space::{space}, Access::{access}, Strength::{strength}, {size}>(a); "
        )

    @opcode("ld", "ldu")
    def _ld(self, instruction, result, address):
        type_name, results = instruction.opcode[-1], vector(result)
        size, target = size_of(type_name), cpp_type(type_name)
        checked = self._checked("read", instruction, address, size * len(results))
        loads = "".join(f"const {target} q{i} = loaded<{target}>(a + {size * i}); " for i in range(len(results)))
        return checked + loads + "".join(self.names.write(r, type_name, f"q{i}") for i, r in enumerate(results))

    @opcode("st")
    def _st(self, instruction, address, operand):
        type_name, operands = instruction.opcode[-1], vector(operand)
        size, target = size_of(type_name), cpp_type(type_name)
        checked = self._checked("write", instruction, address, size * len(operands))
        values = (self.names.read(o, type_name) for o in operands)
        return checked + " ".join(f"store<{target}>(a + {size * i}, {value});" for i, value in enumerate(values))

    @opcode("atom", "red")
    def _atomic(self, instruction, *operands):
        modifiers, type_name = instruction.opcode[1:-1], instruction.opcode[-1]
        result = operands[0] if instruction.opcode[0] == "atom" else "_"
        address, *values = operands[1:] if instruction.opcode[0] == "atom" else operands
        arguments = ", ".join(self.names.read(v, type_name) for v in values)
        checked = self._checked("write", instruction, address, size_of(type_name))
        call = f"atomic_{one_of(_ATOMICS, modifiers)}<{cpp_type(type_name)}>(a, {arguments})"
        return checked + (f"{call};" if result == "_" else self.names.write(result, type_name, call))

    @opcode("membar", "fence", "nanosleep", "prefetch", "discard")
    def _nothing(self, instruction, *operands):
        return ""

    # Control, and other threads.

    @opcode("bra")
    def _bra(self, instruction, label):
        return f"goto {label_name(label)};"

    @opcode("ret", "exit")
    def _ret(self, instruction):
        if instruction.opcode[0] == "exit" and not self.in_kernel:
            raise PtxError("exit in a function")
        return "return;"

    @opcode("trap", "brkpt")
    def _trap(self, instruction):
        return 't.fault("trap");'

    @opcode("call")
    def _call(self, instruction, *operands):
        name = next(operand for operand in operands if not operand.startswith("(")).strip()
        places = [p.strip() for o in operands if o.startswith("(") for p in o.strip("()").split(",") if p.strip()]
        self.synchronises = True  # a function may wait
        return f"{function_name(name)}({', '.join(['t'] + [self.names.memory[p] for p in places])});"

    @opcode("bar", "barrier")
    def _bar(self, instruction, *operands):
        self.synchronises = True
        modifiers = instruction.opcode[1:]
        read = self.names.read
        if "warp" in modifiers:
            return f"t.warp_barrier({read(operands[0], 'u32')});"
        if "red" in modifiers:
            result, barrier, *count, predicate = operands
            kind = one_of(("and", "or", "popc"), modifiers)
            expression = f"t.block_{kind}({read(barrier, 'u32')}, {read(predicate, 'pred')})"
            if count:
                raise PtxError(f"a part of a block in {'.'.join(instruction.opcode)}")
            return self.names.write(result, "u32" if kind == "popc" else "pred", expression)
        if "arrive" in modifiers:
            raise PtxError(".".join(instruction.opcode))
        return f"t.block_barrier({', '.join(read(o, 'u32') for o in operands)});"

    @opcode("vote")
    def _vote(self, instruction, result, predicate, mask):
        self.synchronises = True
        kind = one_of(("ballot", "any", "all", "uni"), instruction.opcode)
        expression = f"t.vote_{kind}({self.names.read(mask, 'u32')}, {self.names.read(predicate, 'pred')})"
        return self.names.write(result, "u32" if kind == "ballot" else "pred", expression)

    @opcode("match")
    def _match(self, instruction, result, operand, mask):
        self.synchronises = True
        if "any" not in instruction.opcode:
            raise PtxError(".".join(instruction.opcode))
        value = self.names.read(operand, instruction.opcode[-1])
        return self.names.write(result, "u32", f"t.match_any({self.names.read(mask, 'u32')}, {value})")

    @opcode("activemask")
    def _activemask(self, instruction, result):
        return self.names.write(result, "u32", "(1u << t.lane())")  # one of those that may be: threads run one by one

    @opcode("shfl")
    def _shfl(self, instruction, result, operand, source, clamp, mask):
        self.synchronises = True
        mode, read = instruction.opcode[2], self.names.read
        value, _, found = result.partition("|")
        arguments = ", ".join([read(operand, "b32")] + [read(o, "u32") for o in (source, clamp, mask)])
        statements = f"bool found; const std::uint32_t q = t.shuffle(Shuffle::{mode}, {arguments}, found); "
        statements += self.names.write(value, "b32", "q")
        return statements + (self.names.write(found, "pred", "found") if found else "")


def label_name(label):
    return "L" + identifier(label)


def function_name(name):
    return "f_" + identifier(name)
