internal import GatewayJSON

/// A JSON value that a draft changes.
indirect enum JSONTree: Hashable {
  case object([Member])
  case array([JSONTree])
  case string(String)
  /// A number, as it was written.
  case number(String)
  /// `true`, `false` or `null`.
  case word(String)

  struct Member: Hashable {
    let name: String
    var value: JSONTree
  }

  init(_ view: JSONView) {
    switch view.kind {
    case .object:
      self = .object(
        (view.members ?? []).map { Member(name: DraftText.withoutHoles($0.name), value: JSONTree($0.value)) })
    case .array: self = .array((view.elements ?? []).map { JSONTree($0) })
    case .string: self = .string(DraftText.withoutHoles(view.string ?? ""))
    case .integer, .real: self = .number(view.text)
    case .bool: self = .word(view.bool == true ? "true" : "false")
    case .null: self = .word("null")
    }
  }

  /// Returns the member of that name or index.
  subscript(_ step: String) -> JSONTree? {
    switch self {
    case .object(let members): members.first { $0.name.utf8.elementsEqual(step.utf8) }?.value
    case .array(let elements): Int(step).flatMap { elements.indices.contains($0) ? elements[$0] : nil }
    case .string, .number, .word: nil
    }
  }

  /// The value as text, of a string or a number.
  var scalar: String? {
    switch self {
    case .string(let text), .number(let text): text
    case .object, .array, .word: nil
    }
  }

  /// Calls `visit` for every scalar, with its JSON pointer, and puts its answer in the place.
  func mapped(_ pointer: String = "", _ visit: (String, JSONTree) -> JSONTree) -> JSONTree {
    switch self {
    case .object(let members):
      .object(
        members.map { member in
          Member(name: member.name, value: member.value.mapped("\(pointer)/\(Self.escaped(member.name))", visit))
        })
    case .array(let elements): .array(elements.enumerated().map { $1.mapped("\(pointer)/\($0)", visit) })
    case .string, .number, .word: visit(pointer, self)
    }
  }

  /// Returns a name as a step of a JSON pointer.
  static func escaped(_ name: String) -> String {
    let bytes = name.utf8.flatMap { byte -> [UInt8] in
      switch byte {
      case UInt8(ascii: "~"): Array("~0".utf8)
      case UInt8(ascii: "/"): Array("~1".utf8)
      default: [byte]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The value as JSON.
  var text: String {
    switch self {
    case .object(let members):
      members.isEmpty
        ? "{}" : "{ " + members.map { "\(Self.quoted($0.name)): \($0.value.text)" }.joined(separator: ", ") + " }"
    case .array(let elements): "[" + elements.map(\.text).joined(separator: ", ") + "]"
    case .string(let text): Self.quoted(text)
    case .number(let text), .word(let text): text
    }
  }

  static func quoted(_ text: String) -> String {
    var json = JSONWriter(capacity: text.utf8.count + 2)
    json.string(text)
    return String(decoding: json.bytes, as: UTF8.self)
  }
}
