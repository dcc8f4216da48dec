"""Pictures for tests: a photo with metadata, an animation, and one that costs more than it looks."""

import base64
import struct
import zlib

# Sixty by thirty pixels: the left half red, the right half blue.
PHOTO = base64.b64decode(
    "/9j/4AAQSkZJRgABAQAAAQABAAD/4gHYSUNDX1BST0ZJTEUAAQEAAAHIAAAAAAQwAABtbnRyUkdCIFhZWiAH4AABAAEAAAAAAABhY3NwAAAAAAAA"
    "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAQAA9tYAAQAAAADTLQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
    "AAlkZXNjAAAA8AAAACRyWFlaAAABFAAAABRnWFlaAAABKAAAABRiWFlaAAABPAAAABR3dHB0AAABUAAAABRyVFJDAAABZAAAAChnVFJDAAABZAAA"
    "AChiVFJDAAABZAAAAChjcHJ0AAABjAAAADxtbHVjAAAAAAAAAAEAAAAMZW5VUwAAAAgAAAAcAHMAUgBHAEJYWVogAAAAAAAAb6IAADj1AAADkFhZ"
    "WiAAAAAAAABimQAAt4UAABjaWFlaIAAAAAAAACSgAAAPhAAAts9YWVogAAAAAAAA9tYAAQAAAADTLXBhcmEAAAAAAAQAAAACZmYAAPKnAAANWQAA"
    "E9AAAApbAAAAAAAAAABtbHVjAAAAAAAAAAEAAAAMZW5VUwAAACAAAAAcAEcAbwBvAGcAbABlACAASQBuAGMALgAgADIAMAAxADb/2wBDABALDA4M"
    "ChAODQ4SERATGCgaGBYWGDEjJR0oOjM9PDkzODdASFxOQERXRTc4UG1RV19iZ2hnPk1xeXBkeFxlZ2P/2wBDARESEhgVGC8aGi9jQjhCY2NjY2Nj"
    "Y2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2P/wAARCAAeADwDASIAAhEBAxEB/8QAFwABAQEBAAAAAAAAAAAAAAAA"
    "AAEDBf/EABcQAQADAAAAAAAAAAAAAAAAAAABAjL/xAAYAQADAQEAAAAAAAAAAAAAAAAAAwYFBP/EABsRAQACAgMAAAAAAAAAAAAAAAABAjNxAwSx"
    "/9oADAMBAAIRAxEAPwDngOFQC01CLTUGcOSu4J7OG+p8agN5HAADEBOrcWmoRaagzhyV3BPZw31PjUBvI4AAf//Z"
)
SECRET_PLACE = b"37.5665N 126.9780E"


def photo(turned=6):
    """The photo with EXIF: it is to be turned by 90 degrees, and it tells where it was taken."""
    entry = struct.pack("<HHIHH", 0x0112, 3, 1, turned, 0) + struct.pack("<HHII", 0x010E, 2, len(SECRET_PLACE) + 1, 38)
    tiff = b"II*\0" + struct.pack("<IH", 8, 2) + entry + struct.pack("<I", 0) + SECRET_PLACE + b"\0"
    exif = b"Exif\0\0" + tiff
    return PHOTO[:2] + b"\xff\xe1" + struct.pack(">H", len(exif) + 2) + exif + PHOTO[2:]


LATITUDE = struct.pack("<IIIIII", 37, 1, 33, 1, 5990, 100)


def photo_of_place():
    """The photo with EXIF of a phone: it is to be turned, and has the degrees, minutes and seconds of its place."""
    turned = struct.pack("<HHIHH", 0x0112, 3, 1, 6, 0)
    pointer = struct.pack("<HHII", 0x8825, 4, 1, 38)
    north = struct.pack("<HHI4s", 1, 2, 2, b"N")
    latitude = struct.pack("<HHII", 2, 5, 3, 68)
    tiff = b"II*\0" + struct.pack("<IH", 8, 2) + turned + pointer + bytes(4)
    tiff += struct.pack("<H", 2) + north + latitude + bytes(4) + LATITUDE
    exif = b"Exif\0\0" + tiff
    return PHOTO[:2] + b"\xff\xe1" + struct.pack(">H", len(exif) + 2) + exif + PHOTO[2:]


def animation():
    """A GIF of two frames."""
    frame = b"\x21\xf9\x04\x00\x0a\x00\x00\x00" + b"\x2c" + struct.pack("<HHHHB", 0, 0, 1, 1, 0) + b"\x02\x02\x44\x01\x00"
    head = b"GIF89a" + struct.pack("<HHBBB", 1, 1, 0x80, 0, 0) + b"\xff\x00\x00\x00\x00\xff"
    return head + b"\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00" + frame + frame + b";"


def bomb(side=9_990):
    """A PNG of less than a megabyte with pixels of 800. It is interlaced, so a decoder must hold all of them."""
    rows = ((side + 7) // 8, (side + 7) // 8), ((side + 3) // 8, (side + 7) // 8), ((side + 3) // 4, (side + 3) // 8)
    rows += ((side + 1) // 4, (side + 3) // 4), ((side + 1) // 2, (side + 1) // 4), (side // 2, (side + 1) // 2), (side, side // 2)
    packer = zlib.compressobj(6)
    data = b"".join(packer.compress(bytes(1 + 8 * width)) for width, height in rows for _ in range(height)) + packer.flush()
    return png(side, side, 16, 6, data, interlaced=1)


def png(width, height, depth, kind, data, interlaced=0):
    def chunk(name, content):
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))

    head = struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0, interlaced)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def sky(width=2400, height=1600):
    """A PNG without metadata, larger than every preview."""
    rows = b"".join(b"\0" + bytes([value, 160, 255 - value]) * width for value in (255 * y // height for y in range(height)))
    return png(width, height, 8, 2, zlib.compress(rows))


def size_of(webp):
    """The width and height of a picture in WebP."""
    assert webp[:4] == b"RIFF" and webp[8:12] == b"WEBP"
    kind = webp[12:16]
    if kind == b"VP8X":
        return 1 + int.from_bytes(webp[24:27], "little"), 1 + int.from_bytes(webp[27:30], "little")
    assert kind == b"VP8 "
    return tuple(each & 0x3FFF for each in struct.unpack("<HH", webp[26:30]))
