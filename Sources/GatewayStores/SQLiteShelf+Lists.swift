internal import GatewayKit

/// The binary form of lists that are stored in one column.
extension SQLiteShelf {
  // MARK: Lists of ids

  /// Encodes each id in 16 bytes.
  static func bytes(_ ids: [StoreCommitID]) -> [UInt8] {
    ids.reduce(into: []) { bytes, id in
      for number in [id.process, id.number] { withUnsafeBytes(of: number.bigEndian) { bytes += $0 } }
    }
  }

  static func ids(_ bytes: [UInt8]) -> [StoreCommitID] {
    let numbers = stride(from: 0, through: bytes.count - 8, by: 8).map { start in
      bytes[start..<start + 8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    }
    return stride(from: 0, to: numbers.count - 1, by: 2).map {
      StoreCommitID(process: numbers[$0], number: numbers[$0 + 1])
    }
  }

  // MARK: Lists of counts

  /// Encodes each count as its weight (8 bytes), the length of its path (2 bytes) and the path.
  static func bytes(_ counts: [ShelfCount]) -> [UInt8] {
    counts.reduce(into: []) { bytes, count in
      withUnsafeBytes(of: UInt64(count.weight).bigEndian) { bytes += $0 }
      let size = UInt16(truncatingIfNeeded: count.path.bytes.count)
      bytes += [UInt8(size >> 8), UInt8(truncatingIfNeeded: size)] + count.path.bytes
    }
  }

  static func counts(_ bytes: [UInt8]) -> [ShelfCount] {
    var counts: [ShelfCount] = []
    var rest = bytes[...]
    // A damaged file can hold any bytes.
    while rest.count >= 10 {
      let weight = rest.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      rest = rest.dropFirst(8)
      let size = Int(rest[rest.startIndex]) << 8 | Int(rest[rest.startIndex + 1])
      rest = rest.dropFirst(2)
      guard size <= rest.count, let weight = Int32(exactly: weight) else { break }
      counts.append(ShelfCount(path: StorePath(bytes: Array(rest.prefix(size))), weight: Int(weight)))
      rest = rest.dropFirst(size)
    }
    return counts
  }
}
