internal import GatewayCore
internal import GatewayJSON

/// One message of a recording, as a draft sees it: text, or JSON behind a prefix.
struct DraftUnit {
  let at: Int64
  let line: Int
  let isOfClient: Bool
  let text: String
  let prefix: String
  let json: JSONTree?

  /// The longest text before the JSON of a message.
  private static let prefixMax = 12
  private static let depthMax = 16

  init(_ text: String, of message: Recording.Message) {
    let text = DraftText.withoutHoles(text)
    (at, line, isOfClient) = (message.at, message.line, message.isOfClient)
    let bytes = Array(text.utf8)
    if let start = bytes.firstIndex(where: { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "[") }),
      start <= Self.prefixMax,
      let document = try? JSONDocument.parse(Array(bytes[start...]), sizeMax: bytes.count, depthMax: Self.depthMax)
    {
      prefix = String(decoding: bytes[..<start], as: UTF8.self)
      json = JSONTree(document.root)
      self.text = text
    } else {
      (prefix, json) = ("", nil)
      self.text = DraftText.withoutSecrets(text)
    }
  }

  // MARK: Names of secrets

  /// Returns the first of the names that the message has.
  func name(among names: Set<String>) -> String? { Self.name(in: text, among: names) }

  /// Returns the first of the names, e.g. `token-1`, that a text has.
  static func name(in text: String, among names: Set<String>) -> String? {
    DraftText.words(of: text).lazy.map { String(Substring($0)) }.first { names.contains($0) }
  }

  // MARK: Shape

  /// The members that tell kinds of message apart, the likeliest first.
  private static let kinds = ["type", "event", "op", "action", "cmd", "command", "method", "msg", "kind", "t", "a"]
  /// The members that number messages.
  static let numbers = ["id", "ref", "requestId", "request_id", "req_id", "seq", "msgId"]
  private static let wordMax = 40

  /// The places that show the kind of a message: pointers with their values; nil for any value.
  var marks: [(pointer: String, value: String?)] {
    switch json {
    case .object(let members):
      for kind in Self.kinds {
        guard let value = json?[kind], let scalar = value.scalar, Self.isWord(scalar) else { continue }
        return [("/\(kind)", value.text)]
      }
      if members.isEmpty { return [("", "{ \"is\": {} }")] }
      let named = members.first { member in !Self.numbers.contains { $0.utf8.elementsEqual(member.name.utf8) } }
      guard let first = named ?? members.first else { return [] }
      return [("/\(JSONTree.escaped(first.name))", nil)]
    case .array(let elements):
      let place = elements.count == 5 && elements[3].scalar != nil ? 3 : 0
      guard elements.indices.contains(place), let scalar = elements[place].scalar, Self.isWord(scalar) else {
        return []
      }
      return [("/\(place)", elements[place].text)]
    case .string, .number, .word, nil: return []
    }
  }

  private static func isWord(_ text: String) -> Bool {
    text.utf8.count <= wordMax && DraftText.withoutSecrets(text).utf8.elementsEqual(text.utf8)
      && !DraftText.words(of: text).contains { DraftText.isName(Substring($0)) }
  }

  /// Returns whether the message is an object with the member of a mark.
  func has(_ pointer: String) -> Bool {
    guard case .object(let members) = json else { return false }
    return members.contains { "/\(JSONTree.escaped($0.name))".utf8.elementsEqual(pointer.utf8) }
  }

  /// The condition of a rule that takes messages of this kind, with the number that an answer has.
  func when(_ id: (pointer: String, hole: String)?) -> String {
    var parts: [String] = []
    if json == nil {
      let start = DraftText.start(beforeNameIn: text) ?? ""
      parts.append("\(start.isEmpty ? "\"text\"" : "\"prefix\""): \(JSONTree.quoted(start.isEmpty ? text : start))")
    } else if !prefix.isEmpty {
      parts.append("\"prefix\": \(JSONTree.quoted(prefix))")
    }
    var members = marks.map { "\(JSONTree.quoted($0.pointer)): \($0.value ?? "{ \"exists\": true }")" }
    if let id { members.append("\(JSONTree.quoted(id.pointer)): \(JSONTree.quoted(id.hole))") }
    if members.isEmpty, parts.isEmpty { members.append("\"\": { \"exists\": true }") }
    if !members.isEmpty { parts.append("\"json\": { \(members.joined(separator: ", ")) }") }
    return "{ \(parts.joined(separator: ", ")) }"
  }

  /// The text by which messages of one kind are equal.
  var shape: String {
    json == nil
      ? "text \(DraftText.start(beforeNameIn: text) ?? text)"
      : "\(prefix) " + marks.map { "\($0.pointer)=\($0.value ?? "")" }.joined(separator: " ")
  }

  /// The message's own number, with its place.
  var number: (pointer: String, value: JSONTree)? {
    switch json {
    case .object:
      for name in Self.numbers {
        if let value = json?[name], value.scalar != nil { return ("/\(name)", value) }
      }
      return nil
    case .array(let elements):
      guard elements.count == 5, let value = json?["1"], value.scalar != nil else { return nil }
      return ("/1", value)
    case .string, .number, .word, nil: return nil
    }
  }

  /// Whether it is an answer to that message.
  func answers(_ other: DraftUnit) -> Bool {
    guard let number, let asked = other.number else { return false }
    return number.pointer == asked.pointer && number.value == asked.value
  }

  /// Whether it is a ping by its text or kind. The empty object may be one.
  var isPing: Bool {
    if Self.pings.contains(where: { $0.utf8.elementsEqual(text.utf8) }) { return true }
    return marks.contains { mark in
      ["\"ping\"", "\"heartbeat\"", "\"PING\""].contains { $0.utf8.elementsEqual((mark.value ?? "").utf8) }
    }
  }

  /// Whether it is a ping and cannot be the answer to a message.
  var isOnlyPing: Bool { json?.isEmptyObject != true && isPing }

  private static let pings = ["2", "PING", "{}", "ping", "heartbeat"]

  /// Whether it tells of an error.
  var isError: Bool {
    let words = ["\"error\"", "\"/error\"", "-ERR", "_error\"", "refused"]
    return words.contains { text.contains(bytesOf: $0) }
  }
}
