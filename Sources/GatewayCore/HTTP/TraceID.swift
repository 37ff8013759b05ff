/// The number of a trace: 16 bytes that are not all zero (W3C Trace Context).
package struct TraceID: Hashable, Sendable, CustomStringConvertible {
  package let high: UInt64
  package let low: UInt64

  /// Returns nil if all bytes are zero, which is the number of no trace.
  package init?(high: UInt64, low: UInt64) {
    guard high != 0 || low != 0 else { return nil }
    (self.high, self.low) = (high, low)
  }

  /// 32 hexadecimal digits in lower case.
  package var description: String { high.hexDigits + low.hexDigits }
}
