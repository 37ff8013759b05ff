internal import GatewayCore
internal import GatewayTokens

/// The values of the holes in a client's message: its token, its number.
struct Bindings {
  private(set) var token: String?
  private(set) var user: String?
  private(set) var id: String?
  /// The values that ``Hearing`` took, by the slots of their names.
  private(set) var heard: [(slot: Int, value: String)] = []
  /// The values that the gateway gave the client earlier, by the slots of their names.
  private(set) var taken: [(slot: Int, value: String)] = []

  /// The maximum length of numbers and names that are repeated to clients.
  private static let nameMax = 256

  /// Notes a value to repeat to the client, unless it is longer than a name.
  mutating func note(_ value: String, in slot: Int) {
    guard value.utf8.count <= Self.nameMax else { return }
    heard.append((slot, value))
  }

  /// Notes the value of a hole; returns false if that filter cannot have written it.
  mutating func note(_ hole: Hole, _ filter: HoleFilter?, _ place: Template.Place, _ text: [UInt8]) -> Bool {
    guard let value = Self.unfiltered(text, filter, place) else { return false }
    switch hole {
    case .token: token = value
    case .user where value.utf8.count <= Self.nameMax: user = value
    case .id where value.utf8.count <= Self.nameMax: id = value
    case .taken(let slot) where value.utf8.count <= Self.nameMax: taken.append((slot, value))
    default: break
    }
    return true
  }

  /// Adds what another part of the same request holds.
  mutating func add(_ other: Bindings) {
    token = other.token ?? token
    user = other.user ?? user
    id = other.id ?? id
    heard += other.heard
    taken += other.taken
  }

  private static func unfiltered(_ bytes: [UInt8], _ filter: HoleFilter?, _ place: Template.Place) -> String? {
    guard var text = String(validating: bytes, as: UTF8.self) else { return nil }
    if place == .url || place == .form {
      guard let decoded = PercentEncoding.decode(text) else { return nil }
      text = decoded
    }
    switch filter {
    case nil, .number?, .json?: return text
    case .base64?: return Base64.decode(text).flatMap { String(validating: $0, as: UTF8.self) }
    case .base64url?: return Base64URL.decode(text).flatMap { String(validating: $0, as: UTF8.self) }
    case .url?: return PercentEncoding.decode(text)
    }
  }
}

extension Template {
  /// Returns whether the text can be this template with its holes filled; notes their values. A hole ends at the first
  /// occurrence of what follows it.
  func matches(_ bytes: ArraySlice<UInt8>, _ bindings: inout Bindings) -> Bool {
    var rest = bytes
    var index = pieces.startIndex
    while index < pieces.endIndex {
      switch pieces[index] {
      case .bytes(let literal):
        guard rest.starts(with: literal) else { return false }
        rest = rest.dropFirst(literal.count)
      case .hole(let hole, let filter, let place, _):
        let next = index + 1 < pieces.endIndex ? pieces[index + 1] : nil
        var end = rest.endIndex
        if case .bytes(let literal)? = next {
          guard let found = Self.first(literal, in: rest, isLast: index + 2 == pieces.endIndex) else { return false }
          end = found
        } else if next != nil {
          return false
        }
        guard end > rest.startIndex, bindings.note(hole, filter, place, Array(rest[..<end])) else { return false }
        rest = rest[end...]
      }
      index += 1
    }
    return rest.isEmpty
  }

  /// Returns the position of the literal that ends a hole: at the very end, if nothing follows it.
  private static func first(_ literal: [UInt8], in bytes: ArraySlice<UInt8>, isLast: Bool) -> Int? {
    guard bytes.count >= literal.count else { return nil }
    if isLast {
      let start = bytes.endIndex - literal.count
      return bytes[start...].elementsEqual(literal) ? start : nil
    }
    var start = bytes.startIndex
    while start + literal.count <= bytes.endIndex {
      if bytes[start...].starts(with: literal) { return start }
      start += 1
    }
    return nil
  }
}
