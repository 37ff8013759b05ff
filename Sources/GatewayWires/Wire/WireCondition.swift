internal import GatewayJSON

/// The condition on a message that a rule takes.
struct WireCondition: Hashable, Sendable {
  private struct Member: Hashable {
    let pointer: JSONPointer
    let matcher: JSONMatcher
  }

  private let text: Template?
  /// The whole message in bytes; nil for none.
  private let whole: [UInt8]?
  let prefix: [UInt8]
  private let contained: [UInt8]
  private let members: [Member]

  init(_ described: Described, _ names: HoleNames) throws(DescriptionError) {
    let when = try described.object(["text", "hex", "prefix", "contains", "json"])
    text = try when["text"].map { (text) throws(DescriptionError) in try Template(text, names) }
    whole = try when["hex"].map { (hex) throws(DescriptionError) in try hex.hexBytes() }
    prefix = Array(try when["prefix"]?.text().utf8 ?? "".utf8)
    contained = Array(try when["contains"]?.text().utf8 ?? "".utf8)
    members =
      try when["json"]?.members().map { (entry) throws(DescriptionError) in
        guard JSONPointer(entry.name) != nil else {
          // The name is wrong, and its object is the place that the error points to.
          throw (when["json"] ?? entry.value).error(
            "'\(entry.name)' is no JSON pointer; a pointer as \"/\(entry.name)\", or \"\" for the whole message")
        }
        return Member(
          pointer: try JSONPointer(entry.name, at: entry.value), matcher: try JSONMatcher(entry.value, names))
      } ?? []
    if text == nil && whole == nil && prefix.isEmpty && contained.isEmpty && members.isEmpty {
      throw described.error("holds for nothing; one of \"text\", \"prefix\", \"contains\", \"json\" and \"hex\"")
    }
  }

  /// Returns whether the message fulfils the condition.
  func holds(for message: WireText, _ source: some HoleSource) -> Bool {
    if let text {
      guard let wanted = try? text.text(from: source), message.bytes.elementsEqual(wanted.utf8) else { return false }
    }
    if let whole, whole != message.bytes { return false }
    guard message.bytes.starts(with: prefix) else { return false }
    guard contained.isEmpty || message.bytes.dropFirst(prefix.count).holds(contained) else { return false }
    guard !members.isEmpty else { return true }
    guard let root = message.json(behind: prefix.count) else { return false }
    return members.allSatisfy { $0.matcher.matches($0.pointer.find(in: root), source) }
  }
}
