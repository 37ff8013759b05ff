/// The bytes that wait for a peer that reads slowly, first in, first out.
///
/// What the peer has taken is let go of in time: one that reads slowly but steadily may never take all.
struct WaitingBytes {
  private var bytes: [UInt8] = []
  private var start = 0
  /// How many bytes that are gone may still be held.
  private static let goneMax = 64 << 10

  var isEmpty: Bool { start == bytes.count }
  var count: Int { bytes.count - start }
  /// How many bytes are held, gone ones too.
  var held: Int { bytes.count }

  mutating func append(_ more: UnsafeRawBufferPointer) {
    bytes.append(contentsOf: more)
  }

  /// Calls `body` with all that waits.
  func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[start...])) }
  }

  /// Drops the first `count` bytes, which the peer has taken.
  mutating func dropFirst(_ count: Int) {
    start += count
    if start == bytes.count { return removeAll() }
    // Moving what is left costs no more than what was written since it was last moved.
    guard start >= Self.goneMax, 2 * start >= bytes.count else { return }
    bytes.removeFirst(start)
    start = 0
  }

  mutating func removeAll() {
    bytes = []
    start = 0
  }
}
