"""A reader of QR codes that are undamaged, level L, bytes: enough to check the ones that the page draws."""


def field():
    exp, value = [], 1
    for _ in range(255):
        exp.append(value)
        value = value << 1 ^ (0x11D if value & 128 else 0)
    return exp


EXP = field()
LOG = {value: power for power, value in enumerate(EXP)}


def syndromes(word, count):
    """The word as a polynomial, at the first powers of two: all zero if it is undamaged."""
    found = []
    for power in range(count):
        total = 0
        for byte in word:
            total = (EXP[(LOG[total] + power) % 255] if total else 0) ^ byte
        found.append(total)
    return found


def reserved(size):
    """Modules that hold no data."""
    version = (size - 17) // 4
    taken = [[False] * size for _ in range(size)]

    def box(x, y, width, height):
        for row in range(max(0, y), min(size, y + height)):
            for column in range(max(0, x), min(size, x + width)):
                taken[row][column] = True

    for x, y in ((0, 0), (size - 8, 0), (0, size - 8)):
        box(x, y, 9 if x == 0 else 8, 9 if y == 0 else 8)
    box(6, 0, 1, size)
    box(0, 6, size, 1)
    if version >= 7:
        box(size - 11, 0, 3, 6)
        box(0, size - 11, 6, 3)
    places = aligned(version, size)
    for x in places:
        for y in places:
            if (x, y) not in {(6, 6), (6, size - 7), (size - 7, 6)}:
                box(x - 2, y - 2, 5, 5)
    return taken


# Places of the patterns for alignment, for the versions that the tests use, from the standard's table E.1.
ALIGNED = {
    2: [6, 18],
    9: [6, 26, 46],
    10: [6, 28, 50],
    11: [6, 30, 54],
    40: [6, 30, 58, 86, 114, 142, 170],
}
# Blocks of level L from the standard's table 9: (how many, data bytes in each), and check bytes.
LEVEL_L = {
    1: ([(1, 19)], 7),
    2: ([(1, 34)], 10),
    9: ([(2, 116)], 30),
    10: ([(2, 68), (2, 69)], 18),
    11: ([(4, 81)], 20),
    40: ([(19, 118), (6, 119)], 30),
}


def aligned(version, size):
    return [] if version == 1 else ALIGNED[version]


def read_qr(modules):
    size = len(modules)
    version = (size - 17) // 4
    taken = reserved(size)
    bits15 = [modules[8][column] for column in (0, 1, 2, 3, 4, 5, 7, 8)] + [
        modules[row][8] for row in (7, 5, 4, 3, 2, 1, 0)
    ]
    form = int("".join(map(str, bits15)), 2) ^ 0b101010000010010
    assert form >> 13 == 0b01, "level L"
    mask = MASKS[form >> 10 & 7]
    bits, column, upward = [], size - 1, True
    while column > 0:
        column -= column == 6
        for row in range(size - 1, -1, -1) if upward else range(size):
            bits += [modules[row][x] ^ mask(row, x) for x in (column, column - 1) if not taken[row][x]]
        column, upward = column - 2, not upward
    words = [int("".join(map(str, bits[k : k + 8])), 2) for k in range(0, len(bits) - 7, 8)]
    shapes, check = LEVEL_L[version]
    lengths = [length for count, length in shapes for _ in range(count)]
    blocks = [[] for _ in lengths]
    stream = iter(words)
    for place in range(max(lengths)):
        for block, length in zip(blocks, lengths, strict=True):
            if place < length:
                block.append(next(stream))
    data = [byte for block in blocks for byte in block]
    for _ in range(check):
        for block in blocks:
            block.append(next(stream))
    assert all(not any(syndromes(block, check)) for block in blocks)
    text = "".join(f"{byte:08b}" for byte in data)
    assert text[:4] == "0100", "bytes"
    width = 8 if version < 10 else 16
    count = int(text[4 : 4 + width], 2)
    start = 4 + width
    return bytes(int(text[start + 8 * k : start + 8 * k + 8], 2) for k in range(count)).decode()


MASKS = [
    lambda i, j: (i + j) % 2 == 0,
    lambda i, j: i % 2 == 0,
    lambda i, j: j % 3 == 0,
    lambda i, j: (i + j) % 3 == 0,
    lambda i, j: (i // 2 + j // 3) % 2 == 0,
    lambda i, j: i * j % 2 + i * j % 3 == 0,
    lambda i, j: (i * j % 2 + i * j % 3) % 2 == 0,
    lambda i, j: ((i + j) % 2 + i * j % 3) % 2 == 0,
]
