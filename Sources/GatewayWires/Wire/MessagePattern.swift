internal import GatewayJSON

/// A client's message as a gateway knows it again: `{"type":"refresh","token":"{{token}}"}`, for instance, with any
/// token, and with more members than these.
struct MessagePattern: Sendable {
  private indirect enum Node: Sendable {
    case object([(name: String, value: Node)])
    case array([Node])
    case text(Template)
    case number(Template)
    case literal(PlacedJSON)
  }

  private enum Content: Sendable {
    case json(Node)
    case text(Template)
  }

  private let prefix: [UInt8]
  private let content: Content
  /// What is asked of the message in place of its literals; empty where they count.
  private let knownBy: [(pointer: JSONPointer, matcher: JSONMatcher)]
  private let hearing: Hearing

  /// The pattern of one message; nil where its prefix has holes: it cannot be known again.
  init?(
    _ part: DescribedObject, knownBy: [(pointer: JSONPointer, matcher: JSONMatcher)], _ names: HoleNames
  ) throws(DescriptionError) {
    let prefix =
      try part["prefix"].map { (prefix) throws(DescriptionError) in try Template(prefix, names) } ?? Template()
    guard let literal = prefix.literal else { return nil }
    self.prefix = literal
    self.knownBy = knownBy
    hearing = try Hearing(part["take"], names)
    if let json = part["json"] {
      content = .json(try Self.node(json, names))
    } else if let text = part["text"] {
      content = .text(try Template(text, names))
    } else {
      return nil
    }
  }

  private static func node(_ described: Described, _ names: HoleNames) throws(DescriptionError) -> Node {
    switch described.value.kind {
    case .object:
      return .object(
        try described.members().map { (member) throws(DescriptionError) in
          (member.name, try node(member.value, names))
        })
    case .array:
      return .array(try described.elements().map { (element) throws(DescriptionError) in try node(element, names) })
    case .string(let text):
      if let number = try Template.lonely(text, at: described, names) { return .number(number) }
      return .text(try Template(described, names))
    case .number, .bool, .null: return .literal(described.value)
    }
  }

  /// What stood in the holes, if the message is one of these.
  func match(_ message: WireText) -> Bindings? {
    guard message.bytes.starts(with: prefix) else { return nil }
    var bindings = Bindings()
    switch content {
    case .text(let template):
      return template.matches(message.bytes[prefix.count...], &bindings) ? bindings : nil
    case .json(let node):
      guard let root = message.json(behind: prefix.count) else { return nil }
      if !knownBy.isEmpty {
        guard knownBy.allSatisfy({ $0.matcher.matches($0.pointer.find(in: root), ExampleSource()) }) else { return nil }
        _ = Self.matches(node, root, &bindings, isLoose: true)
        hearing.take(from: root, into: &bindings)
        return bindings
      }
      // An object without members is just that: every other would be one with more.
      if case .object(let members) = node, members.isEmpty, root.count != 0 { return nil }
      guard Self.matches(node, root, &bindings, isLoose: false) else { return nil }
      hearing.take(from: root, into: &bindings)
      return bindings
    }
  }

  private static func matches(_ node: Node, _ view: JSONView, _ bindings: inout Bindings, isLoose: Bool) -> Bool {
    switch node {
    case .object(let members):
      guard view.isObject else { return isLoose }
      for (name, value) in members {
        guard let member = view[member: name] else {
          if isLoose { continue } else { return false }
        }
        guard matches(value, member, &bindings, isLoose: isLoose) || isLoose else { return false }
      }
      return true
    case .array(let nodes):
      guard view.kind == .array, view.count == nodes.count else { return isLoose }
      for (index, node) in nodes.enumerated() {
        guard let element = view.element(index) else { return isLoose }
        guard matches(node, element, &bindings, isLoose: isLoose) || isLoose else { return false }
      }
      return true
    case .text(let template):
      return view.withUTF8 { template.matches(Array($0)[...], &bindings) } ?? false
    case .number(let template):
      guard [.integer, .real].contains(view.kind) else { return false }
      return template.matches(Array(view.text.utf8)[...], &bindings)
    case .literal(let json): return json.equals(view)
    }
  }
}
