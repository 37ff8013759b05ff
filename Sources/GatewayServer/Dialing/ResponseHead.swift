/// The head of an answer: its status line and its fields, up to the empty line.
enum ResponseHead {
  /// Returns the index after the empty line of the head that begins at `start`; nil if the head is not complete. Its lines may
  /// end with a bare line feed.
  static func end<Bytes: RandomAccessCollection<UInt8>>(in bytes: Bytes, from start: Int) -> Int?
  where Bytes.Index == Int {
    var index = start
    while index < bytes.endIndex {
      if bytes[index] == 0x0a {
        if index + 1 < bytes.endIndex && bytes[index + 1] == 0x0a { return index + 2 }
        if index + 2 < bytes.endIndex && bytes[index + 1] == 0x0d && bytes[index + 2] == 0x0a { return index + 3 }
      }
      index += 1
    }
    return nil
  }
}
