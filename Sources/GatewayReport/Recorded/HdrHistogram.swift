internal import GatewayCore
internal import GatewayFleet

/// A histogram in HdrHistogram's exchange format "V2 compressed", in base64: `HISTFAAAA…`. It has two significant
/// digits, in microseconds, so each bucket of ours is a set of theirs, and the percentiles are equal.
struct HdrHistogram {
  private var counts: [UInt64] = []

  private static let significantDigits: UInt32 = 2
  /// Half of the 256 sub-buckets: values below 256 are exact, and each further doubling has 128.
  private static let halfCountBits = 7
  private static let halfCount = 1 << halfCountBits

  init(_ histogram: LatencyHistogram) {
    for (upTo, count) in histogram.buckets {
      let index = Self.index(of: UInt64(max(0, upTo.nanoseconds / 1000)))
      if index >= counts.count { counts += Array(repeating: 0, count: index + 1 - counts.count) }
      counts[index] += count
    }
  }

  private static func index(of value: UInt64) -> Int {
    let octave = 63 - (value | UInt64(2 * halfCount - 1)).leadingZeroBitCount - halfCountBits
    return (octave + 1) << halfCountBits + Int(value >> UInt64(octave)) - halfCount
  }

  /// The text for a line of a log.
  var text: String { Base64.encode(Self.container(payload)) }

  /// The histogram itself: a header of 40 bytes, then the counts, each in as few bytes as it needs.
  private var payload: [UInt8] {
    let body = packedCounts
    var bytes: [UInt8] = []
    Self.append(0x1c84_9313 as UInt32, to: &bytes)
    Self.append(UInt32(body.count), to: &bytes)
    Self.append(0 as UInt32, to: &bytes)
    Self.append(Self.significantDigits, to: &bytes)
    Self.append(1 as UInt64, to: &bytes)
    Self.append(UInt64(1 << 36), to: &bytes)
    Self.append((1.0).bitPattern, to: &bytes)
    return bytes + body
  }

  /// The counts in ZigZag and LEB128; a run of zeros is one negative number.
  private var packedCounts: [UInt8] {
    var bytes: [UInt8] = []
    var index = 0
    while index < counts.count {
      var number = Int64(clamping: counts[index])
      index += 1
      if number == 0 {
        number = -1
        while index < counts.count, counts[index] == 0 {
          number -= 1
          index += 1
        }
      }
      var rest = UInt64(bitPattern: number << 1 ^ number >> 63)
      while rest >= 0x80 {
        bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
        rest >>= 7
      }
      bytes.append(UInt8(rest))
    }
    return bytes
  }

  /// Returns the outer form: a cookie, a length, and a zlib stream (RFC 1950). Its blocks are stored uncompressed (RFC
  /// 1951 section 3.2.4), because they are small.
  private static func container(_ payload: [UInt8]) -> [UInt8] {
    var stream: [UInt8] = [0x78, 0x01]
    var rest = payload[...]
    repeat {
      let block = rest.prefix(0xffff)
      rest = rest.dropFirst(block.count)
      let count = UInt16(block.count)
      stream.append(rest.isEmpty ? 1 : 0)
      for half in [count, ~count] { stream += [UInt8(truncatingIfNeeded: half), UInt8(half >> 8)] }
      stream += block
    } while !rest.isEmpty
    var (a, b): (UInt32, UInt32) = (1, 0)
    for byte in payload {
      a = (a + UInt32(byte)) % 65_521
      b = (b + a) % 65_521
    }
    append(b << 16 | a, to: &stream)
    var bytes: [UInt8] = []
    append(0x1c84_9314 as UInt32, to: &bytes)
    append(UInt32(stream.count), to: &bytes)
    return bytes + stream
  }

  private static func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: number.bigEndian) { bytes += $0 }
  }
}
