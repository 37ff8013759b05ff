/// The two forms of an ECDSA signature: r and s side by side at full width (RFC 7518 section 3.4), and OpenSSL's DER sequence.
/// In a token, an ES256 signature has 64 bytes.
enum ECDSASignature {
  /// The longest DER form for P-384: two integers of 49 bytes, three headers of two bytes.
  static let derSizeMax = 104

  /// Writes the DER form of `raw` into `output`, which has room for ``derSizeMax`` bytes, and returns its length. `raw` is two
  /// integers of the same width, at most 48 bytes each.
  static func encodeDER(_ raw: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> Int {
    let width = raw.count / 2
    var end = 2
    for start in [0, width] {
      var first = start
      // DER integers have no leading zeros except the one that keeps them positive.
      while first < start + width - 1, raw[first] == 0 { first += 1 }
      let isPadded = raw[first] >= 0x80
      let length = start + width - first + (isPadded ? 1 : 0)
      output[end] = 0x02
      output[end + 1] = UInt8(length)
      end += 2
      if isPadded {
        output[end] = 0
        end += 1
      }
      for index in first..<(start + width) {
        output[end] = raw[index]
        end += 1
      }
    }
    output[0] = 0x30
    output[1] = UInt8(end - 2)
    return end
  }

  /// Returns r and s of a DER form that OpenSSL made, each `width` bytes.
  static func decodeDER(_ der: [UInt8], width: Int) -> [UInt8] {
    var raw: [UInt8] = []
    var index = 2
    for _ in 0..<2 {
      let length = Int(der[index + 1])
      let digits = der[(index + 2)..<(index + 2 + length)].drop { $0 == 0 }
      raw += [UInt8](repeating: 0, count: width - digits.count) + digits
      index += 2 + length
    }
    return raw
  }
}
