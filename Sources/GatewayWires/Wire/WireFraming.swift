internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

/// The layout of messages in WebSocket frames.
struct WireFraming: Sendable {
  /// The form of the messages that have `json`.
  enum Encoding: String, Hashable, Sendable, CaseIterable {
    case json
    case messagePack = "msgpack"
  }

  let kind: Frame.Kind
  let encoding: Encoding
  /// The separator between the messages of a frame; empty if a frame is a message.
  let split: [UInt8]
  /// The end of every message, independent of frames; empty if messages end with their frame.
  let end: [UInt8]

  /// The maximum size in bytes of an unfinished message, which is dropped when larger.
  static let messageMax = 1 << 20
  /// The largest JSON in which a value is replaced, in bytes.
  private static let editedMax = 1 << 16

  init(_ described: Described?) throws(DescriptionError) {
    let frames = try described?.object(["kind", "encoding", "split", "end"])
    encoding = try frames?["encoding"]?.choice("encoding") ?? .json
    let kinds: [String: Frame.Kind] = ["text": .text, "binary": .binary]
    if let named = frames?["kind"] {
      guard let kind = kinds[try named.text()] else {
        throw named.unknown(try named.text(), "kind of frames", among: kinds.keys.sorted())
      }
      guard kind == .binary || encoding == .json else {
        throw named.error("MessagePack is in binary frames; leave \"kind\" out")
      }
      self.kind = kind
    } else {
      kind = encoding == .json ? .text : .binary
    }
    split = try Self.separator(frames?["split"])
    end = try Self.separator(frames?["end"])
    if let described, !split.isEmpty && !end.isEmpty {
      throw described.error("\"split\" and \"end\" are both given; remove one")
    }
    if encoding == .messagePack, let named = frames?["split"] ?? frames?["end"] {
      throw named.error("a frame of MessagePack is one message; leave \"split\" and \"end\" out")
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

  // MARK: Encoding

  /// Returns a received message as rules read it: MessagePack as JSON text. Other bytes of such a wire, e.g. a text frame, are
  /// read as they are.
  func text(_ message: [UInt8]) -> WireText {
    guard encoding == .messagePack, let json = MessagePack.json(message) else { return WireText(message) }
    return WireText(json)
  }

  /// Returns a filled template as it is sent in a frame of that kind; nil if MessagePack cannot have it.
  func encoded(_ text: [UInt8], _ kind: Frame.Kind) -> [UInt8]? {
    guard encoding == .messagePack, kind == .binary else { return text + end }
    return MessagePack.packed(text)
  }

  /// A message that no gateway can read: half an object, or a byte that MessagePack never uses.
  var garbage: Frame {
    Frame(kind, encoding == .messagePack ? [0xc1] : Array("{\"nonsense\":".utf8) + end)
  }

  /// Returns an operator's message as the wire has it: JSON text as MessagePack, and any other message unchanged.
  func worded(_ frame: Frame) -> Frame {
    let isJSON = frame.payload.first.map { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "[") } ?? false
    guard encoding == .messagePack, frame.kind == .text, isJSON, let packed = MessagePack.packed(frame.payload) else {
      return frame
    }
    return Frame(.binary, packed)
  }

  /// Returns a payload whose `json` has another value at the pointer, with every other byte as it was; nil if it has nothing
  /// there.
  ///
  /// - Parameters:
  ///   - message: One of the payload's messages.
  ///   - prefix: The number of bytes before the message's JSON.
  func replacing(
    _ pointer: JSONPointer, of message: [UInt8], behind prefix: Int, in payload: [UInt8],
    with value: (JSONView) -> String?
  ) -> [UInt8]? {
    if encoding == .messagePack, MessagePack.mayBegin(message) {
      return MessagePack.replacing(pointer, in: message, with: value)
    }
    guard prefix <= message.count else { return nil }
    let json = Array(message[prefix...])
    guard let told = pointer.replacing(in: json, sizeMax: Self.editedMax, with: value), json.count <= payload.count,
      let start = (0...(payload.count - json.count)).first(where: { payload[$0...].starts(with: json) })
    else { return nil }
    return payload[..<start] + told + payload[(start + json.count)...]
  }
}
