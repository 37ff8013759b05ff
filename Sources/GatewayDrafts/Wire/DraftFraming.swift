/// How the messages of a recording lie in frames.
struct DraftFraming {
  private(set) var isBinary = false
  /// Whether the messages are MessagePack.
  private(set) var isPacked = false
  /// The text at the end of each message; nil for none.
  private(set) var end: String?
  /// The separator of several messages in a frame; nil for none.
  private(set) var split: String?

  init(_ connections: [Recording.Connection]) {
    let messages = connections.lazy.flatMap(\.messages)
    isBinary = !messages.isEmpty && messages.allSatisfy(\.isBinary)
    isPacked = isBinary && messages.allSatisfy(\.isPacked)
    guard !isPacked else { return }
    for candidate in ["\u{1e}", "\r\n"] where !messages.isEmpty {
      if messages.allSatisfy({ Self.ends($0.text, candidate) }) { end = candidate }
    }
    if end == nil, messages.contains(where: { Self.isOfLines($0.text) }) { split = "\n" }
  }

  private static func ends(_ text: String, _ end: String) -> Bool {
    text.utf8.suffix(end.utf8.count).elementsEqual(end.utf8)
  }

  /// Returns whether a text is several JSON objects, one a line.
  private static func isOfLines(_ text: String) -> Bool {
    let lines = text.utf8.split(separator: 0x0a)
    return lines.count > 1 && lines.allSatisfy { $0.first == UInt8(ascii: "{") && $0.last == UInt8(ascii: "}") }
  }

  /// Returns the messages of a connection.
  func units(_ connection: Recording.Connection) -> [DraftUnit] {
    connection.messages.flatMap { message -> [DraftUnit] in
      guard let separator = (end ?? split).map({ Array($0.utf8) }) else {
        return [DraftUnit(message.text, of: message)]
      }
      let bytes = Array(message.text.utf8)
      var (pieces, start, index): ([ArraySlice<UInt8>], Int, Int) = ([], 0, 0)
      while index < bytes.count {
        guard bytes[index...].starts(with: separator) else {
          index += 1
          continue
        }
        pieces.append(bytes[start..<index])
        index += separator.count
        start = index
      }
      pieces.append(bytes[start...])
      return pieces.filter { !$0.isEmpty }.map { DraftUnit(String(decoding: $0, as: UTF8.self), of: message) }
    }
  }

  /// The member of the description; nil if the usual one will do.
  var member: String? {
    var parts: [String] = []
    if isPacked { parts.append("\"encoding\": \"msgpack\"") } else if isBinary { parts.append("\"kind\": \"binary\"") }
    if let end { parts.append("\"end\": \(JSONTree.quoted(end))") }
    if let split { parts.append("\"split\": \(JSONTree.quoted(split))") }
    return parts.isEmpty ? nil : "\"frames\": { \(parts.joined(separator: ", ")) },"
  }
}
