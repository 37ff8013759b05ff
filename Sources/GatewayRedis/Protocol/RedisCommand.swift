internal import CHiredis

/// A command and its arguments, e.g. `GET`, `key`.
struct RedisCommand: Sendable {
  private var bytes: [UInt8] = []
  private var lengths: [Int] = []

  init(_ words: String...) {
    for word in words { append(word) }
  }

  mutating func append(_ argument: some Collection<UInt8>) {
    bytes += argument
    lengths.append(argument.count)
  }

  mutating func append(_ argument: String) {
    append(argument.utf8)
  }

  mutating func append(_ number: Int) {
    append(String(number))
  }

  /// Returns the command with the arguments of the other behind its own.
  func followed(by other: RedisCommand) -> RedisCommand {
    var command = self
    command.bytes += other.bytes
    command.lengths += other.lengths
    return command
  }

  /// Returns the command in the protocol's form (RESP2); nil without memory.
  func formatted() -> [UInt8]? {
    var text: UnsafeMutablePointer<CChar>?
    // One more, since an empty array may have no address.
    let count = (bytes + [0]).withUnsafeBytes { bytes in
      (lengths + [0]).withUnsafeBufferPointer { known in
        postern_redis_format(
          bytes.baseAddress!.assumingMemoryBound(to: CChar.self), known.baseAddress!, lengths.count, &text)
      }
    }
    guard let text else { return nil }
    defer { postern_redis_format_free(text) }
    guard count >= 0 else { return nil }
    return Array(UnsafeRawBufferPointer(start: text, count: Int(count)))
  }
}
