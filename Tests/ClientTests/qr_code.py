"""Reads the QR codes of pages, and makes others with an encoder that is not the gateway's."""

import re

from qrcode import QRCode
from qrcode.constants import ERROR_CORRECT_L
from qrcode.util import MODE_8BIT_BYTE, QRData

QUIET_ZONE = 4


def modules(html):
    """The modules of the page's only QR code, row by row, without the quiet zone around it."""
    [(size, shape)] = re.findall(
        r'<svg viewBox="0 0 (\d+) \1"[^>]*><title id="qr-title">[^<]+</title>'
        r'<rect width="\1" height="\1" fill="#fff"></rect><path stroke="#000" d="([^"]*)"></path></svg>', html)
    size = int(size)
    rows = [[0] * size for _ in range(size)]
    for command, first, second in re.findall(r"([Mmh])([\d.]+)(?: ([\d.]+))?", shape):
        match command:
            case "M":
                x, y = int(first), int(float(second))
            case "m":
                assert second == "0"
                x += int(first)
            case "h":
                for _ in range(int(first)):
                    rows[y][x] = 1
                    x += 1
    inner = slice(QUIET_ZONE, size - QUIET_ZONE)
    assert sum(map(sum, rows)) == sum(sum(row[inner]) for row in rows[inner]), "the quiet zone is not empty"
    return [row[inner] for row in rows[inner]]


def encodings(text):
    """The modules of the codes of a text, one for each mask: encoders may choose different ones."""
    return [_encoding(text, mask) for mask in range(8)]


def _encoding(text, mask):
    code = QRCode(error_correction=ERROR_CORRECT_L, border=0, mask_pattern=mask)
    code.add_data(QRData(text.encode(), mode=MODE_8BIT_BYTE))
    code.make(fit=True)
    return [[int(module) for module in row] for row in code.get_matrix()]
