import GatewayCore
import GatewayJSON

/// A JSON text as a tree that can be changed anywhere. Names and strings are kept in their written form, so that half
/// of a surrogate pair or a repeated member can be written too.
indirect enum JSONTree {
  case literal(String)
  case string(String)
  case array([JSONTree])
  case object([(name: String, value: JSONTree)])

  /// Parses a text; fails if it is not JSON.
  init?(parsing text: String) {
    guard let document = try? JSONDocument.parse(text, sizeMax: 1 << 20) else { return nil }
    self.init(document.root)
  }

  private init(_ view: JSONView) {
    if let members = view.members {
      self = .object(members.map { (Self.escaped($0.name), JSONTree($0.value)) })
    } else if let elements = view.elements {
      self = .array(elements.map(JSONTree.init))
    } else if let text = view.string {
      self = .string(Self.escaped(text))
    } else {
      self = .literal(view.text)
    }
  }

  private static func escaped(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { escaped, scalar in
      switch scalar {
      case "\"", "\\": escaped += "\\\(scalar)"
      case _ where scalar.value < 0x20:
        escaped += "\\u00" + (scalar.value < 0x10 ? "0" : "") + String(scalar.value, radix: 16)
      default: escaped.unicodeScalars.append(scalar)
      }
    }
  }

  var text: String {
    switch self {
    case .literal(let text): text
    case .string(let text): "\"\(text)\""
    case .array(let elements): "[" + elements.map(\.text).joined(separator: ",") + "]"
    case .object(let members):
      "{" + members.map { "\"\($0.name)\":\($0.value.text)" }.joined(separator: ",") + "}"
    }
  }

  /// The number of values in it, including itself.
  var count: Int {
    switch self {
    case .literal, .string: 1
    case .array(let elements): elements.reduce(1) { $0 + $1.count }
    case .object(let members): members.reduce(1) { $0 + $1.value.count }
    }
  }

  /// Returns the tree with its `index`-th value, in the order of the text, replaced by the result of `change`.
  func changing(_ index: Int, _ change: (JSONTree) -> JSONTree) -> JSONTree {
    guard index > 0 else { return change(self) }
    var left = index - 1
    func descend(_ value: JSONTree) -> JSONTree {
      defer { left -= value.count }
      return (0..<value.count).contains(left) ? value.changing(left, change) : value
    }
    switch self {
    case .literal, .string: return self
    case .array(let elements): return .array(elements.map(descend))
    case .object(let members): return .object(members.map { ($0.name, descend($0.value)) })
    }
  }

  /// All names of members in it.
  var names: [String] {
    switch self {
    case .literal, .string: []
    case .array(let elements): elements.flatMap(\.names)
    case .object(let members): members.flatMap { [$0.name] + $0.value.names }
    }
  }
}
