internal import GatewayJSON

/// A text with holes, e.g. `{"token":"{{token}}"}`. It is parsed once, and only put together when it is sent.
package struct Template: Hashable, Sendable {
  /// A piece of a template: bytes or a hole.
  enum Piece: Hashable {
    case bytes([UInt8])
    case hole(Hole, HoleFilter?, Place, name: String)
  }

  /// The place of a hole, which decides the escaping.
  enum Place: Hashable {
    case plain
    /// Between the quotes of a JSON string.
    case jsonString
    /// In a path or a query.
    case url
    /// In a form, whose literal text is percent-encoded too.
    case form
  }

  private(set) var pieces: [Piece] = []

  package init() {}

  /// Creates a text without holes.
  package init(literal text: String) {
    append(Array(text.utf8))
  }

  /// Returns this template followed by a hole.
  func with(_ hole: Hole) -> Template {
    var template = self
    template.append(hole, nil, .plain, name: HoleNames().name(of: hole))
    return template
  }

  /// The holes in it.
  package var holes: [Hole] {
    pieces.compactMap { piece in if case .hole(let hole, _, _, _) = piece { hole } else { nil } }
  }

  /// The text, if it has no holes.
  package var literal: [UInt8]? {
    switch pieces.count {
    case 0: []
    case 1: if case .bytes(let bytes) = pieces[0] { bytes } else { nil }
    default: nil
    }
  }

  mutating func append(_ bytes: some Collection<UInt8>) {
    guard !bytes.isEmpty else { return }
    if case .bytes(let last)? = pieces.last {
      pieces[pieces.count - 1] = .bytes(last + Array(bytes))
    } else {
      pieces.append(.bytes(Array(bytes)))
    }
  }

  mutating func append(_ hole: Hole, _ filter: HoleFilter?, _ place: Place, name: String) {
    pieces.append(.hole(hole, filter, place, name: name))
  }

  mutating func append(_ other: Template) {
    for piece in other.pieces {
      if case .bytes(let bytes) = piece { append(bytes) } else { pieces.append(piece) }
    }
  }

  /// Fills the holes and appends the whole. A value that contains `separator` is refused where it is not escaped: a
  /// user's name must not add a line on a line-based wire.
  package func write(
    to bytes: inout [UInt8], from source: some HoleSource, refusing separator: [UInt8] = []
  ) throws(HoleError) {
    for piece in pieces {
      switch piece {
      case .bytes(let text): bytes.append(contentsOf: text)
      case .hole(let hole, let filter, let place, let name):
        guard var value = source.value(of: hole) else { throw .missing(name) }
        if let filter {
          guard let filtered = filter.apply(to: value) else { throw .noNumber(name) }
          value = filtered
        }
        switch place {
        case .plain:
          guard separator.isEmpty || !Self.holds(separator, in: value) else { throw .holdsSeparator(name) }
          bytes.append(contentsOf: value.utf8)
        case .jsonString:
          var writer = JSONWriter(capacity: value.utf8.count + 2)
          writer.string(value)
          bytes.append(contentsOf: writer.bytes[1..<writer.bytes.count - 1])
        case .url, .form:
          bytes.append(contentsOf: (HoleFilter.url.apply(to: value) ?? "").utf8)
        }
      }
    }
  }

  /// Returns the filled template as text.
  package func text(from source: some HoleSource, refusing separator: [UInt8] = []) throws(HoleError) -> String {
    var bytes: [UInt8] = []
    try write(to: &bytes, from: source, refusing: separator)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns whether the value contains any byte of the separator. One byte of `\r\n` is enough, since lenient parsers
  /// accept it as the end of a line.
  private static func holds(_ separator: [UInt8], in value: String) -> Bool {
    value.utf8.contains { separator.contains($0) }
  }
}
