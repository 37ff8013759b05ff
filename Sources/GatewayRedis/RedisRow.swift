internal import GatewayCore
internal import GatewayKit

/// A row as a field of a Redis hash, with its counts in front of its value.
///
/// Version (8 bytes, big endian), 1 if it expires (1), expiry (8, sign bit flipped), number of counts (2); of each count
/// its weight (8), the length of its path (4) and the path; then the value as JSON.
struct RedisRow {
  let version: StoreVersion
  let expires: WallTime?
  let value: [UInt8]

  private static let headBytes = 19

  /// Reads a row; nil if it is damaged. Anybody may have written it.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= Self.headBytes else { return nil }
    version = StoreVersion(Self.number(bytes, at: 0, count: 8))
    expires = bytes[8] == 1 ? WallTime(ordered: Self.number(bytes, at: 9, count: 8)) : nil
    var at = Self.headBytes
    for _ in 0..<Self.number(bytes, at: 17, count: 2) {
      guard bytes.count - at >= 12 else { return nil }
      let length = Int(Self.number(bytes, at: at + 8, count: 4))
      at += 12
      guard bytes.count - at >= length else { return nil }
      at += length
    }
    value = Array(bytes[at...])
    // A version of more bits than the scripts can hold is none that they have given.
    guard version.number > 0, version.number < 1 << 53 else { return nil }
  }

  func isAlive(at now: WallTime) -> Bool {
    expires.map { now < $0 } ?? true
  }

  private static func number(_ bytes: [UInt8], at start: Int, count: Int) -> UInt64 {
    bytes[start..<start + count].reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Returns the row of a write without its version, and the bounds of its counts.
  static func body(
    of write: StoreCommit.Write, _ value: [UInt8]
  ) throws(StoreError) -> (row: [UInt8], bounds: [UInt8]) {
    guard let count = UInt16(exactly: write.counts.count) else {
      throw .unavailable("a row in \(write.counts.count) counts; at most \(UInt16.max)")
    }
    var row: [UInt8] = [write.expires == nil ? 0 : 1]
    var bounds: [UInt8] = []
    row.append(bigEndian: write.expires?.ordered ?? 0)
    row.append(bigEndian: count)
    for count in write.counts {
      guard let length = UInt32(exactly: count.path.bytes.count) else { throw .unavailable("a path of over 4 GB") }
      row.append(bigEndian: UInt64(count.weight))
      row.append(bigEndian: length)
      row += count.path.bytes
      bounds.append(bigEndian: UInt64(max(0, count.atMost)))
    }
    return (row + value, bounds)
  }
}

extension WallTime {
  /// A number whose bytes sort like the times.
  var ordered: UInt64 { UInt64(bitPattern: nanoseconds) ^ 1 << 63 }

  init(ordered: UInt64) {
    self.init(nanoseconds: Int64(bitPattern: ordered ^ 1 << 63))
  }

  /// The bytes of ``ordered``.
  var orderedBytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(bigEndian: ordered)
    return bytes
  }
}

extension [UInt8] {
  fileprivate mutating func append(bigEndian number: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
  }
}
