// Renewals without a message of the client's, in the story of a connection.

extension DraftStory {
  /// A shorter text is no name of a connection, unless it is one of a secret.
  private static let nameMin = 6

  /// Whether a text looks as if it named something: a secret's name, or a word with a number in it.
  static func isName(_ text: String) -> Bool {
    guard !text.utf8.elementsEqual("token-short".utf8), let last = text.utf8.last else { return false }
    let isDigit = { (byte: UInt8) in (0x30...0x39).contains(byte) }
    if DraftText.isName(text[...]) { return isDigit(last) }
    return text.utf8.count >= nameMin && text.utf8.contains(where: isDigit) && !text.utf8.contains(0x20)
  }

  /// The texts in the answer to the login by which later requests may name the connection, with their pointers.
  var names: [(pointer: String, text: String)] {
    guard let tree = accepted.flatMap({ units[$0].json }), let marks = accepted.map({ units[$0].marks.map(\.pointer) })
    else { return [] }
    var names: [(String, String)] = []
    _ = tree.mapped { pointer, value in
      if case .string(let text) = value, !marks.contains(pointer), Self.isName(text) { names.append((pointer, text)) }
      return value
    }
    return names
  }

  /// Returns the connection's token at a time.
  func token(before time: Int64) -> String? {
    let push = pushes.last { units[$0.index].at <= time }
    return push?.token ?? first
  }
}

extension DraftStory {
  /// Returns the answer with which the gateway refused the login; nil if it did not.
  func refusal(unlike accepted: DraftUnit) -> DraftUnit? {
    guard let index = self.accepted, renewals.isEmpty, connection.end?.isOfGateway == true else { return nil }
    let unit = units[index]
    return unit.isError && !accepted.isError && !unit.shape.utf8.elementsEqual(accepted.shape.utf8) ? unit : nil
  }
}

extension DraftStory {
  /// Where the requests over HTTP that renewed the connection stand among its messages.
  var requestPlaces: [Int] {
    requests.map { request in units.firstIndex { $0.at > request.start } ?? units.count }
  }
}
