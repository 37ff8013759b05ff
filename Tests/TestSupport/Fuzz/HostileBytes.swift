import GatewayCore

/// A generator of hostile bytes with a valid structure: examples whose words and numbers are randomly replaced,
/// doubled, removed or cut. For parsers of bytes; ``FuzzSource`` is for JSON messages.
package struct HostileBytes {
  private var generator: SeededGenerator
  private let examples: [[[UInt8]]]
  private let words: [[UInt8]]

  /// Numbers at the limits of 8 to 64 bits and of doubles, with signs, digits of other scripts and bases.
  private static let numbers = [
    "0", "-0", "+5", "-1", "1", "00", "255", "256", "65535", "65536", "2147483648", "4294967296", "9007199254740993",
    "9223372036854775806", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
    "-9223372036854775809", "18446744073709551615", "18446744073709551616", "7fffffffffffffff", "ffffffffffffffff",
    "1e18", "9.3e18", "-9.3e18", "1e308", "1e309", "-1e309", "1e-400", "0.1", "5.", ".5", "0x10", "nan", "inf",
    "\u{661}",
    String(repeating: "9", count: 400),
  ]
  private static let scraps = [
    "", " ", "\t", "\r", "\n", "\r\n", "\u{0}", "\"", "'", "\\", "\\u0000", "\\ud800", "%", "%0", "%00", "%zz", "/",
    "//",
    ":", "::", "@", "?", "#", ",", ";", "=", ".", "..", "[", "]", "{", "}", "[::1]", "-", "+", "null", "true", "\u{E9}",
    "e\u{301}", "\u{212A}", "\u{202E}", "\u{FEFF}", "\u{10FFFF}", String(repeating: "x", count: 5_000),
    String(repeating: "[", count: 200),
  ]

  /// Creates a generator.
  ///
  /// - Parameter words: Further words for the texts, besides the examples' words.
  package init(seed: UInt64, examples: [String], words: [String] = []) {
    precondition(!examples.isEmpty, "a fuzz with nothing to begin with")
    generator = SeededGenerator(seed: seed)
    self.examples = examples.map { Self.pieces(Array($0.utf8)) }
    self.words = (Self.numbers + Self.scraps + words).map { Array($0.utf8) } + [[0xff], [0xc3], [0xe2, 0x82], [0x80]]
  }

  package mutating func below(_ limit: Int) -> Int { Int(generator.next() % UInt64(limit)) }

  /// Returns the next hostile bytes; sometimes an unchanged example.
  package mutating func next() -> [UInt8] {
    var pieces = examples[below(examples.count)]
    for _ in 0..<[0, 1, 1, 1, 2, 2, 3, 8][below(8)] where !pieces.isEmpty {
      let index = below(pieces.count)
      switch below(8) {
      case 0: pieces.remove(at: index)
      case 1: pieces.insert(pieces[index], at: index)
      case 2: pieces.insert(words[below(words.count)], at: index)
      case 3:
        let other = examples[below(examples.count)]
        pieces[index] = other[below(other.count)]
      case 4: pieces.swapAt(index, below(pieces.count))
      default: pieces[index] = pieces[index].allSatisfy(Self.isDigit) ? number() : words[below(words.count)]
      }
    }
    var bytes = Array(pieces.joined())
    if below(12) == 0, !bytes.isEmpty { bytes.removeLast(below(bytes.count)) }
    if below(12) == 0, !bytes.isEmpty { bytes[below(bytes.count)] = UInt8(truncatingIfNeeded: generator.next()) }
    return bytes
  }

  package mutating func text() -> String { String(decoding: next(), as: UTF8.self) }

  private mutating func number() -> [UInt8] { Array(Self.numbers[below(Self.numbers.count)].utf8) }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (0x41...0x5a).contains(byte & 0xdf) || byte == 0x5f || byte > 0x7f
  }

  /// Splits bytes into words, numbers, and single other bytes.
  private static func pieces(_ bytes: [UInt8]) -> [[UInt8]] {
    var pieces: [[UInt8]] = []
    for byte in bytes {
      if let last = pieces.last?.last, isDigit(last) && isDigit(byte) || isLetter(last) && isLetter(byte) {
        pieces[pieces.count - 1].append(byte)
      } else {
        pieces.append([byte])
      }
    }
    return pieces
  }
}
