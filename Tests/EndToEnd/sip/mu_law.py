"""G.711's µ-law: a sample of 16 bits in one byte, near the smallest steps of its size."""

import array

BIAS = 0x84


def compressed(sample):
    magnitude = min(abs(sample), 32767 - BIAS) + BIAS
    exponent = magnitude.bit_length() - 8
    return ~((sample < 0) << 7 | exponent << 4 | magnitude >> exponent + 3 & 15) & 0xFF


def expanded(byte):
    exponent = ~byte >> 4 & 7
    magnitude = ((~byte & 15) << 3 | BIAS) << exponent
    return magnitude - BIAS if byte & 0x80 else BIAS - magnitude


SAMPLES = [expanded(byte) for byte in range(256)]


def encode(samples):
    return bytes(map(compressed, samples))


def decode(data):
    return array.array("h", map(SAMPLES.__getitem__, data))
