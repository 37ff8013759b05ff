internal import CLibWebSockets

/// The memory where one message at a time, a `pong` for instance, is laid out for the library, with the room in front
/// that it writes its header into.
final class ScratchBuffer {
  private var storage: UnsafeMutableRawBufferPointer
  /// Larger messages get memory of their own, so that one of them does not stay for ever.
  private static let keptBytes = 64 << 10

  init() {
    storage = .allocate(byteCount: postern_write_headroom + Self.keptBytes, alignment: 16)
  }

  deinit {
    storage.deallocate()
  }

  /// Calls `body` with a copy of `bytes` that has the library's headroom in front.
  func with<Result>(_ bytes: UnsafeRawBufferPointer, _ body: (UnsafeMutablePointer<UInt8>, Int) -> Result) -> Result {
    guard bytes.count > Self.keptBytes else { return Self.fill(storage, bytes, body) }
    let large = UnsafeMutableRawBufferPointer.allocate(
      byteCount: postern_write_headroom + bytes.count, alignment: 16)
    defer { large.deallocate() }
    return Self.fill(large, bytes, body)
  }

  private static func fill<Result>(
    _ storage: UnsafeMutableRawBufferPointer, _ bytes: UnsafeRawBufferPointer,
    _ body: (UnsafeMutablePointer<UInt8>, Int) -> Result
  ) -> Result {
    let payload = UnsafeMutableRawBufferPointer(rebasing: storage[postern_write_headroom...])
    payload.copyMemory(from: bytes)
    return body(payload.baseAddress!.assumingMemoryBound(to: UInt8.self), bytes.count)
  }
}
