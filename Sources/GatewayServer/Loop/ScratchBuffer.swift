internal import CLibWebSockets

/// The buffer in which one message at a time is prepared for the library, with headroom in front for the library's header.
final class ScratchBuffer {
  private var storage: UnsafeMutableRawBufferPointer
  /// The largest message that uses the kept memory. Larger messages get memory of their own, so that no such memory remains.
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
