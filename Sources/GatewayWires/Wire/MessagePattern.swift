internal import GatewayJSON

/// A pattern by which a gateway recognises a client's message: with any values in its holes, and with further members.
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
  /// The conditions on the message instead of its literals; empty if the literals count.
  private let knownBy: [(pointer: JSONPointer, matcher: JSONMatcher)]
  private let hearing: Hearing

  /// Creates the pattern of one message; fails if its prefix has holes, since it cannot be recognised then.
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
    } else if let hex = part["hex"] {
      content = .text(try Template(hex: hex))
    } else {
      return nil
    }
  }

  /// Creates the pattern of JSON alone, the body of a request.
  init(json: Described, _ names: HoleNames) throws(DescriptionError) {
    prefix = []
    knownBy = []
    hearing = try Hearing(nil, names)
    content = .json(try Self.node(json, names))
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

  /// Returns the values of the holes if the message matches.
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
      // An object without members matches only itself: otherwise it would match every object.
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
