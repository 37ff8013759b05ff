internal import GatewayCore

/// The layout of messages in WebSocket frames.
struct WireFraming: Sendable {
  let kind: Frame.Kind
  /// The separator between the messages of a frame; empty if a frame is a message.
  let split: [UInt8]
  /// The end of every message, independent of frames; empty if messages end with their frame.
  let end: [UInt8]

  /// The maximum size in bytes of an unfinished message, which is dropped when larger.
  static let messageMax = 1 << 20

  init(_ described: Described?) throws(DescriptionError) {
    let frames = try described?.object(["kind", "split", "end"])
    let kinds: [String: Frame.Kind] = ["text": .text, "binary": .binary]
    if let named = frames?["kind"] {
      guard let kind = kinds[try named.text()] else {
        throw named.unknown(try named.text(), "kind of frames", among: kinds.keys.sorted())
      }
      self.kind = kind
    } else {
      kind = .text
    }
    split = try Self.separator(frames?["split"])
    end = try Self.separator(frames?["end"])
    if let described, !split.isEmpty && !end.isEmpty {
      throw described.error("\"split\" and \"end\" are both given; remove one")
    }
  }

  private static func separator(_ described: Described?) throws(DescriptionError) -> [UInt8] {
    guard let described else { return [] }
    let bytes = Array(try described.text().utf8)
    guard (1...8).contains(bytes.count) else { throw described.error("a separator has 1 to 8 bytes") }
    return bytes
  }

  /// Returns the messages in a frame, with the rest of the frame before; keeps an unfinished one.
  func messages(
    in payload: UnsafeRawBufferPointer, _ rest: inout [UInt8], atMost size: Int = messageMax
  ) -> [[UInt8]] {
    guard end.isEmpty else { return ended(payload, &rest, atMost: size) }
    guard !split.isEmpty else { return [Array(payload)] }
    return Self.parts(Array(payload)[...], split).filter { !$0.isEmpty }.map(Array.init)
  }

  private func ended(
    _ payload: UnsafeRawBufferPointer, _ rest: inout [UInt8], atMost size: Int
  ) -> [[UInt8]] {
    // The kept rest contains no end, but perhaps the beginning of one.
    var index = max(0, rest.count - end.count + 1)
    rest.append(contentsOf: payload)
    var messages: [[UInt8]] = []
    var start = 0
    while index + end.count <= rest.count {
      if rest[index...].starts(with: end) {
        messages.append(Array(rest[start..<index]))
        index += end.count
        start = index
      } else {
        index += 1
      }
    }
    rest.removeFirst(start)
    if rest.count > size { rest = [] }
    return messages
  }

  /// Returns the parts between the separators, at least one.
  private static func parts(_ bytes: ArraySlice<UInt8>, _ separator: [UInt8]) -> [ArraySlice<UInt8>] {
    var parts: [ArraySlice<UInt8>] = []
    var start = bytes.startIndex
    var index = start
    while index <= bytes.endIndex - separator.count {
      if bytes[index...].starts(with: separator) {
        parts.append(bytes[start..<index])
        index += separator.count
        start = index
      } else {
        index += 1
      }
    }
    parts.append(bytes[start...])
    return parts
  }
}
