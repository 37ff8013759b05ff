/// A queue of bytes for a peer that reads slowly, first in, first out.
///
/// Its memory is freed as the peer reads, because a slow but steady reader may never empty it.
struct WaitingBytes {
  private var bytes: [UInt8] = []
  private var start = 0
  /// The maximum number of bytes that were read but are still held.
  private static let goneMax = 64 << 10

  var isEmpty: Bool { start == bytes.count }
  var count: Int { bytes.count - start }
  /// The bytes held, including the ones that were read.
  var held: Int { bytes.count }

  mutating func append(_ more: UnsafeRawBufferPointer) {
    bytes.append(contentsOf: more)
  }

  /// Calls `body` with all waiting bytes.
  func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[start...])) }
  }

  /// Drops the first `count` bytes, which the peer has read.
  mutating func dropFirst(_ count: Int) {
    start += count
    if start == bytes.count { return removeAll() }
    // Moving the rest costs no more than the bytes that were written since the last move.
    guard start >= Self.goneMax, 2 * start >= bytes.count else { return }
    bytes.removeFirst(start)
    start = 0
  }

  mutating func removeAll() {
    bytes = []
    start = 0
  }
}
