/// Strict base64url without padding (RFC 4648 section 5, RFC 7515 section 2). Each byte string has exactly one text, so
/// a token cannot be written in a second way. E.g. `AB` is rejected, since its last bits are not zero.
package enum Base64URL {
  /// Returns the number of bytes that `length` characters decode to; nil if no byte string has that length in
  /// base64url.
  package static func decodedCount(_ length: Int) -> Int? {
    length % 4 == 1 ? nil : length / 4 * 3 + max(0, length % 4 - 1)
  }

  /// Decodes `text` into `buffer`, which must have room for ``decodedCount(_:)`` bytes. Returns false for a character
  /// outside the alphabet (including padding and white space), an impossible length, or unused bits that are not zero.
  package static func decode(_ text: UnsafeRawBufferPointer, into buffer: UnsafeMutableRawBufferPointer) -> Bool {
    guard let count = decodedCount(text.count) else { return false }
    precondition(buffer.count >= count, "the buffer holds \(count) bytes")
    return values.withUnsafeBufferPointer { values in
      var bad: UInt32 = 0
      var read = 0
      var written = 0
      while read + 4 <= text.count {
        let a = UInt32(values[Int(text[read])])
        let b = UInt32(values[Int(text[read + 1])])
        let c = UInt32(values[Int(text[read + 2])])
        let d = UInt32(values[Int(text[read + 3])])
        bad |= a | b | c | d
        let word = a << 18 | b << 12 | c << 6 | d
        buffer[written] = UInt8(truncatingIfNeeded: word >> 16)
        buffer[written + 1] = UInt8(truncatingIfNeeded: word >> 8)
        buffer[written + 2] = UInt8(truncatingIfNeeded: word)
        read += 4
        written += 3
      }
      guard read < text.count else { return bad & 0x80 == 0 }

      let a = UInt32(values[Int(text[read])])
      let b = UInt32(values[Int(text[read + 1])])
      let c = text.count - read == 3 ? UInt32(values[Int(text[read + 2])]) : 0
      bad |= a | b | c
      let word = a << 18 | b << 12 | c << 6
      buffer[written] = UInt8(truncatingIfNeeded: word >> 16)
      if text.count - read == 3 {
        buffer[written + 1] = UInt8(truncatingIfNeeded: word >> 8)
        return bad & 0x80 == 0 && word & 0xff == 0
      }
      return bad & 0x80 == 0 && word & 0xffff == 0
    }
  }

  /// Returns the bytes that `text` encodes; nil where ``decode(_:into:)`` returns false.
  package static func decode(_ text: String) -> [UInt8]? {
    let text = Array(text.utf8)
    guard let count = decodedCount(text.count) else { return nil }
    var isValid = false
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      isValid = text.withUnsafeBytes { decode($0, into: UnsafeMutableRawBufferPointer(buffer)) }
      initialized = isValid ? count : 0
    }
    return isValid ? bytes : nil
  }

  /// Appends the text for `bytes` to `text`.
  package static func encode(_ bytes: [UInt8], to text: inout [UInt8]) {
    text.reserveCapacity(text.count + (bytes.count * 4 + 2) / 3)
    var index = 0
    while index < bytes.count {
      let rest = bytes.count - index
      let word =
        UInt32(bytes[index]) << 16 | (rest > 1 ? UInt32(bytes[index + 1]) << 8 : 0)
        | (rest > 2 ? UInt32(bytes[index + 2]) : 0)
      text.append(alphabet[Int(word >> 18)])
      text.append(alphabet[Int(word >> 12 & 63)])
      if rest > 1 { text.append(alphabet[Int(word >> 6 & 63)]) }
      if rest > 2 { text.append(alphabet[Int(word & 63)]) }
      index += 3
    }
  }

  /// Returns the text for `bytes`.
  package static func encode(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    encode(bytes, to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  /// The six bits of each character; 0x80, which is no six-bit value, for every other byte.
  private static let values: [UInt8] = {
    var values = [UInt8](repeating: 0x80, count: 256)
    for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
    return values
  }()
}
