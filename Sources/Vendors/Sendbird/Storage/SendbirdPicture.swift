internal import GatewayCore

/// The size of a picture, read from the head of a PNG, GIF or JPEG file.
struct SendbirdPicture: Hashable, Sendable {
  let width: Int
  let height: Int

  /// Fails for other files.
  init?(_ bytes: [UInt8]) {
    guard let size = Self.png(bytes) ?? Self.gif(bytes) ?? Self.jpeg(bytes), size.width > 0, size.height > 0 else {
      return nil
    }
    (width, height) = size
  }

  private typealias Size = (width: Int, height: Int)

  /// Returns the big-endian number of that many bytes at that place; nil beyond the end.
  private static func number(_ bytes: [UInt8], _ place: Int, _ count: Int) -> Int? {
    guard place >= 0, place <= bytes.count - count else { return nil }
    return bytes[place..<(place + count)].reduce(0) { $0 << 8 | Int($1) }
  }

  /// Reads the size of a PNG, whose first chunk is IHDR.
  private static func png(_ bytes: [UInt8]) -> Size? {
    guard bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]),
      bytes.dropFirst(12).starts(with: "IHDR".utf8),
      let width = number(bytes, 16, 4), let height = number(bytes, 20, 4)
    else { return nil }
    return (width, height)
  }

  private static func gif(_ bytes: [UInt8]) -> Size? {
    guard bytes.starts(with: "GIF8".utf8), bytes.count >= 10 else { return nil }
    return (Int(bytes[6]) | Int(bytes[7]) << 8, Int(bytes[8]) | Int(bytes[9]) << 8)
  }

  /// Reads the size of a JPEG, whose frame header follows segments with a length.
  private static func jpeg(_ bytes: [UInt8]) -> Size? {
    guard bytes.starts(with: [0xFF, 0xD8]) else { return nil }
    var place = 2
    while let marker = number(bytes, place, 2), marker >> 8 == 0xFF {
      let kind = marker & 0xFF
      let isFrame = (0xC0...0xCF).contains(kind) && ![0xC4, 0xC8, 0xCC].contains(kind)
      if isFrame, let height = number(bytes, place + 5, 2), let width = number(bytes, place + 7, 2) {
        return (width, height)
      }
      guard kind != 0xDA, let length = number(bytes, place + 2, 2), length >= 2 else { return nil }
      place += 2 + length
    }
    return nil
  }
}
