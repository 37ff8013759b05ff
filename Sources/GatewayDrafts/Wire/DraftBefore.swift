internal import GatewayCore
internal import GatewayJSON

/// The request ahead of the upgrade, whose answer has a value that the upgrade shows. SignalR's negotiate is one.
struct DraftBefore {
  private let exchange: Recording.Exchange
  /// The name of a secret in the upgrade, the member of the answer that has it, and the answer.
  private let name: String
  private let pointer: String
  private let answer: JSONTree
  private let tokens: Set<String>
  private let holes: DraftHoles

  init?(_ recording: Recording, _ main: DraftStory, _ tokens: Set<String>, _ holes: DraftHoles) {
    guard let upgrade = main.connection.upgrade else { return nil }
    for exchange in recording.exchanges.reversed() where exchange.at <= upgrade.at {
      guard let body = exchange.answer, let document = try? JSONDocument.parse(Array(body.utf8), sizeMax: 1 << 17)
      else { continue }
      let answer = JSONTree(document.root)
      var found: (name: String, pointer: String)?
      _ = answer.mapped { pointer, value in
        if found == nil, case .string(let text) = value, !tokens.contains(text), text.utf8.count > 3,
          upgrade.query.contains(where: { $0.value.utf8.elementsEqual(text.utf8) })
        {
          found = (text, pointer)
        }
        return value
      }
      guard let found, found.name.utf8.contains(UInt8(ascii: "-")) else { continue }
      (self.exchange, self.answer, self.tokens, self.holes) = (exchange, answer, tokens, holes)
      (name, pointer) = (found.name, found.pointer)
      return
    }
    return nil
  }

  /// Returns the hole for a value of the upgrade; nil if it is another value.
  func hole(for value: String) -> String? { value.utf8.elementsEqual(name.utf8) ? "{{taken.ticket}}" : nil }

  var member: String {
    let holed = { (text: String) in JSONTree.quoted(holes.address(text)) }
    var parts = ["\"method\": \(JSONTree.quoted(exchange.method))", "\"path\": \(holed(exchange.path))"]
    if !exchange.query.isEmpty {
      parts.append(
        "\"query\": { \(exchange.query.map { "\(JSONTree.quoted($0.name)): \(holed($0.value))" }.joined(separator: ", ")) }"
      )
    }
    let fields = exchange.headers.filter { DraftUnit.name(in: $0.value, among: tokens) != nil }
    if !fields.isEmpty {
      parts.append(
        "\"headers\": { \(fields.map { "\(JSONTree.quoted($0.name)): \(holed($0.value))" }.joined(separator: ", ")) }")
    }
    parts.append("\"take\": { \"ticket\": \(JSONTree.quoted(pointer)) }")
    let example = answer.mapped { _, value in
      // Each secret of an answer is another one each time: the ticket, and a token.
      guard case .string(let text) = value, DraftText.start(beforeNameIn: text) != nil else { return value }
      return .string("{{random}}")
    }
    parts.append("\"as\": { \"json\": \(example.text) }")
    return "\"before\": { \(parts.joined(separator: ", ")) },"
  }
}
