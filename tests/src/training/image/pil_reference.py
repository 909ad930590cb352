"""What PIL makes of image files: for each file its size and RGB pixels, then those at other sizes.

usage: pil_reference.py OUT < PATHS        references of the files named on stdin, one a line
       pil_reference.py --variants FOLDER  writes one file of every kind that PNG and JPEG know
"""
import io
import os
import struct
import sys
import zlib

from PIL import Image


def write_reference(out, path):
    image = Image.open(path).convert("RGB")
    wider = image.resize((97, image.height), Image.BICUBIC)
    for picture in (image, wider, image.resize((64, 64), Image.BILINEAR)):
        out.write(struct.pack("<ii", *picture.size))
        out.write(picture.tobytes())


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width, height, depth, color_type, channels, extra=b"", interlaced=0):
    """A PNG of pseudo-random samples, written by hand: PIL itself cannot write all kinds."""
    def pass_bytes(columns, rows, seed):
        row = (columns * channels * depth + 7) // 8
        data = bytearray()
        for y in range(rows if columns else 0):
            data.append(0)
            data += bytes((x * 37 + y * 101 + x * y * seed) & 255 for x in range(row))
        return bytes(data)

    if interlaced:
        grid = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
        raw = b"".join(pass_bytes(-(-(width - x) // dx), -(-(height - y) // dy), n + 3)
                       for n, (x, y, dx, dy) in enumerate(grid))
    else:
        raw = pass_bytes(width, height, 7)
    header = struct.pack(">IIBBBBB", width, height, depth, color_type, 0, 0, interlaced)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + extra + chunk(b"IDAT", zlib.compress(raw))
            + chunk(b"IEND", b""))


def png_variants():
    channels = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
    depths = {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}
    transparent = {0: b"\0\1", 2: b"\0\1\0\2\0\3", 3: b"\0\x80"}
    for color_type, known_depths in depths.items():
        for depth in known_depths:
            short_palette = bytes((i * 53) & 255 for i in range(3 * min(2**depth, 200)))
            palette = chunk(b"PLTE", short_palette) if color_type == 3 else b""
            for interlaced in (0, 1):
                yield (f"type{color_type}_depth{depth}_interlaced{interlaced}.png",
                       png(39, 23, depth, color_type, channels[color_type], palette, interlaced))
            if color_type in transparent:
                trns = palette + chunk(b"tRNS", transparent[color_type])
                yield f"type{color_type}_depth{depth}_trns.png", png(39, 23, depth, color_type, channels[color_type], trns)


def jpeg_variants():
    plain = Image.open(io.BytesIO(png(117, 61, 8, 2, 3))).resize((117, 61))
    smooth = plain.resize((13, 7), Image.BILINEAR).resize((117, 61), Image.BICUBIC)
    for mode in ("L", "RGB", "CMYK"):
        for progressive in (False, True):
            for subsampling in (0, 1, 2) if mode == "RGB" else (0,):
                buffer = io.BytesIO()
                smooth.convert(mode).save(buffer, "JPEG", quality=85, progressive=progressive, subsampling=subsampling)
                yield f"{mode}_progressive{int(progressive)}_sub{subsampling}.jpg", buffer.getvalue()
    yield "jpeg_named.png", buffer.getvalue()
    yield "png_named.jpg", png(5, 300, 8, 6, 4)


def main():
    if sys.argv[1] == "--variants":
        for name, data in [*png_variants(), *jpeg_variants()]:
            with open(os.path.join(sys.argv[2], name), "wb") as file:
                file.write(data)
        return
    with open(sys.argv[1], "wb") as out:
        for path in sys.stdin.read().splitlines():
            write_reference(out, path)


main()
