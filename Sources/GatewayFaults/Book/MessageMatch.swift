internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

/// A condition on the content of a message: `{"json": {"/action": 15, "/channel": "room"}}`, or `{"prefix": "41"}`.
struct MessageMatch: Hashable, Sendable {
  /// The values at JSON pointers, all of which must be there.
  private let values: [Value]
  private let prefix: [UInt8]

  private static let valuesMax = 32
  private static let lengthMax = 1024

  private struct Value: Hashable {
    let pointer: JSONPointer
    let literal: Literal
  }

  /// A value that is no object and no array.
  private enum Literal: Hashable {
    case text([UInt8])
    case number(Double, whole: Int64?)
    case flag(Bool)
    case null

    init?(_ view: JSONView) {
      if let text = view.withUTF8({ Array($0) }) {
        self = .text(text)
      } else if let number = view.number {
        self = .number(number, whole: view.integer)
      } else if let flag = view.bool {
        self = .flag(flag)
      } else if view.isNull {
        self = .null
      } else {
        return nil
      }
    }

    func equals(_ view: JSONView) -> Bool {
      switch self {
      case .text(let text): view.withUTF8 { $0.elementsEqual(text) } ?? false
      case .number(let number, let whole):
        if let whole, let integer = view.integer { whole == integer } else { view.number == number }
      case .flag(let flag): view.bool == flag
      case .null: view.isNull
      }
    }
  }

  init(_ fields: FaultFields) throws(GatewayError) {
    try fields.refuseStrangers(["json", "prefix"])
    prefix = Array(try fields.text("prefix", bytes: Self.lengthMax)?.utf8 ?? "".utf8)
    var values: [Value] = []
    for (name, view) in try fields.child("json")?.view.members ?? [] {
      guard values.count < Self.valuesMax else {
        throw .invalidParameter.detailed("match.json must have at most \(Self.valuesMax) members")
      }
      guard let pointer = JSONPointer(name) else {
        throw .invalidParameter.detailed(
          "match.json: '\(name.prefix(64))' is no JSON pointer; write /type for the member type")
      }
      guard let literal = Literal(view) else {
        throw .invalidParameter.detailed(
          "match.json: \(name.prefix(64)) must be a text, a number, true, false or null")
      }
      values.append(Value(pointer: pointer, literal: literal))
    }
    self.values = values
    guard !values.isEmpty || !prefix.isEmpty else {
      throw .invalidParameter.detailed("match wants json, an object of JSON pointers and values, or prefix, a text")
    }
  }

  /// Returns whether the message begins with the prefix, and has the values in the JSON behind it.
  func matches(_ frame: Frame) -> Bool {
    guard frame.payload.starts(with: prefix) else { return false }
    guard !values.isEmpty else { return true }
    return frame.payload.withUnsafeBytes { bytes in
      let json = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(prefix.count))
      // No JSON begins as a map or an array of MessagePack does.
      let packed = frame.kind == .binary && prefix.isEmpty ? MessagePack.json(json) : nil
      if let packed { return packed.withUnsafeBytes(has) }
      // Records as SignalR sends them. No JSON has the separator in it.
      return json.split(separator: Self.recordSeparator).contains { has(UnsafeRawBufferPointer(rebasing: $0)) }
    }
  }

  private static let recordSeparator: UInt8 = 0x1e

  /// Returns whether the JSON text has the values.
  private func has(_ json: UnsafeRawBufferPointer) -> Bool {
    guard let document = try? JSONDocument(json, sizeMax: json.count) else { return false }
    return values.allSatisfy { value in value.pointer.find(in: document.root).map(value.literal.equals) ?? false }
  }
}
