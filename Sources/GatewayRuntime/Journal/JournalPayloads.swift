internal import GatewayCore

/// A ring of bytes with the newest messages' payloads, beside the journal's records.
///
/// A payload is kept as it was sent, with its token, so only ``JournalWire`` reads it.
///
/// `@unchecked Sendable`: touched only on the journal's loop.
final class JournalPayloads: @unchecked Sendable {
  /// Longer ones are not kept.
  static let sizeMax = 1 << 16
  private static let nowhere = UInt64.max
  // A place: where in all that was ever written, how long, and whether it is text.
  private static let startShift: UInt64 = 18

  private let capacity: Int
  private let bytes: UnsafeMutableRawPointer
  /// The position of each record's payload, by the record's own position. The system provides the pages of both when they
  /// are written to, and a position is written with each record.
  private let places: UnsafeMutablePointer<UInt64>
  /// How much was ever written.
  private var end: UInt64 = 0

  /// Room for so many bytes, of as many records as the journal has.
  init(bytes: Int, records: Int) {
    capacity = max(Self.sizeMax, bytes)
    self.bytes = .allocate(byteCount: capacity, alignment: 16)
    places = .allocate(capacity: records)
  }

  deinit {
    bytes.deallocate()
    places.deallocate()
  }

  /// The record at that place is of no message.
  func skip(at place: Int) { (places + place).initialize(to: Self.nowhere) }

  /// The record at that place is of this message.
  func write(_ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind, at place: Int) {
    guard payload.count <= Self.sizeMax, let source = payload.baseAddress else { return skip(at: place) }
    let start = Int(end % UInt64(capacity))
    let first = min(payload.count, capacity - start)
    (bytes + start).copyMemory(from: source, byteCount: first)
    if first < payload.count { bytes.copyMemory(from: source + first, byteCount: payload.count - first) }
    (places + place).initialize(
      to: end << Self.startShift | UInt64(payload.count) << 1 | (kind == .text ? 1 : 0))
    end += UInt64(payload.count)
  }

  /// The message of the record at that place; nil if it is of none, or other bytes have taken its room. Only for places
  /// that were written.
  subscript(place: Int) -> Frame? {
    let packed = places[place]
    guard packed != Self.nowhere else { return nil }
    let (start, count) = (packed >> Self.startShift, Int(packed >> 1 & (1 << (Self.startShift - 1) - 1)))
    guard end - start <= UInt64(capacity) else { return nil }
    let offset = Int(start % UInt64(capacity))
    let first = min(count, capacity - offset)
    var payload: [UInt8] = []
    payload.reserveCapacity(count)
    payload += UnsafeRawBufferPointer(start: bytes + offset, count: first)
    payload += UnsafeRawBufferPointer(start: bytes, count: count - first)
    return Frame(packed & 1 == 1 ? .text : .binary, payload)
  }
}
